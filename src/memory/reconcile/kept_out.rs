//! An index as it is shared while some memories are kept out: their entries wait with them.
//! Border: which memories are kept out is the caller's to say.

use std::collections::HashSet;

use super::Setting;
use super::known::Known;
use crate::memory::index::{Block, Entry, Index};

/// Takes the entries of some memories out of an index. An entry that cannot be cut out whole takes its
/// whole block along.
pub fn without_entries(index: &Index, targets: &HashSet<&str>, setting: &Setting<'_>) -> String {
    let known = Known::new(setting);
    let mut text = String::new();
    for block in index.blocks() {
        let is_out = |entry: &Entry| known.means_one_of(&entry.target, targets);
        let drop: Vec<bool> = block.entries.iter().map(is_out).collect();
        if drop.contains(&true) {
            text.push_str(&block.without(&drop).unwrap_or_default());
        } else {
            text.push_str(&block.raw);
        }
    }
    text
}

/// Those of some memories that have one entry by itself, without lines of somebody's own below it.
pub fn lone_entries<'t>(index: &Index, targets: &HashSet<&'t str>) -> HashSet<&'t str> {
    let is_alone = |target: &&&str| {
        let mut found = index.blocks().iter().filter(|block| names(block, target));
        let first = found.next().filter(|_| found.next().is_none());
        first.is_some_and(|block| {
            block.entries.len() == 1 && block.without(&[true]).is_some_and(|left| left.is_empty())
        })
    };
    targets.iter().filter(is_alone).copied().collect()
}

fn names(block: &Block, target: &str) -> bool {
    block.entries.iter().any(|entry| entry.target == target)
}

/// Gives the entries of some memories the words they have in another index. One that shares its lines
/// with others stays as it is.
pub fn with_words_of(index: &Index, other: &Index, targets: &HashSet<&str>) -> String {
    let is_of = |block: &Block, target: &str| block.entries.len() == 1 && names(block, target);
    let mut text = String::new();
    for block in index.blocks() {
        let target = block.entries.first().map(|entry| entry.target.as_str());
        let target = target.filter(|target| targets.contains(target) && is_of(block, target));
        let words = target.and_then(|target| {
            let mut found = other.blocks().iter().filter(|block| is_of(block, target));
            found.next().filter(|_| found.next().is_none())
        });
        // Blank lines below an entry belong to its place.
        let (words, place) = (words.unwrap_or(block).raw.trim_end(), block.raw.trim_end());
        text.push_str(words);
        text.push_str(&block.raw[place.len()..]);
    }
    text
}
