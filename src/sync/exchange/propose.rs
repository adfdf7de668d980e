//! Offers our unshared changes for a pull request: signed for the shared branch, sent to another one.
//! Border: what may be sent is `outgoing`'s; the verified tip stays where the shared branch is, because a
//! proposal is nobody's history yet.

use serde::Serialize;

use super::pull_push::{Direction, exchange_locked};
use super::sendable::sendable;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::gate::reference::check_reference;
use crate::git::command::{Git, branch_ref};
use crate::git::write::Expected;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::exchange::check::check_merge;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::repo::remote::{Remote, Sent};
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::outgoing::{authorised_tip, check_outgoing};

/// Where we keep what we sent to a branch: the value it must still have when it is sent again.
const PROPOSED: &str = "refs/memsync/proposed";

/// Where a branch is brought to be looked at.
const THERE: &str = "refs/memsync/incoming-proposal";

/// Changes on a branch of the remote, waiting for a pull request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proposal {
    /// The branch they are on.
    pub branch: String,
    /// The shared branch they are for.
    pub onto: String,
    /// How many there are; none when everything is shared or what the remote offers is refused.
    pub changes: usize,
}

/// What a proposal did.
#[derive(Clone, Debug)]
pub struct ProposeOutcome {
    /// The pull before it.
    pub exchange: ExchangeOutcome,
    /// What was sent.
    pub proposal: Proposal,
}

/// Pulls, and sends what is not shared to a branch of its own. Sent again, it replaces what it sent
/// before, and nothing else.
pub fn propose(
    place: &TeamPlace,
    actor: &Actor,
    git: &Git,
    branch: &str,
) -> Result<ProposeOutcome, SyncError> {
    let mut team = Team::open_locked(place, actor.wait)?;
    let url = team.remote()?.ok_or_else(|| SyncError::NoRemote(team.path.clone()))?;
    let remote = Remote { git, url };
    let name = own_branch(&team, branch)?;
    team.with_gate(actor, |_, gate| match check_reference(gate, &name) {
        Some(reason) => Err(SyncError::Refused(vec![reason])),
        None => Ok(()),
    })?;
    let exchange = exchange_locked(&mut team, actor, &remote, Direction::Pull)?;
    let (known, tip) = (team.tracking()?, team.tip()?);
    let mut proposal =
        Proposal { branch: branch.to_owned(), onto: team.branch.clone(), changes: 0 };
    let known = known.ok_or_else(|| SyncError::NoRemoteBranch {
        remote: remote.url.to_string(),
        branch: team.branch.clone(),
    })?;
    // On top of what is refused nothing is sent, as in a push.
    if known == tip || exchange.refused.is_some() {
        return Ok(ProposeOutcome { exchange, proposal });
    }
    team.with_gate(actor, |team, gate| {
        let tip = sendable(team, actor, gate, Some(known), tip)?;
        let tip = authorised_tip(team, actor, gate.policy, Some(known), tip)?;
        check_outgoing(team, gate, Some(known), tip)?;
        team.repo.make_objects_durable()?;
        send(team, &remote, &name, tip, known)?;
        proposal.changes = team.repo.count(Some(known), tip)?;
        Ok(())
    })?;
    Ok(ProposeOutcome { exchange, proposal })
}

/// The full name of a branch that is not the shared one. Servers on some disks cannot tell capitals
/// from small letters, so neither do we.
fn own_branch(team: &Team, branch: &str) -> Result<String, SyncError> {
    let name = branch_ref(branch)?;
    match name.to_lowercase() == team.branch_ref().to_lowercase() {
        true => Err(SyncError::SharedBranch(Escaped(branch).to_string())),
        false => Ok(name),
    }
}

/// Moves the branch there from what we sent before, or makes it.
fn send(
    team: &Team,
    remote: &Remote<'_>,
    name: &str,
    tip: ObjectId,
    shared: ObjectId,
) -> Result<(), SyncError> {
    let record = record_of(name);
    let mut expected = team.repo.find_ref(&record)?;
    if remote.push_ref(team, name, tip, expected)? == Sent::LostRace {
        let there = remote.branches()?.branches.into_iter().find(|(known, _)| known == name);
        // A merged branch is deleted by the host; one that holds this tip needs nothing.
        match there {
            None if expected.is_some() => expected = None,
            Some((_, id)) if id == tip => expected = Some(id),
            Some((_, id)) if is_updated(team, remote, (name, id), expected, shared)? => {
                expected = Some(id);
            }
            _ => return Err(foreign(remote, name)),
        }
        if remote.push_ref(team, name, tip, expected)? == Sent::LostRace {
            return Err(foreign(remote, name));
        }
    }
    Ok(team.repo.update_ref(&record, tip, Expected::Any, "memsync: proposed")?)
}

/// Whether all that came to what we sent is the shared branch, merged into it as memsync would merge: the
/// button of a host that brings a branch up to date. It holds nothing of its own.
fn is_updated(
    team: &Team,
    remote: &Remote<'_>,
    (name, there): (&str, ObjectId),
    sent: Option<ObjectId>,
    shared: ObjectId,
) -> Result<bool, SyncError> {
    let Some(sent) = sent else { return Ok(false) };
    let brought = remote.fetch(team, &[(name, THERE)])?;
    if !brought
        || team.repo.find_ref(THERE)? != Some(there)
        || !team.repo.is_ancestor(sent, there)?
    {
        return Ok(false);
    }
    for id in team.repo.range(Some(sent), there)? {
        let commit = team.repo.commit(id)?;
        let is_merge = commit.parents.len() == 2 && check_merge(team, &commit)?.is_empty();
        if !is_merge && !team.repo.is_ancestor(id, shared)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn foreign(remote: &Remote<'_>, name: &str) -> SyncError {
    SyncError::ForeignBranch {
        remote: remote.url.to_string(),
        branch: Escaped(name.trim_start_matches("refs/heads/")).to_string(),
    }
}

/// Flat, because a branch `a` that is gone must not stand in the way of `a/b`.
fn record_of(name: &str) -> String {
    let branch = name.trim_start_matches("refs/heads/");
    format!("{PROPOSED}/{}", branch.replace('%', "%25").replace('/', "%2F"))
}
