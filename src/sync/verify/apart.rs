//! Finds out how a clone and its remote stand apart.
//! Border: looks at refs and at how histories begin; what is taken of a history is `incoming`'s.

use super::fetch::{fetch, keep_both, signer_of};
use crate::base::id::ObjectId;
use crate::git::command::RemoteRefs;
use crate::sync::error::SyncError;
use crate::sync::remote_state::RemoteState;
use crate::sync::repo::introduction::shown_introduction;
use crate::sync::repo::remote::Remote;
use crate::sync::repo::roster::roster_at;
use crate::sync::repo::team::Team;
use crate::trust::roster::{MemberId, Role};
use crate::trust::signature::verify_commit;
use crate::trust::trailers::Trailers;

/// What a remote is that does not have the shared branch, which was verified before.
pub(crate) fn without_branch(
    team: &Team,
    remote: &Remote<'_>,
    verified: ObjectId,
) -> Result<RemoteState, SyncError> {
    Ok(absent(team, remote, &remote.branches()?, verified))
}

fn absent(team: &Team, remote: &Remote<'_>, there: &RemoteRefs, verified: ObjectId) -> RemoteState {
    let (remote, branch) = (remote.url.to_string(), team.branch.clone());
    match there.branches.is_empty() {
        true => RemoteState::Emptied { remote, branch, verified },
        false => RemoteState::BranchGone { remote, branch, verified },
    }
}

/// Looks whether the remote goes on from what was verified here; takes nothing. `None` where it has no
/// shared branch yet.
pub(crate) fn look(team: &Team, remote: &Remote<'_>) -> Result<Option<ObjectId>, SyncError> {
    let there = remote.branches()?;
    let verified = team.tracking()?;
    let shared = there.branches.iter().find(|(name, _)| *name == team.branch_ref());
    let Some((_, offered)) = shared else {
        return verified
            .map_or(Ok(None), |verified| Err(absent(team, remote, &there, verified).into()));
    };
    if !team.repo.contains(*offered) && fetch(team, remote)? != Some(*offered) {
        // It moved a moment ago.
        return Ok(Some(*offered));
    }
    match verified {
        Some(known) if team.repo.is_ancestor(known, *offered)? => {}
        None if foreign(team, "", *offered)?.is_none() => {}
        _ => return Err(apart(team, verified, *offered)?),
    }
    Ok(Some(*offered))
}

/// Why an offered tip does not continue what was verified, or what this clone trusts.
///
/// Both sides are kept, so that neither is lost whatever is decided.
pub(crate) fn apart(
    team: &Team,
    verified: Option<ObjectId>,
    offered: ObjectId,
) -> Result<SyncError, SyncError> {
    if let Some(verified) = verified {
        keep_both(team, verified, offered)?;
    }
    let remote = team.remote()?.map(|url| url.to_string()).unwrap_or_default();
    if let Some(verified) = verified
        && team.repo.is_ancestor(offered, verified)?
    {
        let missing = team.repo.count(Some(offered), verified)?;
        return Ok(RemoteState::WentBack { remote, verified, offered, missing }.into());
    }
    if let Some(state) = foreign(team, &remote, offered)? {
        return Ok(state.into());
    }
    Ok(verified.map_or(SyncError::Unrelated, |verified| SyncError::Rewritten { verified, offered }))
}

/// What an offered history is that does not start as this clone trusts; `None` where it does.
pub(crate) fn foreign(
    team: &Team,
    remote: &str,
    offered: ObjectId,
) -> Result<Option<RemoteState>, SyncError> {
    let Some(ours) = team.state.root_commit else { return Ok(None) };
    if team.repo.contains(ours) && team.repo.is_ancestor(ours, offered)? {
        return Ok(None);
    }
    let Some(root) = team.repo.range(None, offered)?.first().copied() else { return Ok(None) };
    let remote = remote.to_owned();
    Ok(Some(match team.policy_at(team.repo.commit(root)?.tree) {
        Err(SyncError::NotATeamRepository(_)) => {
            RemoteState::NoTeamThere { remote, branch: team.branch.clone(), root }
        }
        _ => {
            let found = shown_introduction(root, signer_of(team, root)?.as_deref());
            let expected = shown_introduction(ours, team.state.root_signer.as_deref());
            match replaces(team, root, ours)? {
                true => {
                    RemoteState::Renewed { remote, found, expected, by: admin_behind(team, root)? }
                }
                false => RemoteState::OtherTeam { remote, found, expected },
            }
        }
    }))
}

/// Whether a root names another as replaced. Anybody can write that; who signed it decides.
fn replaces(team: &Team, root: ObjectId, ours: ObjectId) -> Result<bool, SyncError> {
    let commit = team.repo.commit(root)?;
    Ok(Trailers::parse(&commit.message).is_ok_and(|trailers| trailers.replaces.contains(&ours)))
}

/// The admin, by the roster that was last verified here, whose key signed a commit.
fn admin_behind(team: &Team, root: ObjectId) -> Result<Option<MemberId>, SyncError> {
    let Some(verified) = team.tracking()? else { return Ok(None) };
    let Some(roster) = roster_at(team, team.repo.commit(verified)?.tree)? else { return Ok(None) };
    let commit = team.repo.commit(root)?;
    let Ok(signed) = verify_commit(&commit.raw) else { return Ok(None) };
    let holder = roster.holder(&signed.signer);
    let admin = holder.filter(|(member, key)| member.role == Role::Admin && key.revoked.is_none());
    Ok(admin.map(|(member, _)| member.id.clone()))
}
