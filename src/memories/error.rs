//! Why a memory cannot go to the other layer.
//! Border: errors; what to do about each is `report::advice`.

use crate::folder::index::IndexError;
use crate::gate::verdict::Reason;
use crate::sync::error::SyncError;
use crate::system::editor::EditorError;
use crate::system::files::FileError;

/// Why a memory cannot be shared, or taken back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// No memory of the layer has the name.
    #[error("there is no {layer} memory `{name}`")]
    NoMemory {
        /// What was typed, escaped.
        name: String,
        /// `private` or `team`.
        layer: &'static str,
    },
    /// Several memories have the text in their names.
    #[error("`{name}` is in the names of several: {}", candidates.join(", "))]
    Ambiguous {
        /// What was typed, escaped.
        name: String,
        /// Their paths.
        candidates: Vec<String>,
    },
    /// A memory about a person.
    #[error("`{0}` is of type `user`: it is about a person, and no memory for a team")]
    AboutAPerson(String),
    /// The other layer has another text under this path.
    #[error("the {layer} layer has another text under `{path}`")]
    Taken {
        /// The path.
        path: String,
        /// `private` or `team`.
        layer: &'static str,
    },
    /// The text is sealed.
    #[error("`{0}` is sealed: outside the team nobody could open it")]
    Sealed(String),
    /// The path is none that a team memory may have.
    #[error("`{0}` is no path that a team memory may have")]
    Path(String),
    /// The file is not text.
    #[error("`{0}` is not valid UTF-8")]
    NotUtf8(String),
    /// Somebody wrote it after it was read.
    #[error("`{0}` was changed meanwhile")]
    Changed(String),
    /// The gate refuses at least one; none was shared.
    #[error("{} of these memories cannot be shared", reasons.len())]
    Refused {
        /// Why.
        reasons: Vec<Reason>,
    },
    /// The person's editor.
    #[error(transparent)]
    Editor(#[from] EditorError),
    /// A sealed memory has an editor of its own.
    #[error("`{0}` is sealed")]
    SealedEdit(String),
    /// Nobody said yes.
    #[error("nobody confirmed it: nothing was moved")]
    Unconfirmed,
    /// The team memory.
    #[error(transparent)]
    Team(Box<SyncError>),
    /// An index.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<SyncError> for MoveError {
    fn from(error: SyncError) -> Self {
        Self::Team(Box::new(error))
    }
}
