//! The four kinds of memory and where each belongs by default.
//! Border: which kinds a team allows is policy, see `config`.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

/// The frontmatter `type` of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Who the person is and how they like to work.
    User,
    /// What the person corrected or confirmed.
    Feedback,
    /// Ongoing work, decisions, constraints.
    Project,
    /// Where to find something outside.
    Reference,
}

/// Where a memory of a kind is kept unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The private layer: this person, this machine.
    Private,
    /// The team memory.
    Team,
}

impl Scope {
    /// The name as people and scripts read it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Team => "team",
        }
    }
}

impl Kind {
    /// All kinds in the order they are documented.
    pub const ALL: [Self; 4] = [Self::User, Self::Feedback, Self::Project, Self::Reference];

    /// Reads a frontmatter `type`; `None` for anything but the four names.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == text)
    }

    /// The name as written in frontmatter.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Feedback => "feedback",
            Self::Project => "project",
            Self::Reference => "reference",
        }
    }

    /// Where memories of this kind go by default.
    pub fn default_scope(self) -> Scope {
        match self {
            Self::User | Self::Feedback => Scope::Private,
            Self::Project | Self::Reference => Scope::Team,
        }
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
