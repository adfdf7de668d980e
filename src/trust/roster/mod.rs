//! `.memsync/roster.yaml`: the members of a team, their roles and keys.
//! Border: what the file says and how it may change; who may change it is `authorize`.
//! Loaded closed: an unknown field, role or format, or a key or id twice, refuses the whole file.

mod change;
mod member;
#[cfg(test)]
mod tests;

pub use change::RosterChange;
pub use member::{Day, Member, MemberId, MemberKey, NAME_CHARS_MAX, Role};

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::base::display::Escaped;
use crate::trust::key::{AgeRecipient, Fingerprint, PublicKey};

/// Where the roster is in a team repository.
pub const ROSTER_PATH: &str = ".memsync/roster.yaml";
/// The format this version reads and writes.
pub const ROSTER_FORMAT: &str = "memsync.roster/1";
/// Largest roster file that is read.
pub const ROSTER_BYTES_MAX: usize = 512 * 1_024;
/// Most members of one team.
pub const MEMBERS_MAX: usize = 2_000;
/// Most keys of one member, revoked ones included.
pub const KEYS_MAX: usize = 32;

/// The members of a team, ordered by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    members: Vec<Member>,
}

/// Why a roster, or a change to one, was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RosterProblem {
    /// Not YAML of this shape.
    #[error("`{ROSTER_PATH}` cannot be read: {0}")]
    Shape(String),
    /// Another format.
    #[error("`{ROSTER_PATH}` has format `{0}`; this memsync reads `{ROSTER_FORMAT}`")]
    Format(String),
    /// More bytes, members or keys than any team needs.
    #[error("the roster has too many {0}")]
    TooMany(&'static str),
    /// Not lower-case letters, digits, `-`, `_` and `.`.
    #[error("`{0}` is not a member id")]
    Id(String),
    /// A display name that is empty, long or not plain text.
    #[error("the name of member `{0}` is empty, too long or has invisible characters")]
    Name(String),
    /// The name of a device that is empty, long or not plain text.
    #[error("the name of a device of `{0}` is empty, too long or has invisible characters")]
    Device(String),
    /// Two keys of a member with one name.
    #[error("`{id}` has a device `{device}` already")]
    DeviceTwice {
        /// The member.
        id: MemberId,
        /// The device.
        device: String,
    },
    /// No such device.
    #[error("`{id}` has no device or key `{device}`")]
    NoDevice {
        /// The member.
        id: MemberId,
        /// What was asked for, escaped.
        device: String,
    },
    /// Not `YYYY-MM-DD`.
    #[error("`{0}` is not a date like `2026-01-31`")]
    Day(String),
    /// Two members with one id.
    #[error("member `{0}` is in the roster already")]
    IdTwice(MemberId),
    /// One key for two members, or twice for one.
    #[error("the key {key:?} of `{id}` is in the roster already")]
    KeyTwice {
        /// The member it was to be added to.
        id: MemberId,
        /// The key.
        key: PublicKey,
    },
    /// A member that is not there.
    #[error("there is no member `{0}` in the roster")]
    Unknown(MemberId),
    /// A key that is not there.
    #[error("the key {0} is not in the roster")]
    UnknownKey(Fingerprint),
    /// The change would leave nobody who can change the roster.
    #[error("`{0}` is the last admin")]
    LastAdmin(MemberId),
}

/// The file as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    members: Vec<Member>,
}

impl Roster {
    /// Makes a roster of members in any order; refuses one id or key twice.
    pub fn from_members(members: Vec<Member>) -> Result<Self, RosterProblem> {
        let mut roster = Self { members };
        roster.members.sort_by(|a, b| a.id.cmp(&b.id));
        if roster.members.len() > MEMBERS_MAX {
            return Err(RosterProblem::TooMany("members"));
        }
        let (mut ids, mut keys) = (BTreeSet::new(), BTreeSet::new());
        for member in &roster.members {
            member.check()?;
            if !ids.insert(&member.id) {
                return Err(RosterProblem::IdTwice(member.id.clone()));
            }
            for MemberKey { key, .. } in &member.keys {
                if !keys.insert(key) {
                    return Err(RosterProblem::KeyTwice { id: member.id.clone(), key: *key });
                }
            }
        }
        Ok(roster)
    }

    /// Reads a roster file.
    pub fn parse(text: &str) -> Result<Self, RosterProblem> {
        if text.len() > ROSTER_BYTES_MAX {
            return Err(RosterProblem::TooMany("bytes"));
        }
        let file: File = serde_yaml::from_str(text).map_err(|error| {
            let first = error.to_string().lines().next().unwrap_or_default().to_owned();
            RosterProblem::Shape(Escaped(&first).to_string())
        })?;
        if file.format != ROSTER_FORMAT {
            let shown: String = file.format.chars().take(60).collect();
            return Err(RosterProblem::Format(Escaped(&shown).to_string()));
        }
        Self::from_members(file.members)
    }

    /// Writes the roster file: equal rosters give equal bytes.
    pub fn render(&self) -> String {
        let file = File { format: ROSTER_FORMAT.to_owned(), members: self.members.clone() };
        serde_yaml::to_string(&file).expect("because a roster holds only strings")
    }

    /// The members, ordered by id.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The member with this id.
    pub fn member(&self, id: &MemberId) -> Option<&Member> {
        self.members.binary_search_by(|member| member.id.cmp(id)).ok().map(|at| &self.members[at])
    }

    /// The member a key belongs to and the key's entry, revoked or not.
    pub fn holder(&self, key: &PublicKey) -> Option<(&Member, &MemberKey)> {
        let entry = |member: &Member| member.keys.iter().position(|entry| entry.key == *key);
        let found = self.members.iter().find_map(|member| Some((member, entry(member)?)));
        found.map(|(member, at)| (member, &member.keys[at]))
    }

    /// Whether somebody can still change the roster: an admin with a key that is not revoked.
    pub fn has_admin(&self) -> bool {
        self.members.iter().any(Member::is_working_admin)
    }

    /// Adds a member.
    pub fn add(&mut self, member: Member) -> Result<(), RosterProblem> {
        self.replace(|members| {
            members.push(member);
            Ok(())
        })
    }

    /// Removes a member; gives what was removed. The last admin stays.
    pub fn remove(&mut self, id: &MemberId) -> Result<Member, RosterProblem> {
        self.keep_admin(id, |member| member.role == Role::Admin)?;
        let at = self.members.iter().position(|member| member.id == *id);
        at.map(|at| self.members.remove(at)).ok_or_else(|| RosterProblem::Unknown(id.clone()))
    }

    /// Gives a member another role. The last admin stays one.
    pub fn set_role(&mut self, id: &MemberId, role: Role) -> Result<(), RosterProblem> {
        self.keep_admin(id, |member| member.role == Role::Admin && role != Role::Admin)?;
        self.change(id, |member| member.role = role)
    }

    /// Gives a member a new key and revokes all earlier ones.
    pub fn rotate(&mut self, id: &MemberId, key: PublicKey, on: Day) -> Result<(), RosterProblem> {
        self.change(id, |member| {
            for old in &mut member.keys {
                old.revoked.get_or_insert_with(|| on.clone());
            }
            let device = member.keys.iter().rev().find_map(|entry| entry.device.clone());
            member.keys.push(MemberKey { key, device, added: Some(on), revoked: None });
        })
    }

    /// Gives a member a new key in the place of one of theirs; other devices keep theirs.
    pub fn replace_key(
        &mut self,
        id: &MemberId,
        old: &PublicKey,
        new: PublicKey,
        on: Day,
    ) -> Result<(), RosterProblem> {
        self.change(id, |member| {
            let mut device = None;
            for entry in member.keys.iter_mut().filter(|entry| entry.key == *old) {
                entry.revoked.get_or_insert_with(|| on.clone());
                device.clone_from(&entry.device);
            }
            member.keys.push(MemberKey { key: new, device, added: Some(on), revoked: None });
        })
    }

    /// Says what a member opens sealed memories with; `None` means the keys.
    pub fn set_age(
        &mut self,
        id: &MemberId,
        age: Option<AgeRecipient>,
    ) -> Result<(), RosterProblem> {
        self.change(id, |member| member.age = age)
    }

    /// Gives a member a further key, for another machine.
    pub fn add_device(
        &mut self,
        id: &MemberId,
        key: PublicKey,
        device: String,
        on: Day,
    ) -> Result<(), RosterProblem> {
        let live = |entry: &&MemberKey| entry.revoked.is_none();
        let mut known = self.member(id).into_iter().flat_map(|member| member.keys.iter());
        if known.any(|entry| live(&entry) && entry.device.as_ref() == Some(&device)) {
            return Err(RosterProblem::DeviceTwice { id: id.clone(), device });
        }
        let entry = MemberKey { key, device: Some(device), added: Some(on), revoked: None };
        self.change(id, |member| member.keys.push(entry))
    }

    /// The key of a member by the name of its device or by its fingerprint, where it is not revoked.
    pub fn device(&self, id: &MemberId, name: &str) -> Result<PublicKey, RosterProblem> {
        let member = self.member(id).ok_or_else(|| RosterProblem::Unknown(id.clone()))?;
        let is_meant = |entry: &&MemberKey| {
            entry.revoked.is_none()
                && (entry.device.as_deref() == Some(name)
                    || entry.key.fingerprint().to_string() == name)
        };
        let found = member.keys.iter().find(is_meant).map(|entry| entry.key);
        let device = Escaped(&name.chars().take(80).collect::<String>()).to_string();
        found.ok_or_else(|| RosterProblem::NoDevice { id: id.clone(), device })
    }

    /// Revokes one key. The last key of the last admin stays.
    pub fn revoke(&mut self, key: &PublicKey, on: Day) -> Result<(), RosterProblem> {
        let mut ahead = self.clone();
        for member in &mut ahead.members {
            let Some(entry) = member.keys.iter_mut().find(|entry| entry.key == *key) else {
                continue;
            };
            entry.revoked.get_or_insert_with(|| on.clone());
            let id = member.id.clone();
            if self.has_admin() && !ahead.has_admin() {
                return Err(RosterProblem::LastAdmin(id));
            }
            *self = ahead;
            return Ok(());
        }
        Err(RosterProblem::UnknownKey(key.fingerprint()))
    }

    /// Refuses when a change to `id` would take the last working admin away.
    fn keep_admin(
        &self,
        id: &MemberId,
        loses: impl Fn(&Member) -> bool,
    ) -> Result<(), RosterProblem> {
        let member = self.member(id).ok_or_else(|| RosterProblem::Unknown(id.clone()))?;
        let others = self.members.iter().any(|m| m.id != *id && m.is_working_admin());
        if loses(member) && !others { Err(RosterProblem::LastAdmin(id.clone())) } else { Ok(()) }
    }

    fn change(
        &mut self,
        id: &MemberId,
        edit: impl FnOnce(&mut Member),
    ) -> Result<(), RosterProblem> {
        self.replace(|members| {
            let member = members.iter_mut().find(|member| member.id == *id);
            edit(member.ok_or_else(|| RosterProblem::Unknown(id.clone()))?);
            Ok(())
        })
    }

    /// Edits a copy and keeps it only when it is a valid roster.
    fn replace(
        &mut self,
        edit: impl FnOnce(&mut Vec<Member>) -> Result<(), RosterProblem>,
    ) -> Result<(), RosterProblem> {
        let mut members = self.members.clone();
        edit(&mut members)?;
        *self = Self::from_members(members)?;
        Ok(())
    }
}
