//! Why a change cannot be taken back.
//! Border: errors; what to do about each is `report::advice`.

use crate::base::id::ObjectId;

/// Why a change cannot be taken back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReverseError {
    /// Nothing was committed here that others do not have.
    #[error("nothing here is unshared")]
    NothingUnshared,
    /// No commit of the team's history begins like this.
    #[error("there is no commit `{0}` in the team's history")]
    NoSuchCommit(String),
    /// A first commit, or a merge.
    #[error("commit {} has not one parent: what it changed cannot be told", .0.short())]
    NotOneParent(ObjectId),
    /// A file was edited at the same place after what is to be taken back.
    #[error("`{0}` was changed at the same place since")]
    ChangedSince(String),
    /// The memory is there as it was.
    #[error("`{0}` is there, and nothing of it is gone")]
    NothingToRestore(String),
}
