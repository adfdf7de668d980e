//! Moves work tree, ref and index to a new tip so that a kill at any moment loses nothing.
//! Border: decides nothing about content; callers say which files change and from what.
//!
//! Order: objects to disk, journal, files (each only if it is still what was expected), ref by
//! compare-and-swap, index, bases, journal gone. [`recover`] completes what was interrupted:
//! files whose content is neither old nor new were edited meanwhile and stay, with the old blob
//! as the base that their next merge starts from.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::age::{Ages, ages};
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::git::write::Expected;
use crate::memory::limits::FILE_BYTES_MAX;
use crate::store::state::{self, Journal, JournalFile};
use crate::sync::error::SyncError;
use crate::sync::repo::team::Team;
use crate::system::files::{Access, Change, Durability, FileStat};

/// The blob and state of files on disk, by raw path.
pub type States = HashMap<Vec<u8>, (ObjectId, FileStat)>;

/// One file to be written or removed.
#[derive(Clone, Debug)]
pub struct FileWrite {
    /// Which file.
    pub path: MemoryPath,
    /// What must be on disk for the write to go ahead; `None` when nothing may be there.
    pub old: Option<ObjectId>,
    /// What will be there; `None` removes the file.
    pub new: Option<(ObjectId, Arc<[u8]>)>,
    /// The base of what is on disk, recorded should the file turn out to be edited meanwhile.
    pub base: Option<ObjectId>,
}

/// One move from a tip to another.
#[derive(Debug)]
pub struct Step<'a> {
    /// Where the branch is.
    pub old: Option<ObjectId>,
    /// Where it goes.
    pub new: ObjectId,
    /// The reflog message.
    pub reason: &'a str,
    /// The files that change on disk.
    pub writes: Vec<FileWrite>,
    /// The bases that hold afterwards.
    pub bases: BTreeMap<String, Option<ObjectId>>,
}

/// What a step did.
#[derive(Debug, Default)]
pub struct Applied {
    /// Files that were edited meanwhile and so left as they are.
    pub left_alone: Vec<MemoryPath>,
}

/// Carries a step out. `states` is brought up to date with what was written.
pub fn apply(team: &mut Team, step: Step<'_>, states: &mut States) -> Result<Applied, SyncError> {
    team.repo.make_objects_durable()?;
    let journal = Journal {
        reference: team.branch_ref(),
        old: step.old,
        new: step.new,
        reason: step.reason.to_owned(),
        files: step.writes.iter().map(journal_file).collect(),
        bases: step.bases.clone(),
    };
    let is_journaled = !step.writes.is_empty() || step.bases != team.state.bases;
    if is_journaled {
        state::write(&team.git_root, &journal)?;
    }
    let mut bases = step.bases;
    let applied = write_files(team, (step.old, step.new), &step.writes, &mut bases, states)?;
    move_ref(team, &journal)?;
    save_bases(team, bases)?;
    if is_journaled {
        state::remove::<Journal>(&team.git_root)?;
    }
    Ok(applied)
}

fn journal_file(write: &FileWrite) -> JournalFile {
    JournalFile {
        path: write.path.to_string(),
        old: write.old,
        new: write.new.as_ref().map(|(id, _)| *id),
    }
}

fn write_files(
    team: &Team,
    (old, new): (Option<ObjectId>, ObjectId),
    writes: &[FileWrite],
    bases: &mut BTreeMap<String, Option<ObjectId>>,
    states: &mut States,
) -> Result<Applied, SyncError> {
    let mut applied = Applied::default();
    let contents: Vec<Content<'_>> =
        writes.iter().map(|write| (&write.path, write.new.as_ref())).collect();
    let ages = ages_of(team, old, new, &contents)?;
    let mut changes = Vec::new();
    for (write, content) in writes.iter().zip(&contents) {
        let path = write.path.as_str();
        if blob_on_disk(team, path)? == Some(write.old) {
            changes.push(change(*content, &ages));
        } else {
            bases.insert(path.to_owned(), write.base);
            states.remove(path.as_bytes());
            applied.left_alone.push(write.path.clone());
        }
    }
    team.root.apply(&changes, Durability::Durable)?;
    for write in writes.iter().filter(|write| !applied.left_alone.contains(&write.path)) {
        let raw = write.path.as_str().as_bytes().to_vec();
        match (&write.new, team.root.stat(write.path.as_str())?) {
            (Some((id, _)), Some(stat)) => drop(states.insert(raw, (*id, stat))),
            _ => drop(states.remove(&raw)),
        }
    }
    Ok(applied)
}

/// A path, and the blob and text that go there; `None` removes the file.
type Content<'a> = (&'a MemoryPath, Option<&'a (ObjectId, Arc<[u8]>)>);

fn ages_of(
    team: &Team,
    old: Option<ObjectId>,
    new: ObjectId,
    contents: &[Content<'_>],
) -> Result<Ages, SyncError> {
    let written =
        |(path, new): &Content<'_>| new.map(|(id, text)| ((*path).clone(), *id, text.clone()));
    ages(team, (old, new), &contents.iter().filter_map(written).collect::<Vec<_>>())
}

fn change<'a>((path, content): Content<'a>, ages: &Ages) -> Change<'a> {
    let path = path.as_str();
    match content {
        Some((_, content)) => {
            let modified = ages.get(path).copied();
            Change::Write { path, content, access: Access::Shared, modified }
        }
        None => Change::Remove { path },
    }
}

/// The blob at a path: `Some(None)` when nothing is there, `None` when it is nothing memsync wrote.
fn blob_on_disk(team: &Team, path: &str) -> Result<Option<Option<ObjectId>>, SyncError> {
    use crate::system::files::FileError;
    match team.root.read_if_there(path, FILE_BYTES_MAX as u64) {
        Ok(content) => Ok(Some(content.map(|content| team.repo.blob_id(&content)))),
        Err(
            FileError::TooLarge { .. } | FileError::NotAFile { .. } | FileError::Symlink { .. },
        ) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn move_ref(team: &Team, journal: &Journal) -> Result<(), SyncError> {
    if journal.old != Some(journal.new) {
        let expected = journal.old.map_or(Expected::Absent, Expected::At);
        team.repo.update_ref(&journal.reference, journal.new, expected, &journal.reason)?;
    }
    Ok(())
}

fn save_bases(team: &mut Team, bases: BTreeMap<String, Option<ObjectId>>) -> Result<(), SyncError> {
    let state = state::LocalState { bases, ..team.state.clone() };
    team.save_state(state)
}

/// Completes a step that was interrupted; tells whether there was one.
pub fn recover(team: &mut Team) -> Result<bool, SyncError> {
    let Some(journal) = state::read::<Journal>(&team.git_root)? else { return Ok(false) };
    let current = team.repo.find_ref(&journal.reference)?;
    let is_ours = current == journal.old || current == Some(journal.new);
    let mut bases = journal.bases.clone();
    let mut contents = Vec::new();
    for file in &journal.files {
        let Some(path) = file.memory_path() else { continue };
        let on_disk = blob_on_disk(team, path.as_str())?;
        if on_disk == Some(file.new) && is_ours {
            continue;
        }
        if on_disk == Some(file.old) && is_ours {
            let read = |id| Ok::<_, SyncError>((id, team.repo.blob(id, FILE_BYTES_MAX as u64)?));
            contents.push((path, file.new.map(read).transpose()?));
        } else {
            // Edited meanwhile, or plain git moved the branch: merged from the old blob next time.
            bases.insert(file.path.clone(), file.old);
        }
    }
    let contents: Vec<Content<'_>> =
        contents.iter().map(|(path, new)| (path, new.as_ref())).collect();
    let ages = ages_of(team, journal.old, journal.new, &contents)?;
    let changes: Vec<Change<'_>> = contents.iter().map(|one| change(*one, &ages)).collect();
    team.root.apply(&changes, Durability::Durable)?;
    if current == journal.old {
        move_ref(team, &journal)?;
    }
    save_bases(team, bases)?;
    state::remove::<Journal>(&team.git_root)?;
    Ok(true)
}
