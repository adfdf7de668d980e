//! `check`: the whole team memory, some files, or a range of commits against every rule, for CI.
//! Border: reads only; `sync` and `index --write` put right what it names.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::{EntryMode, MemoryPath};
use crate::gate::Gate;
use crate::gate::verdict::{Reason, ReasonKind, Weight};
use crate::git::commit::Commit;
use crate::git::index::IndexCache;
use crate::git::tree::{TreeChange, TreeFiles, changes};
use crate::memory::index::Index;
use crate::memory::limits::{FILE_BYTES_MAX, INDEX_FILE_BYTES_MAX, index_bytes_max};
use crate::memory::reconcile::{IndexChange, Setting, reconcile};
use crate::memory::snapshot::Files;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::exchange::checkout::open_conflicts;
use crate::sync::exchange::stage_index::over_cap;
use crate::sync::outcome::OpenConflict;
use crate::sync::rebase::merge_tree::{Lineage, Merger};
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::incoming::check_change;
use crate::sync::worktree::in_line;
use crate::sync::worktree::passed_over::is_leftover;
use crate::sync::worktree::scan::{OnDisk, scan};
use crate::sync::worktree::tree_overlay::Edits;
use crate::sync::worktree::tree_overlay::TreeView;

/// A reason and where it was met.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The commit; `None` for what is on disk.
    pub commit: Option<ObjectId>,
    /// What is wrong.
    #[serde(flatten)]
    pub reason: Reason,
}

/// What a check found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CheckReport {
    /// Files that were looked at.
    pub files: usize,
    /// Commits that were looked at.
    pub commits: usize,
    /// Every reason, refusals and advice.
    pub reasons: Vec<Checked>,
    /// Open conflicts.
    pub conflicts: Vec<OpenConflict>,
}

impl CheckReport {
    /// Whether every rule holds. Advice does not count; `strict` counts advice and open conflicts.
    pub fn passes(&self, strict: bool) -> bool {
        let refusals = self.reasons.iter().any(|checked| checked.reason.holds_back());
        !refusals && !(strict && (!self.conflicts.is_empty() || !self.reasons.is_empty()))
    }
}

/// Checks files on disk: all of them, or those named (paths below `team/`).
pub fn check_disk(
    place: &TeamPlace,
    actor: &Actor,
    only: &[String],
) -> Result<CheckReport, SyncError> {
    let mut team = Team::open(place)?.looking();
    let tree = team.repo.commit(team.tip()?)?.tree;
    let files = team.repo.tree_files(tree)?;
    let mut report =
        CheckReport { conflicts: open_conflicts(&team, &files)?, ..CheckReport::default() };
    team.with_gate(actor, |team, gate| {
        // Against nothing, so that every file is read.
        let all = scan(&team.root, &team.repo, &TreeFiles::new(), &IndexCache::default())?;
        let mut reasons = Vec::new();
        let mut raw_paths: Vec<&[u8]> = Vec::new();
        for change in &all.changes {
            let shown = String::from_utf8_lossy(&change.path);
            let is_named = only.is_empty()
                || only
                    .iter()
                    .any(|name| shown == **name || shown.starts_with(&format!("{name}/")));
            if !is_named || (is_leftover(&change.path) && !files.contains_key(&change.path)) {
                continue;
            }
            report.files += 1;
            match change.admitted(gate) {
                Err(reason) => reasons.push(*reason),
                Ok(path) => {
                    if let OnDisk::File(content, _) = &change.on_disk {
                        reasons.extend(gate.content(&path, content));
                    }
                }
            }
            raw_paths.push(&change.path);
        }
        if only.is_empty() {
            reasons.extend(gate.set(&raw_paths));
            let seen = scan(&team.root, &team.repo, &files, &team.repo.index_cache())?;
            let edits = in_line::edits_on_disk(&seen);
            reasons.extend(index_reasons(team, tree, &files, &edits)?);
        }
        report.reasons.extend(reasons.into_iter().map(|reason| Checked { commit: None, reason }));
        Ok(())
    })?;
    Ok(report)
}

/// Whether the index of a tree with edits on top is in line with its memories, and within its caps.
fn index_reasons(
    team: &Team,
    tree: ObjectId,
    files: &TreeFiles,
    edits: &Edits,
) -> Result<Vec<Reason>, SyncError> {
    let view = TreeView::new(&team.repo, files, edits);
    let path = MemoryPath::parse("MEMORY.md").expect("because the index has a valid path");
    let content = view.content(&path).unwrap_or_default();
    // What is no text was named before.
    let Ok(text) = std::str::from_utf8(&content) else { return Ok(Vec::new()) };
    let since = in_line::since(team, tree, files, edits, |_| false)?;
    let memories = view.paths().filter(|path| path.is_memory()).count();
    let bytes_max = index_bytes_max(memories);
    let index = Index::parse(text);
    let result = reconcile(&index, &Setting { bytes_max, ..Setting::of(&view, &since) });
    let mut reasons: Vec<Reason> = over_cap(&index).into_iter().collect();
    reasons.extend(result.notes_before.iter().map(|note| Reason::of_problem(&path, note)));
    if let Some(first) = result.changes.first() {
        let what = match first {
            IndexChange::Added(_) => "nothing leads to",
            IndexChange::Dropped(_) => "it still names the deleted",
            IndexChange::Folded(_) => "it names twice in the same words",
            IndexChange::Followed(_) => "it does not follow",
        };
        let (count, target) = (result.changes.len(), Escaped(&first.entry().target).to_string());
        let more = if count > 1 { format!(", and {} more", count - 1) } else { String::new() };
        reasons.push(Reason {
            kind: ReasonKind::Rule,
            path: path.to_string(),
            position: None,
            rule: "index-reconciled".to_owned(),
            weight: Weight::Refused,
            message: format!("the index is not in line with the memories: {what} `{target}`{more}"),
            next_step: "`memsync index --write`, or `memsync sync`".to_owned(),
        });
    }
    Ok(reasons)
}

/// Checks what is staged in git's index of the team memory, as the next plain `git commit` takes it.
pub fn check_staged(place: &TeamPlace, actor: &Actor) -> Result<CheckReport, SyncError> {
    let mut team = Team::open(place)?.looking();
    let tree = team.repo.commit(team.tip()?)?.tree;
    let files = team.repo.tree_files(tree)?;
    let mut report =
        CheckReport { conflicts: open_conflicts(&team, &files)?, ..CheckReport::default() };
    team.with_gate(actor, |team, gate| {
        let staged = team.repo.staged_files()?;
        let mut reasons = Vec::new();
        let mut edits = Edits::new();
        for change in changes(&files, &staged) {
            let path = MemoryPath::parse_bytes(&change.path).ok();
            let Some(new) = change.new else {
                edits.extend(path.map(|path| (path, None)));
                continue;
            };
            report.files += 1;
            let mode = EntryMode::from_bits(new.mode);
            let size = if mode == EntryMode::File { team.repo.blob_size(new.id)? } else { 0 };
            match gate.entry(&change.path, mode, size) {
                Err(reason) => reasons.push(*reason),
                Ok(path) => {
                    let content = team.repo.blob(new.id, FILE_BYTES_MAX as u64)?;
                    reasons.extend(gate.content(&path, &content));
                    edits.insert(path, Some(content));
                }
            }
        }
        reasons.extend(gate.set(&staged.keys().map(Vec::as_slice).collect::<Vec<_>>()));
        reasons.extend(index_reasons(team, tree, &files, &edits)?);
        report.reasons.extend(reasons.into_iter().map(|reason| Checked { commit: None, reason }));
        Ok(())
    })?;
    Ok(report)
}

/// Checks every commit of `BASE..HEAD` as a push would, and redoes merges that a host made.
pub fn check_range(
    place: &TeamPlace,
    actor: &Actor,
    range: &str,
) -> Result<CheckReport, SyncError> {
    let mut team = Team::open(place)?.looking();
    let (base, head) = range.split_once("..").unwrap_or((range, ""));
    let head = if head.is_empty() { "HEAD" } else { head.trim_start_matches('.') };
    let bad = |text: &str| SyncError::NoCommit(Escaped(text).to_string());
    let base = team.repo.find_commit(base)?.ok_or_else(|| bad(base))?;
    let head = team.repo.find_commit(head)?.ok_or_else(|| bad(head))?;
    let files = team.repo.tree_files(team.repo.commit(head)?.tree)?;
    let mut report =
        CheckReport { conflicts: open_conflicts(&team, &files)?, ..CheckReport::default() };
    team.with_gate(actor, |team, gate| {
        for id in team.repo.range(Some(base), head)? {
            let commit = team.repo.commit(id)?;
            report.commits += 1;
            let mut reasons = check_commit(team, gate, &commit, &mut report.files)?;
            reasons.extend(check_merge(team, &commit)?);
            report
                .reasons
                .extend(reasons.into_iter().map(|reason| Checked { commit: Some(id), reason }));
        }
        Ok(())
    })?;
    Ok(report)
}

pub(crate) fn check_commit(
    team: &Team,
    gate: &Gate<'_>,
    commit: &Commit,
    files: &mut usize,
) -> Result<Vec<Reason>, SyncError> {
    let parent = commit.parents.first().map(|id| team.repo.commit(*id)).transpose()?;
    let mut reasons = Vec::new();
    for change in team.repo.tree_changes(parent.map(|parent| parent.tree), Some(commit.tree))? {
        *files += 1;
        match check_change(team, gate, commit, &change)? {
            Ok(found) => reasons.extend(found),
            Err(reason) => reasons.push(reason),
        }
    }
    Ok(reasons)
}

/// What a merge broke that was made without our rules; nothing for other commits.
pub(crate) fn check_merge(team: &Team, commit: &Commit) -> Result<Vec<Reason>, SyncError> {
    let [one, two] = commit.parents.as_slice() else { return Ok(Vec::new()) };
    let merger = Merger::new(&team.repo, Lineage::default());
    let Some(wanted) = merger.merged_tree(&commit.parents)? else { return Ok(Vec::new()) };
    let base = team
        .repo
        .merge_base(*one, *two)?
        .map(|id| team.repo.commit(id))
        .transpose()?
        .map(|base| base.tree);
    let mut reasons = Vec::new();
    for change in team.repo.tree_changes(Some(wanted), Some(commit.tree))? {
        let was_in_base = match base {
            Some(base) => {
                team.repo.tree_file(base, &String::from_utf8_lossy(&change.path))?.is_some()
            }
            None => false,
        };
        if change.path == b"MEMORY.md" {
            reasons.extend(broken_index(team, &change, base)?);
        } else {
            reasons.push(broken_file(&change, was_in_base));
        }
    }
    Ok(reasons)
}

fn broken_file(change: &TreeChange, was_in_base: bool) -> Reason {
    let (rule, weight, message) = match (change.old, change.new) {
        (None, Some(_)) if was_in_base => (
            "merge-resurrected",
            Weight::Refused,
            "the merge brought back a file that one side had deleted",
        ),
        (None, _) => {
            ("merge-added", Weight::Advice, "the merge added a file that neither side had")
        }
        (Some(_), None) => {
            ("merge-dropped", Weight::Refused, "the merge lost a file that should be there")
        }
        (Some(_), Some(_)) => (
            "merge-differs",
            Weight::Advice,
            "the merge made something else of the file than memsync would",
        ),
    };
    merge_reason(&change.path, rule, weight, message.to_owned())
}

fn merge_reason(path: &[u8], rule: &str, weight: Weight, message: String) -> Reason {
    Reason {
        kind: ReasonKind::Rule,
        path: Escaped(&String::from_utf8_lossy(path)).to_string(),
        position: None,
        rule: rule.to_owned(),
        weight,
        message,
        next_step: "merge with `memsync sync` or the merge driver; `memsync index --write` puts the index right".to_owned(),
    }
}

/// How the index of a merge differs from what it should be, entry by entry.
fn broken_index(
    team: &Team,
    change: &TreeChange,
    base: Option<ObjectId>,
) -> Result<Vec<Reason>, SyncError> {
    let count = |id: Option<ObjectId>| -> Result<BTreeMap<String, usize>, SyncError> {
        let content = id
            .map(|id| team.repo.blob(id, INDEX_FILE_BYTES_MAX as u64))
            .transpose()?
            .unwrap_or_default();
        let mut counts = BTreeMap::new();
        for entry in Index::parse(&String::from_utf8_lossy(&content)).entries() {
            *counts.entry(entry.target.clone()).or_insert(0) += 1;
        }
        Ok(counts)
    };
    let base_file = base.map(|base| team.repo.tree_file(base, "MEMORY.md")).transpose()?.flatten();
    let before = count(base_file.map(|file| file.id))?;
    let (wanted, found) =
        (count(change.old.map(|file| file.id))?, count(change.new.map(|file| file.id))?);
    let mut reasons = Vec::new();
    let mut broken = |rule, target: &str, what: &str| {
        let message = format!("the merge {what} the entry of `{}`", Escaped(target));
        reasons.push(merge_reason(b"MEMORY.md", rule, Weight::Refused, message));
    };
    for (target, number) in &found {
        match wanted.get(target) {
            Some(right) if number > right => broken("merge-duplicate-entry", target, "doubled"),
            None if before.contains_key(target) => {
                broken("merge-resurrected-entry", target, "brought back");
            }
            _ => {}
        }
    }
    for target in wanted.keys().filter(|target| !found.contains_key(*target)) {
        broken("merge-dropped-entry", target, "lost");
    }
    if reasons.is_empty() {
        let message = "the merge made another index than memsync would".to_owned();
        reasons.push(merge_reason(b"MEMORY.md", "merge-wrong-index", Weight::Advice, message));
    }
    Ok(reasons)
}

/// Paths below `team/` as a person typed them, relative to a folder or to `team/`.
pub fn team_paths(team: &Path, folder: &Path, typed: &[String]) -> Vec<String> {
    let relative = |text: &String| {
        let full = folder.join(text);
        let inside = full.strip_prefix(team).ok().map(|path| path.to_string_lossy().into_owned());
        inside
            .filter(|path| !path.is_empty())
            .unwrap_or_else(|| text.trim_end_matches('/').to_owned())
    };
    typed
        .iter()
        .map(relative)
        .filter(|text| MemoryPath::parse(text).is_ok() || !text.is_empty())
        .collect()
}
