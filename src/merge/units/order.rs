//! Puts what two sides keep into one order: base order, moves followed, insertions after their
//! left neighbour. Border: knows keys only; what is kept was decided before.
//!
//! O(n log n). The first side wins where both moved one key to different places.

use std::collections::{HashMap, HashSet};

use crate::merge::units::align::rising;
use crate::merge::unresolved::Pick;

/// What an order asks about its keys.
pub(crate) struct Keys<'k> {
    /// How closely a key belongs to what stands before it: the closer, the greater. A heading of
    /// level 2 less than one of level 3, text more than any heading, an item's own items even more.
    pub(crate) closeness: &'k dyn Fn(u32) -> u8,
    /// The text of a key; of two runs as close the lesser comes first.
    pub(crate) text: &'k dyn Fn(u32) -> &'k str,
    /// Whether the other of the two sides took a key that one side left in its part of the text to
    /// another part: then it says nothing about where that side's additions belong.
    pub(crate) strayed: &'k dyn Fn(Pick, u32) -> bool,
}

/// Merges two orders of unique keys. Every key of `first` and `second` comes out exactly once.
///
/// First what both have is put in order, then what only one has goes behind its left neighbour: the
/// nearest one that the other side has not moved to another part of the text.
///
/// Where both sides put something behind one neighbour, what belongs closest to it comes first, so
/// that text stays under its heading when the other side adds a section there. Otherwise what a side
/// put there stays together.
pub(crate) fn merge_order(
    base: &[u32],
    first: &[u32],
    second: &[u32],
    keys: &Keys<'_>,
) -> Vec<u32> {
    let in_first: HashSet<u32> = first.iter().copied().collect();
    let in_second: HashSet<u32> = second.iter().copied().collect();
    let common_first: Vec<u32> =
        first.iter().copied().filter(|key| in_second.contains(key)).collect();
    let common_second: Vec<u32> =
        second.iter().copied().filter(|key| in_first.contains(key)).collect();
    let known = merge_common(base, &common_first, &common_second);
    let place: HashMap<u32, usize> = known.iter().enumerate().map(|(i, key)| (*key, i)).collect();
    let strayed = keys.strayed;
    let mut runs_first = runs(first, &place, &|_| true, &|key| strayed(Pick::First, key));
    let mut runs_second = runs(second, &place, &|_| true, &|key| strayed(Pick::Second, key));
    make_way(&mut runs_first, Pick::First, &known, keys);
    make_way(&mut runs_second, Pick::Second, &known, keys);
    join(&known, &runs_first, &runs_second, &|one, two| by_closeness(one, two, keys))
}

/// Puts sections that a side inserted behind what the other side moved to the end of the section
/// before them.
fn make_way(runs: &mut [Vec<u32>], side: Pick, known: &[u32], keys: &Keys<'_>) {
    for gap in 0..known.len() {
        let run = std::mem::take(&mut runs[gap]);
        for (closeness, part) in parts(&run, keys) {
            let came =
                |key: &&u32| (keys.strayed)(side, **key) && (keys.closeness)(**key) > closeness;
            let by = known[gap..].iter().take_while(came).count();
            runs[gap + by].extend(part);
        }
    }
}

/// Two runs inserted at one place in one order, the closest parts first.
fn by_closeness(one: &[u32], two: &[u32], keys: &Keys<'_>) -> Vec<u32> {
    let (one, two) = (parts(one, keys), parts(two, keys));
    let mut merged = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < one.len() || j < two.len() {
        let second_leads = match (one.get(i), two.get(j)) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                let text = |part: &[u32]| part.iter().map(|key| (keys.text)(*key)).collect();
                let (a, b): (Vec<&str>, Vec<&str>) = (text(a.1), text(b.1));
                b < a
            }
            (Some(a), Some(b)) => b.0 > a.0,
            (one, _) => one.is_none(),
        };
        let part = if second_leads { two[j].1 } else { one[i].1 };
        merged.extend(part);
        i += usize::from(!second_leads);
        j += usize::from(second_leads);
    }
    merged
}

/// A run cut where something less close than all before it begins.
fn parts<'r>(run: &'r [u32], keys: &Keys<'_>) -> Vec<(u8, &'r [u32])> {
    let mut parts: Vec<(u8, &[u32])> = Vec::new();
    let mut start = 0;
    for (at, key) in run.iter().enumerate() {
        let closeness = (keys.closeness)(*key);
        match parts.last_mut() {
            Some((least, part)) if closeness >= *least => *part = &run[start..=at],
            _ => {
                start = at;
                parts.push((closeness, &run[at..=at]));
            }
        }
    }
    parts
}

/// The order of what both sides have: a key stands where the side that moved it put it.
fn merge_common(base: &[u32], first: &[u32], second: &[u32]) -> Vec<u32> {
    let (moved_first, moved_second) = (moved(base, first), moved(base, second));
    let by_second = |key: u32| moved_second.contains(&key) && !moved_first.contains(&key);
    let skeleton = skeleton(&moved_first, &moved_second, first, second);
    let place: HashMap<u32, usize> =
        skeleton.iter().enumerate().map(|(i, key)| (*key, i)).collect();
    let runs_first = runs(first, &place, &|key| !by_second(key), &|_| false);
    let runs_second = runs(second, &place, &by_second, &|_| false);
    join(&skeleton, &runs_first, &runs_second, &|one, two| [one, two].concat())
}

/// What two runs at one place become.
type Both<'b> = &'b dyn Fn(&[u32], &[u32]) -> Vec<u32>;

/// Puts both sides' runs into the gaps of a sequence.
fn join(
    known: &[u32],
    runs_first: &[Vec<u32>],
    runs_second: &[Vec<u32>],
    both: Both<'_>,
) -> Vec<u32> {
    let mut merged = Vec::with_capacity(known.len());
    for gap in 0..=known.len() {
        if gap > 0 {
            merged.push(known[gap - 1]);
        }
        match (runs_first[gap].as_slice(), runs_second[gap].as_slice()) {
            (run, []) | ([], run) => merged.extend(run),
            (one, two) => merged.extend(both(one, two)),
        }
    }
    merged
}

/// The keys whose relative order both sides agree on.
fn skeleton(
    moved_first: &HashSet<u32>,
    moved_second: &HashSet<u32>,
    first: &[u32],
    second: &[u32],
) -> Vec<u32> {
    let place: HashMap<u32, usize> = second.iter().enumerate().map(|(i, key)| (*key, i)).collect();
    let moved_once = |key: &u32| moved_first.contains(key) != moved_second.contains(key);
    let common: Vec<u32> =
        first.iter().copied().filter(|key| place.contains_key(key) && !moved_once(key)).collect();
    let order: Vec<usize> = common.iter().map(|key| place[key]).collect();
    rising(&order).into_iter().map(|at| common[at]).collect()
}

/// The keys of the base that a side put into another order, as few as possible.
fn moved(base: &[u32], side: &[u32]) -> HashSet<u32> {
    let place: HashMap<u32, usize> = base.iter().enumerate().map(|(i, key)| (*key, i)).collect();
    let common: Vec<u32> = side.iter().copied().filter(|key| place.contains_key(key)).collect();
    let order: Vec<usize> = common.iter().map(|key| place[key]).collect();
    let mut moved: HashSet<u32> = common.iter().copied().collect();
    for at in rising(&order) {
        moved.remove(&common[at]);
    }
    moved
}

/// For each gap of a sequence the keys a side puts there, in its order; `strayed` keys of the
/// sequence say nothing about where their neighbours belong.
fn runs(
    side: &[u32],
    place: &HashMap<u32, usize>,
    owned: &dyn Fn(u32) -> bool,
    strayed: &dyn Fn(u32) -> bool,
) -> Vec<Vec<u32>> {
    let mut runs = vec![Vec::new(); place.len() + 1];
    let mut gap = 0;
    for key in side {
        match place.get(key) {
            Some(_) if strayed(*key) => {}
            Some(at) => gap = at + 1,
            None if owned(*key) => runs[gap].push(*key),
            None => {}
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: &str = "0123456789";

    /// The last digit is the text; the hundreds are the level of a heading, others are text.
    fn merged(base: &[u32], first: &[u32], second: &[u32]) -> Vec<u32> {
        let text = |key: u32| &DIGITS[(key % 10) as usize..=(key % 10) as usize];
        let keys = Keys {
            closeness: &|key| if key < 100 { 7 } else { (key / 100) as u8 },
            text: &text,
            strayed: &|_, _| false,
        };
        merge_order(base, first, second, &keys)
    }

    fn check(base: &[u32], first: &[u32], second: &[u32], expected: &[u32]) {
        assert_eq!(merged(base, first, second), expected);
    }

    #[test]
    fn what_has_no_heading_comes_before_what_has_and_sections_stay_together() {
        check(&[1], &[1, 201, 12, 202], &[1, 13], &[1, 13, 201, 12, 202]);
        check(&[1], &[1, 13, 201, 14], &[1, 15, 202, 16], &[1, 13, 15, 201, 14, 202, 16]);
        check(&[1], &[1, 201, 11, 203], &[1, 202, 12, 204], &[1, 201, 11, 203, 202, 12, 204]);
        check(&[1], &[1, 302, 201], &[1, 301, 202], &[1, 301, 302, 201, 202]);
    }

    #[test]
    fn insertions_stand_after_their_left_neighbour_and_ties_follow_the_caller() {
        check(&[1, 2, 3], &[1, 10, 2, 3], &[1, 2, 3, 11], &[1, 10, 2, 3, 11]);
        check(&[1], &[1, 12, 13], &[1, 11], &[1, 11, 12, 13]);
        check(&[], &[5, 6], &[4], &[4, 5, 6]);
    }

    #[test]
    fn a_move_by_one_side_is_followed_and_by_both_the_first_wins() {
        check(&[1, 2, 3], &[3, 1, 2], &[1, 2, 3], &[3, 1, 2]);
        check(&[1, 2, 3], &[1, 2, 3], &[2, 3, 1], &[2, 3, 1]);
        check(&[1, 2, 3, 4, 5], &[2, 3, 1, 4, 5], &[2, 3, 4, 5, 1], &[2, 3, 1, 4, 5]);
        check(&[1, 2, 3, 4], &[4, 3, 2, 1], &[1, 2, 3, 4], &[4, 3, 2, 1]);
    }

    #[test]
    fn a_key_both_added_stands_once_with_its_followers_behind_it() {
        check(&[1], &[1, 9], &[1, 9, 5], &[1, 9, 5]);
    }

    #[test]
    fn an_insertion_follows_its_neighbour_to_where_the_other_side_moved_it() {
        check(&[1, 2, 3], &[3, 2, 1], &[1, 2, 8, 3], &[3, 2, 8, 1]);
    }

    #[test]
    fn every_key_comes_out_once_for_all_small_orders() {
        let orders: [&[u32]; 10] = [
            &[],
            &[1],
            &[2],
            &[1, 2],
            &[2, 1],
            &[1, 2, 3],
            &[3, 2, 1],
            &[2, 3, 1],
            &[4, 1],
            &[3, 4, 2, 1],
        ];
        for base in orders {
            for first in orders {
                for second in orders {
                    let mut merged = merged(base, first, second);
                    merged.sort_unstable();
                    let mut all: Vec<u32> = first.iter().chain(second).copied().collect();
                    all.sort_unstable();
                    all.dedup();
                    assert_eq!(merged, all, "{base:?} {first:?} {second:?}");
                }
            }
        }
    }
}
