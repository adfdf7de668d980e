//! Object ids of git (SHA-1 or SHA-256) as plain values.
//! Border: no hashing and no repository; `git` converts them to and from its own type.

use std::fmt::{self, Debug, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The id of a git object: 20 bytes (SHA-1) or 32 bytes (SHA-256). Orders bytewise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ObjectId {
    bytes: [u8; 32],
    len: u8,
}

/// Why a text is not an object id.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a git object id of 40 or 64 hexadecimal digits")]
pub struct ObjectIdError(String);

impl ObjectId {
    /// Takes the raw 20 or 32 bytes of an id.
    pub fn from_bytes(raw: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        if raw.len() != 20 && raw.len() != 32 {
            return None;
        }
        bytes[..raw.len()].copy_from_slice(raw);
        Some(Self { bytes, len: raw.len() as u8 })
    }

    /// The raw bytes, 20 or 32.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The first ten hexadecimal digits, for people.
    pub fn short(&self) -> String {
        self.to_string()[..10].to_owned()
    }
}

impl Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl FromStr for ObjectId {
    type Err = ObjectIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ObjectIdError(text.chars().take(80).collect());
        if !text.is_ascii() || (text.len() != 40 && text.len() != 64) {
            return Err(error());
        }
        let pair = |i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).map_err(|_| error());
        if text.bytes().any(|b| !b.is_ascii_hexdigit()) {
            return Err(error());
        }
        let raw = (0..text.len() / 2).map(pair).collect::<Result<Vec<u8>, _>>()?;
        Self::from_bytes(&raw).ok_or_else(error)
    }
}

impl TryFrom<String> for ObjectId {
    type Error = ObjectIdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<ObjectId> for String {
    fn from(id: ObjectId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_hash_lengths_round_trip_and_others_are_refused() {
        for len in [40, 64] {
            let text = "0a".repeat(len / 2);
            assert_eq!(text.parse::<ObjectId>().unwrap().to_string(), text);
        }
        for bad in ["", "0a", &"0g".repeat(20), &"é".repeat(20), &"+1".repeat(20)] {
            assert!(bad.parse::<ObjectId>().is_err(), "{bad}");
        }
    }
}
