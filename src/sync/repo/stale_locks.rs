//! Clears what a memsync that was killed left behind, before the next one works.
//! Border: clears under the lock, and only when its last holder died; a person's git is left alone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::git::repo::Repo;
use crate::store::state::STATE_FOLDER;
use crate::sync::error::SyncError;
use crate::system::files::{Root, WalkLimits};

/// A lock file that is this old, after its maker was killed, is nobody's. Git holds one for
/// milliseconds, but for a `git commit` that waits for an editor.
const AGE_OF_THE_DEAD: Duration = Duration::from_millis(300);

/// A lock file that is this old is nobody's, whoever made it: no editor is open for so long.
const AGE_OF_ANYONE: Duration = Duration::from_secs(600);

/// Who may have made what lies there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Maker {
    /// A memsync that died with its own lock in hand, or the git it had started.
    Dead,
    /// Anyone: a person's git may be at work.
    Anyone,
}

/// When a lock file, or a git dir that is being made, is abandoned. The one rule for all who ask.
pub(crate) fn abandoned_after(maker: Maker) -> Duration {
    match maker {
        Maker::Dead => AGE_OF_THE_DEAD,
        Maker::Anyone => AGE_OF_ANYONE,
    }
}

/// Whether nobody will come back for a file.
pub(crate) fn is_abandoned(path: &Path, maker: Maker) -> bool {
    let modified = path.metadata().and_then(|meta| meta.modified());
    let age = modified.ok().and_then(|time| time.elapsed().ok());
    age.is_some_and(|age| age >= abandoned_after(maker))
}

/// How often a young lock file is looked at again.
const LOOKS_MAX: usize = 4;

/// Removes git's lock files and temporary files that the dead holder left.
pub(crate) fn clear(repo: &Repo, root: &Root, git_root: &Root) -> Result<(), SyncError> {
    for _ in 0..LOOKS_MAX {
        let locks = repo.lock_files();
        let is_old = |path: &PathBuf| is_abandoned(path, Maker::Dead);
        let (old, young): (Vec<_>, Vec<_>) = locks.into_iter().partition(is_old);
        for path in old {
            remove(repo, git_root, &path)?;
        }
        if young.is_empty() {
            break;
        }
        // The child of a killed process may still be ending its work.
        std::thread::sleep(abandoned_after(Maker::Dead));
    }
    root.remove_stale_temps(WalkLimits::default())?;
    git_root.descend(STATE_FOLDER)?.remove_stale_temps(WalkLimits::default())?;
    Ok(())
}

fn remove(repo: &Repo, git_root: &Root, lock: &Path) -> Result<(), SyncError> {
    let relative = lock.strip_prefix(repo.git_dir()).unwrap_or(lock);
    let (folder, Some(name)) = (relative.parent(), relative.file_name()) else { return Ok(()) };
    // Opened by itself, because a removal takes empty folders along, and git needs `refs/heads`.
    let below = folder.filter(|folder| *folder != Path::new(""));
    let below = below.map(|folder| git_root.descend(&folder.to_string_lossy())).transpose()?;
    let folder = below.as_ref().unwrap_or(git_root);
    match folder.remove(&name.to_string_lossy()) {
        Err(error) if !error.is_not_found() => Err(error.into()),
        _ => Ok(()),
    }
}
