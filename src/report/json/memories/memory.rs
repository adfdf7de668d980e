//! `memsync remember|forget|show|blame|diff --format json`.
//! Border: shapes only.

use serde::Serialize;

use crate::memory::problem::Problem;
use crate::sync::inspect::blame::Blamed;
use crate::sync::inspect::diff::FileDiff;
use crate::sync::inspect::log::{LogEntry, Shown};
use crate::sync::outcome::{ExchangeOutcome, FileChange};
use crate::sync::write::remember::Remembered;
use crate::sync::write::reverse::Reversed;

/// Format of [`RememberDocument`] for `remember`.
pub const REMEMBER_FORMAT: &str = "memsync.remember/1";
/// Format of [`RememberDocument`] for `forget`.
pub const FORGET_FORMAT: &str = "memsync.forget/1";
/// Format of [`ReversedDocument`] for `undo`.
pub const UNDO_FORMAT: &str = "memsync.undo/1";
/// Format of [`ReversedDocument`] for `revert`.
pub const REVERT_FORMAT: &str = "memsync.revert/1";
/// Format of [`ReversedDocument`] for `restore`.
pub const RESTORE_FORMAT: &str = "memsync.restore/1";
/// Format of [`ShowDocument`].
pub const SHOW_FORMAT: &str = "memsync.show/1";
/// Format of [`BlameDocument`].
pub const BLAME_FORMAT: &str = "memsync.blame/1";
/// Format of [`DiffDocument`].
pub const DIFF_FORMAT: &str = "memsync.diff/1";

/// What was written or removed.
#[derive(Clone, Debug, Serialize)]
pub struct RememberDocument<'a> {
    /// The file, below `team/` or the memory directory.
    pub path: String,
    /// Whether it is in team memory; otherwise it is in the private layer.
    pub team: bool,
    /// What was committed, with the fields of `memsync.sync/1`; `null` in the private layer.
    pub exchange: Option<&'a ExchangeOutcome>,
    /// What is better not saved: `position`, `rule`, `severity`, `message`, `next_step`.
    #[serde(skip_serializing_if = "<[Problem]>::is_empty")]
    pub advice: &'a [Problem],
    /// The whole text that would be written; only with `--dry-run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
}

impl<'a> RememberDocument<'a> {
    /// Describes what was done.
    pub fn of(done: &'a Remembered) -> Self {
        let exchange = done.exchange.as_ref();
        Self {
            path: done.path.to_string(),
            team: exchange.is_some(),
            exchange,
            advice: &[],
            text: None,
        }
    }
}

/// What was taken back, or would be.
#[derive(Clone, Debug, Serialize)]
pub struct ReversedDocument<'a> {
    /// The files and what becomes of each.
    pub changes: &'a [FileChange],
    /// What was committed, with the fields of `memsync.sync/1`; `null` where nothing was done.
    pub exchange: Option<&'a ExchangeOutcome>,
    /// The same of private files, which `undo` alone brings back.
    #[serde(skip_serializing_if = "<[FileChange]>::is_empty")]
    pub private: &'a [FileChange],
}

impl<'a> ReversedDocument<'a> {
    /// Describes what was done.
    pub fn of(done: &'a Reversed) -> Self {
        Self { changes: &done.changes, exchange: done.exchange.as_ref(), private: &[] }
    }
}

/// A memory (`path`, `content`, `last`) or a change (`change`, `message`, `files`); the other
/// fields are `null`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ShowDocument<'a> {
    /// The memory's file, below `team/`.
    pub path: Option<&'a str>,
    /// Its text; bytes that are not UTF-8 are replaced.
    pub content: Option<String>,
    /// The last change of it, as an entry of `memsync.log/1`.
    pub last: Option<&'a LogEntry>,
    /// The change, as an entry of `memsync.log/1`.
    pub change: Option<&'a LogEntry>,
    /// Its whole message.
    pub message: Option<&'a str>,
    /// Its files before and after.
    pub files: Option<Vec<DiffFile<'a>>>,
}

impl<'a> ShowDocument<'a> {
    /// Describes what is shown.
    pub fn of(shown: &'a Shown) -> Self {
        match shown {
            Shown::Memory { path, content, last } => Self {
                path: Some(path.as_str()),
                content: Some(String::from_utf8_lossy(content).into_owned()),
                last: last.as_deref(),
                ..Self::default()
            },
            Shown::Change { entry, message, diffs } => Self {
                change: Some(entry),
                message: Some(message),
                files: Some(diffs.iter().map(DiffFile::of).collect()),
                ..Self::default()
            },
        }
    }
}

/// A memory with the change behind each line, or for `MEMORY.md` behind each entry: `path`, `parts`
/// (each with `line`, `text`, `target`, `commit` and `deed`) and `changes`, the changes that `parts`
/// name, newest first, as entries of `memsync.log/1`.
#[derive(Clone, Debug, Serialize)]
pub struct BlameDocument<'a> {
    /// The fields, on the same level as `format`.
    #[serde(flatten)]
    pub blamed: &'a Blamed,
}

/// The files that differ.
#[derive(Clone, Debug, Serialize)]
pub struct DiffDocument<'a> {
    /// In path order.
    pub files: Vec<DiffFile<'a>>,
}

/// A file before and after. Bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug, Serialize)]
pub struct DiffFile<'a> {
    /// The file, below `team/`.
    pub path: &'a str,
    /// Its text before; `null` when it is new.
    pub old: Option<String>,
    /// Its text after; `null` when it is gone.
    pub new: Option<String>,
    /// What is not shown and why: what the gate keeps out, and its entries in the index.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub left_out: &'a [String],
}

impl<'a> DiffFile<'a> {
    /// Describes one difference.
    pub fn of(diff: &'a FileDiff) -> Self {
        let text = |side: &Option<std::sync::Arc<[u8]>>| {
            side.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        };
        Self {
            path: &diff.path,
            old: text(&diff.old),
            new: text(&diff.new),
            left_out: &diff.left_out,
        }
    }
}
