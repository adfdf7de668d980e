//! Lines up two sequences of tokens: which element of one side is which element of the base.
//! Border: tokens are numbers; what they stand for is the caller's business.
//!
//! Patience diff (Cohen) on tokens unique in both, Myers on what is left when it is small.
//! Worst case O(n log n) per level, at most [`LEVELS_MAX`] levels, plus [`MYERS_MAX`] per token.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Myers is quadratic in what differs; a longer stretch without unique tokens is taken as replaced.
const MYERS_MAX: usize = 512;

/// Levels of patience; ordinary texts need three or four.
const LEVELS_MAX: usize = 24;

/// For each element of `side` its element in `base`; strictly rising where present.
pub(crate) fn align(base: &[u32], side: &[u32]) -> Vec<Option<usize>> {
    let mut matched = vec![None; side.len()];
    // An explicit stack: depth of recursion must not depend on the input.
    let mut open = vec![(0..base.len(), 0..side.len(), 0)];
    while let Some((base_range, side_range, level)) = open.pop() {
        let (b, s) = take_common_ends(base, side, base_range, side_range, &mut matched);
        if b.is_empty() || s.is_empty() {
            continue;
        }
        let anchors = if level < LEVELS_MAX {
            unique_anchors(&base[b.clone()], &side[s.clone()])
        } else {
            Vec::new()
        };
        if anchors.is_empty() {
            if b.len() + s.len() <= MYERS_MAX {
                myers(base, side, b, s, &mut matched);
            }
            continue;
        }
        let (mut from_base, mut from_side) = (b.start, s.start);
        for (i, j) in anchors {
            let (i, j) = (b.start + i, s.start + j);
            matched[j] = Some(i);
            open.push((from_base..i, from_side..j, level + 1));
            (from_base, from_side) = (i + 1, j + 1);
        }
        open.push((from_base..b.end, from_side..s.end, level + 1));
    }
    matched
}

/// Gives every distinct value a number, the same in all sequences numbered by one value.
#[derive(Default)]
pub(crate) struct Numbering<T> {
    numbers: HashMap<T, u32>,
}

impl<T: Eq + Hash> Numbering<T> {
    /// The number of a value.
    pub(crate) fn number(&mut self, value: T) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(value).or_insert(next)
    }
}

/// The positions of a longest strictly rising subsequence.
pub(crate) fn rising(values: &[usize]) -> Vec<usize> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; values.len()];
    for (at, value) in values.iter().enumerate() {
        let place = tails.partition_point(|tail| values[*tail] < *value);
        if place > 0 {
            before[at] = tails[place - 1];
        }
        if place == tails.len() {
            tails.push(at);
        } else {
            tails[place] = at;
        }
    }
    let mut chain = Vec::with_capacity(tails.len());
    let mut at = tails.last().copied().unwrap_or(usize::MAX);
    while at != usize::MAX {
        chain.push(at);
        at = before[at];
    }
    chain.reverse();
    chain
}

/// Matches the equal beginning and end, and gives what is left between.
fn take_common_ends(
    base: &[u32],
    side: &[u32],
    mut b: Range<usize>,
    mut s: Range<usize>,
    matched: &mut [Option<usize>],
) -> (Range<usize>, Range<usize>) {
    while !b.is_empty() && !s.is_empty() && base[b.start] == side[s.start] {
        matched[s.start] = Some(b.start);
        b.start += 1;
        s.start += 1;
    }
    while !b.is_empty() && !s.is_empty() && base[b.end - 1] == side[s.end - 1] {
        b.end -= 1;
        s.end -= 1;
        matched[s.end] = Some(b.end);
    }
    (b, s)
}

/// Tokens that occur once in each, in the longest order both agree on.
fn unique_anchors(base: &[u32], side: &[u32]) -> Vec<(usize, usize)> {
    let mut seen: HashMap<u32, (usize, usize, usize)> = HashMap::with_capacity(base.len());
    for (at, token) in base.iter().enumerate() {
        seen.entry(*token).and_modify(|e| e.0 += 1).or_insert((1, 0, at));
    }
    for token in side {
        if let Some(entry) = seen.get_mut(token) {
            entry.1 += 1;
        }
    }
    let pair = |(at, token): (usize, &u32)| match seen.get(token) {
        Some((1, 1, in_base)) => Some((*in_base, at)),
        _ => None,
    };
    let pairs: Vec<(usize, usize)> = side.iter().enumerate().filter_map(pair).collect();
    let order: Vec<usize> = pairs.iter().map(|(in_base, _)| *in_base).collect();
    rising(&order).into_iter().map(|at| pairs[at]).collect()
}

fn myers(
    base: &[u32],
    side: &[u32],
    b: Range<usize>,
    s: Range<usize>,
    matched: &mut [Option<usize>],
) {
    for op in capture_diff_slices(Algorithm::Myers, &base[b.clone()], &side[s.clone()]) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            for at in 0..len {
                matched[s.start + new_index + at] = Some(b.start + old_index + at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &[u32], side: &[u32], expected: &[Option<usize>]) {
        assert_eq!(align(base, side), expected, "{base:?} {side:?}");
    }

    #[test]
    fn equal_elements_are_lined_up_in_order() {
        check(&[], &[1], &[None]);
        check(&[1, 2, 3], &[1, 3], &[Some(0), Some(2)]);
        check(&[1, 2, 3], &[1, 9, 2, 3], &[Some(0), None, Some(1), Some(2)]);
        check(&[5, 5, 5], &[5, 5], &[Some(0), Some(1)]);
        check(&[1, 7, 7, 2], &[1, 7, 8, 7, 2], &[Some(0), Some(1), None, Some(2), Some(3)]);
    }

    #[test]
    fn a_long_stretch_without_unique_tokens_costs_no_quadratic_time() {
        let base: Vec<u32> = (0..200_000).map(|i| i % 2).collect();
        let side: Vec<u32> = (0..200_000).map(|i| (i / 2) % 2).collect();
        assert_eq!(align(&base, &side).len(), side.len());
    }

    #[test]
    fn the_longest_rising_chain_is_found() {
        assert_eq!(rising(&[3, 0, 1, 4, 2]), [1, 2, 4]);
        assert!(rising(&[]).is_empty());
    }
}
