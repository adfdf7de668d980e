//! Finds which unit of a side is which unit of the base: equal, moved, keyed alike, or edited.
//! Border: identity only; what to do with it is `weave`.
//!
//! Near-linear: a run of replaced units is compared pairwise only up to [`PAIRS_MAX`] pairs.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::merge::units::align::{Numbering, align, rising};
use crate::merge::units::blocks::{Shape, TARGETS_SEPARATOR, Unit};
use crate::merge::units::lineup::{
    follow_rows, forget_chance, heading_of, heads, is_table_head, slide,
};

/// Most comparisons inside one run of replaced units.
const PAIRS_MAX: usize = 4_096;

/// Half of the words must be shared before one unit counts as an edit of another.
const LIKENESS_MIN: u32 = 50;

/// What standing under one heading counts, in percent of likeness: more than all words.
const NEARER: u32 = 100;

/// For each unit of a side its unit in the base; each base unit at most once.
pub(crate) fn identify(base: &[Unit<'_>], side: &[Unit<'_>]) -> Vec<Option<usize>> {
    let [base_ids, side_ids] = tokens(base, side);
    let mut matched = align(&base_ids, &side_ids);
    slide(side, &side_ids, &mut matched);
    forget_chance(base, side, &[&base_ids, &side_ids], &mut matched);
    let mut taken = vec![false; base.len()];
    matched.iter().flatten().for_each(|at| taken[*at] = true);
    follow_moves((base, &base_ids), &side_ids, &mut matched, &mut taken);
    follow_rows(base, side, &mut matched, &mut taken);
    match_keys(base, side, &mut matched, &mut taken);
    match_edits(base, side, &mut matched, &taken);
    matched
}

/// A number for each unit, the same where two are equal. A text that stands several times (the head of
/// a table, `None`) says by itself not which one it is: it is equal only under the same heading.
fn tokens<'t>(base: &[Unit<'t>], side: &[Unit<'t>]) -> [Vec<u32>; 2] {
    let mut numbering = Numbering::default();
    let repeated: HashSet<&str> = [base, side].into_iter().flat_map(repeated).collect();
    [base, side].map(|units| {
        let token = |(at, unit): (usize, &Unit<'t>)| {
            let is_chance =
                repeated.contains(unit.text) && !matches!(unit.shape, Shape::Heading(_));
            let heading = heading_of(units, at).filter(|_| is_chance);
            numbering.number((unit.text, heading.map_or("", |heading| units[heading].text)))
        };
        units.iter().enumerate().map(token).collect()
    })
}

/// The texts that stand more than once.
fn repeated<'t>(units: &[Unit<'t>]) -> HashSet<&'t str> {
    let mut seen = HashSet::new();
    units.iter().map(|unit| unit.text).filter(|text| !seen.insert(*text)).collect()
}

/// A text that left one place and stands at another was moved, if it stands once in each.
fn follow_moves(
    (units, base): (&[Unit<'_>], &[u32]),
    side: &[u32],
    matched: &mut [Option<usize>],
    taken: &mut [bool],
) {
    let places = |ids: &[u32]| {
        let mut places: HashMap<u32, (usize, usize)> = HashMap::new();
        for (at, id) in ids.iter().enumerate() {
            places.entry(*id).and_modify(|place| place.0 += 1).or_insert((1, at));
        }
        places
    };
    let (homes, there) = (places(base), places(side));
    for (at, id) in side.iter().enumerate() {
        if let (Some((1, home)), Some((1, _))) = (homes.get(id), there.get(id))
            && matched[at].is_none()
            && !taken[*home]
            && !is_table_head(&units[*home])
        {
            matched[at] = Some(*home);
            taken[*home] = true;
        }
    }
}

/// Keyed units that are left pair up by key, in order.
fn match_keys(
    base: &[Unit<'_>],
    side: &[Unit<'_>],
    matched: &mut [Option<usize>],
    taken: &mut [bool],
) {
    let mut homes: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for (at, unit) in base.iter().enumerate().filter(|(at, _)| !taken[*at]) {
        if let Some(key) = &unit.key {
            homes.entry(key).or_default().push_back(at);
        }
    }
    for (at, unit) in side.iter().enumerate() {
        if matched[at].is_some() {
            continue;
        }
        let key = unit.key.as_deref();
        if let Some(home) = key.and_then(|key| homes.get_mut(key)).and_then(VecDeque::pop_front) {
            matched[at] = Some(home);
            taken[home] = true;
        }
    }
    match_targets(base, side, matched, taken);
}

/// Blocks with several targets that are left are one when they share a target.
fn match_targets(
    base: &[Unit<'_>],
    side: &[Unit<'_>],
    matched: &mut [Option<usize>],
    taken: &mut [bool],
) {
    let targets = |unit: &Unit<'_>| -> Vec<String> {
        unit.key.iter().flat_map(|key| key.split(TARGETS_SEPARATOR)).map(str::to_owned).collect()
    };
    let mut homes: HashMap<String, usize> = HashMap::new();
    for (at, unit) in base.iter().enumerate().filter(|(at, _)| !taken[*at]) {
        for target in targets(unit) {
            homes.entry(target).or_insert(at);
        }
    }
    for (at, unit) in side.iter().enumerate().filter(|(_, unit)| unit.shape == Shape::Entry) {
        if matched[at].is_some() || homes.is_empty() {
            continue;
        }
        let home = targets(unit).iter().find_map(|target| homes.get(target).copied());
        if let Some(home) = home.filter(|home| !taken[*home]) {
            matched[at] = Some(home);
            taken[home] = true;
        }
    }
}

/// Between two units that stayed, what went and what came may be one thing edited.
fn match_edits(
    base: &[Unit<'_>],
    side: &[Unit<'_>],
    matched: &mut [Option<usize>],
    taken: &[bool],
) {
    let stayed: Vec<(usize, usize)> =
        matched.iter().enumerate().filter_map(|(at, home)| home.map(|home| (home, at))).collect();
    let order: Vec<usize> = stayed.iter().map(|(home, _)| *home).collect();
    let anchors = rising(&order).into_iter().map(|at| stayed[at]).chain([(base.len(), side.len())]);
    let heads = heads(base, side, matched, &|_| true);
    let (mut from_base, mut from_side) = (0, 0);
    let mut pairs = Vec::new();
    for (home, at) in anchors {
        let gone: Vec<usize> = (from_base..home).filter(|i| !taken[*i]).collect();
        let come: Vec<usize> = free(matched, from_side..at);
        let may_be_one = |home: usize, at: usize| {
            // A section deleted and something added elsewhere is no edit. Under a new heading it is
            // one where something of the old section stays below it: the section was split there, or
            // its heading got a new wording.
            let held = match (heading_of(base, home), heading_of(side, at)) {
                (before, Some(now)) => match matched[now] {
                    Some(known) if Some(known) == before => Held::Alike,
                    Some(_) => Held::Elsewhere,
                    None if before.is_none_or(|it| heads.contains(&(it, now))) => Held::Anew,
                    None => Held::Elsewhere,
                },
                (_, None) => Held::Alike,
            };
            if may_be_one(&base[home], &side[at]) { held } else { Held::Elsewhere }
        };
        // Of several, a heading is a new wording only where something under it stayed.
        let same_head = |home: usize, at: usize| heads.contains(&(home, at));
        pair_run((base, &gone), (side, &come), &may_be_one, &same_head, &mut pairs);
        (from_base, from_side) = (home + 1, at + 1);
    }
    for (home, at) in pairs {
        matched[at] = Some(home);
    }
}

fn free(matched: &[Option<usize>], range: Range<usize>) -> Vec<usize> {
    range.filter(|at| matched[*at].is_none()).collect()
}

/// Whether two units may be one by what they stand under.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// Under one heading.
    Alike,
    /// Under a heading that is new, or has a new wording.
    Anew,
    /// Under different ones.
    Elsewhere,
}

fn pair_run(
    (base, gone): (&[Unit<'_>], &[usize]),
    (side, come): (&[Unit<'_>], &[usize]),
    may_be_one: &dyn Fn(usize, usize) -> Held,
    same_head: &dyn Fn(usize, usize) -> bool,
    pairs: &mut Vec<(usize, usize)>,
) {
    if let ([home], [at]) = (gone, come) {
        if may_be_one(*home, *at) != Held::Elsewhere {
            pairs.push((*home, *at));
        }
        return;
    }
    if gone.is_empty() || come.is_empty() {
        return;
    }
    let bags_base: Vec<Vec<u64>> = gone.iter().map(|at| bag(base[*at].text)).collect();
    let bags_side: Vec<Vec<u64>> = come.iter().map(|at| bag(side[*at].text)).collect();
    let likeness = |i: usize, j: usize| {
        let held = may_be_one(gone[i], come[j]);
        let alike = match base[gone[i]].shape {
            _ if held == Held::Elsewhere => 0,
            Shape::Heading(_) if same_head(gone[i], come[j]) => 100,
            Shape::Heading(_) => 0,
            _ => likeness(&bags_base[i], &bags_side[j]),
        };
        let nearer = if held == Held::Alike { NEARER } else { 0 };
        if alike >= LIKENESS_MIN { alike + nearer } else { 0 }
    };
    if gone.len() * come.len() <= PAIRS_MAX {
        let best = best_pairs(gone.len(), come.len(), &likeness);
        pairs.extend(best.into_iter().map(|(i, j)| (gone[i], come[j])));
    } else if gone.len() == come.len() {
        let alike = (0..gone.len()).filter(|i| likeness(*i, *i) > 0);
        pairs.extend(alike.map(|i| (gone[i], come[i])));
    }
}

/// The pairs in order with the greatest likeness together (dynamic programming).
fn best_pairs(
    rows: usize,
    columns: usize,
    likeness: &dyn Fn(usize, usize) -> u32,
) -> Vec<(usize, usize)> {
    let width = columns + 1;
    let mut best = vec![0_u32; (rows + 1) * width];
    let mut alike = vec![0_u32; rows * columns];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            let here = likeness(i, j);
            alike[i * columns + j] = here;
            let paired = if here > 0 { here + best[(i + 1) * width + j + 1] } else { 0 };
            best[i * width + j] =
                paired.max(best[(i + 1) * width + j]).max(best[i * width + j + 1]);
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < rows && j < columns {
        let here = alike[i * columns + j];
        if here > 0 && best[i * width + j] == here + best[(i + 1) * width + j + 1] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[i * width + j] == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Whether one may be an edit of the other at all.
fn may_be_one(a: &Unit<'_>, b: &Unit<'_>) -> bool {
    let same_shape = std::mem::discriminant(&a.shape) == std::mem::discriminant(&b.shape);
    match (&a.key, &b.key) {
        (None, None) => same_shape && a.shape != Shape::Field,
        _ => false,
    }
}

/// The words of a text as sorted hashes.
fn bag(text: &str) -> Vec<u64> {
    let hash = |word: &str| {
        let mut hasher = DefaultHasher::new();
        word.hash(&mut hasher);
        hasher.finish()
    };
    let mut bag: Vec<u64> = if text.is_ascii() {
        text.split_whitespace().map(hash).collect()
    } else {
        // Scripts without spaces: pairs of characters say more than "words".
        let chars: Vec<(usize, char)> =
            text.char_indices().filter(|(_, c)| !c.is_whitespace()).collect();
        chars
            .windows(2)
            .map(|pair| hash(&text[pair[0].0..pair[1].0 + pair[1].1.len_utf8()]))
            .collect()
    };
    bag.sort_unstable();
    bag
}

/// Shared words in percent (Dice).
fn likeness(a: &[u64], b: &[u64]) -> u32 {
    let (mut i, mut j, mut shared) = (0, 0, 0_usize);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, shared) = (i + 1, j + 1, shared + 1),
        }
    }
    u32::try_from(200 * shared / (a.len() + b.len()).max(1)).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::units::blocks::split;

    fn check(base: &str, side: &str, expected: &[Option<usize>]) {
        assert_eq!(identify(&split(base).units, &split(side).units), expected);
    }

    #[test]
    fn equal_moved_and_edited_units_are_recognised() {
        check("a\n\nb\n\nc\n", "c\n\na\n\nb\n", &[Some(2), Some(0), Some(1)]);
        check(
            "a\n\nsome words here\n\nc\n",
            "a\n\nsome other words here\n\nc\n",
            &[Some(0), Some(1), Some(2)],
        );
        check(
            "one two three\n\nx\n\nlast\n",
            "new\n\none two four\n\nlast\n",
            &[None, Some(0), Some(2)],
        );
    }

    #[test]
    fn a_section_before_one_that_begins_alike_is_new_as_a_whole() {
        check(
            "# L\n\n## D\n\na\n\n- x\n",
            "# L\n\n## D\n\nb\n\n- x\n\n## D\n\na\n\n- x\n",
            &[Some(0), None, None, None, Some(1), Some(2), Some(3)],
        );
    }

    #[test]
    fn a_replaced_stretch_of_any_size_is_not_compared_quadratically() {
        let base: String = (0..20_000).map(|i| format!("old {i}\n\n")).collect();
        let side: String = (0..20_001).map(|i| format!("new {i}\n\n")).collect();
        assert!(identify(&split(&base).units, &split(&side).units).iter().all(Option::is_none));
    }
}
