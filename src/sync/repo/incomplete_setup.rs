//! A team repository whose `init` or `join` was cut short: told from every other, and taken away so
//! that the same command can start anew.
//! Border: only a git dir that nothing was ever committed to and nobody set up by hand; memories on
//! disk stay.

use std::path::Path;
use std::time::Duration;

use super::lock::{LOCK, lock};
use super::stale_locks::{Maker, abandoned_after};
use crate::store::state::STATE_FOLDER;
use crate::sync::error::SyncError;
use crate::system::files::{FileError, FileKind, FileStat, Root, WalkLimits};

/// How often a git dir that changes is looked at again.
const LOOKS_MAX: usize = 10;

/// The refs of memsync; a setup that was cut short may have some already.
const OWN_REFS: &[u8] = b"memsync/";

/// A git config is small.
const CONFIG_BYTES_MAX: u64 = 1_000_000;

/// Tells whether nothing was ever committed or checked out in a git dir.
pub(crate) fn is_unfinished(git_root: &Root) -> Result<bool, FileError> {
    for file in ["packed-refs", "index"] {
        if git_root.exists(file)? {
            return Ok(false);
        }
    }
    let head = git_root.read_if_there("HEAD", CONFIG_BYTES_MAX)?;
    if head.is_some_and(|head| !head.is_empty() && !head.starts_with(b"ref:")) {
        return Ok(false);
    }
    let refs = match git_root.descend("refs") {
        Ok(refs) => refs.walk(WalkLimits::default())?,
        Err(error) if error.is_not_found() => Vec::new(),
        Err(error) => return Err(error),
    };
    Ok(refs.iter().all(|file| file.path.starts_with(OWN_REFS)))
}

/// Tells that a git dir that memsync did not make holds settings that `git init` does not write:
/// somebody prepared it by hand.
fn is_prepared(git_root: &Root) -> Result<bool, FileError> {
    if git_root.exists(STATE_FOLDER)? {
        return Ok(false);
    }
    let config = git_root.read_if_there("config", CONFIG_BYTES_MAX)?.unwrap_or_default();
    let config = String::from_utf8_lossy(&config);
    let mut sections = config.lines().map(str::trim_start).filter(|line| line.starts_with('['));
    Ok(sections.any(|line| !line.starts_with("[core]") && !line.starts_with("[extensions]")))
}

/// Makes room for a setup at `team`: nothing is there, or only what an earlier one left.
///
/// # Errors
/// Team memory that is there already, or a setup that is just running.
pub(crate) fn clear_incomplete_setup(team: &Path, wait: Duration) -> Result<(), SyncError> {
    let already = || SyncError::AlreadySetUp(team.to_owned());
    let root = match Root::open(team) {
        Ok(root) => root,
        Err(FileError::NotFound { .. }) => return Ok(()),
        Err(FileError::Symlink { .. }) => return Err(SyncError::TeamIsLink(team.to_owned())),
        Err(error) => return Err(error.into()),
    };
    let Some(mut seen) = root.stat(".git")? else { return Ok(()) };
    if seen.kind != FileKind::Directory {
        return Err(already());
    }
    let git_root = root.descend(".git")?;
    if !is_unfinished(&git_root)? || is_prepared(&git_root)? {
        return Err(already());
    }
    let busy = || SyncError::Busy { team: team.to_owned(), waited: wait };
    let mut looks = 0;
    // Whoever makes a repository takes the lock as soon as there is one.
    while !git_root.exists(LOCK)? {
        std::thread::sleep(abandoned_after(Maker::Dead));
        let now = root.stat(".git")?.ok_or_else(busy)?;
        if is_same(&now, &seen) {
            break;
        }
        (seen, looks) = (now, looks + 1);
        if looks > LOOKS_MAX {
            return Err(busy());
        }
    }
    git_root.create_folder(STATE_FOLDER)?;
    let _lock = lock(&git_root, team, wait)?;
    if !is_unfinished(&git_root)? {
        return Err(already());
    }
    root.remove_stale_temps(WalkLimits::default())?;
    Ok(root.remove_folder(".git")?)
}

fn is_same(one: &FileStat, two: &FileStat) -> bool {
    (one.inode, one.modified_ns, one.changed_ns) == (two.inode, two.modified_ns, two.changed_ns)
}
