//! One member: id, name, role, keys.
//! Border: checked values; the list they stand in is the roster.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use crate::base::display::{Escaped, is_unsafe_to_show};
use crate::base::time::Timestamp;
use crate::trust::key::{AgeRecipient, PublicKey};
use crate::trust::roster::{KEYS_MAX, RosterProblem};

/// Longest member id.
const ID_BYTES_MAX: usize = 64;
/// Longest display name, in characters.
pub const NAME_CHARS_MAX: usize = 100;
/// Longest name of a device, in characters.
const DEVICE_CHARS_MAX: usize = 40;

/// The short name of a member, unique in its team: lower-case letters, digits, `-`, `_`, `.`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MemberId(String);

/// What a member may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads only.
    Reader,
    /// Changes memories and the index.
    Writer,
    /// Changes everything, members and policy included.
    Admin,
}

/// A calendar day, `YYYY-MM-DD`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Day(String);

/// A key of a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberKey {
    /// The key.
    pub key: PublicKey,
    /// The machine it is on, as people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Since when; for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<Day>,
    /// A revoked key stays listed, so that history can name its holder; it signs nothing new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<Day>,
}

/// A person or agent with keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// The unique short name.
    pub id: MemberId,
    /// The name people read.
    pub name: String,
    /// What the member may do.
    pub role: Role,
    /// Keys in the order they were added.
    pub keys: Vec<MemberKey>,
    /// What sealed memories are sealed to, where the keys cannot open them: they are in an agent or
    /// on a security key. `None` means they are sealed to the keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age: Option<AgeRecipient>,
}

impl Member {
    /// Whether the member is an admin with a key that is not revoked.
    pub fn is_working_admin(&self) -> bool {
        self.role == Role::Admin && self.keys.iter().any(|entry| entry.revoked.is_none())
    }

    /// Checks what the types alone do not.
    pub(in crate::trust) fn check(&self) -> Result<(), RosterProblem> {
        let name = &self.name;
        let long = name.chars().count() > NAME_CHARS_MAX;
        if name.trim() != name || name.is_empty() || long || name.chars().any(is_unsafe_to_show) {
            return Err(RosterProblem::Name(self.id.to_string()));
        }
        for device in self.keys.iter().filter_map(|entry| entry.device.as_ref()) {
            let long = device.chars().count() > DEVICE_CHARS_MAX;
            if device.trim() != device
                || device.is_empty()
                || long
                || device.chars().any(is_unsafe_to_show)
            {
                return Err(RosterProblem::Device(self.id.to_string()));
            }
        }
        if self.keys.len() > KEYS_MAX {
            return Err(RosterProblem::TooMany("keys of one member"));
        }
        Ok(())
    }
}

impl MemberId {
    /// Checks a member id.
    pub fn parse(text: &str) -> Result<Self, RosterProblem> {
        let safe = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.');
        let starts = text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
        if starts && text.len() <= ID_BYTES_MAX && text.bytes().all(safe) {
            return Ok(Self(text.to_owned()));
        }
        Err(RosterProblem::Id(Escaped(&text.chars().take(80).collect::<String>()).to_string()))
    }

    /// Makes an id of a name or e-mail address; `None` when no letter or digit is left.
    pub fn suggest(text: &str) -> Option<Self> {
        let mut id = String::new();
        for c in text.split('@').next().unwrap_or_default().chars() {
            match c.to_ascii_lowercase() {
                c if c.is_ascii_alphanumeric() => id.push(c),
                _ if !id.is_empty() && !id.ends_with('-') => id.push('-'),
                _ => {}
            }
        }
        id.truncate(ID_BYTES_MAX);
        Self::parse(id.trim_end_matches('-')).ok()
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Role {
    /// The role as the roster writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Admin => "admin",
        }
    }

    /// The role with this name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Reader, Self::Writer, Self::Admin].into_iter().find(|role| role.as_str() == text)
    }
}

impl Day {
    /// Checks a day.
    pub fn parse(text: &str) -> Result<Self, RosterProblem> {
        let date = text.parse::<jiff::civil::Date>().ok().map(|date| date.to_string());
        let shown = || Escaped(&text.chars().take(40).collect::<String>()).to_string();
        date.filter(|date| date == text).map(Self).ok_or_else(|| RosterProblem::Day(shown()))
    }

    /// The day after; the last day there is stays.
    #[must_use]
    pub fn next(&self) -> Self {
        let date = self.0.parse::<jiff::civil::Date>().ok().and_then(|date| date.tomorrow().ok());
        date.map_or_else(|| self.clone(), |date| Self(date.to_string()))
    }

    /// The UTC day of a moment; `None` outside the years 0 to 9999.
    pub fn of(moment: Timestamp) -> Option<Self> {
        Self::parse(Timestamp::utc(moment.seconds).to_string().get(..10)?).ok()
    }

    /// The day as `YYYY-MM-DD`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Display for MemberId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for MemberId {
    type Error = RosterProblem;

    fn try_from(text: String) -> Result<Self, RosterProblem> {
        Self::parse(&text)
    }
}

impl From<MemberId> for String {
    fn from(id: MemberId) -> Self {
        id.0
    }
}

impl TryFrom<String> for Day {
    type Error = RosterProblem;

    fn try_from(text: String) -> Result<Self, RosterProblem> {
        Self::parse(&text)
    }
}

impl From<Day> for String {
    fn from(day: Day) -> Self {
        day.0
    }
}
