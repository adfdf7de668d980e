//! Sealed memories: the body is an age file that only named members can open; the frontmatter is clear.
//! Border: values in, values out; which keys there are and who is asked is the flows' business. The one
//! exception to "no randomness in rules": age draws a fresh file key for every sealing.
//! Read: `header`, `audience`, `envelope`, `readers`, `lock`, `unlock`.

pub mod audience;
pub mod envelope;
pub mod header;
pub mod lock;
pub mod readers;
pub mod unlock;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::trust::roster::MemberId;

/// Why a sealed memory, or a wish to seal one, is refused. Subjects come escaped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealProblem {
    /// Frontmatter that cannot be read.
    #[error("the frontmatter cannot be read")]
    Frontmatter,
    /// `sealed` is no list of member ids, or `sealed_for` no list of members and roles.
    #[error("`{0}` is not a list of members like `[ada, ben]`")]
    List(&'static str),
    /// A sealed memory whose text anyone can read.
    #[error("the memory says that it is sealed, but its text is plain")]
    Plain,
    /// An age file that nobody is named for.
    #[error("the text is sealed, but the frontmatter does not say for whom")]
    Unnamed,
    /// Truncated or altered armor.
    #[error("the sealed text is damaged: {0}")]
    Damaged(&'static str),
    /// An age file of another version.
    #[error("the sealed text has the format `{0}`; this memsync reads `age-encryption.org/v1`")]
    Version(String),
    /// Sealed in a way that is not used here: a passphrase, ssh-rsa, a plugin.
    #[error(
        "the text is sealed with `{0}`; only ssh-ed25519 keys and age identities are used here"
    )]
    Kind(String),
    /// The list in the frontmatter is not the one that was sealed.
    #[error(
        "the list of readers was changed by hand: it names {listed}, and the text is sealed for {sealed}"
    )]
    OtherReaders {
        /// What the frontmatter says.
        listed: String,
        /// What the age file says.
        sealed: String,
    },
    /// More or fewer keys can open it than the list says.
    #[error("the list of readers was changed by hand: {0}")]
    HiddenReaders(String),
    /// Readers who are not in the roster.
    #[error("it is sealed for {}, not in the roster", shown_ids(.0))]
    UnknownReaders(BTreeSet<MemberId>),
    /// An age file by other means for age identities does not say whose they are.
    #[error("it is sealed for an age identity, and does not say whose that is")]
    Anonymous,
    /// Not sealed by memsync: nobody can tell whether the list is the one its author meant.
    #[error("it was sealed by other means, so nothing proves for whom it was meant")]
    Unproven,
    /// Somebody who could not open it put another text in its place.
    #[error("its text was replaced by somebody who could not open the one before")]
    Stranger,
    /// Nobody could open it.
    #[error("nobody is named who could open it")]
    Nobody,
    /// Members that are not in the roster.
    #[error("there is no member `{0}`")]
    NoMember(MemberId),
    /// A member without a key.
    #[error("`{0}` has no key that a memory can be sealed to")]
    NoKey(MemberId),
    /// A word that is neither a member nor a role.
    #[error("`{0}` is neither a member nor a role")]
    NotAnAudience(String),
    /// age could not write it.
    #[error("the text could not be sealed")]
    Age,
}

/// Ids for a sentence: `ada`, `ben`.
pub fn shown_ids<'a>(ids: impl IntoIterator<Item = &'a MemberId>) -> String {
    ids.into_iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}
