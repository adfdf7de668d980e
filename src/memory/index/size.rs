//! How much of an index an agent loads: lines and bytes, and the entries beyond.
//! Border: measures as Claude Code does (2.1.211): frontmatter and block HTML comments are taken
//! out first, then the first 200 lines or 25,000 bytes count, whichever end first.

use serde::Serialize;

use super::{Block, BlockKind, Entry};
use crate::memory::limits::{INDEX_BYTES_MAX, INDEX_LINES_MAX};

/// The length of an index as an agent measures it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IndexSize {
    /// Lines, a last one without ending included.
    pub lines: usize,
    /// Bytes.
    pub bytes: usize,
}

impl IndexSize {
    /// Whether an agent loads all of it.
    pub fn fits(self) -> bool {
        self.lines <= INDEX_LINES_MAX && self.bytes <= INDEX_BYTES_MAX
    }

    fn add(&mut self, text: &str) {
        self.lines += text.split_inclusive('\n').count();
        self.bytes += text.len();
    }
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
