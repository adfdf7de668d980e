//! `MEMORY.md` as blocks: which lines are entries, which are not, and how much an agent sees.
//! Border: reads text and gives it back unchanged; `memory::reconcile` changes it.

mod cut;
mod item;
mod label;
mod link;
mod mention;
mod own;
mod row;
mod enclosures;
mod scan;
mod shape;
mod size;

use std::ops::Range;

use serde::Serialize;

pub use self::link::{is_inside, written_target};
pub use self::mention::{Mention, mentions};
pub use self::size::{INDEX_OVER_CAP, INDEX_OVER_CAP_ADVICE, IndexSize, OverCap, utf16_len};

use self::cut::Spot;

/// An index, split into blocks that concatenate to the text it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    blocks: Vec<Block>,
}

/// A run of whole lines that belongs together: one entry with all it owns, or something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// All its lines with their endings.
    pub raw: String,
    /// The entries it holds; several when one line points at several memories.
    pub entries: Vec<Entry>,
    /// The first line, from 1.
    pub line: usize,
    /// What the lines are.
    pub kind: BlockKind,
    /// Where each entry stands in `raw`, in the order of `entries`.
    spots: Vec<Spot>,
}

/// What a block of an index is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// An entry that is a bullet, a numbered item or a line that starts with a link.
    Item,
    /// An entry that is a row of a table.
    Row,
    /// An entry that is a heading with the lines below it.
    Section,
    /// A heading without entry.
    Heading,
    /// Blank lines.
    Blank,
    /// A block HTML comment.
    Comment,
    /// A code fence with what is in it.
    Fence,
    /// Frontmatter at the very top.
    Frontmatter,
    /// Anything else: prose, notes, rules, quotes, table headers.
    Text,
}

/// One pointer to a memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Entry {
    /// The file it points at: as written, less `./`, anchor, title and angle brackets, percent-decoded.
    pub target: String,
    /// The text between the brackets as written, or the name where there is no link.
    pub title: String,
    /// What follows the link, less separator; wrapped lines joined by a space. May be empty.
    pub hook: String,
    /// The line it starts on, from 1.
    pub line: usize,
}

impl Index {
    /// Splits a text into blocks; never fails, takes time linear in its length.
    pub fn parse(text: &str) -> Self {
        Self { blocks: scan::blocks(text) }
    }

    /// The text it was read from, byte for byte.
    pub fn render(&self) -> String {
        self.blocks.iter().map(|block| block.raw.as_str()).collect()
    }

    /// The blocks in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The entries in order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.blocks.iter().flat_map(|block| &block.entries)
    }

    /// How many lines are neither blank nor part of an entry.
    pub fn other_lines(&self) -> usize {
        let others = self.blocks.iter().filter(|block| block.entries.is_empty());
        others.flat_map(|block| block.raw.lines()).filter(|line| !is_blank(line)).count()
    }

    /// How long it is as an agent measures it: without frontmatter and block HTML comments.
    pub fn size(&self) -> IndexSize {
        size::measure(&self.blocks)
    }

    /// What an agent does not see of it; `None` where it sees every entry.
    pub fn over_cap(&self) -> Option<OverCap> {
        let hidden = self.invisible();
        (!hidden.is_empty()).then(|| OverCap { size: self.size(), hidden })
    }

    /// The entries an agent never sees because they lie past a cap, in order.
    pub fn invisible(&self) -> Vec<Entry> {
        size::invisible(&self.blocks)
    }
}

impl Block {
    /// The block without the entries for which `drop` says so; `None` when they cannot be cut out
    /// without touching what other entries own. An empty text when nothing would be left.
    pub fn without(&self, drop: &[bool]) -> Option<String> {
        cut::without(self, drop)
    }

    /// Where an entry stands in `raw`: all of it for one that is alone; `None` when it shares lines
    /// in a way that cannot be cut.
    pub(super) fn range(&self, at: usize) -> Option<Range<usize>> {
        cut::range(self, at)
    }

    /// What an entry says, as it stands in the text without bullet; `None` when it shares a line
    /// in a way that cannot be cut, so that it is like no other.
    pub(super) fn words(&self, at: usize) -> Option<String> {
        cut::words(self, at)
    }
}

/// The link that starts at a byte offset: where it stands, its title, its target.
pub(super) fn link_at(text: &str, at: usize) -> Option<(Range<usize>, String, String)> {
    link::at(text, at).map(|link| (link.range, link.title, link.target))
}

/// Tells whether a line holds nothing but white space or a byte order mark.
fn is_blank(line: &str) -> bool {
    line.trim_start_matches('\u{FEFF}').trim().is_empty()
}
