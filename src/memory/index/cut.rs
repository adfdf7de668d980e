//! Takes entries out of a block that holds several, without touching what the others own.
//! Border: says no where that cannot be done by cutting whole items.

use std::ops::Range;

use super::Block;

/// Where an entry stands in its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// One of the items of the first line, as bytes of `raw`; alone it owns all lines that no nested entry has.
    Item(Range<usize>),
    /// A nested bullet with the lines below it, as bytes of `raw`.
    Nested(Range<usize>),
    /// Part of an item that spans lines and cannot be cut.
    Wrapped,
}

/// The block without some of its entries, see [`Block::without`].
pub(super) fn without(block: &Block, drop: &[bool]) -> Option<String> {
    if drop.iter().all(|dropped| *dropped) {
        return Some(String::new());
    }
    let mut cuts = nested_cuts(block, drop)?;
    let first: Vec<usize> =
        (0..drop.len()).filter(|at| !matches!(block.spots[*at], Spot::Nested(_))).collect();
    if first.iter().any(|at| drop[*at]) {
        cuts.extend(item_cuts(block, drop, &first)?);
    }
    let mut left = block.raw.clone();
    cuts.sort_by_key(|cut| cut.start);
    for cut in cuts.into_iter().rev() {
        left.replace_range(cut, "");
    }
    Some(left)
}

/// What an entry says, see [`Block::words`]. An entry alone in its block says all of it.
pub(super) fn words(block: &Block, at: usize) -> Option<String> {
    let raw = match (&block.spots[at], block.entries.len()) {
        (_, 1) => &block.raw,
        (Spot::Item(range) | Spot::Nested(range), _) => &block.raw[range.clone()],
        (Spot::Wrapped, _) => return None,
    };
    let text = raw.trim_start_matches('\u{FEFF}').trim();
    let text = text.strip_prefix(['-', '*', '+', '•']).map_or(text, str::trim_start);
    Some(text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"))
}

/// Nested entries go with their lines, unless another entry that stays is among these.
fn nested_cuts(block: &Block, drop: &[bool]) -> Option<Vec<Range<usize>>> {
    let mut cuts: Vec<Range<usize>> = Vec::new();
    for (at, spot) in block.spots.iter().enumerate() {
        let Spot::Nested(range) = spot else { continue };
        if cuts.last().is_some_and(|cut| range.start < cut.end) {
            if !drop[at] {
                return None;
            }
        } else if drop[at] {
            cuts.push(range.clone());
        }
    }
    Some(cuts)
}

/// Items of the first line go with one separator. The first item cannot go alone where nested
/// lines would lose the line they belong to.
fn item_cuts(block: &Block, drop: &[bool], first: &[usize]) -> Option<Vec<Range<usize>>> {
    let range = |at: &usize| match &block.spots[*at] {
        Spot::Item(range) => Some(range.clone()),
        _ => None,
    };
    let ranges: Vec<Range<usize>> = first.iter().map(range).collect::<Option<_>>()?;
    let kept = first.iter().position(|at| !drop[*at])?;
    let mut cuts = Vec::new();
    if kept > 0 {
        cuts.push(ranges[0].start..ranges[kept].start);
    }
    for later in kept + 1..ranges.len() {
        if drop[first[later]] {
            cuts.push(ranges[later - 1].end..ranges[later].end);
        }
    }
    Some(cuts)
}
