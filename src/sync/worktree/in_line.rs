//! What this machine knows of the index: when it was last in line with the memories, what became of
//! them since, and which lines went, so that they can be taken back.
//! Border: gathers what `memory::reconcile` is told; decides nothing about a line.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::scan::{OnDisk, Scan};
use super::tree_overlay::parse_tree_path;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::git::tree::TreeFiles;
use crate::memory::limits::FILE_BYTES_MAX;
use crate::memory::reconcile::{Removed, Since, is_quiet_edit};
use crate::memory::snapshot::Snapshot;
use crate::merge::renames;
use crate::store::state::{self, IndexState, RemovedBatch, RemovedLines};
use crate::sync::error::SyncError;
use crate::sync::repo::team::Team;
use crate::sync::worktree::tree_overlay::Edits;

/// Files that came or went and are still compared with each other for renames.
const RENAME_FILES_MAX: usize = 400;

/// Memories that are read to tell whether the index must be looked at; more of them cost more than that.
const QUIET_CHANGES_MAX: usize = 64;

/// Batches of removed lines that are kept.
const BATCHES_MAX: usize = 50;

/// Bytes of removed lines that are kept; the newest batch always is.
const REMOVED_BYTES_MAX: usize = 2_000_000;

/// Whether the index of a tree needs no change as long as nothing on disk does: it was in line, or it
/// was before memories were edited in a way that no index tells.
pub(crate) fn is_known(team: &Team, tree: ObjectId) -> bool {
    let known = state::read::<IndexState>(&team.git_root).ok().flatten();
    known.and_then(|state| state.tree).is_some_and(|known| {
        // What cannot be read says nothing; then the index is looked at as a whole.
        known == tree || is_quiet_since(team, known, tree).unwrap_or(false)
    })
}

/// Whether a few memories were edited from one tree to another, and nothing that an index tells of them.
fn is_quiet_since(team: &Team, old: ObjectId, new: ObjectId) -> Result<bool, SyncError> {
    if !team.repo.has(old) {
        return Ok(false);
    }
    let changes = team.repo.tree_changes(Some(old), Some(new))?;
    if changes.len() > QUIET_CHANGES_MAX {
        return Ok(false);
    }
    for change in changes {
        let is_memory = MemoryPath::parse_bytes(&change.path).is_ok_and(|path| path.is_memory());
        let (Some(old), Some(new), true) = (change.old, change.new, is_memory) else {
            return Ok(false);
        };
        let read = |id| team.repo.blob(id, FILE_BYTES_MAX as u64);
        if old.mode != new.mode || !is_quiet_edit(&read(old.id)?, &read(new.id)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether nothing that happened since the index of a tree was in line can concern it: memories were
/// edited, and each says the same of itself as before and leads to the same files.
pub(crate) fn is_unconcerned(
    team: &Team,
    tree: ObjectId,
    files: &TreeFiles,
    edits: &Edits,
    seen: &Scan,
) -> Result<bool, SyncError> {
    if edits.len() != seen.changes.len() || !is_known(team, tree) {
        return Ok(false);
    }
    for (path, new) in edits {
        let known = files.get(path.as_str().as_bytes());
        let (Some(known), Some(new), true) = (known, new, path.is_memory()) else {
            return Ok(false);
        };
        if !is_quiet_edit(&team.repo.blob(known.id, FILE_BYTES_MAX as u64)?, new) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Remembers a tree whose index is in line. Only a courtesy: without it the tip counts as the base.
pub(crate) fn remember(team: &Team, tree: ObjectId) {
    update(team, |state| state.tree = Some(tree));
}

/// Remembers the tree that is on disk: what of it is missing later was deleted here.
pub(crate) fn remember_settled(team: &Team, tree: ObjectId) {
    update(team, |state| state.settled = Some(tree));
}

fn update(team: &Team, change: impl FnOnce(&mut IndexState)) {
    let known = state::read::<IndexState>(&team.git_root).ok().flatten().unwrap_or_default();
    let mut new = known.clone();
    change(&mut new);
    if new != known {
        drop(state::write(&team.git_root, &new));
    }
}

/// What became of the memories between what this machine had (the last tree that was in line, the last
/// one that was on disk, `tree`) and `tree` with edits on top. A memory that was kept out, and of which `is_there` does not know any more, was deleted here.
pub(crate) fn since(
    team: &Team,
    tree: ObjectId,
    files: &TreeFiles,
    edits: &Edits,
    is_there: impl Fn(&str) -> bool,
) -> Result<Since, SyncError> {
    let known = state::read::<IndexState>(&team.git_root).ok().flatten().unwrap_or_default();
    let mut since = Since::default();
    let mut bases = vec![Some(tree), known.settled, known.tree];
    bases.dedup();
    for base in bases.into_iter().flatten() {
        // A tree that was pruned, or is of a history that was taken back, says nothing.
        if team.repo.has(base) {
            since.merge(since_tree(team, base, tree, files, edits)?);
        }
    }
    let is_gone = |path: &MemoryPath| {
        path.is_memory()
            && !is_there(path.as_str())
            && !files.contains_key(path.as_str().as_bytes())
            && !edits.contains_key(path)
    };
    let held = team.state.bases.keys().filter_map(|path| MemoryPath::parse(path).ok());
    held.filter(is_gone).for_each(|path| since.add_deleted(&path));
    Ok(since)
}

/// What became of the memories of one tree.
fn since_tree(
    team: &Team,
    base: ObjectId,
    tree: ObjectId,
    files: &TreeFiles,
    edits: &Edits,
) -> Result<Since, SyncError> {
    let mut changed: BTreeSet<MemoryPath> = edits.keys().cloned().collect();
    let mut older = BTreeMap::new();
    for change in team.repo.tree_changes(Some(base), Some(tree))? {
        let Ok(path) = parse_tree_path(&change.path) else { continue };
        older.insert(path.clone(), change.old.map(|file| file.id));
        changed.insert(path);
    }
    let committed = |path: &MemoryPath| files.get(path.as_str().as_bytes()).map(|file| file.id);
    let read = |id: Option<ObjectId>| team.repo.blob(id?, FILE_BYTES_MAX as u64).ok();
    let before =
        |path: &MemoryPath| read(older.get(path).copied().unwrap_or_else(|| committed(path)));
    let after = |path: &MemoryPath| match edits.get(path) {
        Some(edit) => edit.clone(),
        None => read(committed(path)),
    };
    let renamed = renamed(before, after, &changed);
    Ok(Since::between(before, after, changed.iter(), &renamed))
}

/// The memories on disk as edits of a tree, the kept-out ones included.
pub(crate) fn edits_on_disk(seen: &Scan) -> Edits {
    let mut edits = Edits::new();
    for change in &seen.changes {
        let Ok(path) = MemoryPath::parse_bytes(&change.path) else { continue };
        match &change.on_disk {
            OnDisk::File(content, _) => drop(edits.insert(path, Some(content.clone()))),
            OnDisk::Gone => drop(edits.insert(path, None)),
            _ => {}
        }
    }
    edits
}

/// Looks only at files that came or went, and at no more of them than people rename at once.
fn renamed(
    before: impl Fn(&MemoryPath) -> Option<Arc<[u8]>>,
    after: impl Fn(&MemoryPath) -> Option<Arc<[u8]>>,
    changed: &BTreeSet<MemoryPath>,
) -> BTreeMap<MemoryPath, MemoryPath> {
    let (mut gone, mut come) = (Snapshot::default(), Snapshot::default());
    for path in changed.iter().filter(|path| path.is_memory()) {
        match (before(path), after(path)) {
            (Some(old), None) => gone.insert(path.clone(), old),
            (None, Some(new)) => come.insert(path.clone(), new),
            _ => {}
        }
    }
    if gone.is_empty() || come.is_empty() || gone.len() + come.len() > RENAME_FILES_MAX {
        return BTreeMap::new();
    }
    renames(&gone, &come)
}

/// Keeps the lines that go, before they do.
pub(crate) fn remember_removed(
    team: &Team,
    seconds: i64,
    removed: &[Removed],
) -> Result<(), SyncError> {
    if removed.is_empty() {
        return Ok(());
    }
    let mut kept = state::read::<RemovedLines>(&team.git_root)?.unwrap_or_default();
    kept.batches.push(RemovedBatch { seconds, removed: removed.to_vec() });
    let size = |batches: &[RemovedBatch]| -> usize {
        batches.iter().flat_map(|batch| &batch.removed).map(|line| line.text.len()).sum()
    };
    while kept.batches.len() > 1
        && (kept.batches.len() > BATCHES_MAX || size(&kept.batches) > REMOVED_BYTES_MAX)
    {
        kept.batches.remove(0);
    }
    Ok(state::write(&team.git_root, &kept)?)
}
