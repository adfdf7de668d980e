//! Opens a team to be changed: under its lock, with what a killed writer left completed.
//! Border: opens; what is changed is up to the flow that asks.

use std::time::Duration;

use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::repo::team::Team;
use crate::sync::worktree::apply::recover;

/// The team at a place, to be changed.
///
/// # Errors
/// A team that cannot be opened, or that another writer holds longer than `wait`.
pub(crate) fn writable(place: &TeamPlace, wait: Duration) -> Result<Team, SyncError> {
    let mut team = Team::open_locked(place, wait)?;
    recover(&mut team)?;
    Ok(team)
}
