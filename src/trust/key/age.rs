//! The public half of an age identity: how a member reads sealed memories whose signing key cannot.
//! Border: X25519 (`age1…`) only. Plugins and post-quantum kinds are refused by name.

use std::fmt::{self, Debug, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::base::display::Escaped;

/// Characters of an `age1…` recipient: 4 for `age1`, 52 for 32 bytes, 6 for the checksum.
const RECIPIENT_CHARS: usize = 62;

/// An `age1…` recipient in its one spelling.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgeRecipient(String);

/// Why a text is no recipient.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgeRecipientProblem {
    /// Not `age1` and 58 characters with a right checksum.
    #[error("`{0}` is not an age recipient like `age1…`")]
    Malformed(String),
    /// A kind that needs a plugin, or one that is newer than this memsync.
    #[error(
        "`{0}` is a recipient of a plugin or a newer age; only `age1…` with 62 characters is used"
    )]
    Kind(String),
}

impl AgeRecipient {
    /// Reads a recipient; upper case, spaces and other spellings are refused.
    pub fn parse(text: &str) -> Result<Self, AgeRecipientProblem> {
        let shown = || Escaped(&text.chars().take(80).collect::<String>()).to_string();
        let parsed = age::x25519::Recipient::from_str(text).ok();
        let canonical = parsed.map(|recipient| recipient.to_string());
        if canonical.as_deref() == Some(text) {
            return Ok(Self(text.to_owned()));
        }
        let other = text.starts_with("age1") && text.len() > RECIPIENT_CHARS;
        Err(if other {
            AgeRecipientProblem::Kind(shown())
        } else {
            AgeRecipientProblem::Malformed(shown())
        })
    }

    /// The recipient as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The recipient for encryption.
    pub(crate) fn to_age(&self) -> age::x25519::Recipient {
        self.0.parse().expect("because the text was parsed before")
    }
}

impl Display for AgeRecipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Debug for AgeRecipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for AgeRecipient {
    type Error = AgeRecipientProblem;

    fn try_from(text: String) -> Result<Self, AgeRecipientProblem> {
        Self::parse(&text)
    }
}

impl From<AgeRecipient> for String {
    fn from(recipient: AgeRecipient) -> Self {
        recipient.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_one_spelling_of_a_recipient_is_taken() {
        let text = age::x25519::Identity::generate().to_public().to_string();
        assert_eq!(AgeRecipient::parse(&text).unwrap().as_str(), text);
        let changed = text.replace(&text[10..11], if &text[10..11] == "q" { "p" } else { "q" });
        for bad in ["", "age1", &text.to_uppercase(), &format!(" {text}"), &changed, &text[..61]] {
            assert!(
                matches!(AgeRecipient::parse(bad), Err(AgeRecipientProblem::Malformed(_))),
                "{bad}"
            );
        }
        let plugin = format!("age1yubikey1{}", "q".repeat(60));
        assert!(matches!(AgeRecipient::parse(&plugin), Err(AgeRecipientProblem::Kind(_))));
    }
}
