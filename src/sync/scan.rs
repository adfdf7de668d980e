//! Sees what is on disk in `team/` and how it differs from a tree, reading as little as possible.
//! Border: reports raw paths and kinds; judges nothing, changes nothing.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::SyncError;
use crate::base::id::ObjectId;
use crate::git::index::IndexCache;
use crate::git::repo::Repo;
use crate::git::tree::TreeFiles;
use crate::memory::limits::{FILES_MAX, MEMORY_BYTES_MAX, POLICY_BYTES_MAX};
use crate::system::files::{FileKind, FileStat, Root, WalkLimits};

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
    /// A pipe, socket, device or nested repository.
    Other,
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
    let limits = WalkLimits { files_max: FILES_MAX * 2, depth_max: DEPTH_MAX };
    let mut seen = Scan::default();
    let mut on_disk = std::collections::HashSet::new();
    for file in root.walk(limits)? {
        on_disk.insert(file.path.clone());
        let known = tree.get(&file.path).map(|entry| entry.id);
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
    let gone = tree.keys().filter(|path| !on_disk.contains(*path));
    seen.changes.extend(gone.map(|path| DiskChange {
        path: path.clone(),
        on_disk: OnDisk::Gone,
        size: 0,
    }));
    seen.changes.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(seen)
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
    if stat.size > READ_BYTES_MAX {
        return Ok(OnDisk::TooLarge);
    }
    // A name that is not UTF-8 can never pass the gate, so its content does not matter.
    let Ok(name) = std::str::from_utf8(path) else { return Ok(OnDisk::Other) };
    match root.read(name, READ_BYTES_MAX) {
        Ok(content) => {
            let id = repo.blob_id(&content);
            Ok(OnDisk::File(content.into(), id))
        }
        Err(error) if error.is_not_found() => Ok(OnDisk::Gone),
        Err(error) => Err(error.into()),
    }
}
