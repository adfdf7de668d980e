//! Why somebody may not share changes with a team that has a roster: each cause by its name.
//! Border: texts; who is where is found out in `membership`.

use std::path::PathBuf;

/// What stands between a person and the team.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Absence {
    /// No key to sign with.
    #[error("there is no key at `{}` to sign with", .0.display())]
    NoKey(PathBuf),
    /// Nobody ever let the key in.
    #[error("your key {key} was never in the roster, and no request for it was sent from here")]
    NeverAsked {
        /// The key's fingerprint.
        key: String,
    },
    /// A request was sent, and no admin has let the key in.
    #[error("your key {key} is not in the roster yet: your request of {since} waits for an admin")]
    Waiting {
        /// The key's fingerprint.
        key: String,
        /// When it was sent.
        since: String,
    },
    /// The member was taken out, or left without this key.
    #[error("`{member}` was taken out of the roster by {by} on {on} (commit {commit})")]
    Removed {
        /// The member.
        member: String,
        /// Who did it, escaped.
        by: String,
        /// When.
        on: String,
        /// In which commit, short.
        commit: String,
    },
    /// The key was revoked or replaced; the member is there.
    #[error(
        "your key {key} of `{member}` no longer counts: {by} revoked it on {on} (commit {commit})"
    )]
    Revoked {
        /// The member.
        member: String,
        /// The key's fingerprint.
        key: String,
        /// Who did it, escaped.
        by: String,
        /// When.
        on: String,
        /// In which commit, short.
        commit: String,
    },
    /// A reader changes nothing.
    #[error("`{0}` is a reader of this team and may not change anything")]
    Reader(String),
    /// Another branch is checked out than the one the team shares.
    #[error("`{here}` is checked out, and the team shares `{shared}`")]
    OtherBranch {
        /// The branch here.
        here: String,
        /// The one that is shared.
        shared: String,
    },
    /// The changes were signed for another team memory.
    #[error("the changes were made for another team memory, not for the one that starts with {0}")]
    OtherTeam(String),
}
