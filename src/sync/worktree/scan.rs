//! Sees what is on disk in `team/` and how it differs from a tree, reading as little as possible.
//! Border: reports raw paths and kinds; judges nothing, changes nothing.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::{EntryMode, MemoryPath};
use crate::gate::Gate;
use crate::gate::verdict::{Reason, ReasonKind, Weight};
use crate::git::index::IndexCache;
use crate::git::repo::Repo;
use crate::git::tree::TreeFiles;
use crate::memory::limits::{FILES_MAX, INDEX_FILE_BYTES_MAX, MEMORY_BYTES_MAX, POLICY_BYTES_MAX};
use crate::sync::error::SyncError;
use crate::system::files::{ClosedFolder, FileError, FileKind, FileStat, Root, WalkLimits};

/// Folders inside `team/` deeper than any path rule allows, so that the gate can name the fault.
const DEPTH_MAX: usize = 32;

/// The largest file that is read at all; larger ones are refused by their size.
const READ_BYTES_MAX: u64 =
    if MEMORY_BYTES_MAX > POLICY_BYTES_MAX { MEMORY_BYTES_MAX } else { POLICY_BYTES_MAX } as u64;

/// What a path on disk holds.
#[derive(Clone, Debug)]
pub enum OnDisk {
    /// A regular file with this content.
    File(Arc<[u8]>, ObjectId),
    /// A regular file too large to read.
    TooLarge,
    /// A file with the executable bit.
    Executable,
    /// A symbolic link; not followed.
    Symlink,
    /// A pipe, socket or device.
    Other,
    /// A folder where the tree has a file.
    Folder,
    /// A regular file that this user may not read.
    Unreadable,
    /// Nothing.
    Gone,
}

/// A path whose disk content is not what the tree has.
#[derive(Clone, Debug)]
pub struct DiskChange {
    /// The raw path.
    pub path: Vec<u8>,
    /// What is there.
    pub on_disk: OnDisk,
    /// Its size in bytes.
    pub size: u64,
}

/// Everything seen in one walk.
#[derive(Debug, Default)]
pub struct Scan {
    /// Paths that differ from the tree, in path order.
    pub changes: Vec<DiskChange>,
    /// The blob and state of every regular file that was recognised or read.
    pub states: HashMap<Vec<u8>, (ObjectId, FileStat)>,
}

impl Scan {
    /// The blob a path holds on disk; `None` when absent or not a readable file.
    pub fn blob(&self, path: &[u8]) -> Option<ObjectId> {
        self.states.get(path).map(|(id, _)| *id)
    }
}

/// Walks `team/` and compares it with a tree. File states come before contents, so a file that
/// changes meanwhile is seen as changed next time.
pub fn scan(
    root: &Root,
    repo: &Repo,
    tree: &TreeFiles,
    cache: &IndexCache,
) -> Result<Scan, SyncError> {
    let limits =
        WalkLimits { files_max: FILES_MAX * 2, depth_max: DEPTH_MAX, closed: ClosedFolder::List };
    let mut seen = Scan::default();
    seen.states.reserve(tree.len());
    let (mut absent, mut closed) = (Vec::new(), Vec::new());
    // Both come in path order.
    let mut expected = tree.iter().peekable();
    for file in root.walk(limits)? {
        while let Some((path, _)) = expected.next_if(|(path, _)| **path < file.path) {
            absent.push(path);
        }
        let known = expected.next_if(|(path, _)| **path == file.path).map(|(_, entry)| entry.id);
        if file.stat.kind == FileKind::Directory {
            closed.push(file.path.clone());
        }
        if file.stat.kind == FileKind::File
            && !file.stat.is_executable
            && let Some(id) = cache.blob_of(&file.path, &file.stat)
            && known == Some(id)
        {
            seen.states.insert(file.path, (id, file.stat));
            continue;
        }
        let found = look(root, repo, &file.path, &file.stat)?;
        if let OnDisk::File(_, id) = &found {
            seen.states.insert(file.path.clone(), (*id, file.stat));
            if known == Some(*id) {
                continue;
            }
        }
        seen.changes.push(DiskChange { path: file.path, on_disk: found, size: file.stat.size });
    }
    absent.extend(expected.map(|(path, _)| path));
    seen.changes.extend(absent.into_iter().map(|path| missing(root, path, &closed)));
    seen.changes.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(seen)
}

/// What is where the tree has a file and the walk found none.
fn missing(root: &Root, path: &[u8], closed: &[Vec<u8>]) -> DiskChange {
    let name = std::str::from_utf8(path).ok();
    let stat = name.and_then(|name| root.stat(name).ok()).flatten();
    let is_folder = stat.is_some_and(|stat| stat.kind == FileKind::Directory);
    let on_disk = match is_folder {
        true => OnDisk::Folder,
        // What is in a folder that cannot be read is not gone.
        false if is_below(path, closed) => OnDisk::Unreadable,
        false => OnDisk::Gone,
    };
    DiskChange { path: path.to_vec(), on_disk, size: 0 }
}

fn is_below(path: &[u8], folders: &[Vec<u8>]) -> bool {
    folders.iter().any(|folder| {
        path.strip_prefix(folder.as_slice()).is_some_and(|rest| rest.first() == Some(&b'/'))
    })
}

fn look(root: &Root, repo: &Repo, path: &[u8], stat: &FileStat) -> Result<OnDisk, SyncError> {
    match stat.kind {
        FileKind::Symlink => return Ok(OnDisk::Symlink),
        FileKind::File => {}
        FileKind::Directory | FileKind::Other => return Ok(OnDisk::Other),
    }
    if stat.is_executable {
        return Ok(OnDisk::Executable);
    }
    let limit = if path == b"MEMORY.md" { INDEX_FILE_BYTES_MAX as u64 } else { READ_BYTES_MAX };
    if stat.size > limit {
        return Ok(OnDisk::TooLarge);
    }
    // A name that is not UTF-8 can never pass the gate, so its content does not matter.
    let Ok(name) = std::str::from_utf8(path) else { return Ok(OnDisk::Other) };
    match root.read(name, limit) {
        Ok(content) => {
            let id = repo.blob_id(&content);
            Ok(OnDisk::File(content.into(), id))
        }
        Err(error) if error.is_not_found() => Ok(OnDisk::Gone),
        // It changed since the walk; the next one sees what it is.
        Err(FileError::TooLarge { .. }) => Ok(OnDisk::TooLarge),
        Err(FileError::Symlink { .. }) => Ok(OnDisk::Symlink),
        Err(FileError::NotAFile { .. }) => Ok(OnDisk::Other),
        Err(FileError::Permission { .. }) => Ok(OnDisk::Unreadable),
        Err(error) => Err(error.into()),
    }
}

impl DiskChange {
    /// The gate on path, kind and size of what is on disk.
    pub(crate) fn admitted(&self, gate: &Gate<'_>) -> Result<MemoryPath, Box<Reason>> {
        let path = gate.entry(&self.path, self.on_disk.mode(), self.size)?;
        match self.on_disk.obstacle() {
            Some((rule, what, next_step)) => Err(Box::new(Reason {
                kind: ReasonKind::Rule,
                path: Escaped(path.as_str()).to_string(),
                position: None,
                rule: rule.to_owned(),
                weight: Weight::Forbidden,
                message: format!("{what} stands where the file should be"),
                next_step: next_step.to_owned(),
            })),
            None => Ok(path),
        }
    }
}

impl OnDisk {
    /// The kind of tree entry this would become.
    pub(crate) fn mode(&self) -> EntryMode {
        match self {
            Self::Executable => EntryMode::Executable,
            Self::Symlink => EntryMode::Symlink,
            _ => EntryMode::File,
        }
    }

    /// What stands in the way of a file, and what to do.
    fn obstacle(&self) -> Option<(&'static str, &'static str, &'static str)> {
        let move_it = "move it away; the next sync writes the file";
        match self {
            Self::Folder => Some(("folder", "a folder", move_it)),
            Self::Other => Some(("special-file", "a pipe, socket or device", move_it)),
            Self::Unreadable => {
                let next = "let yourself read it: `chmod u+r` on the file";
                Some(("unreadable", "a file that you may not read", next))
            }
            _ => None,
        }
    }

    /// Whether it holds no text of the person's that a later edit could be merged from.
    pub(crate) fn is_no_text(&self) -> bool {
        matches!(self, Self::Folder | Self::Other | Self::Symlink)
    }
}
