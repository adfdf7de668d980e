//! The document of `memsync index --format json`.
//! Border: shape only; `sync::index` finds the facts.

use std::path::PathBuf;

use serde::Serialize;

use crate::folder::index::IndexOutcome;
use crate::memory::index::{Entry, IndexSize};
use crate::memory::limits::{INDEX_CHARACTERS_MAX, INDEX_LINES_MAX};
use crate::memory::problem::Problem;
use crate::memory::reconcile::{IndexChange, Removed};

/// The index of a folder.
///
/// ```json
/// {
///   "format": "memsync.index/1",
///   "folder": "/home/u/.claude/projects/-x/memory/team",
///   "entries": [{ "target": "a.md", "title": "A", "hook": "what it says", "line": 3 }],
///   "other_lines": 1,
///   "size": { "lines": 3, "characters": 60 },
///   "caps": { "lines": 200, "characters": 25000 },
///   "invisible": [],
///   "reconciled": false,
///   "written": false,
///   "changes": [{ "change": "added", "entry": { "target": "b.md", "title": "B", "hook": "", "line": 4 } }],
///   "problems": [{
///     "file": "b.md", "position": { "line": 3, "column": 7 }, "rule": "kind-unknown",
///     "severity": "error", "message": "…", "next_step": "…"
///   }]
/// }
/// ```
#[derive(Debug, Serialize)]
pub struct IndexDocument<'a> {
    /// Always `memsync.index/1`.
    pub format: &'static str,
    /// The folder.
    pub folder: PathBuf,
    /// The entries of the index as it is in the folder now, in order.
    pub entries: Vec<&'a Entry>,
    /// Lines that are neither blank nor part of an entry.
    pub other_lines: usize,
    /// Its length as an agent measures it: without frontmatter and block HTML comments.
    pub size: IndexSize,
    /// How much an agent loads.
    pub caps: IndexSize,
    /// Entries past a cap, which an agent never sees.
    pub invisible: Vec<Entry>,
    /// Whether the index agrees with the files.
    pub reconciled: bool,
    /// Whether this run wrote it.
    pub written: bool,
    /// What reconciliation changes, or has changed when `written`. `change` is `added` (the line is
    /// that of the new text), `followed` (the entry as it reads now), `dropped` or `folded` (the line is
    /// that of the old text).
    pub changes: &'a [IndexChange],
    /// What is wrong in the index and in each memory.
    pub problems: Vec<FileProblem<'a>>,
}

/// Format of [`RestoreDocument`].
pub const RESTORE_FORMAT: &str = "memsync.index-restore/1";

/// What `memsync index --restore` put back: `restored`, each with `target`, `text` and `above`.
#[derive(Debug, Serialize)]
pub struct RestoreDocument<'a> {
    /// The lines.
    pub restored: &'a [Removed],
}

/// A problem with the file it is in.
#[derive(Debug, Serialize)]
pub struct FileProblem<'a> {
    /// The file below the folder.
    pub file: &'a str,
    /// The problem; `position` is null when it is about the file as a whole.
    #[serde(flatten)]
    pub problem: &'a Problem,
}

impl<'a> IndexDocument<'a> {
    /// The document of an outcome.
    pub fn of(outcome: &'a IndexOutcome) -> Self {
        let index = &outcome.index;
        let changes = &outcome.reconciliation.changes;
        let problem = |(file, problem): &'a (String, Problem)| FileProblem { file, problem };
        Self {
            format: "memsync.index/1",
            folder: outcome.folder.clone(),
            entries: index.entries().collect(),
            other_lines: index.other_lines(),
            size: index.size(),
            caps: IndexSize { lines: INDEX_LINES_MAX, characters: INDEX_CHARACTERS_MAX },
            invisible: index.invisible(),
            reconciled: outcome.written || changes.is_empty(),
            written: outcome.written,
            changes,
            problems: outcome.problems.iter().map(problem).collect(),
        }
    }
}
