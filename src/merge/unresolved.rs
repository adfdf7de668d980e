//! A difference no rule could reconcile, while it is still inside one file's merge.
//! Border: knows which of two texts was kept, not whose they are; `conflict` adds that.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

/// Which of the two sides. The first is the one the deterministic rule favours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    /// The favoured side.
    First,
    /// The other side.
    Second,
}

/// What part of a file two changes disagree on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The file as a whole.
    File,
    /// The frontmatter field with this name, `metadata.type` for a nested one.
    Field(String),
    /// A piece of the body, with the heading it stands under (empty before the first).
    Body(String),
    /// The index entry with this target.
    Entry(String),
}

impl Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("the file"),
            Self::Field(name) => write!(f, "the field `{name}`"),
            Self::Body(heading) if heading.is_empty() => f.write_str("the body"),
            Self::Body(heading) => write!(f, "the body under `{heading}`"),
            Self::Entry(target) => write!(f, "the entry of `{target}`"),
        }
    }
}

/// Why two changes do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// Both changed the same words, differently.
    BothEdited,
    /// One changed what the other deleted. The change was kept.
    EditedAndDeleted,
    /// Both added it, differently.
    AddedTwice,
    /// Both renamed it, to different names.
    RenamedTwice,
    /// Both changed a sealed memory and no key was held to merge it, or only one side is sealed.
    Sealed,
    /// A side is not text, too large or not readable as what it should be; nothing inside was merged.
    NotMergeable,
}

/// One difference left over, with the text of each side; `None` is a deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clash {
    pub(crate) part: Part,
    pub(crate) reason: Reason,
    pub(crate) base: Option<String>,
    pub(crate) first: Option<String>,
    pub(crate) second: Option<String>,
    pub(crate) kept: Pick,
}

/// A merged text and what could not be merged in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MergedText {
    pub(crate) text: String,
    pub(crate) clashes: Vec<Clash>,
}
