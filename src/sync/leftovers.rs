//! Clears what a memsync that was killed left behind, before the next one works.
//! Border: called under the lock, and only when its last holder died; a person's git is left alone.

use std::path::Path;
use std::time::Duration;

use super::error::SyncError;
use super::team::Team;
use crate::store::state::STATE_FOLDER;
use crate::system::files::WalkLimits;

/// A lock file that is this old, after its maker was killed, is nobody's. Git holds one for
/// milliseconds, but for a `git commit` that waits for an editor.
const ABANDONED_AGE: Duration = Duration::from_millis(300);

/// How often a young lock file is looked at again.
const LOOKS_MAX: usize = 4;

/// Removes git's lock files and temporary files that the dead holder left.
pub(super) fn clear(team: &Team) -> Result<(), SyncError> {
    for _ in 0..LOOKS_MAX {
        let locks = team.repo.lock_files();
        let (old, young): (Vec<_>, Vec<_>) = locks.into_iter().partition(|path| is_old(path));
        for path in old {
            remove(team, &path)?;
        }
        if young.is_empty() {
            break;
        }
        // The child of a killed process may still be ending its work.
        std::thread::sleep(ABANDONED_AGE);
    }
    team.root.remove_stale_temps(WalkLimits::default())?;
    team.git_root.descend(STATE_FOLDER)?.remove_stale_temps(WalkLimits::default())?;
    Ok(())
}

fn remove(team: &Team, lock: &Path) -> Result<(), SyncError> {
    let relative = lock.strip_prefix(team.repo.git_dir()).unwrap_or(lock);
    let (folder, Some(name)) = (relative.parent(), relative.file_name()) else { return Ok(()) };
    // Opened by itself, because a removal takes empty folders along, and git needs `refs/heads`.
    let below = folder.filter(|folder| *folder != Path::new(""));
    let below = below.map(|folder| team.git_root.descend(&folder.to_string_lossy())).transpose()?;
    let folder = below.as_ref().unwrap_or(&team.git_root);
    match folder.remove(&name.to_string_lossy()) {
        Err(error) if !error.is_not_found() => Err(error.into()),
        _ => Ok(()),
    }
}

fn is_old(path: &Path) -> bool {
    let modified = path.metadata().and_then(|meta| meta.modified());
    let age = modified.ok().and_then(|time| time.elapsed().ok());
    age.is_some_and(|age| age >= ABANDONED_AGE)
}
