//! Takes changes back: the last unshared one, any commit, or a memory that is gone.
//! Border: a new commit here, through the gate; no history is rewritten, and what was edited since stays.

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::gate::Gate;
use crate::memory::document::Document;
use crate::memory::limits::{FILE_BYTES_MAX, INDEX_FILE_BYTES_MAX};
use crate::merge::{Input, file};
use crate::store::locate::TeamPlace;
use crate::store::state::{self, Undone};
use crate::sync::error::SyncError;
use crate::sync::exchange::change::change;
use crate::sync::exchange::stage::change_kind;
use crate::sync::outcome::{ExchangeOutcome, FileChange};
use crate::sync::rebase::commits::origin;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::reverse_error::ReverseError;
use crate::sync::worktree::tree_overlay::parse_tree_path;
use crate::sync::worktree::writable::writable;
use crate::sync::write::remember::check;
use crate::system::files::{Durability, FileError};

/// What is taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reversal {
    /// The newest change that was committed here and not shared; again, the one before it.
    LastUnshared,
    /// What one commit changed.
    Commit(String),
    /// The removal of a memory, or its changes since a commit.
    Memory {
        /// Its path, its file or the `name` it bears.
        name: String,
        /// The commit whose version comes back; without one the newest that had it.
        commit: Option<String>,
    },
}

/// What was taken back, or would be.
#[derive(Clone, Debug)]
pub struct Reversed {
    /// The files and what becomes of each.
    pub changes: Vec<FileChange>,
    /// What was committed; `None` where nothing was done.
    pub exchange: Option<ExchangeOutcome>,
}

/// More changes than anybody takes back in a row.
const UNDONE_MAX: usize = 1_000;

/// A file to be written, or removed.
type Write = (MemoryPath, Option<Vec<u8>>);

/// Takes a change back. With `dry_run` it only says what would become of which file.
///
/// # Errors
/// Nothing to take back, a name or commit that is not there, a file that was changed at the same place
/// since, and what the gate says.
pub fn reverse(
    place: &TeamPlace,
    actor: &Actor,
    reversal: &Reversal,
    dry_run: bool,
) -> Result<Reversed, SyncError> {
    let mut team = writable(place, actor.wait)?;
    let mut taken_back = None;
    let writes = match reversal {
        Reversal::LastUnshared => {
            let last = last_unshared(&team)?;
            taken_back = Some(last);
            let (before, after) = trees_of(&team, last)?;
            between(&team, after, before)?
        }
        Reversal::Commit(text) => {
            let (before, after) = of_commit(&team, text)?;
            between(&team, after, before)?
        }
        Reversal::Memory { name, commit } => vec![of_memory(&team, name, commit.as_deref())?],
    };
    let mut changes = Vec::new();
    for (path, content) in &writes {
        let there = team.root.exists(path.as_str())?.then_some(());
        let kind = change_kind(there, content.as_ref());
        changes.push(FileChange { path: path.to_string(), kind });
    }
    if dry_run {
        return Ok(Reversed { changes, exchange: None });
    }
    let exchange = change(&mut team, actor, |team, gate| write(team, gate, &writes))?;
    if let Some(taken_back) = taken_back {
        note_undone(&team, taken_back)?;
    }
    Ok(Reversed { changes, exchange: Some(exchange) })
}

fn write(team: &Team, gate: &Gate<'_>, writes: &[Write]) -> Result<(), SyncError> {
    for (path, content) in writes.iter().filter(|(path, _)| path.is_memory()) {
        if let Some(text) = content.as_ref().and_then(|raw| std::str::from_utf8(raw).ok()) {
            check(gate, path, text)?;
        }
    }
    for (path, content) in writes {
        match content {
            Some(content) => {
                team.root.write_atomic(path.as_str(), content, Durability::Durable)?;
            }
            None => match team.root.remove(path.as_str()) {
                Ok(()) | Err(FileError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            },
        }
    }
    Ok(())
}

/// The newest unshared commit whose change stands. One that was made by taking back stands for the state it
/// went back to, so that to take back twice goes two changes back.
fn last_unshared(team: &Team) -> Result<ObjectId, SyncError> {
    let shared = team.tracking()?;
    let unshared = team.repo.range(shared, team.tip()?)?;
    let at = state_of_tip(team)?;
    if unshared.contains(&at) { Ok(at) } else { Err(ReverseError::NothingUnshared.into()) }
}

/// The commit whose state the newest one has: one that took changes back has that of an earlier one.
pub(crate) fn state_of_tip(team: &Team) -> Result<ObjectId, SyncError> {
    let undone = state::read::<Undone>(&team.git_root)?.unwrap_or_default();
    let mut at = team.tip()?;
    // Each step goes to an earlier commit, so this ends.
    while let Some(earlier) = undone.states.get(&at.to_string()) {
        at = *earlier;
    }
    Ok(at)
}

/// Notes which earlier commit has the state that is committed now.
fn note_undone(team: &Team, taken_back: ObjectId) -> Result<(), SyncError> {
    let mut undone = state::read::<Undone>(&team.git_root)?.unwrap_or_default();
    let Some(before) = team.repo.commit(taken_back)?.parents.first().copied() else {
        return Ok(());
    };
    while undone.states.len() >= UNDONE_MAX {
        undone.states.pop_first();
    }
    undone.states.insert(team.tip()?.to_string(), before);
    Ok(state::write(&team.git_root, &undone)?)
}

/// The trees before and after a commit.
fn of_commit(team: &Team, text: &str) -> Result<(ObjectId, ObjectId), SyncError> {
    let unknown = || ReverseError::NoSuchCommit(Escaped(text).to_string());
    let id = team.repo.find_commit(text)?.ok_or_else(unknown)?;
    if !team.repo.is_ancestor(id, team.tip()?)? {
        return Err(unknown().into());
    }
    trees_of(team, id)
}

fn trees_of(team: &Team, id: ObjectId) -> Result<(ObjectId, ObjectId), SyncError> {
    let commit = team.repo.commit(id)?;
    // What a merge changed is its parents' business: each of them can be taken back.
    let [parent] = commit.parents.as_slice() else {
        return Err(ReverseError::NotOneParent(id).into());
    };
    Ok((team.repo.commit(*parent)?.tree, commit.tree))
}

/// What leads from one tree to another on top of what is on disk now.
fn between(team: &Team, from: ObjectId, to: ObjectId) -> Result<Vec<Write>, SyncError> {
    let tip = team.repo.commit(team.tip()?)?;
    let origin = origin(&tip);
    let mut writes = Vec::new();
    for change in team.repo.tree_changes(Some(from), Some(to))? {
        let path = parse_tree_path(&change.path)?;
        let blob = |id: ObjectId| team.repo.blob(id, FILE_BYTES_MAX as u64);
        let old = change.old.map(|file| blob(file.id)).transpose()?;
        let new = change.new.map(|file| blob(file.id)).transpose()?;
        let limit = if path.is_index() { INDEX_FILE_BYTES_MAX } else { FILE_BYTES_MAX };
        let disk = team.root.read_if_there(path.as_str(), limit as u64)?;
        let wanted = match (&disk, &new) {
            _ if disk.as_deref() == new.as_deref() => continue,
            _ if disk.as_deref() == old.as_deref() => new.as_deref().map(<[u8]>::to_vec),
            (Some(disk), Some(new)) => Some({
                let ours = Input { content: disk, origin: &origin };
                let theirs = Input { content: new, origin: &origin };
                let merged = file(&path, old.as_deref(), ours, theirs);
                if !merged.conflicts.is_empty() {
                    return Err(ReverseError::ChangedSince(path.to_string()).into());
                }
                merged.content
            }),
            _ => return Err(ReverseError::ChangedSince(path.to_string()).into()),
        };
        writes.push((path, wanted));
    }
    Ok(writes)
}

/// An earlier version of a memory.
fn of_memory(team: &Team, name: &str, commit: Option<&str>) -> Result<Write, SyncError> {
    let missing = || SyncError::NoMemory(Escaped(name).to_string());
    let tip = team.tip()?;
    let from = match commit {
        Some(text) => {
            let unknown = || ReverseError::NoSuchCommit(Escaped(text).to_string());
            let id = team.repo.find_commit(text)?.ok_or_else(unknown)?;
            if !team.repo.is_ancestor(id, tip)? {
                return Err(unknown().into());
            }
            vec![id]
        }
        None => team.repo.range(None, tip)?.into_iter().rev().collect(),
    };
    for id in from {
        let tree = team.repo.commit(id)?.tree;
        let Some((path, content)) = version(team, tree, name)? else { continue };
        let disk = team.root.read_if_there(path.as_str(), FILE_BYTES_MAX as u64)?;
        if disk.as_deref() == Some(&content) {
            return Err(ReverseError::NothingToRestore(path.to_string()).into());
        }
        if disk.is_some() && commit.is_none() {
            return Err(ReverseError::NothingToRestore(path.to_string()).into());
        }
        return Ok((path, Some(content)));
    }
    Err(missing())
}

/// The memory of a tree that a name means.
fn version(
    team: &Team,
    tree: ObjectId,
    name: &str,
) -> Result<Option<(MemoryPath, Vec<u8>)>, SyncError> {
    let files = team.repo.tree_files(tree)?;
    let paths = || {
        files.iter().filter_map(|(raw, file)| {
            MemoryPath::parse_bytes(raw)
                .ok()
                .filter(MemoryPath::is_memory)
                .map(|path| (path, file.id))
        })
    };
    let named = paths().find(|(path, _)| path.as_str() == name || path.stem() == name);
    let blob = |id| team.repo.blob(id, FILE_BYTES_MAX as u64);
    if let Some((path, id)) = named {
        return Ok(Some((path, blob(id)?.to_vec())));
    }
    for (path, id) in paths() {
        let content = blob(id)?;
        if Document::parse(&String::from_utf8_lossy(&content)).name() == Some(name) {
            return Ok(Some((path, content.to_vec())));
        }
    }
    Ok(None)
}
