//! Merges two edits of `MEMORY.md`: a set of entries by target, other lines as lines.
//! Border: one index; whether its files are there is `memory::reconcile`'s business.
//!
//! Near-linear in lines and entries; 20,000 entries take well under a second.

use std::collections::{BTreeMap, BTreeSet};

use crate::memory::index::{BlockKind, Index};
use crate::merge::kinds::text_format::Envelope;
use crate::merge::kinds::words::{merge_added_lines, merge_lines};
use crate::merge::units::blocks::{Shape, TARGETS_SEPARATOR, Unit, Units};
use crate::merge::units::merge_units::{Orphans, Rules, weave};
use crate::merge::units::slots::ThreeWay;
use crate::merge::unresolved::{MergedText, Part};

/// What the merge of the files says about the entries.
#[derive(Default)]
pub(crate) struct IndexContext {
    /// Renamed files: old target, new target.
    pub(crate) renamed: BTreeMap<String, String>,
    /// Files that one side deleted and that stay because the other edited them.
    pub(crate) survived: BTreeSet<String>,
    /// Files that were there and are gone: a changed pointer is no edit of a memory.
    pub(crate) gone: BTreeSet<String>,
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
    let merged = merge_entries(&base, &first, &second, &IndexContext::default());
    Envelope::merge(base_envelope, first_envelope, second_envelope).close(merged.text)
}

/// Merges two edits of an index whose envelopes are off. The first side is the favoured one.
pub(crate) fn merge_entries(
    base: &str,
    first: &str,
    second: &str,
    around: &IndexContext,
) -> MergedText {
    let (base, first, second) = (split(base, around), split(first, around), split(second, around));
    weave(
        &ThreeWay { base: &base, first: &first, second: &second },
        &EntryRules { around },
        Orphans::Revive,
    )
}

/// The blocks as units: an entry block is known by its targets, under the names they have now. A line
/// that stands directly below an entry without indentation is a unit of its own, held by the entry:
/// it may be a remark that outlives it.
fn split<'t>(text: &'t str, around: &IndexContext) -> Units<'t> {
    let index = Index::parse(text);
    let mut builder =
        Builder { text, units: Vec::new(), open: 0, headings: Vec::new(), entry: None };
    let mut offset = 0;
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
        let own = if block.kind == BlockKind::Item { own_len(raw) } else { raw.len() };
        for (start, end) in pieces(&raw[..own], shape) {
            builder.add(offset + start, offset + end, shape, key.clone());
        }
        for (start, end) in pieces(&raw[own..], Shape::Line) {
            builder.add(offset + own + start, offset + own + end, Shape::Line, None);
        }
        offset += block.raw.len();
    }
    Units { units: builder.units, tail: &text[builder.open..] }
}

/// Collects the units of an index.
struct Builder<'t> {
    text: &'t str,
    units: Vec<Unit<'t>>,
    /// Where the next gap starts.
    open: usize,
    /// The open headings: level and unit.
    headings: Vec<(u8, usize)>,
    /// The entry that a line directly below belongs to.
    entry: Option<usize>,
}

impl Builder<'_> {
    fn add(&mut self, start: usize, end: usize, shape: Shape, key: Option<String>) {
        let (at, gap) = (self.units.len(), &self.text[self.open..start]);
        let text = &self.text[start..end];
        if let Shape::Heading(level) = shape {
            self.headings.retain(|(above, _)| *above < level);
        }
        let heading = self.headings.last().map(|(_, unit)| *unit);
        if let Shape::Heading(level) = shape {
            self.headings.push((level, at));
        }
        let is_attached = shape == Shape::Line && gap.is_empty() && is_prose(text);
        let entry = self.entry.filter(|_| is_attached);
        self.entry = if shape == Shape::Entry { Some(at) } else { entry };
        self.units.push(Unit { gap, text, shape, key, parent: entry.or(heading) });
        self.open = end;
    }
}

/// Whether a line continues the one above, as Markdown reads it: no bullet, quote, table or rule.
fn is_prose(line: &str) -> bool {
    !line.trim_start().starts_with(['-', '*', '+', '•', '>', '|', '<', '`', '~', '#', '_'])
}

/// The length of an entry's lines up to the first below it that is not indented.
fn own_len(raw: &str) -> usize {
    let mut len = 0;
    for (at, line) in raw.split_inclusive('\n').enumerate() {
        if at > 0 && !line.starts_with([' ', '\t']) && !line.trim().is_empty() {
            break;
        }
        len += line.len();
    }
    len
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
    around: &'a IndexContext,
}

impl Rules for EntryRules<'_> {
    fn both_edited(
        &self,
        base: Option<&Unit<'_>>,
        first: &Unit<'_>,
        second: &Unit<'_>,
    ) -> Option<String> {
        // What an entry owns below its first line merges by line; one line is one thought.
        if first.shape == Shape::Entry {
            return merge_added_lines(base?.text, first.text, second.text);
        }
        merge_lines(base?.text, first.text, second.text)
    }

    fn part(&self, unit: &Unit<'_>, heading: &str) -> Part {
        match &unit.key {
            Some(key) => Part::Entry(key.replace(TARGETS_SEPARATOR, ", ")),
            None => Part::Body(heading.trim_matches(['#', ' ', '\n']).to_owned()),
        }
    }

    fn goes(&self, unit: &Unit<'_>) -> bool {
        let gone = |target| self.around.gone.contains(target);
        unit.key.as_deref().is_some_and(|key| key.split(TARGETS_SEPARATOR).all(gone))
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
    fn a_line_directly_below_an_entry_outlives_it_and_stands_once() {
        check(
            "- [A](a.md) — x\nNote: n.\n",
            "Note: n.\n",
            "- [A](a.md) — x\n- [B](b.md) — y\nNote: n.\n",
            "- [B](b.md) — y\nNote: n.\n",
        );
        check(
            "- [A](a.md) — x\n",
            "- [A](a.md) — x\nSee the wiki.\n",
            "- [A](a.md) — x\nAsk Ada.\n",
            "- [A](a.md) — x\nAsk Ada.\nSee the wiki.\n",
        );
        check(
            "- [A](a.md) — x\n\n## Later\n",
            "- [A](a.md) — x\nSee the wiki.\n\n## Later\n",
            "- [A](a.md) — x\n- [B](b.md) — y\n\n## Later\n",
            "- [A](a.md) — x\nSee the wiki.\n- [B](b.md) — y\n\n## Later\n",
        );
        check(
            "- [A](a.md) — x\n  - one\n",
            "- [A](a.md) — x\n  - one\n  - two\n",
            "- [A](a.md) — x\n  - one\n  - three\n",
            "- [A](a.md) — x\n  - one\n  - three\n  - two\n",
        );
    }

    #[test]
    fn of_two_edits_of_one_entry_one_is_kept() {
        check("- [A](a.md) — x\n", "- [A](a.md) — y\n", "- [A](a.md) — z\n", "- [A](a.md) — z\n");
    }
}
