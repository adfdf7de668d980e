//! Corrects what lining up by text alone gets wrong where texts repeat.
//! Border: works on matches that were found; finds none of its own.

use std::collections::{HashMap, HashSet};

use crate::merge::units::blocks::{Shape, Unit, is_rule};

/// A text that stands several times (the head of a table, `None`) is lined up by chance where a
/// section went and another came: only what else stayed there tells whether it is the same one.
pub(crate) fn forget_chance(
    base: &[Unit<'_>],
    side: &[Unit<'_>],
    ids: &[&[u32]; 2],
    matched: &mut [Option<usize>],
) {
    let mut counts: HashMap<u32, usize> = HashMap::new();
    ids.iter().copied().flatten().for_each(|id| *counts.entry(*id).or_default() += 1);
    // The head of a table says what its columns are, not which table it is.
    let is_unique = |at: usize| counts.get(&ids[1][at]) == Some(&2) && !is_table_head(&side[at]);
    let heads = heads(base, side, matched, &is_unique);
    for at in 0..side.len() {
        let Some(home) = matched[at].filter(|_| !is_unique(at) && side[at].key.is_none()) else {
            continue;
        };
        if let (Some(before), Some(now)) = (heading_of(base, home), heading_of(side, at))
            && matched[now] != Some(before)
            && !heads.contains(&(before, now))
        {
            matched[at] = None;
        }
    }
}

/// Whether a unit is the head of a table: the names of its columns and the line of dashes.
pub(crate) fn is_table_head(unit: &Unit<'_>) -> bool {
    let dashes =
        |line: &str| line.contains('-') && line.chars().all(|c| "|-: \t>".contains(c) || c == '\r');
    unit.shape == Shape::Whole && unit.text.lines().nth(1).is_some_and(dashes)
}

/// A table is the one whose rows it holds, wherever it went.
pub(crate) fn follow_rows(
    base: &[Unit<'_>],
    side: &[Unit<'_>],
    matched: &mut [Option<usize>],
    taken: &mut [bool],
) {
    for at in (0..side.len()).filter(|at| side[*at].shape == Shape::Row) {
        if let (Some(row), Some(head)) = (matched[at], side[at].parent)
            && let Some(home) = base[row].parent.filter(|home| !taken[*home])
            && matched[head].is_none()
            && [&base[home], &side[head]].into_iter().all(is_table_head)
        {
            matched[head] = Some(home);
            taken[home] = true;
        }
    }
}

/// The headings of a base and a side under which something stayed the same.
pub(crate) fn heads(
    base: &[Unit<'_>],
    side: &[Unit<'_>],
    matched: &[Option<usize>],
    counts: &dyn Fn(usize) -> bool,
) -> HashSet<(usize, usize)> {
    let pair = |(at, home): (usize, &Option<usize>)| {
        Some((heading_of(base, (*home).filter(|_| counts(at))?)?, heading_of(side, at)?))
    };
    matched.iter().enumerate().filter_map(pair).collect()
}

/// The heading a unit stands under.
pub(crate) fn heading_of(units: &[Unit<'_>], at: usize) -> Option<usize> {
    let mut head = units[at].parent;
    while let Some(at) = head.filter(|at| !matches!(units[*at].shape, Shape::Heading(_))) {
        head = units[at].parent;
    }
    head
}

/// Additions that could as well begin some units earlier begin at the outermost heading: a section
/// put before one that begins alike is new as a whole, not from its second unit on.
pub(crate) fn slide(side: &[Unit<'_>], ids: &[u32], matched: &mut [Option<usize>]) {
    let level = |at: usize| match side.get(at).map(|unit| unit.shape) {
        Some(Shape::Heading(level)) => Some(level),
        _ => None,
    };
    // A rule before a heading begins its section; the lesser, the better.
    let worth = |at: usize| {
        let ruled = if is_rule(&side[at]) { level(at + 1).map(|level| 2 * level) } else { None };
        ruled.or(level(at).map(|level| 2 * level + 1)).unwrap_or(u8::MAX)
    };
    let mut end = 0;
    while end < side.len() {
        let start = end;
        end += matched[start..].iter().take_while(|home| home.is_none()).count();
        let fits = |by: &usize| {
            let (before, last) = (start - by, end - by);
            matched[before].is_some() && ids[before] == ids[last]
        };
        let most = (1..=start.min(end - start)).take_while(fits).count();
        let by = (0..=most).min_by_key(|by| (worth(start - by), *by)).unwrap_or(0);
        for at in (0..by).map(|at| end - 1 - at) {
            matched[at] = matched[at - (end - start)].take();
        }
        end = end.max(start + 1);
    }
}
