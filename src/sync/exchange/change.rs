//! One change of a team memory, committed here: the gate is asked, files are written, staged, settled.
//! Border: no remote is asked; sharing is `pull_push`.

use crate::gate::Gate;
use crate::sync::error::SyncError;
use crate::sync::exchange::checkout::settle_locally;
use crate::sync::exchange::stage::stage;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::repo::team::{Actor, Team};

/// Lets `write` change files of an open team and commits what is on disk then.
///
/// # Errors
/// What `write` says; nothing is committed then.
pub(crate) fn change(
    team: &mut Team,
    actor: &Actor,
    write: impl FnOnce(&mut Team, &Gate<'_>) -> Result<(), SyncError>,
) -> Result<ExchangeOutcome, SyncError> {
    change_or(team, actor, write)
}

/// [`change`] for a flow with errors of its own.
///
/// # Errors
/// What `write` says; nothing is committed then.
pub(crate) fn change_or<E: From<SyncError>>(
    team: &mut Team,
    actor: &Actor,
    write: impl FnOnce(&mut Team, &Gate<'_>) -> Result<(), E>,
) -> Result<ExchangeOutcome, E> {
    team.gated(actor, |team, gate| {
        write(team, gate)?;
        let staged = stage(team, actor, gate)?;
        Ok(settle_locally(team, staged)?)
    })
}

/// Commits what is on disk.
pub(crate) fn commit(team: &mut Team, actor: &Actor) -> Result<ExchangeOutcome, SyncError> {
    change(team, actor, |_, _| Ok(()))
}
