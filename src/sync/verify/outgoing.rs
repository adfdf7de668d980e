//! What may be sent: commits that others will accept and that pass the gate one by one.
//! Border: judges our own commits before the push; the remote's are judged in `incoming`.

use super::incoming::check_change;
use crate::base::id::ObjectId;
use crate::base::path::{EntryMode, MemoryPath};
use crate::config::policy::{Policy, Trust};
use crate::gate::Gate;
use crate::gate::envelope::{of_commit, of_ref};
use crate::gate::verdict::Reason;
use crate::git::tree::TreeChange;
use crate::memory::limits::FILE_BYTES_MAX;
use crate::sync::error::SyncError;
use crate::sync::rebase::commits::rebase_commits;
use crate::sync::repo::own_membership::explained;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::judge::Judge;

/// The tip to send, all of whose commits others will accept.
///
/// Commits made before the person was a member, or with another key, are made again and signed.
pub(crate) fn authorised_tip(
    team: &Team,
    actor: &Actor,
    policy: &Policy,
    known: Option<ObjectId>,
    tip: ObjectId,
) -> Result<ObjectId, SyncError> {
    if policy.trust == Trust::Open {
        return Ok(tip);
    }
    signed(team, actor, known, tip).map_err(|error| explained(team, actor, known, error))
}

fn signed(
    team: &Team,
    actor: &Actor,
    known: Option<ObjectId>,
    tip: ObjectId,
) -> Result<ObjectId, SyncError> {
    let outgoing = team.repo.range(known, tip)?;
    let Some(known) = known.filter(|known| refused(team, Some(*known), &outgoing).is_err()) else {
        refused(team, known, &outgoing)?;
        return Ok(tip);
    };
    let again = rebase_commits(team, actor, &outgoing, known)?.tip;
    refused(team, Some(known), &team.repo.range(Some(known), again)?)?;
    Ok(again)
}

/// The first of our own commits that others would refuse, as an error.
pub(crate) fn refused(
    team: &Team,
    known: Option<ObjectId>,
    ids: &[ObjectId],
) -> Result<(), SyncError> {
    let history = Judge::new(team).judge(known, ids)?;
    let Some(tip) = ids.last() else { return Ok(()) };
    match history.refused(*tip).first() {
        Some((commit, refusal)) => {
            let refusal = Box::new((*refusal).clone());
            Err(SyncError::NotAuthorised { commit: *commit, refusal, cause: None })
        }
        None => Ok(()),
    }
}

/// Those of a change's reasons that the file did not give before: what others published against a
/// rule is reported when it comes in, and does not hold up ours.
fn ours(
    team: &Team,
    gate: &Gate<'_>,
    change: &TreeChange,
    found: Vec<Reason>,
) -> Result<Vec<Reason>, SyncError> {
    let path = MemoryPath::parse_tracked(&change.path, EntryMode::File).ok();
    let (Some(path), Some(old), Some(new)) = (path, change.old, change.new) else {
        return Ok(found);
    };
    let read = |id| team.repo.blob(id, FILE_BYTES_MAX as u64);
    let introduced = gate.introduced(&path, &read(new.id)?, Some(&read(old.id)?));
    let is_ours = |reason: &Reason| introduced.iter().any(|other| other.is_like(reason));
    // What the gate says by the roster of the commit stays: only the text is compared.
    let text = gate.content(&path, &read(new.id)?);
    let is_of_text = |reason: &Reason| text.iter().any(|other| other.is_like(reason));
    Ok(found.into_iter().filter(|reason| !is_of_text(reason) || is_ours(reason)).collect())
}

/// Every commit that would be sent passes the gate, so a secret that was committed and removed
/// again is caught too, and one in a message, a name or a trailer.
pub(crate) fn check_outgoing(
    team: &Team,
    gate: &Gate<'_>,
    known: Option<ObjectId>,
    tip: ObjectId,
) -> Result<(), SyncError> {
    let ids = team.repo.range(known, tip)?;
    if let Some(cut) = team.repo.cut_off(&ids)? {
        let why = format!("what lies before {} is not here, so it cannot be judged", cut.short());
        return Err(SyncError::MissingHistory(why));
    }
    let mut named = gate.envelope(&of_ref(&team.branch_ref()));
    for id in ids {
        let commit = team.repo.commit(id)?;
        let parent = commit.parents.first().map(|parent| team.repo.commit(*parent)).transpose()?;
        let mut reasons: Vec<Reason> = std::mem::take(&mut named);
        reasons.extend(gate.envelope(&of_commit(&commit.raw)));
        for change in team.repo.tree_changes(parent.map(|parent| parent.tree), Some(commit.tree))? {
            match check_change(team, gate, &commit, &change)? {
                Ok(found) if found.is_empty() => {}
                Ok(found) => reasons.extend(ours(team, gate, &change, found)?),
                Err(reason) => reasons.push(reason),
            }
        }
        if !reasons.is_empty() {
            return Err(SyncError::OutgoingRefused {
                commit: id,
                team: team.path.clone(),
                restart: known,
                reasons,
            });
        }
    }
    Ok(())
}
