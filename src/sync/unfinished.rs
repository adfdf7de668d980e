//! A team repository whose `init` or `join` was cut short: told from every other, and taken away so
//! that the same command can start anew.
//! Border: only a git dir that no branch, tag or index was ever in; memories on disk stay.

use std::path::Path;
use std::time::Duration;

use super::error::SyncError;
use super::team::Team;
use crate::store::state::STATE_FOLDER;
use crate::system::files::{FileError, FileKind, FileStat, Root, WalkLimits};

/// The lock of a team, below its git dir.
const LOCK: &str = "memsync/lock";

/// A git dir without a lock in it that did not change for so long is being made by nobody.
const ABANDONED_AGE: Duration = Duration::from_millis(300);

/// How often a git dir that changes is looked at again.
const LOOKS_MAX: usize = 10;

/// Where git keeps what a finished setup has.
const REFS: [&str; 3] = ["refs/heads", "refs/tags", "refs/remotes"];

/// Tells whether nothing was ever committed or checked out in a git dir.
pub(super) fn is_unfinished(git_root: &Root) -> Result<bool, FileError> {
    for file in ["packed-refs", "index"] {
        if git_root.exists(file)? {
            return Ok(false);
        }
    }
    for folder in REFS {
        let below = match git_root.descend(folder) {
            Ok(below) => below,
            Err(error) if error.is_not_found() => continue,
            Err(error) => return Err(error),
        };
        if !below.walk(WalkLimits::default())?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Makes room for a setup at `team`: nothing is there, or only what an earlier one left.
///
/// # Errors
/// Team memory that is there already, or a setup that is just running.
pub(super) fn make_room(team: &Path, wait: Duration) -> Result<(), SyncError> {
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
    if !is_unfinished(&git_root)? {
        return Err(already());
    }
    let busy = || SyncError::Busy { team: team.to_owned(), waited: wait };
    let mut looks = 0;
    // Whoever makes a repository takes the lock as soon as there is one.
    while !git_root.exists(LOCK)? {
        std::thread::sleep(ABANDONED_AGE);
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
    let _lock = Team::lock(&git_root, team, wait)?;
    if !is_unfinished(&git_root)? {
        return Err(already());
    }
    root.remove_stale_temps(WalkLimits::default())?;
    Ok(root.remove_folder(".git")?)
}

fn is_same(one: &FileStat, two: &FileStat) -> bool {
    (one.inode, one.modified_ns, one.changed_ns) == (two.inode, two.modified_ns, two.changed_ns)
}
