//! Splits an index into blocks in one pass over its lines.
//! Border: which lines belong together; what an item points at is `item`'s business.

use super::enclosures::Lined;
use super::item::{self, Pointer, is_bare_entry};
use super::own::{self, Owned};
use super::shape::Line;
use super::{Block, BlockKind, Entry, row};
use crate::memory::index::cut::Spot;

/// Splits a text into blocks that concatenate to it.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut scan = Scan { text, lined: Lined::new(text), blocks: Vec::new(), at: 0 };
    scan.frontmatter();
    while scan.at < scan.lined.lines.len() {
        if scan.enclosed() || scan.blank() || scan.heading() {
            continue;
        }
        if scan.line().text.starts_with('|') {
            scan.row();
        } else if scan.line().bullet().is_some() {
            // Also where it is indented so deep that Markdown may call it code: what a line is must
            // not depend on lines that can go.
            scan.item();
        } else {
            scan.text();
        }
    }
    scan.blocks
}

/// The state of one pass.
pub(super) struct Scan<'a> {
    text: &'a str,
    lined: Lined<'a>,
    blocks: Vec<Block>,
    at: usize,
}

impl<'a> Scan<'a> {
    fn line(&self) -> &Line<'a> {
        &self.lined.lines[self.at]
    }

    /// Makes a block of the lines up to `end` and goes on there.
    fn push(&mut self, end: usize, kind: BlockKind, found: Vec<(Entry, Spot)>) {
        let range = self.lined.lines[self.at].range.start..self.lined.lines[end - 1].range.end;
        let (entries, spots) = found.into_iter().unzip();
        let raw = self.text[range].to_owned();
        self.blocks.push(Block { raw, entries, line: self.at + 1, kind, spots });
        self.at = end;
    }

    /// Frontmatter: `---`, a first line `key:`, and a closing `---`.
    fn frontmatter(&mut self) {
        let is_fence = |line: &Line<'_>| line.indent == 0 && line.text == "---";
        let is_key = |line: &Line<'_>| {
            let key = line.text.split(':').next().unwrap_or_default();
            let plain = key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
            key.len() < line.text.len() && plain && !key.is_empty()
        };
        if self.lined.lines.first().is_some_and(is_fence)
            && self.lined.lines.get(1).is_some_and(|line| is_key(line) || is_fence(line))
            && let Some(close) = self.lined.lines[1..].iter().position(is_fence)
        {
            self.push(close + 2, BlockKind::Frontmatter, Vec::new());
        }
    }

    /// A comment or a fence, when it is closed somewhere.
    fn enclosed(&mut self) -> bool {
        let Some((end, kind)) = self.lined.enclosures.end(&self.lined.lines, self.at) else {
            return false;
        };
        if self.line().indent >= 4 {
            return false;
        }
        self.push(end, kind, Vec::new());
        true
    }

    fn blank(&mut self) -> bool {
        let blank = self.lined.lines[self.at..].iter().take_while(|line| line.is_blank()).count();
        if blank > 0 {
            self.push(self.at + blank, BlockKind::Blank, Vec::new());
        }
        blank > 0
    }

    /// A heading; one that is led by a link owns the lines up to the next heading or entry.
    fn heading(&mut self) -> bool {
        let Some(marker) = self.line().heading() else { return false };
        let text = self.line().text[marker..].trim_end_matches('#').trim_end();
        let found = item::pointers(text);
        if found.is_empty() || !found[0].is_link {
            self.push(self.at + 1, BlockKind::Heading, Vec::new());
            return true;
        }
        let mut end = self.at + 1;
        while end < self.lined.lines.len() && self.lined.lines[end].heading().is_none() {
            if let Some((after, _)) = self.lined.enclosures.end(&self.lined.lines, end) {
                end = after;
            } else if self.starts_entry(end) {
                break;
            } else {
                end += 1;
            }
        }
        while self.lined.lines[end - 1].is_blank() {
            end -= 1;
        }
        let offset = self.line().start + marker;
        let line = self.at;
        let spots = own::first_line(&self.lined, line, offset, found);
        self.push(end, BlockKind::Section, spots);
        true
    }

    /// Whether a line below a heading entry is an entry of its own: a bullet, not a line of text.
    fn starts_entry(&self, at: usize) -> bool {
        let line = &self.lined.lines[at];
        line.bullet().is_some_and(|marker| {
            item::pointers(&line.text[marker..]).first().is_some_and(|pointer| pointer.is_link)
        })
    }

    /// A table line: a header with the rule below it, or a row, which may be an entry.
    fn row(&mut self) {
        let is_rule =
            |at: usize| self.lined.lines.get(at).is_some_and(|line| row::is_rule(line.text));
        let next = self.at + 1;
        if is_rule(self.at) || is_rule(next) {
            let end = if is_rule(self.at) { next } else { next + 1 };
            return self.push(end, BlockKind::Text, Vec::new());
        }
        let Some(found) = row::pointer(self.line().text) else {
            return self.push(next, BlockKind::Text, Vec::new());
        };
        let Pointer { target, title, hook, .. } = found;
        let entry = Entry { target, title, hook, line: next };
        self.push(next, BlockKind::Row, vec![(entry, Spot::Wrapped)]);
    }

    /// A list item: an entry with all it owns, or a note.
    fn item(&mut self) {
        let Owned { end, entries } = own::item(&self.lined, self.at);
        let kind = if entries.is_empty() { BlockKind::Text } else { BlockKind::Item };
        self.push(end, kind, entries);
    }

    /// A line of text. At the start of a paragraph it may be an entry without a bullet.
    fn text(&mut self) {
        let starts = self.blocks.last().is_none_or(|block| block.kind != BlockKind::Text);
        if starts && self.line().indent < 4 && is_bare_entry(self.line().text) {
            let Owned { end, entries } = own::line(&self.lined, self.at);
            let kind = if entries.is_empty() { BlockKind::Text } else { BlockKind::Item };
            self.push(end, kind, entries);
        } else {
            self.push(self.at + 1, BlockKind::Text, Vec::new());
        }
    }
}
