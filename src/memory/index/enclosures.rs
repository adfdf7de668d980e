//! The lines of an index, and which of them a comment or a fence encloses.
//! Border: looks ahead over lines; what becomes a block is `scan`'s business.

use super::BlockKind;
use super::shape::{Line, lines};

/// Lines with what encloses them.
pub(super) struct Lined<'a> {
    pub(super) lines: Vec<Line<'a>>,
    pub(super) enclosures: Enclosures,
}

impl<'a> Lined<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let lines = lines(text);
        Self { enclosures: Enclosures::new(&lines), lines }
    }
}

/// Finds where comments and fences end. One that is never closed is ordinary text, so that a stray
/// opener does not hide every entry below it.
pub(super) struct Enclosures {
    /// For each line, the next line that closes a comment, itself included; `usize::MAX` where there is none.
    comment_ends: Vec<usize>,
    /// For each fence character, the line of each fence without anything after it, with its length.
    closers: [Vec<(usize, usize)>; 2],
}

impl Enclosures {
    pub(super) fn new(lines: &[Line<'_>]) -> Self {
        let mut comment_ends = vec![usize::MAX; lines.len()];
        let mut closers = [Vec::new(), Vec::new()];
        let mut next = usize::MAX;
        for (at, line) in lines.iter().enumerate().rev() {
            if line.text.contains("-->") {
                next = at;
            }
            comment_ends[at] = next;
        }
        for (at, line) in lines.iter().enumerate() {
            if let Some((c, len, false)) = line.fence() {
                closers[usize::from(c == '~')].push((at, len));
            }
        }
        Self { comment_ends, closers }
    }

    /// The line after a comment or fence that starts at a line, and which of them it is.
    pub(super) fn end(&self, lines: &[Line<'_>], at: usize) -> Option<(usize, BlockKind)> {
        let line = &lines[at];
        if line.opens_comment() {
            let end = self.comment_ends[at];
            return (end != usize::MAX).then(|| (end + 1, BlockKind::Comment));
        }
        let (c, len, _) = line.fence()?;
        let closers = &self.closers[usize::from(c == '~')];
        let from = closers.partition_point(|(closer, _)| *closer <= at);
        let close = closers[from..].iter().find(|(_, closer)| *closer >= len)?;
        Some((close.0 + 1, BlockKind::Fence))
    }
}
