//! How a clone and its remote can stand apart: each state has a name, and the flow that gets out of it.
//! Border: the states only; `verify::apart` finds out which one it is.

use crate::base::id::ObjectId;
use crate::base::text::count;
use crate::trust::roster::MemberId;

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
    /// The remote has the history that is here.
    #[error("the history at `{0}` was not rewritten")]
    NothingRewritten(String),
    /// Nothing is missing on the remote.
    #[error("nothing is missing at `{0}`")]
    NothingGone(String),
    /// Putting the history back was not confirmed.
    #[error("putting the history back at `{0}` was not confirmed")]
    RestoreUnconfirmed(String),
}
