//! Fetches what the remote has into private refs, and says by whom a commit is.
//! Border: writes objects and private refs only; how much of it may be taken is `incoming`'s.

use crate::base::id::ObjectId;
use crate::git::commit::Commit;
use crate::git::write::Expected;
use crate::sync::error::SyncError;
use crate::sync::repo::remote::Remote;
use crate::sync::repo::team::Team;

/// Fetches the shared branch; `None` when the remote does not have it yet.
pub fn fetch(team: &Team, remote: &Remote<'_>) -> Result<Option<ObjectId>, SyncError> {
    let there = team.branch_ref();
    let here = team.incoming_ref();
    if !remote.fetch(team, &[(&there, &here)])? {
        return Ok(None);
    }
    Ok(team.repo.find_ref(&here)?)
}

pub(crate) fn first_parent_tree(
    team: &Team,
    commit: &Commit,
) -> Result<Option<ObjectId>, SyncError> {
    Ok(commit
        .parents
        .first()
        .map(|parent| team.repo.commit(*parent))
        .transpose()?
        .map(|parent| parent.tree))
}

/// The fingerprint of the key that signed a commit in canonical form; `None` when it is not so signed.
pub(crate) fn signer_of(team: &Team, id: ObjectId) -> Result<Option<String>, SyncError> {
    let commit = team.repo.commit(id)?;
    let signed = crate::trust::signature::verify_commit(&commit.raw).ok();
    Ok(signed.map(|signed| signed.signer.fingerprint().to_string()))
}

/// Keeps both sides of a rewritten history reachable, so that neither is lost whatever is decided.
pub(crate) fn keep_both(
    team: &Team,
    verified: ObjectId,
    offered: ObjectId,
) -> Result<(), SyncError> {
    for (name, id) in [("verified", verified), ("offered", offered)] {
        let full = format!("refs/memsync/rescue/{}-{name}", id.short());
        team.repo.update_ref(&full, id, Expected::Any, "memsync: history was rewritten")?;
    }
    Ok(())
}
