//! Merges two edits of `MEMORY.md`: a set of entries by target, other lines as lines.
//! Border: one index; whether its files are there is `memory::reconcile`'s business.
//!
//! Near-linear in lines and entries; 20,000 entries take well under a second.

use std::collections::{BTreeMap, BTreeSet};

use crate::memory::index::{BlockKind, Index};
use crate::merge::blocks::{Shape, TARGETS_SEPARATOR, Unit, Units};
use crate::merge::clash::{MergedText, Part};
use crate::merge::envelope::Envelope;
use crate::merge::weave::{Rules, Trio, weave};
use crate::merge::words::merge_lines;

/// What the merge of the files says about the entries.
#[derive(Default)]
pub(crate) struct Around {
    /// Renamed files: old target, new target.
    pub(crate) renamed: BTreeMap<String, String>,
    /// Files that one side deleted and that stay because the other edited them.
    pub(crate) survived: BTreeSet<String>,
}

/// Merges two edits of an index by themselves.
///
/// Symmetric: of two different edits of one entry the greater text is kept. [`crate::merge::merge`]
/// decides by author date instead and records what was not kept.
pub fn merge_index(base: &str, ours: &str, theirs: &str) -> String {
    if ours == theirs || theirs == base {
        return ours.to_owned();
    }
    if ours == base {
        return theirs.to_owned();
    }
    let (first, second) = if ours > theirs { (ours, theirs) } else { (theirs, ours) };
    let (base_envelope, base) = Envelope::open(base);
    let (first_envelope, first) = Envelope::open(first);
    let (second_envelope, second) = Envelope::open(second);
    let merged = merge_entries(&base, &first, &second, &Around::default());
    Envelope::merge(base_envelope, first_envelope, second_envelope).close(merged.text)
}

/// Merges two edits of an index whose envelopes are off. The first side is the favoured one.
pub(crate) fn merge_entries(base: &str, first: &str, second: &str, around: &Around) -> MergedText {
    let (base, first, second) = (split(base, around), split(first, around), split(second, around));
    weave(&Trio { base: &base, first: &first, second: &second }, &EntryRules { around })
}

/// The blocks as units: an entry block is known by its targets, under the names they have now.
fn split<'t>(text: &'t str, around: &Around) -> Units<'t> {
    let index = Index::parse(text);
    let mut units = Units::default();
    let mut headings: Vec<(u8, usize)> = Vec::new();
    let (mut offset, mut open) = (0, 0);
    for block in index.blocks() {
        let raw = &text[offset..offset + block.raw.len()];
        let shape = match block.kind {
            BlockKind::Heading => Shape::Heading(level(raw)),
            BlockKind::Frontmatter | BlockKind::Comment | BlockKind::Fence => Shape::Whole,
            _ if !block.entries.is_empty() => Shape::Entry,
            _ => Shape::Line,
        };
        let name =
            |target: &str| around.renamed.get(target).cloned().unwrap_or_else(|| target.to_owned());
        let targets: Vec<String> = block.entries.iter().map(|entry| name(&entry.target)).collect();
        let key = (!targets.is_empty()).then(|| targets.join(&TARGETS_SEPARATOR.to_string()));
        for (start, end) in pieces(raw, shape) {
            if let Shape::Heading(level) = shape {
                headings.retain(|(above, _)| *above < level);
            }
            let parent = headings.last().map(|(_, unit)| *unit);
            if let Shape::Heading(level) = shape {
                headings.push((level, units.units.len()));
            }
            let (start, end) = (offset + start, offset + end);
            let gap = &text[open..start];
            units.units.push(Unit {
                gap,
                text: &text[start..end],
                shape,
                key: key.clone(),
                parent,
            });
            open = end;
        }
        offset += block.raw.len();
    }
    units.tail = &text[open..];
    units
}

fn level(heading: &str) -> u8 {
    let marks = heading.trim_start().bytes().take_while(|b| *b == b'#').count();
    // An underlined heading is of level 1 or 2; the difference does not matter here.
    u8::try_from(marks.clamp(1, 6)).unwrap_or(6)
}

/// The parts of a block without the blank lines around: one for what stays together, else each line.
fn pieces(raw: &str, shape: Shape) -> Vec<(usize, usize)> {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in raw.split_inclusive('\n') {
        if !line.trim().is_empty() {
            lines.push((at, at + line.len()));
        }
        at += line.len();
    }
    match (shape, lines.first(), lines.last()) {
        (Shape::Line, ..) => lines,
        (_, Some((start, _)), Some((_, end))) => vec![(*start, *end)],
        _ => Vec::new(),
    }
}

struct EntryRules<'a> {
    around: &'a Around,
}

impl Rules for EntryRules<'_> {
    fn both_edited(
        &self,
        base: Option<&Unit<'_>>,
        first: &Unit<'_>,
        second: &Unit<'_>,
    ) -> Option<String> {
        // What an entry owns below its first line merges by line; one line is one thought.
        merge_lines(base?.text, first.text, second.text)
    }

    fn part(&self, unit: &Unit<'_>, heading: &str) -> Part {
        match &unit.key {
            Some(key) => Part::Entry(key.replace(TARGETS_SEPARATOR, ", ")),
            None => Part::Body(heading.trim_matches(['#', ' ', '\n']).to_owned()),
        }
    }

    fn stays(&self, unit: &Unit<'_>) -> bool {
        let survived = |target| self.around.survived.contains(target);
        unit.key.as_deref().is_some_and(|key| key.split(TARGETS_SEPARATOR).any(survived))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, ours: &str, theirs: &str, expected: &str) {
        assert_eq!(merge_index(base, ours, theirs), expected);
        assert_eq!(merge_index(base, theirs, ours), expected, "swapped");
    }

    const BASE: &str = "# Memory\n\n- [A](a.md) — one\n- [B](b.md) — two\n- [C](c.md) — three\n";

    #[test]
    fn both_sides_additions_deletions_and_edits_hold() {
        check(
            BASE,
            "# Memory\n\n- [A](a.md) — one\n- [C](c.md) — three\n- [D](d.md) — four\n",
            "# Memory\n\n- [A](a.md) — uno\n- [B](b.md) — two\n- [C](c.md) — three\n- [E](e.md) — five\n",
            "# Memory\n\n- [A](a.md) — uno\n- [C](c.md) — three\n- [D](d.md) — four\n- [E](e.md) — five\n",
        );
    }

    #[test]
    fn a_move_and_a_deletion_of_one_entry_leave_it_deleted() {
        check(
            BASE,
            "# Memory\n\n- [C](c.md) — three\n- [A](a.md) — one\n- [B](b.md) — two\n",
            "# Memory\n\n- [A](a.md) — one\n- [B](b.md) — two\n",
            "# Memory\n\n- [A](a.md) — one\n- [B](b.md) — two\n",
        );
    }

    #[test]
    fn of_two_edits_of_one_entry_one_is_kept() {
        check("- [A](a.md) — x\n", "- [A](a.md) — y\n", "- [A](a.md) — z\n", "- [A](a.md) — z\n");
    }
}
