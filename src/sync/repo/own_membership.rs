//! Finds out why somebody may not share: who they are by their key, and what became of it.
//! Border: reads the history; nothing is decided here.

use super::team::{Actor, Team};
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::git::commit::Commit;
use crate::sync::absence::Absence;
use crate::sync::error::SyncError;
use crate::sync::repo::roster::roster_at;
use crate::trust::key::PublicKey;
use crate::trust::roster::{MemberId, ROSTER_PATH, Role, Roster};
use crate::trust::signature::verify_commit;
use crate::trust::verdict::Refusal;

/// Where this clone remembers that it asked to be let in, one ref for each key.
const ASKED: &str = "refs/memsync/asked";

/// Below it is the verified tip of each branch that was shared from here.
const VERIFIED: &str = "refs/memsync/verified/";

/// The ref that remembers a request for a key.
pub(crate) fn asked_ref(key: &PublicKey) -> String {
    let hex: String = key.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{ASKED}/{hex}")
}

/// Adds to a refusal of our own changes why it is so, where that lies with the person.
pub(crate) fn explained(
    team: &Team,
    actor: &Actor,
    known: Option<ObjectId>,
    error: SyncError,
) -> SyncError {
    let SyncError::NotAuthorised { commit, refusal, .. } = error else { return error };
    // What cannot be found out leaves the refusal as it is.
    let cause = absence(team, actor, known, Some(&refusal)).ok().flatten().map(Box::new);
    SyncError::NotAuthorised { commit, refusal, cause }
}

/// Why the caller may not share; `None` when it does not lie with who they are.
pub(crate) fn absence(
    team: &Team,
    actor: &Actor,
    known: Option<ObjectId>,
    refusal: Option<&Refusal>,
) -> Result<Option<Absence>, SyncError> {
    if let Some(shared) = other_branch(team)? {
        return Ok(Some(Absence::OtherBranch { here: team.branch.clone(), shared }));
    }
    if matches!(refusal, Some(Refusal::OtherStore)) {
        let root = team.state.root_commit.map(|root| root.short()).unwrap_or_default();
        return Ok(Some(Absence::OtherTeam(root)));
    }
    let Some(signer) = &actor.signer else {
        return Ok(actor.key_path.clone().map(Absence::NoKey));
    };
    let key = signer.public_key();
    let tip = known.map_or_else(|| team.tip(), Ok)?;
    let Some(roster) = roster_at(team, team.repo.commit(tip)?.tree)? else { return Ok(None) };
    match roster.holder(&key) {
        Some((member, entry)) if entry.revoked.is_none() => {
            let is_reader = member.role == Role::Reader;
            Ok(is_reader.then(|| Absence::Reader(member.id.to_string())))
        }
        Some((member, _)) => lost(team, tip, &key, &roster, Some(member.id.clone())),
        None => lost(team, tip, &key, &roster, None),
    }
}

/// The branch that is shared, when another one is checked out.
fn other_branch(team: &Team) -> Result<Option<String>, SyncError> {
    if team.tracking()?.is_some() {
        return Ok(None);
    }
    let verified = team.repo.refs_below(VERIFIED)?;
    let name = |(full, _): (String, ObjectId)| full.strip_prefix(VERIFIED).map(str::to_owned);
    Ok(verified.into_iter().find_map(name).map(|name| Escaped(&name).to_string()))
}

/// What became of a key that does not count.
fn lost(
    team: &Team,
    tip: ObjectId,
    key: &PublicKey,
    now: &Roster,
    member: Option<MemberId>,
) -> Result<Option<Absence>, SyncError> {
    let fingerprint = key.fingerprint().to_string();
    let Some((commit, before, had)) = last_loss(team, tip, key)? else {
        let sent = team.repo.find_ref(&asked_ref(key))?;
        let Some(sent) = sent.map(|id| team.repo.commit(id)).transpose()? else {
            return Ok(Some(Absence::NeverAsked { key: fingerprint }));
        };
        let since = sent.committer_time.to_string();
        return Ok(Some(Absence::Waiting { key: fingerprint, since }));
    };
    let signer = verify_commit(&commit.raw).ok().map(|signed| signed.signer);
    let by = signer.and_then(|key| Some(format!("`{}`", before.holder(&key)?.0.id)));
    let by = by.unwrap_or_else(|| Escaped(&commit.author.name).to_string());
    let (on, short) = (commit.committer_time.to_string(), commit.id.short());
    let still = member.or_else(|| now.member(&had).map(|member| member.id.clone()));
    Ok(Some(match still {
        Some(id) => {
            let member = id.to_string();
            Absence::Revoked { member, key: fingerprint, by, on, commit: short }
        }
        None => Absence::Removed { member: had.to_string(), by, on, commit: short },
    }))
}

/// The newest commit after which a key did not count any more, the roster before it, and whose it was.
fn last_loss(
    team: &Team,
    tip: ObjectId,
    key: &PublicKey,
) -> Result<Option<(Commit, Roster, MemberId)>, SyncError> {
    for id in team.repo.range(None, tip)?.into_iter().rev() {
        let commit = team.repo.commit(id)?;
        let Some(parent) = commit.parents.first() else { continue };
        let parent = team.repo.commit(*parent)?.tree;
        let blob = |tree| Ok::<_, SyncError>(team.repo.tree_file(tree, ROSTER_PATH)?.map(|f| f.id));
        if blob(parent)? == blob(commit.tree)? {
            continue;
        }
        // A roster that cannot be read was refused, or somebody vouched for what came after.
        let (Ok(Some(before)), Ok(after)) = (roster_at(team, parent), roster_at(team, commit.tree))
        else {
            continue;
        };
        let live = |roster: &Roster| {
            let found = roster.holder(key).filter(|(_, entry)| entry.revoked.is_none());
            found.map(|(member, _)| member.id.clone())
        };
        if let (Some(had), None) = (live(&before), after.as_ref().and_then(live)) {
            return Ok(Some((commit, before, had)));
        }
    }
    Ok(None)
}
