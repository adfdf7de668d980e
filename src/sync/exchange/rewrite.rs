//! When the remote's history and ours part: following one that was rewritten, and putting a refused
//! one back to what was verified.
//! Border: a person's explicit decision; neither is ever done by itself.

use std::collections::BTreeMap;

use super::checkout::{plan_writes, settle_locally};
use super::pull_push::{Direction, exchange_locked};
use super::stage::{Staged, stage};
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::text::count;
use crate::git::command::Git;
use crate::git::tree::TreeFiles;
use crate::git::write::Expected;
use crate::store::locate::TeamPlace;
use crate::store::state::{self, LastContact, LocalState};
use crate::sync::error::SyncError;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::rebase::commits::{rebase_commits, replay};
use crate::sync::remote_state::RemoteState;
use crate::sync::repo::introduction::shown_introduction;
use crate::sync::repo::remote::{Remote, Sent};
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::apart::{apart, foreign};
use crate::sync::verify::fetch::{fetch, keep_both, signer_of};
use crate::sync::verify::incoming::{open_offered, verify};
use crate::sync::verify::outgoing::{authorised_tip, check_outgoing};
use crate::sync::worktree::apply::{Step, apply};
use crate::sync::worktree::writable::writable;

/// What was followed.
#[derive(Debug)]
pub struct FollowOutcome {
    /// What the history starts with now, where it was started anew.
    pub introduction: Option<String>,
    /// What was done here.
    pub exchange: ExchangeOutcome,
}

/// Follows a remote whose history was rewritten; our unshared changes are put onto it. One that was
/// started anew is followed when an admin signed its beginning and the caller says yes, or when it is
/// the `told` one.
pub fn accept_rewrite(
    place: &TeamPlace,
    actor: &Actor,
    git: &Git,
    told: Option<&(ObjectId, Option<String>)>,
) -> Result<FollowOutcome, SyncError> {
    let (mut team, remote, offered) = open_offered(place, actor, git)?;
    let url = remote.url.to_string();
    if team.tracking()? == Some(offered) {
        return Err(RemoteState::NothingRewritten(url).into());
    }
    let state = new_beginning(&team, actor, &url, offered, told)?;
    let before = team.state.clone();
    team.state = state.clone().unwrap_or_else(|| before.clone());
    // By the new beginning alone: nothing of the old history speaks for it.
    let verified = team.with_gate(actor, |team, gate| verify(team, gate, None, offered));
    team.state = before;
    let verified = verified?;
    let (Some(tip), None) = (verified.tip, verified.refused) else {
        let refused = "its history does not pass the rules from its start on".to_owned();
        return Err(SyncError::NothingAcceptable { remote: url, refused });
    };
    let introduction = state.as_ref().and_then(|state| {
        Some(shown_introduction(state.root_commit?, state.root_signer.as_deref()))
    });
    let exchange = follow(&mut team, actor, tip, state)?;
    let exchange = ExchangeOutcome { received: verified.commits, ..exchange };
    Ok(FollowOutcome { introduction, exchange })
}

/// The records for a history that starts otherwise than this clone trusts; `None` where it does not.
fn new_beginning(
    team: &Team,
    actor: &Actor,
    remote: &str,
    offered: ObjectId,
    told: Option<&(ObjectId, Option<String>)>,
) -> Result<Option<LocalState>, SyncError> {
    let Some(state) = foreign(team, remote, offered)? else { return Ok(None) };
    let root = team.repo.range(None, offered)?.first().copied().ok_or(SyncError::Unrelated)?;
    let signer = signer_of(team, root)?;
    let found = shown_introduction(root, signer.as_deref());
    match (&state, told) {
        (RemoteState::Renewed { .. } | RemoteState::OtherTeam { .. }, Some((commit, key))) => {
            if *commit != root || (key.is_some() && *key != signer) {
                let expected = shown_introduction(*commit, key.as_deref());
                return Err(SyncError::WrongIntroduction { expected, found });
            }
        }
        (RemoteState::Renewed { by: Some(admin), .. }, None) => {
            let question = format!(
                "`{admin}`, an admin, started the history anew: it starts with {found}. Follow it?"
            );
            if !actor.confirms(&question) {
                return Err(RemoteState::FollowUnconfirmed(found).into());
            }
        }
        _ => return Err(state.into()),
    }
    let state = LocalState { root_commit: Some(root), root_signer: signer, ..team.state.clone() };
    Ok(Some(state))
}

/// Moves this clone to a tip of another history, with what is not shared on top of it.
pub(crate) fn follow(
    team: &mut Team,
    actor: &Actor,
    tip: ObjectId,
    renewed: Option<LocalState>,
) -> Result<ExchangeOutcome, SyncError> {
    let old = team.tracking()?;
    team.with_gate(actor, |team, gate| {
        let staged = stage(team, actor, gate)?;
        let ours = team.repo.range(old, staged.tip)?;
        let is_renewed = renewed.is_some();
        if let Some(new) = renewed {
            let (root_commit, root_signer) = (new.root_commit, new.root_signer);
            team.save_state(LocalState { root_commit, root_signer, ..team.state.clone() })?;
        }
        let new = rebase_commits(team, actor, &ours, tip)?.tip;
        let new_files = team.repo.tree_files(team.repo.commit(new)?.tree)?;
        let mut states = staged.states.clone();
        let mut outcome = ExchangeOutcome::default();
        let (writes, mut bases) = plan_writes(team, &staged, &new_files, &mut outcome)?;
        if is_renewed {
            move_bases(&mut bases, &staged.files, &new_files);
        }
        let reason = "memsync: rewritten history accepted";
        apply(team, Step { old: Some(staged.tip), new, reason, writes, bases }, &mut states)?;
        for name in [team.tracking_ref(), team.shown_ref()] {
            team.repo.update_ref(&name, tip, Expected::Any, reason)?;
        }
        if is_renewed {
            forget_old(team)?;
        }
        let staged = Staged { tip: new, files: new_files, states, ..staged };
        let settled = settle_locally(team, staged)?;
        Ok(ExchangeOutcome { files: outcome.files, replayed: ours.len(), ..settled })
    })
}

/// An edit that is kept out was made on a text of the old history, which is to go: from now on it is
/// one of the same text in the new.
fn move_bases(bases: &mut BTreeMap<String, Option<ObjectId>>, old: &TreeFiles, new: &TreeFiles) {
    for (path, base) in bases {
        let id = |files: &TreeFiles| files.get(path.as_bytes()).map(|file| file.id);
        if base.is_some() && *base == id(old) {
            *base = id(new);
        }
    }
}

/// Nothing of ours holds on to the old history any more.
fn forget_old(team: &Team) -> Result<(), SyncError> {
    for prefix in ["refs/memsync/rescue/", "refs/memsync/proposed/", "refs/memsync/incoming/"] {
        for (name, _) in team.repo.refs_below(prefix)? {
            team.repo.delete_ref(&name)?;
        }
    }
    if let Ok(Some(last)) = state::read::<LastContact>(&team.git_root) {
        let last = LastContact { failure: None, refused: None, ..last };
        drop(state::write(&team.git_root, &last));
    }
    Ok(())
}

/// Puts the remote back to the verified tip with our own changes on it, from exactly the tip that is
/// refused now. What goes stays reachable here under `refs/memsync/rescue/`.
pub fn over_refused(
    place: &TeamPlace,
    actor: &Actor,
    git: &Git,
) -> Result<ExchangeOutcome, SyncError> {
    let (mut team, remote, offered) = open_offered(place, actor, git)?;
    team.with_gate(actor, |team, gate| {
        let staged = stage(team, actor, gate)?;
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
        if !actor.confirms(&question) {
            return Err(SyncError::OverRefusedUnconfirmed(lost.len()));
        }
        let replayed = replay(team, actor, staged.tip, onto)?;
        let tip = authorised_tip(team, actor, gate.policy, Some(onto), replayed.tip)?;
        check_outgoing(team, gate, Some(onto), tip)?;
        keep_both(team, onto, offered)?;
        team.repo.make_objects_durable()?;
        match remote.push(team, tip, Some(offered))? {
            Sent::Accepted => Ok(()),
            Sent::LostRace => Err(SyncError::LostRaces { races: 1, waited: actor.wait }),
        }
    })?;
    exchange_locked(&mut team, actor, &remote, Direction::Push)
}

/// Puts back what the remote lost: the verified history, and our own changes on it. It only adds to
/// what is there, so it overwrites nobody.
pub fn restore(place: &TeamPlace, actor: &Actor, git: &Git) -> Result<ExchangeOutcome, SyncError> {
    let mut team = writable(place, actor.wait)?;
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
    if !actor.confirms(&question) {
        return Err(RemoteState::RestoreUnconfirmed(shown.clone()).into());
    }
    team.with_gate(actor, |team, _| match remote.push(team, verified, offered)? {
        Sent::Accepted => Ok(()),
        Sent::LostRace => Err(SyncError::LostRaces { races: 1, waited: actor.wait }),
    })?;
    let exchange = exchange_locked(&mut team, actor, &remote, Direction::Push)?;
    let pushed = exchange.pushed + missing;
    Ok(ExchangeOutcome { pushed, ..exchange })
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
