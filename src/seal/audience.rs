//! For whom a memory is sealed: what was asked (members and roles) and who that is in a roster.
//! Border: names only; keys are `lock`'s business.

use std::collections::BTreeSet;
use std::fmt::{self, Display};

use super::SealProblem;
use crate::base::display::Escaped;
use crate::trust::roster::{MemberId, Role, Roster};

/// What a role is written with.
const ROLE_PREFIX: &str = "role:";
/// Marks what was asked in the names inside the age file.
const WANTED_MARK: char = '@';

/// One part of an audience.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wanted {
    /// This member.
    Member(MemberId),
    /// Every member with this role or one that may do more.
    Role(Role),
}

impl Wanted {
    /// Reads `ada` or `role:admin`.
    pub fn parse(text: &str) -> Result<Self, SealProblem> {
        let bad = || SealProblem::NotAnAudience(Escaped(text).to_string());
        match text.strip_prefix(ROLE_PREFIX) {
            Some(role) => Role::parse(role).map(Self::Role).ok_or_else(bad),
            None => MemberId::parse(text).map(Self::Member).map_err(|_| bad()),
        }
    }
}

impl Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(id) => write!(f, "{id}"),
            Self::Role(role) => write!(f, "{ROLE_PREFIX}{role}"),
        }
    }
}

/// What was asked, and the readers that are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audience {
    /// What was asked. Decides when the memory is sealed again.
    pub wanted: BTreeSet<Wanted>,
    /// The members the text is sealed for.
    pub readers: BTreeSet<MemberId>,
}

impl Audience {
    /// The readers in a roster. Members that left are dropped; an empty result is refused.
    pub fn resolve(wanted: BTreeSet<Wanted>, roster: &Roster) -> Result<Self, SealProblem> {
        let is_wanted = |id: &MemberId, role: Role| {
            wanted.iter().any(|part| match part {
                Wanted::Member(member) => member == id,
                Wanted::Role(least) => role >= *least,
            })
        };
        let members = roster.members().iter().filter(|member| is_wanted(&member.id, member.role));
        let readers: BTreeSet<MemberId> = members.map(|member| member.id.clone()).collect();
        if readers.is_empty() {
            return Err(SealProblem::Nobody);
        }
        let stays = |part: &Wanted| match part {
            Wanted::Member(id) => readers.contains(id),
            Wanted::Role(_) => true,
        };
        let wanted = wanted.iter().filter(|part| stays(part)).cloned().collect();
        Ok(Self { wanted, readers })
    }

    /// Whether what was asked is only the readers themselves.
    pub fn is_plain(&self) -> bool {
        let of = |part: &Wanted| match part {
            Wanted::Member(id) => Some(id.clone()),
            Wanted::Role(_) => None,
        };
        self.wanted.iter().map(of).collect::<Option<BTreeSet<_>>>().as_ref() == Some(&self.readers)
    }

    /// The names that go into the age file, so that its MAC covers them.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.readers.iter().map(MemberId::to_string).collect();
        if !self.is_plain() {
            names.extend(self.wanted.iter().map(|part| format!("{WANTED_MARK}{part}")));
        }
        names
    }
}

impl Display for Audience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&super::shown_ids(&self.readers))?;
        let roles = self.wanted.iter().filter(|part| matches!(part, Wanted::Role(_)));
        roles.into_iter().try_for_each(|role| write!(f, " ({role})"))
    }
}
