//! Takes entries out of a block, without touching what the others own and what is no entry.
//! Border: says no where that cannot be done by cutting whole items.

use std::ops::Range;

use super::shape::{Line, lines};
use super::{Block, BlockKind};

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
    // A heading says where the lines below it belong.
    if block.kind == BlockKind::Section {
        return None;
    }
    if drop.iter().all(|dropped| *dropped) {
        return below_all(block, drop).map(str::to_owned);
    }
    let mut cuts = nested_cuts(block, drop)?;
    if !cuts.iter().all(|cut| is_all_entries(block, drop, cut.clone())) {
        return None;
    }
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

/// Where an entry stands, see [`Block::range`].
pub(super) fn range(block: &Block, at: usize) -> Option<Range<usize>> {
    match &block.spots[at] {
        Spot::Item(range) | Spot::Nested(range) => Some(range.clone()),
        Spot::Wrapped if block.entries.len() == 1 => Some(0..block.raw.len()),
        Spot::Wrapped => None,
    }
}

/// What stands below the entries of a block where all of them go. Lines without indentation read the
/// same alone; `None` where somebody's lines hang on an entry.
fn below_all<'b>(block: &'b Block, drop: &[bool]) -> Option<&'b str> {
    let lines = lines(&block.raw);
    let said = said(block, drop, &lines);
    let is_own = |(line, said): &(&Line<'_>, &bool)| !**said && !line.is_blank();
    let Some(first) = lines.iter().zip(&said).position(|both| is_own(&both)) else {
        return Some("");
    };
    let hangs = |line: &Line<'_>| line.indent > lines[0].indent;
    let mut below = lines.iter().zip(&said).skip(first);
    let is_free = below.all(|(line, said)| line.is_blank() || (!said && !hangs(line)));
    is_free.then(|| &block.raw[lines[first].range.start..])
}

/// Which lines are said by an entry that goes: its first line, and those that hang below it.
fn said(block: &Block, drop: &[bool], lines: &[Line<'_>]) -> Vec<bool> {
    let mut said = vec![false; lines.len()];
    for (spot, _) in block.spots.iter().zip(drop).filter(|(_, drop)| **drop) {
        let first = match spot {
            Spot::Nested(range) => lines.partition_point(|line| line.range.end <= range.start),
            Spot::Item(_) | Spot::Wrapped => 0,
        };
        said[first..hanging_end(lines, first)].fill(true);
    }
    said
}

/// Whether every line of a part of a block is blank or said by an entry that goes. Notes, children and
/// lines without indentation are somebody's own words.
fn is_all_entries(block: &Block, drop: &[bool], part: Range<usize>) -> bool {
    let lines = lines(&block.raw);
    let said = said(block, drop, &lines);
    let inside = |line: &Line<'_>| part.start <= line.range.start && line.range.end <= part.end;
    lines.iter().zip(said).all(|(line, said)| said || line.is_blank() || !inside(line))
}

/// The line after those that continue an item and are indented more than it.
fn hanging_end(lines: &[Line<'_>], first: usize) -> usize {
    let hangs = |line: &&Line<'_>| line.indent > lines[first].indent && !line.ends_paragraph();
    first + 1 + lines[first + 1..].iter().take_while(hangs).count()
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
