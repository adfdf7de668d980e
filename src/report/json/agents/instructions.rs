//! `memsync instructions --format json`.
//! Border: shapes only.

use serde::Serialize;

use crate::base::text::Position;
use crate::instructions::lint::fault::Fault;
use crate::instructions::{Entry, Kind, Level, State};
use crate::memory::problem::Severity;

/// Format of [`InstructionsDocument`].
pub const INSTRUCTIONS_FORMAT: &str = "memsync.instructions/1";

/// What an agent is told in a folder.
#[derive(Clone, Debug, Serialize)]
pub struct InstructionsDocument {
    /// `claude-code` or `codex`.
    pub agent: &'static str,
    /// Every file, in the client's order; first what a session starts with, then what touched files add.
    pub files: Vec<FileDocument>,
}

/// One file, loaded or not.
#[derive(Clone, Debug, Serialize)]
pub struct FileDocument {
    /// Where it is, absolute, as the client names it.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// Whose it is; rules and imports have one, too.
    pub level: Level,
    /// Whether the agent gets it.
    pub loaded: bool,
    /// Why, or why not.
    pub reason: String,
    /// Bytes on disk; 0 where it was not read.
    pub bytes: u64,
    /// The file that imports it.
    pub imported_by: Option<String>,
    /// The line of the import.
    pub imported_at: Option<usize>,
    /// The `--for` path that brought it.
    pub triggered_by: Option<String>,
    /// What of it is not told, where it is cut.
    pub cut: Option<String>,
}

impl FileDocument {
    /// The document of one file.
    pub fn of(entry: &Entry) -> Self {
        let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
        let triggered_by = match &entry.state {
            State::Touched(path) | State::Fired { path, .. } => Some(text(path)),
            _ => None,
        };
        Self {
            path: text(&entry.path),
            kind: entry.kind,
            level: entry.level,
            loaded: entry.state.is_loaded(),
            reason: entry.state.reason(&text),
            bytes: entry.bytes,
            imported_by: entry.importer.as_ref().map(|importer| text(&importer.path)),
            imported_at: entry.importer.as_ref().map(|importer| importer.at.line),
            triggered_by,
            cut: entry.cut.clone(),
        }
    }
}

/// Format of [`InstructionsCheckDocument`].
pub const INSTRUCTIONS_CHECK_FORMAT: &str = "memsync.instructions-check/1";

/// What `memsync instructions check` found. Exit code 1 when `problems` is not empty.
#[derive(Clone, Debug, Serialize)]
pub struct InstructionsCheckDocument {
    /// Whether nothing is wrong.
    pub passes: bool,
    /// Files that were looked at.
    pub files: usize,
    /// By file and place.
    pub problems: Vec<ProblemDocument>,
}

/// One fault.
#[derive(Clone, Debug, Serialize)]
pub struct ProblemDocument {
    /// The file, absolute.
    pub path: String,
    /// First line, from 1; `null` when it is about the file as a whole.
    pub line: Option<usize>,
    /// First character, from 1.
    pub column: Option<usize>,
    /// A stable name.
    pub rule: String,
    /// `error` or `warning`.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub next_step: String,
}

impl ProblemDocument {
    /// The document of one fault.
    pub fn of(fault: &Fault) -> Self {
        let at = |part: fn(Position) -> usize| fault.position.map(part);
        Self {
            path: fault.path.to_string_lossy().into_owned(),
            line: at(|at| at.line),
            column: at(|at| at.column),
            rule: fault.rule.clone(),
            severity: fault.severity,
            message: fault.message.clone(),
            next_step: fault.next_step.clone(),
        }
    }
}
