//! The team's remote as the flows see it: fetch, push, list; failures remembered for `status`.
//! Border: which requests are made, not how; `git::command` makes them.

use std::time::Duration;

use super::team::Team;
use crate::base::id::ObjectId;
use crate::git::command::{Fetch, Git, GitCommandError, Push, RemoteRefs};
use crate::git::url::RemoteUrl;
use crate::store::locate::TeamPlace;
use crate::store::state::{self, LastContact};
use crate::sync::error::SyncError;

/// A remote and the program that talks to it.
pub struct Remote<'a> {
    /// The git program.
    pub git: &'a Git,
    /// Where it is.
    pub url: RemoteUrl,
}

/// What became of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The remote has it.
    Accepted,
    /// Someone else was faster.
    LostRace,
}

impl Remote<'_> {
    /// Brings refs here; `false` when the remote does not have the first one.
    pub fn fetch(&self, team: &Team, refs: &[(&str, &str)]) -> Result<bool, SyncError> {
        let fetch = Fetch { repo: &team.repo, url: &self.url, refs };
        match self.git.fetch(&fetch, None) {
            Ok(()) => Ok(true),
            Err(GitCommandError::MissingRef { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Moves the shared branch there from `expected` to `new`.
    pub fn push(
        &self,
        team: &Team,
        new: ObjectId,
        expected: Option<ObjectId>,
    ) -> Result<Sent, SyncError> {
        self.push_ref(team, &team.branch_ref(), new, expected)
    }

    /// Moves any ref there from `expected` to `new`.
    pub fn push_ref(
        &self,
        team: &Team,
        name: &str,
        new: ObjectId,
        expected: Option<ObjectId>,
    ) -> Result<Sent, SyncError> {
        let push = Push { repo: &team.repo, url: &self.url, new, name, expected };
        match self.git.push(&push, None) {
            Ok(_) => Ok(Sent::Accepted),
            Err(GitCommandError::LostRace { .. }) => Ok(Sent::LostRace),
            Err(error) => Err(error.into()),
        }
    }

    /// The branches there.
    pub fn branches(&self) -> Result<RemoteRefs, SyncError> {
        Ok(self.git.ls_remote(&self.url)?)
    }
}

/// The address of the shared remote, safe to show; `None` where none is set.
pub fn address(place: &TeamPlace) -> Result<Option<String>, SyncError> {
    Ok(Team::open(place)?.remote()?.map(|url| url.to_string()))
}

/// Gives the team memory another address; gives the one before. Whether the same history is there, the
/// next exchange says.
pub fn set_address(
    place: &TeamPlace,
    wait: Duration,
    url: &RemoteUrl,
) -> Result<Option<String>, SyncError> {
    let team = Team::open_locked(place, wait)?;
    // One that cannot be used is replaced all the same.
    let before = team.remote().ok().flatten().map(|url| url.to_string());
    team.repo.set_remote_url(&team.git_root, url, &team.branch)?;
    if let Ok(Some(last)) = state::read::<LastContact>(&team.git_root) {
        // What failed there says nothing of the new place.
        let last = LastContact { failure: None, refused: None, ..last };
        drop(state::write(&team.git_root, &last));
    }
    Ok(before)
}

/// Remembers a failure, so that `status` can tell it; the record is a courtesy and may fail.
pub(crate) fn remember_failure(team: &Team, error: &SyncError) {
    if let Ok(last) = state::read::<LastContact>(&team.git_root) {
        let last = LastContact { failure: Some(error.to_string()), ..last.unwrap_or_default() };
        drop(state::write(&team.git_root, &last));
    }
}
