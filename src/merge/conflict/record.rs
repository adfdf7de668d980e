//! What a conflict record says: what each side wanted, and whose that is.
//! Border: values; how they are spelled is `form`'s.

use std::cmp::Ordering;

use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::base::time::Timestamp;
use crate::merge::unresolved::{Part, Reason};

/// The folder of the records in a team memory.
pub const CONFLICTS_FOLDER: &str = ".memsync/conflicts/";

/// The format this version reads and writes.
pub const CONFLICT_FORMAT: &str = "memsync.conflict/1";

/// Who made one side of a merge, and when.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Name and address as in the commit.
    pub author: String,
    /// The author date.
    pub date: Timestamp,
    /// The commit, in the history that the record is in; `None` for the one the record comes with,
    /// which has no id yet when the record is written.
    pub commit: Option<ObjectId>,
}

impl Origin {
    /// Which of two sides a conflict favours: the greater one. Later author date, then larger commit;
    /// one that has no id yet is the largest.
    pub fn compare(&self, other: &Self) -> Ordering {
        let key = |o: &Self| (o.date.seconds, o.commit.is_none(), o.commit, o.date.offset);
        key(self).cmp(&key(other)).then_with(|| self.author.cmp(&other.author))
    }
}

/// What stood somewhere: text, or bytes that are none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// UTF-8.
    Text(String),
    /// Anything else; base64 in the record, as a very long text is.
    Bytes(Vec<u8>),
}

impl Content {
    /// Takes bytes as text where they are UTF-8.
    pub fn new(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes(bytes.to_vec()),
        }
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// One side of a conflict.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConflictSide {
    /// Whose it is.
    pub origin: Origin,
    /// What it wanted there; `None` means it deleted it.
    pub content: Option<Content>,
}

/// Two changes no rule could reconcile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conflict {
    /// The file.
    pub path: MemoryPath,
    /// What part of the file.
    pub part: Part,
    /// Why.
    pub reason: Reason,
    /// The other name of the file, where a side renamed it.
    pub other_path: Option<MemoryPath>,
    /// What stood there before both; `None` when nothing did.
    pub base: Option<Content>,
    /// The side that the file has now.
    pub kept: ConflictSide,
    /// The side that is only here.
    pub other: ConflictSide,
}
