//! Why a history could not be started anew.
//! Border: as `sync::error`; exit code and next step are in `report::advice`.

use crate::trust::roster::MemberId;

/// Why nothing was replaced. Subjects come escaped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenewError {
    /// The remote offers what is refused.
    #[error("the history stays as it is while the remote offers what is refused: {0}")]
    Refused(String),
    /// There is work that only this machine has.
    #[error("the history stays as it is while {0} of your changes are not shared")]
    Unshared(usize),
    /// Only an admin may.
    #[error("only an admin may take text out of the history")]
    NotAdmin(Vec<String>),
    /// The caller is an admin who can act.
    #[error("`{0}` is an admin and can act: nothing has to start anew")]
    HasAdmin(MemberId),
    /// The caller's key is nobody's.
    #[error("your key is not in the roster, so nobody could follow you")]
    NotAMember,
    /// Nothing was named.
    #[error("no text is named that should go")]
    Nothing,
    /// No text of the history has this fingerprint.
    #[error("no text in the history has the fingerprint `{0}`")]
    NotFound(String),
    /// A value that no text of the history holds.
    #[error("a value is in no text of the history")]
    ValueNotFound,
    /// So short a text stands everywhere.
    #[error(
        "a value of {bytes} bytes is too short: it would go from places where it means something else"
    )]
    TooShort {
        /// How long it is.
        bytes: usize,
    },
    /// A name of a file holds the value.
    #[error("a name of a file in the history holds the value; names cannot be changed")]
    InName,
    /// Nobody answered yes.
    #[error("starting the history anew was not confirmed")]
    Unconfirmed,
    /// The remote keeps its branch.
    #[error("`{0}` does not take a history in place of the one it has, or it has just moved")]
    NotTaken(String),
    /// The server's hook of memsync holds to the history there is.
    #[error("the hook of memsync at `{0}` holds to the introduction the team has now")]
    HeldByHook(String),
    /// The server's own rules keep the branch as it is.
    #[error("`{remote}` does not take a history in place of the one it has: {message}")]
    Declined {
        /// The remote.
        remote: String,
        /// What the server says.
        message: String,
    },
}
