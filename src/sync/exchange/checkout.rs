//! Brings work tree, refs and git's index to where both sides agree.
//! Border: plans the writes; `apply` carries them out crash-safely.

use std::collections::{BTreeMap, HashSet};

use super::stage::{Staged, change_kind};
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::git::tree::{TreeFiles, changes};
use crate::git::write::Expected;
use crate::memory::index::Index;
use crate::memory::limits::{FILE_BYTES_MAX, POLICY_BYTES_MAX};
use crate::memory::reconcile::{Setting, Since, lone_entries, with_words_of, without_entries};
use crate::memory::snapshot::Snapshot;
use crate::merge::conflict::{CONFLICTS_FOLDER, Conflict};
use crate::merge::kinds::index::merge_index;
use crate::sync::error::SyncError;
use crate::sync::outcome::{ExchangeOutcome, FileChange, OpenConflict};
use crate::sync::repo::roster::roster_at;
use crate::sync::repo::team::Team;
use crate::sync::worktree::apply::{FileWrite, Step, apply};
use crate::sync::worktree::in_line;
use crate::sync::worktree::tree_overlay::parse_tree_path;
use crate::system::files::Durability;
use crate::trust::allowed_signers::{self, FormerKey};
use crate::trust::key::PublicKey;
use crate::trust::roster::{Day, ROSTER_PATH, Roster};

/// The file for plain git, below the git dir.
pub(crate) const ALLOWED_SIGNERS: &str = "memsync/allowed_signers";

/// Far more than the keys of the largest roster.
const ALLOWED_SIGNERS_BYTES_MAX: u64 = 20_000_000;

/// Finishes a stage without a remote: the index follows, nothing is fetched or sent.
pub(crate) fn settle_locally(
    team: &mut Team,
    staged: Staged,
) -> Result<ExchangeOutcome, SyncError> {
    let mut outcome = ExchangeOutcome { staged: staged.outcome.clone(), ..Default::default() };
    let (tip, tracking) = (staged.tip, team.tracking()?);
    settle(team, staged, tip, tracking, &mut outcome)?;
    Ok(outcome)
}

/// Moves refs and work tree to where both sides agree.
pub(crate) fn settle(
    team: &mut Team,
    staged: Staged,
    tip: ObjectId,
    tracking: Option<ObjectId>,
    outcome: &mut ExchangeOutcome,
) -> Result<(), SyncError> {
    let new_tree = team.repo.commit(tip)?.tree;
    let new_files = team.repo.tree_files(new_tree)?;
    let before = staged.tip;
    let is_moved = tip != before;
    let planned = is_moved.then(|| plan_writes(team, &staged, &new_files, outcome)).transpose()?;
    let mut states = staged.states;
    if let Some((writes, bases)) = planned {
        let step = Step {
            old: Some(before),
            new: tip,
            reason: "memsync: merged with the remote",
            writes,
            bases,
        };
        let applied = apply(team, step, &mut states)?;
        outcome.left_alone.extend(applied.left_alone.iter().map(MemoryPath::to_string));
    }
    if let Some(tracking) =
        tracking.filter(|new| team.tracking().is_ok_and(|old| old != Some(*new)))
    {
        for name in [team.tracking_ref(), team.shown_ref()] {
            team.repo.update_ref(&name, tracking, Expected::Any, "memsync: verified")?;
        }
    }
    let cache = team.repo.index_cache();
    if !cache.holds(new_files.iter().map(|(path, file)| (path, file.id))) {
        team.repo.write_index(new_tree, &states)?;
    }
    in_line::remember_settled(team, new_tree);
    write_allowed_signers(team, tip)?;
    outcome.conflicts = open_conflicts(team, &new_files)?;
    outcome.ahead = team.repo.count(tracking, tip)?;
    outcome.tip = Some(tip);
    Ok(())
}

/// Which files change on disk. A file that is not what our tip holds is an edit that was kept
/// out: it stays, with its base. An index that only says more than the committed one, because a memory
/// is kept out, is merged: others' entries must appear in it.
#[expect(clippy::type_complexity, reason = "the two halves of a step")]
pub(crate) fn plan_writes(
    team: &Team,
    staged: &Staged,
    new: &TreeFiles,
    outcome: &mut ExchangeOutcome,
) -> Result<(Vec<FileWrite>, BTreeMap<String, Option<ObjectId>>), SyncError> {
    let mut writes = Vec::new();
    let mut bases = team.state.bases.clone();
    for change in changes(&staged.files, new) {
        let path = parse_tree_path(&change.path)?;
        let (was, is) = (change.old.map(|f| f.id), change.new.map(|f| f.id));
        let disk = staged.states.get(&change.path).map(|(id, _)| *id);
        outcome.files.push(FileChange { path: path.to_string(), kind: change_kind(was, is) });
        let new_content = is.map(|id| team.repo.blob(id, FILE_BYTES_MAX as u64)).transpose()?;
        if disk == was && !bases.contains_key(path.as_str()) {
            let new = is.zip(new_content);
            writes.push(FileWrite { path, old: disk, new, base: was });
            continue;
        }
        let base = *bases.entry(path.to_string()).or_insert(was);
        let mine = staged.index.as_ref().filter(|(id, _)| path.is_index() && disk == Some(*id));
        if let (Some((disk, mine)), Some(content), Some(is)) = (mine, &new_content, is) {
            let old = base.map(|id| team.repo.blob(id, FILE_BYTES_MAX as u64)).transpose()?;
            let [base_text, content, mine] = [&old.unwrap_or_default(), content, mine]
                .map(|text| String::from_utf8_lossy(text).into_owned());
            let came = |held: &&String| {
                new.contains_key(held.as_bytes()) && !staged.files.contains_key(held.as_bytes())
            };
            let came = team.state.bases.keys().filter(came).map(String::as_str).collect();
            let merged = merged_on_disk(&base_text, &content, &mine, &came);
            let id = team.repo.write_blob(merged.as_bytes())?;
            bases.insert(path.to_string(), Some(is));
            writes.push(FileWrite {
                path,
                old: Some(*disk),
                new: Some((id, merged.into_bytes().into())),
                base,
            });
        } else {
            outcome.left_alone.push(path.to_string());
        }
    }
    Ok((writes, bases))
}

/// The index on disk with what came in. Where a memory came in that is here too and kept out, its entry
/// stands where others have it and says what it says here.
fn merged_on_disk(base: &str, theirs: &str, mine: &str, came: &HashSet<&str>) -> String {
    let parsed = Index::parse(mine);
    let (alone, since) = (lone_entries(&parsed, came), Since::default());
    if alone.is_empty() {
        return merge_index(base, theirs, mine);
    }
    let no_files = Snapshot::default();
    let rest = without_entries(&parsed, &alone, &Setting::of(&no_files, &since));
    with_words_of(&Index::parse(&merge_index(base, theirs, &rest)), &parsed, &alone)
}

/// Keeps the file by which plain git checks signatures in line with the roster.
fn write_allowed_signers(team: &Team, tip: ObjectId) -> Result<(), SyncError> {
    let tree = team.repo.commit(tip)?.tree;
    let Some(file) = team.repo.tree_file(tree, ROSTER_PATH)? else { return Ok(()) };
    let origin = file.id.to_string();
    let heading = allowed_signers::heading(&origin);
    let known = team.git_root.read_if_there(ALLOWED_SIGNERS, ALLOWED_SIGNERS_BYTES_MAX)?;
    if known.is_some_and(|known| known.starts_with(heading.as_bytes())) {
        return Ok(());
    }
    let Some(roster) = roster_at(team, tree)? else { return Ok(()) };
    let text = allowed_signers::render(&roster, &former_keys(team, tip)?, &origin);
    Ok(team.git_root.write_atomic(ALLOWED_SIGNERS, text.as_bytes(), Durability::Relaxed)?)
}

/// Every key that a roster in the history of a commit ever listed, with the last day it did.
///
/// Reads the whole history, so only when the roster has changed.
fn former_keys(team: &Team, tip: ObjectId) -> Result<Vec<FormerKey>, SyncError> {
    let mut found: BTreeMap<PublicKey, FormerKey> = BTreeMap::new();
    let mut last: Option<(ObjectId, Roster)> = None;
    for id in team.repo.range(None, tip)? {
        let commit = team.repo.commit(id)?;
        let Some(file) = team.repo.tree_file(commit.tree, ROSTER_PATH)? else { continue };
        if last.as_ref().is_none_or(|(known, _)| *known != file.id) {
            // A roster that cannot be read was refused, or somebody vouched for what came after.
            let Ok(Some(roster)) = roster_at(team, commit.tree) else { continue };
            last = Some((file.id, roster));
        }
        let Some(day) = Day::of(commit.committer_time) else { continue };
        for member in last.iter().flat_map(|(_, roster)| roster.members()) {
            for entry in member.keys.iter().filter(|entry| entry.revoked.is_none()) {
                let (id, key, until) = (member.id.clone(), entry.key, day.clone());
                found.insert(key, FormerKey { id, key, until });
            }
        }
    }
    Ok(found.into_values().collect())
}

/// The conflicts whose records a tree holds.
pub(crate) fn open_conflicts(
    team: &Team,
    files: &TreeFiles,
) -> Result<Vec<OpenConflict>, SyncError> {
    let mut found = Vec::new();
    for (raw, file) in files.iter().filter(|(raw, _)| raw.starts_with(CONFLICTS_FOLDER.as_bytes()))
    {
        let record = String::from_utf8_lossy(raw).into_owned();
        let content = team.repo.blob(file.id, POLICY_BYTES_MAX as u64)?;
        // A record that cannot be read is still open: `resolve` says what is wrong with it.
        let path = Conflict::parse(&record, &content).map(|conflict| conflict.path.to_string());
        let id = record.trim_start_matches(CONFLICTS_FOLDER).trim_end_matches(".yaml");
        found.push(OpenConflict {
            id: id.to_owned(),
            path: path.unwrap_or_else(|_| record.clone()),
        });
    }
    Ok(found)
}
