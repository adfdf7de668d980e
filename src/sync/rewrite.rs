//! When the remote's history and ours part: following one that was rewritten, and putting a refused
//! one back to what was verified.
//! Border: a person's explicit decision; neither is ever done by itself.

use std::path::Path;

use super::apply::{Step, apply, recover};
use super::error::SyncError;
use super::exchange::{Direction, exchange_locked};
use super::incoming::{fetch, keep_both, open_offered, verify};
use super::outcome::ExchangeOutcome;
use super::outgoing::{authorised, check_outgoing};
use super::remote::{Remote, Sent};
use super::remote_state::{RemoteState, apart};
use super::replay::{recreate, replay};
use super::settle::{plan_writes, settle_locally};
use super::stage::{Staged, stage};
use super::team::{Caller, Team};
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::text::count;
use crate::git::command::Git;
use crate::git::write::Expected;

/// Follows a remote whose history was rewritten; our unshared changes are put onto it.
pub fn accept_rewrite(
    team_path: &Path,
    project_root: Option<&Path>,
    caller: &Caller,
    git: &Git,
) -> Result<ExchangeOutcome, SyncError> {
    let (mut team, remote, offered) = open_offered(team_path, project_root, caller, git)?;
    let old = team.tracking()?;
    team.with_gate(caller, |team, gate| {
        let staged = stage(team, caller, gate)?;
        let verified = verify(team, gate, None, offered)?;
        let (Some(tip), None) = (verified.tip, verified.refused) else {
            return Err(SyncError::NothingAcceptable {
                remote: remote.url.to_string(),
                refused: "its history does not pass the rules from its start on".to_owned(),
            });
        };
        let ours = team.repo.range(old, staged.tip)?;
        let new = recreate(team, caller, &ours, tip)?.tip;
        let new_files = team.repo.tree_files(team.repo.commit(new)?.tree)?;
        let mut states = staged.states.clone();
        let mut outcome = ExchangeOutcome::default();
        let (writes, bases) = plan_writes(team, &staged, &new_files, &mut outcome)?;
        let reason = "memsync: rewritten history accepted";
        apply(team, Step { old: Some(staged.tip), new, reason, writes, bases }, &mut states)?;
        for name in [team.tracking_ref(), team.shown_ref()] {
            team.repo.update_ref(&name, tip, Expected::Any, reason)?;
        }
        let staged = Staged { tip: new, files: new_files, states, ..staged };
        let settled = settle_locally(team, staged)?;
        Ok(ExchangeOutcome {
            files: outcome.files,
            received: verified.commits,
            replayed: ours.len(),
            ..settled
        })
    })
}

/// Puts the remote back to the verified tip with our own changes on it, from exactly the tip that is
/// refused now. What goes stays reachable here under `refs/memsync/rescue/`.
pub fn over_refused(
    team_path: &Path,
    project_root: Option<&Path>,
    caller: &Caller,
    git: &Git,
) -> Result<ExchangeOutcome, SyncError> {
    let (mut team, remote, offered) = open_offered(team_path, project_root, caller, git)?;
    team.with_gate(caller, |team, gate| {
        let staged = stage(team, caller, gate)?;
        let verified = verify(team, gate, team.tracking()?, offered)?;
        if verified.refused.is_none() {
            return Err(SyncError::NothingRefused);
        }
        let onto = match (verified.tip, team.tracking()?) {
            (Some(tip), _) | (None, Some(tip)) => tip,
            (None, None) => return Err(SyncError::NothingRefused),
        };
        let lost = team.repo.range(Some(onto), offered)?;
        let question = lost_question(team, &lost)?;
        if !caller.confirms(&question) {
            return Err(SyncError::OverRefusedUnconfirmed(lost.len()));
        }
        let replayed = replay(team, caller, staged.tip, onto)?;
        let tip = authorised(team, caller, gate.policy, Some(onto), replayed.tip)?;
        check_outgoing(team, gate, Some(onto), tip)?;
        keep_both(team, onto, offered)?;
        team.repo.make_objects_durable()?;
        match remote.push(team, tip, Some(offered))? {
            Sent::Taken => Ok(()),
            Sent::LostRace => Err(SyncError::LostRaces { races: 1, waited: caller.wait }),
        }
    })?;
    exchange_locked(&mut team, caller, &remote, Direction::Push)
}

/// Puts back what the remote lost: the verified history, and our own changes on it. It only adds to
/// what is there, so it overwrites nobody.
pub fn restore(
    team_path: &Path,
    project_root: Option<&Path>,
    caller: &Caller,
    git: &Git,
) -> Result<ExchangeOutcome, SyncError> {
    let mut team = Team::open_locked(team_path, project_root, caller.wait)?;
    recover(&mut team)?;
    team.refuse_plain_clone()?;
    let url = team.remote()?.ok_or_else(|| SyncError::NoRemote(team.path.clone()))?;
    let remote = Remote { git, url };
    let shown = remote.url.to_string();
    let nothing = || RemoteState::NothingGone(shown.clone());
    let verified = team.tracking()?.ok_or_else(nothing)?;
    let offered = fetch(&team, &remote)?;
    if let Some(offered) = offered {
        if team.repo.is_ancestor(verified, offered)? {
            return Err(nothing().into());
        }
        // Anything but an earlier state of the same history is somebody's work, and stays.
        if !team.repo.is_ancestor(offered, verified)? {
            return Err(apart(&team, Some(verified), offered)?);
        }
    }
    let missing = team.repo.count(offered, verified)?;
    let question = format!(
        "{} up to {}, verified here, go to {shown} again. If somebody took them away on purpose, \
         ask first. Put them back?",
        count(missing, "commit", "commits"),
        verified.short()
    );
    if !caller.confirms(&question) {
        return Err(RemoteState::RestoreUnconfirmed(shown.clone()).into());
    }
    team.with_gate(caller, |team, _| match remote.push(team, verified, offered)? {
        Sent::Taken => Ok(()),
        Sent::LostRace => Err(SyncError::LostRaces { races: 1, waited: caller.wait }),
    })?;
    exchange_locked(&mut team, caller, &remote, Direction::Push)
}

/// Commits of others that are named in the question.
const NAMED_MAX: usize = 20;

fn lost_question(team: &Team, lost: &[ObjectId]) -> Result<String, SyncError> {
    let mut lines = Vec::new();
    for id in lost.iter().take(NAMED_MAX) {
        let commit = team.repo.commit(*id)?;
        let (author, subject) = (commit.author.name.as_str(), commit.subject());
        let text = format!("{} by {author}: {subject}", id.short());
        lines.push(Escaped(&text).to_string());
    }
    if lost.len() > NAMED_MAX {
        lines.push(format!("and {} more", lost.len() - NAMED_MAX));
    }
    let shown = lines.join("\n");
    Ok(format!("{shown}\nTake these commits back on the remote, for everybody?"))
}
