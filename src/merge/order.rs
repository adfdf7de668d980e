//! Puts what two sides keep into one order: base order, moves followed, insertions after their
//! left neighbour. Border: knows keys only; what is kept was decided before.
//!
//! O(n log n). The first side wins where both moved one key to different places.

use std::collections::{HashMap, HashSet};

use crate::merge::align::rising;

/// Merges two orders of unique keys. Every key of `first` and `second` comes out exactly once.
///
/// First what both have is put in order, then what only one has goes behind its left neighbour.
/// `before(a, b)` tells which of two runs inserted at one place comes first, by their first keys.
pub(crate) fn merge_order(
    base: &[u32],
    first: &[u32],
    second: &[u32],
    before: &dyn Fn(u32, u32) -> bool,
) -> Vec<u32> {
    let in_first: HashSet<u32> = first.iter().copied().collect();
    let in_second: HashSet<u32> = second.iter().copied().collect();
    let common_first: Vec<u32> =
        first.iter().copied().filter(|key| in_second.contains(key)).collect();
    let common_second: Vec<u32> =
        second.iter().copied().filter(|key| in_first.contains(key)).collect();
    let known = merge_common(base, &common_first, &common_second);
    let place: HashMap<u32, usize> = known.iter().enumerate().map(|(i, key)| (*key, i)).collect();
    let runs_first = runs(first, &place, &|_| true);
    let runs_second = runs(second, &place, &|_| true);
    join(&known, &runs_first, &runs_second, before)
}

/// The order of what both sides have: a key stands where the side that moved it put it.
fn merge_common(base: &[u32], first: &[u32], second: &[u32]) -> Vec<u32> {
    let (moved_first, moved_second) = (moved(base, first), moved(base, second));
    let by_second = |key: u32| moved_second.contains(&key) && !moved_first.contains(&key);
    let skeleton = skeleton(&moved_first, &moved_second, first, second);
    let place: HashMap<u32, usize> =
        skeleton.iter().enumerate().map(|(i, key)| (*key, i)).collect();
    let runs_first = runs(first, &place, &|key| !by_second(key));
    let runs_second = runs(second, &place, &by_second);
    join(&skeleton, &runs_first, &runs_second, &|_, _| false)
}

/// Puts both sides' runs into the gaps of a sequence.
fn join(
    known: &[u32],
    runs_first: &[Vec<u32>],
    runs_second: &[Vec<u32>],
    before: &dyn Fn(u32, u32) -> bool,
) -> Vec<u32> {
    let mut merged = Vec::with_capacity(known.len());
    for gap in 0..=known.len() {
        if gap > 0 {
            merged.push(known[gap - 1]);
        }
        let (one, two) = (&runs_first[gap], &runs_second[gap]);
        let second_leads = match (one.first(), two.first()) {
            (Some(a), Some(b)) => before(*b, *a),
            _ => false,
        };
        let (lead, follow) = if second_leads { (two, one) } else { (one, two) };
        merged.extend(lead.iter().chain(follow));
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

/// For each gap of a sequence the keys a side puts there, in its order.
fn runs(side: &[u32], place: &HashMap<u32, usize>, owned: &dyn Fn(u32) -> bool) -> Vec<Vec<u32>> {
    let mut runs = vec![Vec::new(); place.len() + 1];
    let mut gap = 0;
    for key in side {
        match place.get(key) {
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

    fn check(base: &[u32], first: &[u32], second: &[u32], expected: &[u32]) {
        let before = |a: u32, b: u32| a < b;
        assert_eq!(merge_order(base, first, second, &before), expected);
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
                    let mut merged = merge_order(base, first, second, &|a, b| a < b);
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
