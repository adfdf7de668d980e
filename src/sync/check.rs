//! `check`: the whole team memory, some files, or a range of commits against every rule, for CI.
//! Border: reads only; `sync` and `index --write` put right what it names.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::error::SyncError;
use super::incoming::check_change;
use super::merge_tree::{Lineage, Merger};
use super::outcome::OpenConflict;
use super::settle::open_conflicts;
use super::stage_index::over_cap;
use super::team::{Caller, Team};
use super::view::TreeView;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::{EntryMode, MemoryPath};
use crate::gate::Gate;
use crate::gate::verdict::{Reason, Weight};
use crate::git::commit::Commit;
use crate::git::tree::TreeChange;
use crate::memory::index::Index;
use crate::memory::limits::{MEMORY_BYTES_MAX, POLICY_BYTES_MAX};
use crate::memory::reconcile::reconcile;
use crate::system::files::{FileKind, WalkLimits};

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
    team_path: &Path,
    project_root: Option<&Path>,
    caller: &Caller,
    only: &[String],
) -> Result<CheckReport, SyncError> {
    let mut team = Team::open(team_path, project_root)?;
    let files = team.repo.tree_files(team.repo.commit(team.tip()?)?.tree)?;
    let mut report =
        CheckReport { conflicts: open_conflicts(&team, &files)?, ..CheckReport::default() };
    team.with_gate(caller, |team, gate| {
        let limits = WalkLimits { files_max: 100_000, depth_max: 32 };
        let mut raw_paths = Vec::new();
        for file in team.root.walk(limits)? {
            let shown = String::from_utf8_lossy(&file.path).into_owned();
            let is_named = only.is_empty()
                || only.iter().any(|name| shown == *name || shown.starts_with(&format!("{name}/")));
            if !is_named || super::stage::is_leftover(&file.path) {
                continue;
            }
            let mode = match (file.stat.kind, file.stat.is_executable) {
                (FileKind::File, false) => EntryMode::File,
                (FileKind::File, true) => EntryMode::Executable,
                (FileKind::Symlink, _) => EntryMode::Symlink,
                _ => EntryMode::Other,
            };
            report.files += 1;
            let found = match gate.entry(&file.path, mode, file.stat.size) {
                Err(reason) => vec![*reason],
                Ok(path) => {
                    gate.content(&path, &team.root.read(path.as_str(), POLICY_BYTES_MAX as u64)?)
                }
            };
            report.reasons.extend(found.into_iter().map(|reason| Checked { commit: None, reason }));
            raw_paths.push(file.path);
        }
        if only.is_empty() {
            raw_paths.sort();
            let set: Vec<&[u8]> = raw_paths.iter().map(Vec::as_slice).collect();
            let mut reasons = gate.set(&set);
            reasons.extend(index_reasons(team)?);
            report
                .reasons
                .extend(reasons.into_iter().map(|reason| Checked { commit: None, reason }));
        }
        Ok(())
    })?;
    Ok(report)
}

/// Whether the index on disk is in line with what is committed, and within its caps.
fn index_reasons(team: &Team) -> Result<Vec<Reason>, SyncError> {
    let tree = team.repo.commit(team.tip()?)?.tree;
    let view = TreeView::new(&team.repo, &team.repo.tree_files(tree)?, &BTreeMap::new());
    let text = team.root.read_if_there("MEMORY.md", MEMORY_BYTES_MAX as u64)?.unwrap_or_default();
    let index = Index::parse(&String::from_utf8_lossy(&text));
    let result = reconcile(&index, &view);
    let mut reasons: Vec<Reason> = over_cap(&index).into_iter().collect();
    if !result.changes.is_empty() {
        reasons.push(Reason {
            path: "MEMORY.md".to_owned(),
            position: None,
            rule: "index-reconciled".to_owned(),
            weight: Weight::Refused,
            message: format!(
                "the index and the memories differ in {} places",
                result.changes.len()
            ),
            next_step: "`memsync index --write`, or `memsync sync`".to_owned(),
        });
    }
    Ok(reasons)
}

/// Checks every commit of `BASE..HEAD` as a push would, and redoes merges that a host made.
pub fn check_range(
    team_path: &Path,
    project_root: Option<&Path>,
    caller: &Caller,
    range: &str,
) -> Result<CheckReport, SyncError> {
    let mut team = Team::open(team_path, project_root)?;
    let (base, head) = range.split_once("..").unwrap_or((range, ""));
    let head = if head.is_empty() { "HEAD" } else { head.trim_start_matches('.') };
    let bad = |text: &str| SyncError::NoCommit(Escaped(text).to_string());
    let base = team.repo.find_commit(base)?.ok_or_else(|| bad(base))?;
    let head = team.repo.find_commit(head)?.ok_or_else(|| bad(head))?;
    let files = team.repo.tree_files(team.repo.commit(head)?.tree)?;
    let mut report =
        CheckReport { conflicts: open_conflicts(&team, &files)?, ..CheckReport::default() };
    team.with_gate(caller, |team, gate| {
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

pub(super) fn check_commit(
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
pub(super) fn check_merge(team: &Team, commit: &Commit) -> Result<Vec<Reason>, SyncError> {
    let [one, two] = commit.parents.as_slice() else { return Ok(Vec::new()) };
    let merger = Merger::new(team, Lineage::default());
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
            .map(|id| team.repo.blob(id, MEMORY_BYTES_MAX as u64))
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
