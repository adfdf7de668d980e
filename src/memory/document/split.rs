//! Where the frontmatter of a text starts and ends.
//! Border: fences only; what stands between them is `frontmatter`'s business.

use std::ops::Range;

use crate::base::text::{BOM, Position, lines, without_eol};
use crate::memory::problem::{Problem, Severity};

/// A text cut at its fences.
pub(super) struct Split {
    /// The frontmatter block, where it is whole.
    pub(super) block: Option<Fenced>,
    /// Where the body starts.
    pub(super) body: usize,
    /// What is wrong with the fences.
    pub(super) problem: Option<Problem>,
}

/// A frontmatter block: byte ranges of its parts.
pub(super) struct Fenced {
    /// The byte order mark, if any, and the first fence.
    pub(super) opening: Range<usize>,
    /// The lines between.
    pub(super) inner: Range<usize>,
    /// The second fence.
    pub(super) closing: Range<usize>,
}

/// Finds the frontmatter at the very start of a text.
pub(super) fn split(text: &str) -> Split {
    let whole = |problem| Split { block: None, body: 0, problem: Some(problem) };
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    match fenced(text, start) {
        Ok(mut block) => {
            block.opening.start = 0;
            let body = block.closing.end;
            Split { block: Some(block), body, problem: None }
        }
        Err(Missing::Opening) => whole(missing(text)),
        Err(Missing::Closing) => whole(unclosed()),
    }
}

/// Which fence is missing.
pub(super) enum Missing {
    /// The text does not start with one.
    Opening,
    /// Nothing ends it.
    Closing,
}

/// The fenced block that starts exactly at an offset.
pub(super) fn fenced(text: &str, start: usize) -> Result<Fenced, Missing> {
    let mut at = start;
    let mut opening = None;
    for line in lines(&text[start..]) {
        let range = at..at + line.len();
        at = range.end;
        let is_fence = is_fence(line);
        match opening.clone() {
            None if is_fence && line.ends_with('\n') => opening = Some(range),
            None => return Err(Missing::Opening),
            Some(opening) if is_fence => {
                return Ok(Fenced { inner: opening.end..range.start, opening, closing: range });
            }
            Some(_) => {}
        }
    }
    Err(if opening.is_some() { Missing::Closing } else { Missing::Opening })
}

pub(super) fn is_fence(line: &str) -> bool {
    without_eol(line).strip_prefix("---").is_some_and(|rest| rest.trim().is_empty())
}

fn missing(text: &str) -> Problem {
    let first = lines(text).position(|line| !line.trim().is_empty());
    let late = first.filter(|at| *at > 0 && lines(text).nth(*at).is_some_and(is_fence));
    let (line, message) = match late {
        Some(at) => (at + 1, "the frontmatter does not start on the first line"),
        None => (1, "the memory has no frontmatter"),
    };
    Problem {
        position: Some(Position { line, column: 1 }),
        rule: "frontmatter-missing",
        severity: Severity::Error,
        message: message.to_owned(),
        next_step: "Start the file with `---`, then `name`, `description` and `type`, then `---`."
            .to_owned(),
    }
}

fn unclosed() -> Problem {
    Problem {
        position: Some(Position { line: 1, column: 1 }),
        rule: "frontmatter-unclosed",
        severity: Severity::Error,
        message: "the frontmatter that starts here is never closed".to_owned(),
        next_step: "Add a line `---` after the last field.".to_owned(),
    }
}
