//! What a person should look at in an index that nobody but a person can decide.
//! Border: words only.

use crate::base::display::Escaped;
use crate::base::text::Position;
use crate::memory::index::Entry;
use crate::memory::problem::{Problem, Severity};

/// Names in one note; the rest is counted.
const NAMES_MAX: usize = 5;

/// A memory is gone and its entry stays, because lines go with it that are not the entry's own.
pub(super) fn cannot_cut(entry: &Entry) -> Problem {
    note(
        entry,
        "index-entry-kept",
        format!(
            "`{}` is gone, but its entry shares these lines with others or has notes below it",
            Escaped(&entry.target)
        ),
        "Take the entry out by hand.",
    )
}

/// A memory says something else now, and its entry cannot be rewritten in place.
pub(super) fn cannot_follow(entry: &Entry) -> Problem {
    note(
        entry,
        "index-entry-stale",
        format!(
            "`{}` was renamed or described anew, and this entry was not",
            Escaped(&entry.target)
        ),
        "Write the entry anew by hand.",
    )
}

/// Entries of files that were never there. Agents write the line first and the file a moment later.
pub(super) fn absent(entries: &[Entry]) -> Option<Problem> {
    let first = entries.first()?;
    let names: Vec<String> =
        entries.iter().take(NAMES_MAX).map(|e| format!("`{}`", Escaped(&e.target))).collect();
    let more = match entries.len().saturating_sub(NAMES_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("no file is there for {}{more}", names.join(", "));
    Some(note(first, "index-dangling", message, "Write the memory, or take the line out."))
}

/// Memories without an entry because the index may not grow.
pub(super) fn full(unlisted: usize, bytes_max: usize) -> Problem {
    Problem {
        position: None,
        rule: "index-full",
        severity: Severity::Warning,
        message: format!(
            "{unlisted} memories have no entry: the index would have more than {bytes_max} bytes"
        ),
        next_step: "Link them from a memory that has an entry, or merge memories.".to_owned(),
    }
}

fn note(entry: &Entry, rule: &'static str, message: String, next_step: &str) -> Problem {
    Problem {
        position: Some(Position { line: entry.line, column: 1 }),
        rule,
        severity: Severity::Warning,
        message,
        next_step: next_step.to_owned(),
    }
}
