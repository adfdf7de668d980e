//! What an entry owns: its wrapped lines, its nested bullets, and what is indented below it.
//! Border: finds the end of one item and its entries; `scan` makes the block.

use std::ops::Range;

use super::Entry;
use super::cut::Spot;
use super::enclosures::Lined;
use super::item::{self, Pointer, is_bare_entry};

/// Columns a line must be indented beyond an item to belong to it.
const NESTED: usize = 2;

/// One item: the line after its last, and the entries with where they stand in the block.
pub(super) struct Owned {
    pub(super) end: usize,
    pub(super) entries: Vec<(Entry, Spot)>,
}

/// A paragraph: its lines joined by a space, and where each piece came from.
struct Paragraph {
    text: String,
    /// Offset in `text`, offset in the whole text, line from 0.
    pieces: Vec<(usize, usize, usize)>,
    end: usize,
}

/// A list item that starts at a line. Without entries it is a note and ends with its paragraph.
pub(super) fn item(scan: &Lined<'_>, at: usize) -> Owned {
    let marker = scan.lines[at].bullet().unwrap_or_default();
    let paragraph = paragraph(scan, at, marker);
    let found = item::pointers(&paragraph.text);
    let base = scan.lines[at].range.start;
    let mut owned = Owned { end: paragraph.end, entries: spots(&paragraph, base, found) };
    if !owned.entries.is_empty() {
        own_nested(scan, at, &mut owned);
    }
    owned
}

/// An entry that starts a line without a bullet.
pub(super) fn line(scan: &Lined<'_>, at: usize) -> Owned {
    let paragraph = paragraph(scan, at, 0);
    let found = item::pointers(&paragraph.text);
    let entries = spots(&paragraph, scan.lines[at].range.start, found);
    let mut owned = Owned { end: paragraph.end, entries };
    own_nested(scan, at, &mut owned);
    owned
}

/// The entries of a heading.
pub(super) fn first_line(
    scan: &Lined<'_>,
    at: usize,
    offset: usize,
    found: Vec<Pointer>,
) -> Vec<(Entry, Spot)> {
    let pieces = vec![(0, offset, at)];
    let paragraph = Paragraph { text: String::new(), pieces, end: at + 1 };
    spots(&paragraph, scan.lines[at].range.start, found)
}

/// Takes nested bullets, indented lines and what is enclosed in them.
fn own_nested(scan: &Lined<'_>, at: usize, owned: &mut Owned) {
    let inside = scan.lines[at].indent + NESTED;
    let base = scan.lines[at].range.start;
    let mut nested: Vec<(usize, usize, Entry)> = Vec::new();
    let mut end = owned.end;
    while let Some(line) = scan.lines.get(end) {
        if line.is_blank() {
            end += 1;
            continue;
        }
        if line.indent < inside {
            break;
        }
        if let Some((after, _)) = scan.enclosures.end(&scan.lines, end) {
            end = after;
        } else if let Some(marker) = line.bullet() {
            let paragraph = paragraph(scan, end, marker);
            let found = item::pointers(&paragraph.text);
            if found.iter().all(|pointer| pointer.is_link) && found.len() == 1 {
                let entry = spots(&paragraph, base, found).remove(0).0;
                nested.push((end, line.indent, entry));
            }
            end = paragraph.end;
        } else {
            end += 1;
        }
        owned.end = end;
    }
    let ends = nested_ends(scan, owned.end, &nested);
    for ((start, _, entry), end) in nested.into_iter().zip(ends) {
        let bytes = scan.lines[start].range.start - base..scan.lines[end - 1].range.end - base;
        owned.entries.push((entry, Spot::Nested(bytes)));
    }
}

/// The line after the last that each nested entry owns: the next one indented as little.
fn nested_ends(scan: &Lined<'_>, block_end: usize, nested: &[(usize, usize, Entry)]) -> Vec<usize> {
    let mut ends = vec![block_end; nested.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut next = 0;
    let first = nested.first().map_or(block_end, |(start, _, _)| *start);
    for at in first..block_end {
        let line = &scan.lines[at];
        if !line.is_blank() {
            while let Some(last) =
                open.last().copied().filter(|last| line.indent <= nested[*last].1)
            {
                ends[last] = at;
                open.pop();
            }
        }
        if nested.get(next).is_some_and(|(start, _, _)| *start == at) {
            open.push(next);
            next += 1;
        }
    }
    ends
}

/// Joins a line, from `marker` bytes on, with the lines that continue it.
fn paragraph(scan: &Lined<'_>, at: usize, marker: usize) -> Paragraph {
    let first = &scan.lines[at];
    let mut text = first.text[marker..].to_owned();
    let mut pieces = vec![(0, first.start + marker, at)];
    let mut end = at + 1;
    while let Some(line) = scan.lines.get(end) {
        if line.ends_paragraph() || is_bare_entry(line.text) {
            break;
        }
        text.push(' ');
        pieces.push((text.len(), line.start, end));
        text.push_str(line.text);
        end += 1;
    }
    Paragraph { text, pieces, end }
}

/// Entries of a paragraph with their lines and places. A piece that spans lines cannot be cut.
fn spots(paragraph: &Paragraph, base: usize, found: Vec<Pointer>) -> Vec<(Entry, Spot)> {
    let piece = |at: usize| {
        let after = paragraph.pieces.partition_point(|(joined, _, _)| *joined <= at);
        paragraph.pieces[after - 1]
    };
    let spot = |range: &Range<usize>| {
        let (joined, raw, line) = piece(range.start);
        let same_line = piece(range.end.saturating_sub(1)).2 == line;
        let start = range.start + raw - joined - base;
        if same_line { Spot::Item(start..start + range.len()) } else { Spot::Wrapped }
    };
    let entry = |pointer: Pointer| {
        let spot = spot(&pointer.range);
        let line = piece(pointer.range.start).2 + 1;
        let Pointer { target, title, hook, .. } = pointer;
        (Entry { target, title, hook, line }, spot)
    };
    found.into_iter().map(entry).collect()
}
