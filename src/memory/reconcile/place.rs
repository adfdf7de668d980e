//! Where a new entry goes: the end of the section for its kind, else after the last entry.
//! Border: places and assembles lines; does not write them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::memory::index::{Block, BlockKind, Index};
use crate::memory::kind::Kind;

/// Words of a heading that may name a kind: `Project memories`, not a sentence about a project.
const HEADING_WORDS_MAX: usize = 3;

/// Where the entries of each kind end. Places are block numbers; new lines go after the block.
pub(super) struct Places<'a> {
    blocks: &'a [Block],
    /// The last block of the section of a kind that new lines can follow.
    sections: BTreeMap<Kind, usize>,
    /// The place for every other kind; `None` in an empty index.
    elsewhere: Option<usize>,
}

impl<'a> Places<'a> {
    /// Looks at the blocks that are kept; one that is dropped is no place.
    pub(super) fn of(index: &'a Index, kept: &[Cow<'_, str>]) -> Self {
        let blocks = index.blocks();
        let mut sections = BTreeMap::new();
        let mut entries = BTreeMap::new();
        let mut section = None;
        let mut anywhere = None;
        let mut outside = None;
        let mut last = None;
        for (at, block) in blocks.iter().enumerate().filter(|(at, _)| !kept[*at].is_empty()) {
            if matches!(block.kind, BlockKind::Heading | BlockKind::Section) {
                section = kind_of(&block.raw).filter(|kind| !sections.contains_key(kind));
            }
            if block.kind == BlockKind::Blank {
                continue;
            }
            last = Some(at);
            if let Some(kind) = section {
                sections.insert(kind, at);
            }
            if !block.entries.is_empty() {
                anywhere = Some(at);
                match section {
                    Some(kind) => drop(entries.insert(kind, at)),
                    None => outside = Some(at),
                }
            }
        }
        sections.extend(entries);
        Self { blocks, sections, elsewhere: outside.or(anywhere).or(last) }
    }

    /// The block after which an entry of a kind goes; `None` at the very start.
    pub(super) fn place(&self, kind: Option<Kind>) -> Option<usize> {
        let at = kind.and_then(|kind| self.sections.get(&kind).copied()).or(self.elsewhere);
        at.map(|at| self.past_indented(at))
    }

    /// Steps over indented lines that a new bullet before them would take for its own.
    fn past_indented(&self, mut at: usize) -> usize {
        let inside = self.indentation(Some(at)).len() + 2;
        for (next, block) in self.blocks.iter().enumerate().skip(at + 1) {
            match block.kind {
                BlockKind::Blank => {}
                _ if indent(&block.raw).len() >= inside => at = next,
                _ => break,
            }
        }
        at
    }

    /// The white space before a new entry at a place: that of the entry it follows.
    pub(super) fn indentation(&self, place: Option<usize>) -> &'a str {
        let before = place.map(|at| &self.blocks[at]).filter(|block| block.kind == BlockKind::Item);
        before.map_or("", |block| indent(&block.raw))
    }

    /// The kept texts with the new lines at their places.
    pub(super) fn assemble(
        &self,
        kept: &[Cow<'_, str>],
        added: &BTreeMap<Option<usize>, String>,
        eol: &str,
    ) -> String {
        let mut text = added.get(&None).cloned().unwrap_or_default();
        for (at, kept) in kept.iter().enumerate() {
            text.push_str(kept);
            let Some(lines) = added.get(&Some(at)) else { continue };
            let block = &self.blocks[at];
            if !text.ends_with('\n') {
                text.push_str(eol);
            }
            let next = self.blocks.get(at + 1).map(|block| block.kind);
            if needs_gap(block, next.is_none()) {
                text.push_str(eol);
            }
            text.push_str(lines);
            if block.kind != BlockKind::Item && next == Some(BlockKind::Text) {
                text.push_str(eol);
            }
        }
        text
    }
}

/// The white space a block starts with.
fn indent(raw: &str) -> &str {
    let raw = raw.trim_start_matches('\u{FEFF}');
    &raw[..raw.len() - raw.trim_start_matches([' ', '\t']).len()]
}

/// Tells whether a blank line must part a new entry from the block before it.
fn needs_gap(block: &Block, is_last: bool) -> bool {
    let in_table = block.raw.trim_start().starts_with('|');
    match block.kind {
        BlockKind::Item | BlockKind::Blank => false,
        BlockKind::Row | BlockKind::Section => true,
        BlockKind::Text => in_table || is_last,
        BlockKind::Heading => is_last && block.raw.starts_with("# "),
        BlockKind::Comment | BlockKind::Fence | BlockKind::Frontmatter => is_last,
    }
}

/// The kind a heading stands for.
fn kind_of(heading: &str) -> Option<Kind> {
    let first = heading.lines().next().unwrap_or_default().to_lowercase();
    let words: Vec<&str> =
        first.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let kind = |word: &str| Kind::parse(word).or_else(|| Kind::parse(word.strip_suffix('s')?));
    let mut kinds = words.iter().filter_map(|word| kind(word));
    let found = kinds.next().filter(|_| words.len() <= HEADING_WORDS_MAX)?;
    kinds.all(|kind| kind == found).then_some(found)
}
