//! The one lock of a team repository.
//! Border: takes it; what holds it and for how long is the flows' business.

use std::path::Path;
use std::time::Duration;

use crate::sync::error::SyncError;
use crate::system::files::Root;
use crate::system::lock::{Lock, LockError};

/// The lock of a team, below its git dir.
pub(crate) const LOCK: &str = "memsync/lock";

/// Takes the lock of a team, waiting for whoever has it.
pub(crate) fn lock(git_root: &Root, team: &Path, wait: Duration) -> Result<Lock, SyncError> {
    Lock::acquire(git_root, LOCK, wait).map_err(|error| match error {
        LockError::Held { .. } => SyncError::Busy { team: team.to_owned(), waited: wait },
        other => SyncError::Lock(other),
    })
}
