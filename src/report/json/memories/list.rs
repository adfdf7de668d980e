//! `memsync list|search --format json`.
//! Border: shapes only.

use serde::Serialize;

use crate::local::list::Listed;
use crate::local::search::Match;

/// Format of [`ListDocument`].
pub const LIST_FORMAT: &str = "memsync.list/1";
/// Format of [`SearchDocument`].
pub const SEARCH_FORMAT: &str = "memsync.search/1";

/// Memories of both layers.
#[derive(Clone, Debug, Serialize)]
pub struct ListDocument<'a> {
    /// By layer, then path.
    pub memories: Vec<ListedMemory<'a>>,
}

/// A memory.
#[derive(Clone, Debug, Serialize)]
pub struct ListedMemory<'a> {
    /// Below the memory directory: `x.md`, `team/x.md`.
    pub path: &'a str,
    /// Its `name`, else the file's.
    pub name: &'a str,
    /// `user`, `feedback`, `project` or `reference`; `null` for anything else.
    pub kind: Option<&'static str>,
    /// `private` or `team`.
    pub layer: &'static str,
    /// Whole days since it last changed.
    pub age_days: u64,
    /// What it says it is about.
    pub description: &'a str,
    /// Who wrote it, where the memory says so.
    pub author: Option<&'a str>,
    /// Whether an agent sees its entry in the index.
    pub visible: bool,
    /// Whether its text is sealed.
    pub sealed: bool,
    /// Whether a conflict about it is open.
    pub conflict: bool,
    /// The memory that takes its place.
    pub superseded_by: Option<&'a str>,
}

impl<'a> ListedMemory<'a> {
    /// The document of one memory.
    pub fn of(one: &'a Listed) -> Self {
        Self {
            path: &one.path,
            name: &one.name,
            kind: one.kind.map(|kind| kind.name()),
            layer: one.layer.name(),
            age_days: one.age_days,
            description: &one.description,
            author: one.author.as_deref(),
            visible: one.is_visible,
            sealed: one.is_sealed,
            conflict: one.has_conflict,
            superseded_by: one.superseded_by.as_deref(),
        }
    }
}

/// Lines with a text.
#[derive(Clone, Debug, Serialize)]
pub struct SearchDocument<'a> {
    /// By path and line.
    pub matches: Vec<MatchDocument<'a>>,
}

/// A line.
#[derive(Clone, Debug, Serialize)]
pub struct MatchDocument<'a> {
    /// Below the memory directory.
    pub path: &'a str,
    /// From 1.
    pub line: usize,
    /// The line; of a very long one the part around the text.
    pub text: &'a str,
}

impl<'a> MatchDocument<'a> {
    /// The document of one line.
    pub fn of(one: &'a Match) -> Self {
        Self { path: &one.path, line: one.line, text: &one.text }
    }
}
