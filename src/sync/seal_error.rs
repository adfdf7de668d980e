//! Why a memory could not be sealed, opened or sealed again.
//! Border: as `sync::error`; exit code and next step are in `report::advice`.

use crate::gate::verdict::Reason;
use crate::seal::SealProblem;
use crate::seal::unlock::UnlockError;

/// Why a flow with sealed memories stopped. Subjects come escaped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The team has no roster, so nobody can be named.
    #[error("this team memory has no roster: nobody can be named as a reader")]
    NoRoster,
    /// The caller is not in the roster.
    #[error("you are not in the roster, so you cannot be a reader")]
    NotAMember,
    /// It is sealed already.
    #[error("`{0}` is sealed already")]
    Sealed(String),
    /// It is not sealed.
    #[error("`{0}` is not sealed")]
    Plain(String),
    /// Its frontmatter, list or text is not in order, or nobody can be its reader.
    #[error("`{path}` cannot be used as it is")]
    Problem {
        /// The file.
        path: String,
        /// What is wrong.
        #[source]
        problem: SealProblem,
    },
    /// It stays closed.
    #[error("`{path}` stays closed")]
    Closed {
        /// The file.
        path: String,
        /// Why.
        #[source]
        source: Box<UnlockError>,
    },
    /// The text holds credentials and nobody said that it may.
    #[error("the text was not sealed, it holds what looks like a secret: {}", shown(.0))]
    Secrets(Vec<Reason>),
    /// A reason that says nothing.
    #[error("a secret may be sealed only with a reason")]
    NoReason,
    /// Name and description stay readable, and nobody said that they may.
    #[error("name and description of `{0}` stay readable by everyone, and that was not confirmed")]
    Unconfirmed(String),
    /// A text that becomes readable by everyone, and nobody said that it may.
    #[error("`{0}` would become readable by everyone, and that was not confirmed")]
    Exposing(String),
    /// The new text is empty or no text.
    #[error("the new text of `{0}` is empty or not UTF-8")]
    NoText(String),
    /// The editor could not be used.
    #[error(transparent)]
    Editor(#[from] crate::system::editor::EditorError),
}

fn shown(reasons: &[Reason]) -> String {
    let one = |r: &Reason| format!("{}: {} ({})", r.place(), r.message, r.rule);
    reasons.iter().map(one).collect::<Vec<_>>().join("; ")
}
