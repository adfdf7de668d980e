//! How much of an index an agent loads: lines and characters, and the entries beyond.
//! Border: measures as Claude Code does (2.1.332): frontmatter and block HTML comments are taken
//! out first, then the first 200 lines or 25,000 UTF-16 code units count, whichever end first.

use serde::Serialize;

use super::{Block, BlockKind, Entry};
use crate::base::display::Escaped;
use crate::base::text::count;
use crate::memory::limits::{INDEX_CHARACTERS_MAX, INDEX_LINES_MAX};

/// The length of an index as an agent measures it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IndexSize {
    /// Lines, a last one without ending included.
    pub lines: usize,
    /// Characters, in UTF-16 code units.
    pub characters: usize,
}

impl IndexSize {
    /// Whether an agent loads all of it.
    pub fn fits(self) -> bool {
        self.lines <= INDEX_LINES_MAX && self.characters <= INDEX_CHARACTERS_MAX
    }

    fn add(&mut self, text: &str) {
        self.lines += text.split_inclusive('\n').count();
        self.characters += utf16_len(text);
    }
}

/// The rule that an index has more than an agent loads.
pub const INDEX_OVER_CAP: &str = "index-over-cap";

/// What to do about it.
pub const INDEX_OVER_CAP_ADVICE: &str = "shorten hooks, or merge memories that belong together";

/// So many of the entries that are not seen are named.
const NAMED_MAX: usize = 3;

/// An index of which an agent does not see every entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverCap {
    /// Its length.
    pub size: IndexSize,
    /// The entries past a cap, in order; at least one.
    pub hidden: Vec<Entry>,
}

impl OverCap {
    /// What a person should know.
    pub fn message(&self) -> String {
        let named = self.hidden.iter().take(NAMED_MAX).map(|entry| entry.target.as_str());
        let named = named.collect::<Vec<_>>().join(", ");
        format!(
            "an agent loads {INDEX_LINES_MAX} lines and {INDEX_CHARACTERS_MAX} characters; this index has {} and {}, so {} unseen, the first {}",
            self.size.lines,
            self.size.characters,
            count(self.hidden.len(), "entry stays", "entries stay"),
            Escaped(&named),
        )
    }
}

/// The length of a text as clients count it.
pub fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// Measures all blocks together.
pub(super) fn measure(blocks: &[Block]) -> IndexSize {
    let mut size = IndexSize::default();
    for block in blocks {
        size.add(loaded(block));
    }
    size
}

/// The entries whose first line does not fit below the caps.
pub(super) fn invisible(blocks: &[Block]) -> Vec<Entry> {
    let mut before = IndexSize::default();
    let mut hidden = Vec::new();
    for block in blocks {
        let mut size = before;
        let mut lines = block.raw.split_inclusive('\n');
        let mut line = block.line;
        for entry in &block.entries {
            while line <= entry.line {
                let Some(text) = lines.next() else { break };
                size.add(text);
                line += 1;
            }
            if !size.fits() {
                hidden.push(entry.clone());
            }
        }
        before.add(loaded(block));
    }
    hidden
}

/// What an agent keeps of a block: nothing of frontmatter, a comment only where text follows it.
fn loaded(block: &Block) -> &str {
    match block.kind {
        BlockKind::Frontmatter => "",
        BlockKind::Comment => {
            let after = block.raw.rfind("-->").map_or("", |at| &block.raw[at + "-->".len()..]);
            if after.trim().is_empty() { "" } else { after }
        }
        _ => &block.raw,
    }
}
