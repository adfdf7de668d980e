//! What private memories said before each change, so that it can be taken back.
//! Border: copies beside the memory directory, on this machine only, bounded in number and size; when one is
//! used is `memories::undo`'s business.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::folder::entry::entry_text;
use crate::local::layers::TEAM;
use crate::memories::error::MoveError;
use crate::memory::limits::{INDEX_FILE_BYTES_MAX, MEMORY_BYTES_MAX};
use crate::store::locate::TeamPlace;
use crate::sync::repo::team::Team;
use crate::sync::write::reverse::state_of_tip;
use crate::system::files::{Durability, FileError, Root, WalkLimits};

/// Changes that are kept; the oldest go.
const CHANGES_MAX: usize = 50;
/// A change with more than this is not kept: renaming what a thousand memories link to.
const CHANGE_BYTES_MAX: usize = 4_000_000;
/// How the folder of a memory directory's copies begins.
const FOLDER: &str = ".memsync-undo-";
const INDEX: &str = "MEMORY.md";

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// `remember --private`.
    Remembered,
    /// `forget` of a private memory.
    Forgotten,
    /// `edit` of a private memory.
    Edited,
    /// `rename` of a private memory.
    Renamed,
    /// `share`: the memories left the private layer.
    Shared,
    /// `unshare`: they came back.
    Unshared,
}

/// One change of the private layer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptChange {
    /// What was done.
    pub change: Change,
    /// The state that the team memory had afterwards; `None` where there is no team.
    pub team: Option<String>,
    /// The files.
    pub files: Vec<KeptFile>,
    /// The index before and after.
    pub index: (Option<String>, Option<String>),
}

/// A file before and after a change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptFile {
    /// Below the memory directory.
    pub path: String,
    /// Its text before; `None` where there was no file.
    pub before: Option<String>,
    /// Its text after.
    pub after: Option<String>,
    /// Its entry in the index before.
    pub entry: Option<String>,
}

/// A change that is under way: begun before the first write, ended after the last. Where something cannot
/// be kept, because it is no text or too large, the change goes on without a copy.
#[derive(Debug)]
pub struct Kept {
    memdir: PathBuf,
    change: Option<KeptChange>,
}

impl Kept {
    /// Reads what is there before a change of some files.
    pub fn begin(memdir: &Path, change: Change, paths: &[&str]) -> Self {
        Self { memdir: memdir.to_owned(), change: before(memdir, change, paths) }
    }

    /// Notes what is there now, and keeps it.
    pub fn end(self) {
        if let Some(change) = self.change.and_then(|change| after(&self.memdir, change))
            && let Ok(json) = serde_json::to_vec(&change)
            && json.len() <= CHANGE_BYTES_MAX
        {
            drop(keep(&self.memdir, &json));
        }
    }
}

fn before(memdir: &Path, change: Change, paths: &[&str]) -> Option<KeptChange> {
    let root = Root::open(memdir).ok()?;
    let index = text(&root, INDEX, INDEX_FILE_BYTES_MAX)?;
    let mut files = Vec::new();
    for path in paths {
        let before = text(&root, path, MEMORY_BYTES_MAX)?;
        let entry = index.as_deref().and_then(|index| entry_text(index, path));
        files.push(KeptFile { path: (*path).to_owned(), before, after: None, entry });
    }
    Some(KeptChange { change, team: None, files, index: (index, None) })
}

fn after(memdir: &Path, mut change: KeptChange) -> Option<KeptChange> {
    let root = Root::open(memdir).ok()?;
    for file in &mut change.files {
        file.after = text(&root, &file.path, MEMORY_BYTES_MAX)?;
    }
    change.index.1 = text(&root, INDEX, INDEX_FILE_BYTES_MAX)?;
    change.team = team_state(&TeamPlace::alone(&memdir.join(TEAM)));
    Some(change)
}

/// Which state the team memory has; `None` where there is none.
pub(crate) fn team_state(place: &TeamPlace) -> Option<String> {
    let team = Team::open(place).ok()?;
    state_of_tip(&team).ok().map(|id| id.to_string())
}

/// Every change that is kept, the newest first, each with its name for [`let_go`].
///
/// # Errors
/// Copies that are there and cannot be read.
pub fn kept(memdir: &Path) -> Result<Vec<(String, KeptChange)>, MoveError> {
    let Some(root) = folder(memdir)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for name in names(&root)?.into_iter().rev() {
        let raw = root.read(&name, CHANGE_BYTES_MAX as u64)?;
        // What is not ours is no change.
        found.extend(serde_json::from_slice(&raw).ok().map(|change| (name, change)));
    }
    Ok(found)
}

/// Removes a change that was taken back.
///
/// # Errors
/// A file that cannot be removed.
pub fn let_go(memdir: &Path, name: &str) -> Result<(), MoveError> {
    match folder(memdir)? {
        Some(root) => Ok(root.remove(name)?),
        None => Ok(()),
    }
}

fn keep(memdir: &Path, json: &[u8]) -> Result<(), FileError> {
    let Some(path) = place(memdir) else { return Ok(()) };
    Root::create_private(&path)?;
    let root = Root::open(&path)?;
    let names = names(&root)?;
    let last = names.last().and_then(|name| name.strip_suffix(".json")?.parse::<u64>().ok());
    let name = format!("{:012}.json", last.unwrap_or(0) + 1);
    root.write_private(&name, json, Durability::Durable)?;
    let too_many = (names.len() + 1).saturating_sub(CHANGES_MAX);
    for name in names.iter().take(too_many) {
        root.remove(name)?;
    }
    Ok(())
}

/// Beside the memory directory, where no agent reads it as memory.
fn place(memdir: &Path) -> Option<PathBuf> {
    let name = memdir.file_name()?.to_str()?;
    Some(memdir.parent()?.join(format!("{FOLDER}{name}")))
}

fn folder(memdir: &Path) -> Result<Option<Root>, FileError> {
    let Some(path) = place(memdir) else { return Ok(None) };
    match Root::open(&path) {
        Ok(root) => Ok(Some(root)),
        Err(FileError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn names(root: &Root) -> Result<Vec<String>, FileError> {
    let is_number = |name: &str| name.bytes().all(|b| b.is_ascii_digit());
    let files = root.walk_except(WalkLimits::default(), &[])?;
    let mut names: Vec<String> = files
        .into_iter()
        .filter_map(|file| String::from_utf8(file.path).ok())
        .filter(|name| name.strip_suffix(".json").is_some_and(is_number))
        .collect();
    names.sort();
    Ok(names)
}

/// A file's text, if it is there; `None` for one that cannot be kept.
fn text(root: &Root, path: &str, limit: usize) -> Option<Option<String>> {
    match root.read_if_there(path, limit as u64).ok()? {
        None => Some(None),
        Some(raw) => String::from_utf8(raw).ok().map(Some),
    }
}
