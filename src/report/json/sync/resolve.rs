//! `memsync resolve --format json`.
//! Border: shapes only.

use serde::Serialize;

use crate::merge::conflict::{ConflictSide, Content};
use crate::sync::write::resolve::{Open, Resolved};

/// Format of [`ResolveDocument`].
pub const RESOLVE_FORMAT: &str = "memsync.resolve/1";

/// The open conflicts, or the one that was closed.
#[derive(Clone, Debug, Serialize)]
pub struct ResolveDocument<'a> {
    /// What is open; empty after a resolution.
    pub conflicts: Vec<ConflictEntry>,
    /// What was closed.
    pub resolved: Option<&'a Resolved>,
}

/// One open conflict.
#[derive(Clone, Debug, Serialize)]
pub struct ConflictEntry {
    /// The id; any unique start of at least four digits names it.
    pub id: String,
    /// The file; `None` when the record cannot be read.
    pub path: Option<String>,
    /// The part of the file, for example `the entry of build.md`.
    pub part: Option<String>,
    /// What stood there before; `None` when nothing did or it is no text.
    pub base: Option<String>,
    /// What the file holds now.
    pub ours: Option<SideEntry>,
    /// What was set aside.
    pub theirs: Option<SideEntry>,
    /// Why the record cannot be used.
    pub problem: Option<String>,
}

/// One side.
#[derive(Clone, Debug, Serialize)]
pub struct SideEntry {
    /// Who wanted it.
    pub author: String,
    /// When, RFC 3339.
    pub date: String,
    /// In which commit; `null` for the one the record came with.
    pub commit: Option<String>,
    /// The text; `None` for a deletion or bytes that are no text.
    pub text: Option<String>,
}

impl ConflictEntry {
    /// The entry of an open conflict.
    pub fn of(open: &Open) -> Self {
        let empty = Self {
            id: open.id.clone(),
            path: None,
            part: None,
            base: None,
            ours: None,
            theirs: None,
            problem: None,
        };
        match &open.conflict {
            Err(problem) => Self { problem: Some(problem.clone()), ..empty },
            Ok(conflict) => Self {
                path: Some(conflict.path.to_string()),
                part: Some(conflict.part.to_string()),
                base: text(conflict.base.as_ref()),
                ours: Some(side(&conflict.kept)),
                theirs: Some(side(&conflict.other)),
                ..empty
            },
        }
    }
}

fn side(side: &ConflictSide) -> SideEntry {
    SideEntry {
        author: side.origin.author.clone(),
        date: side.origin.date.to_string(),
        commit: side.origin.commit.map(|id| id.to_string()),
        text: text(side.content.as_ref()),
    }
}

fn text(content: Option<&Content>) -> Option<String> {
    match content {
        Some(Content::Text(text)) => Some(text.clone()),
        _ => None,
    }
}
