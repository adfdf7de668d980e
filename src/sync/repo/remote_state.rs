//! How a clone and its remote can stand apart: each state has a name, and the flow that gets out of it.
//! Border: looks at refs and at how histories begin; what is taken of a history is `incoming`'s.

use super::remote::Remote;
use super::team::Team;
use super::trust::roster_at;
use crate::base::id::ObjectId;
use crate::base::text::count;
use crate::git::command::RemoteRefs;
use crate::sync::error::SyncError;
use crate::sync::membership::setup::shown_introduction;
use crate::sync::verify::incoming::{fetch, keep_both, signer_of};
use crate::trust::roster::{MemberId, Role};
use crate::trust::signature::verify_commit;
use crate::trust::trailers::Trailers;

/// A state in which nothing can be exchanged. Nothing is lost in any of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteState {
    /// The shared branch was there, and others still are.
    #[error("the remote `{remote}` has no branch `{branch}` any more; it was there, at {}", verified.short())]
    BranchGone {
        /// The remote, safe to show.
        remote: String,
        /// The branch.
        branch: String,
        /// The last verified tip.
        verified: ObjectId,
    },
    /// The remote held this team memory and holds nothing now: emptied, or made anew.
    #[error("the remote `{remote}` is empty and has no branch `{branch}`; it held this team memory, at {}", verified.short())]
    Emptied {
        /// The remote, safe to show.
        remote: String,
        /// The branch.
        branch: String,
        /// The last verified tip.
        verified: ObjectId,
    },
    /// The remote is where it was before: restored from a backup, or taken back.
    #[error("the remote `{remote}` went back: it offers {}, which comes {} before {}, verified here", offered.short(), count(*.missing, "commit", "commits"), verified.short())]
    WentBack {
        /// The remote, safe to show.
        remote: String,
        /// The last verified tip.
        verified: ObjectId,
        /// What the remote offers now.
        offered: ObjectId,
        /// Commits that are missing there.
        missing: usize,
    },
    /// The remote holds a repository that is no team memory.
    #[error("the remote `{remote}` holds something else: `{branch}` there starts with commit {}, without `.memsync/policy.yaml`", root.short())]
    NoTeamThere {
        /// The remote, safe to show.
        remote: String,
        /// The branch.
        branch: String,
        /// How it starts.
        root: ObjectId,
    },
    /// The remote holds the memory of another team, or of this one started anew.
    #[error(
        "the remote `{remote}` holds another team memory: it starts with {found}, this one with {expected}"
    )]
    OtherTeam {
        /// The remote, safe to show.
        remote: String,
        /// What it starts with.
        found: String,
        /// What this clone trusts.
        expected: String,
    },
    /// The history was started anew: it names the one that this clone trusts.
    #[error("the history at `{remote}` was started anew by {}: it starts with {found} and replaces {expected}", by.as_ref().map_or_else(|| "a key that is no admin's here".to_owned(), |id| format!("`{id}`, an admin")))]
    Renewed {
        /// The remote, safe to show.
        remote: String,
        /// What it starts with.
        found: String,
        /// What this clone trusts.
        expected: String,
        /// The admin, by what was verified here, who signed the new beginning.
        by: Option<MemberId>,
    },
    /// `team/` is on a branch that is not shared.
    #[error("team memory is on the branch `{shared}`, and `{}` is on `{here}`", team.display())]
    OtherBranch {
        /// The team memory.
        team: std::path::PathBuf,
        /// The shared branch, escaped.
        shared: String,
        /// The branch it is on, escaped.
        here: String,
    },
    /// `team/` was made by plain `git clone`: nothing says where its history must start.
    #[error("`{}` is a plain git clone of a team memory: nothing in it was verified", team.display())]
    PlainClone {
        /// The team memory.
        team: std::path::PathBuf,
        /// The address it was cloned from, safe to show.
        remote: Option<String>,
    },
    /// A clone to be adopted has commits that the remote offers and that are refused.
    #[error("`{}` holds commit {}, which the rules of trust refuse", team.display(), commit.short())]
    Unverified {
        /// The team memory.
        team: std::path::PathBuf,
        /// The commit.
        commit: ObjectId,
    },
    /// Following was not confirmed.
    #[error("following the history that starts with {0} was not confirmed")]
    FollowUnconfirmed(String),
    /// Nothing is missing on the remote.
    #[error("nothing is missing at `{0}`")]
    NothingGone(String),
    /// Putting the history back was not confirmed.
    #[error("putting the history back at `{0}` was not confirmed")]
    RestoreUnconfirmed(String),
}

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
