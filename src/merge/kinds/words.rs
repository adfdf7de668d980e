//! Merges two edits inside one block: word by word in prose, line by line in code and tables.
//! Border: gives the merged text only where both edits keep apart; else the caller decides.

use std::ops::Range;

use crate::merge::units::align::{Numbering, align};

/// Edits of two people in one sentence rarely mean the same thing when they are closer than this:
/// `in 5 minutes` → `in 10 minutes` and `in 5 hours` must not become `in 10 hours`.
const WORDS_APART_MIN: usize = 3;

/// Merges prose. `None` when the edits touch, or are fewer than three unchanged words (and less than
/// a whole unchanged line) apart.
pub(crate) fn merge_words(base: &str, first: &str, second: &str) -> Option<String> {
    merge(base, first, second, words, |between| {
        let words = between.iter().filter(|t| !t.trim().is_empty()).count();
        let breaks = between.iter().filter(|t| t.contains('\n')).count();
        words >= WORDS_APART_MIN || (words >= 1 && breaks >= 2)
    })
}

/// Merges line by line. `None` when no unchanged line parts the edits.
pub(crate) fn merge_lines(base: &str, first: &str, second: &str) -> Option<String> {
    merge(base, first, second, whole_lines, |between| !between.is_empty())
}

/// [`merge_lines`] where lines that both sides added at one place all stay, the lesser text first.
pub(crate) fn merge_added_lines(base: &str, first: &str, second: &str) -> Option<String> {
    let (base, first, second) = (whole_lines(base), whole_lines(first), whole_lines(second));
    let mut numbering = Numbering::default();
    let mut hunks_of = |side: &[&str]| -> Vec<Hunk> {
        let mut ids = |lines: &[&str]| -> Vec<u32> {
            lines.iter().map(|line| numbering.number((*line).to_owned())).collect()
        };
        hunks(&align(&ids(&base), &ids(side)), base.len())
    };
    let (one, two) = (hunks_of(&first), hunks_of(&second));
    // Where a hunk goes, whose it is, and what it puts there.
    let mut all: Vec<(&Hunk, bool, &[&str])> = Vec::new();
    all.extend(one.iter().map(|hunk| (hunk, true, &first[hunk.side.clone()])));
    all.extend(two.iter().map(|hunk| (hunk, false, &second[hunk.side.clone()])));
    all.sort_by_key(|(hunk, _, text)| (hunk.base.start, hunk.base.end, *text));
    all.dedup_by(|a, b| a.0.base == b.0.base && a.2 == b.2);
    let is_added = |hunk: &Hunk| hunk.base.is_empty();
    let is_clear = |pair: &[(&Hunk, bool, &[&str])]| {
        let ((a, from_a, _), (b, from_b, _)) = (&pair[0], &pair[1]);
        let together = is_added(a) && is_added(b) && a.base == b.base;
        from_a == from_b || together || a.base.end < b.base.start
    };
    if !all.windows(2).all(is_clear) {
        return None;
    }
    let mut merged = String::new();
    let mut done = 0;
    for (hunk, _, text) in all {
        merged.extend(base[done..hunk.base.start].iter().copied());
        merged.extend(text.iter().copied());
        done = hunk.base.end;
    }
    merged.extend(base[done..].iter().copied());
    Some(merged)
}

/// Merges rows of a table, or other lines in cells, cell by cell. `None` where the columns are not
/// the same or both changed one cell.
pub(crate) fn merge_cells(base: &str, first: &str, second: &str) -> Option<String> {
    let cells = |row: &str| row.split_inclusive('|').map(str::to_owned).collect::<Vec<_>>();
    let (base, first, second) = (cells(base), cells(first), cells(second));
    if base.len() != first.len() || base.len() != second.len() {
        return None;
    }
    let cell = |((base, one), two): ((String, String), String)| match () {
        () if one == two || base == two => Some(one),
        () if base == one => Some(two),
        () => None,
    };
    base.into_iter().zip(first).zip(second).map(cell).collect()
}

fn whole_lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// One replaced stretch: where in the base, and what stands there now.
#[derive(Clone, PartialEq, Eq)]
struct Hunk {
    base: Range<usize>,
    side: Range<usize>,
}

fn merge<'t>(
    base: &'t str,
    first: &'t str,
    second: &'t str,
    split: impl Fn(&'t str) -> Vec<&'t str>,
    apart: impl Fn(&[&str]) -> bool,
) -> Option<String> {
    let (base, first, second) = (split(base), split(first), split(second));
    let mut numbering = Numbering::default();
    let mut numbered =
        |tokens: &[&'t str]| tokens.iter().map(|t| numbering.number(*t)).collect::<Vec<u32>>();
    let (base_ids, first_ids, second_ids) = (numbered(&base), numbered(&first), numbered(&second));
    let one = hunks(&align(&base_ids, &first_ids), base.len());
    let two = hunks(&align(&base_ids, &second_ids), base.len());

    let mut merged = String::new();
    let mut done = 0;
    let (mut i, mut j) = (0, 0);
    // The last hunk written and whose it was, to measure the distance to the next one.
    let mut last: Option<(usize, bool)> = None;
    while i < one.len() || j < two.len() {
        let same = i < one.len()
            && j < two.len()
            && one[i].base == two[j].base
            && first[one[i].side.clone()] == second[two[j].side.clone()];
        let take_first = j >= two.len() || (i < one.len() && starts_before(&one[i], &two[j]));
        let (hunk, tokens) = if take_first { (&one[i], &first) } else { (&two[j], &second) };
        if let Some((end, from_first)) = last
            && (same || from_first != take_first)
            && (hunk.base.start < end || !apart(&base[end..hunk.base.start]))
        {
            return None;
        }
        merged.extend(base[done..hunk.base.start].iter().copied());
        merged.extend(tokens[hunk.side.clone()].iter().copied());
        done = hunk.base.end;
        last = (!same).then_some((done, take_first));
        i += usize::from(same || take_first);
        j += usize::from(same || !take_first);
    }
    merged.extend(base[done..].iter().copied());
    Some(merged)
}

fn starts_before(a: &Hunk, b: &Hunk) -> bool {
    (a.base.start, a.base.end) <= (b.base.start, b.base.end)
}

/// The stretches that are not lined up.
fn hunks(matched: &[Option<usize>], base_len: usize) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let (mut base_at, mut side_at) = (0, 0);
    let ends = matched.iter().enumerate().filter_map(|(side, base)| base.map(|base| (base, side)));
    for (base, side) in ends.chain([(base_len, matched.len())]) {
        if base > base_at || side > side_at {
            hunks.push(Hunk { base: base_at..base, side: side_at..side });
        }
        (base_at, side_at) = (base + 1, side + 1);
    }
    hunks
}

/// Words, runs of white space (line ends on their own) and single ideographs.
fn words(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut last = Class::Start;
    for (at, c) in text.char_indices() {
        let class = Class::of(c);
        if at > start && (class != last || matches!(class, Class::Alone)) {
            tokens.push(&text[start..at]);
            start = at;
        }
        last = class;
    }
    if start < text.len() {
        tokens.push(&text[start..]);
    }
    tokens
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Start,
    Space,
    Word,
    Alone,
}

impl Class {
    fn of(c: char) -> Self {
        match c {
            '\n' => Self::Alone,
            c if c.is_whitespace() => Self::Space,
            // Scripts written without spaces: CJK, kana, full-width forms.
            '\u{2E80}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{FF00}'..='\u{FFEF}'
            | '\u{20000}'..='\u{3FFFF}' => Self::Alone,
            _ => Self::Word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, first: &str, second: &str, expected: Option<&str>) {
        assert_eq!(merge_words(base, first, second).as_deref(), expected);
        assert_eq!(merge_words(base, second, first).as_deref(), expected, "swapped");
    }

    #[test]
    fn edits_far_apart_in_one_paragraph_both_hold() {
        check(
            "Deploys start at noon and the pager stays with Ada.\n",
            "Deploys start at one and the pager stays with Ada.\n",
            "Deploys start at noon and the pager stays with Grace.\n",
            Some("Deploys start at one and the pager stays with Grace.\n"),
        );
    }

    #[test]
    fn edits_close_together_are_left_to_a_person() {
        check("in 5 minutes\n", "in 10 minutes\n", "in 5 hours\n", None);
        check("a b\n", "a c\n", "a d\n", None);
        check("a b\n", "a b c\n", "a b d\n", None);
    }

    #[test]
    fn the_same_edit_counts_once() {
        check("a b c d e f\n", "x b c d e f\n", "x b c d e g\n", Some("x b c d e g\n"));
    }

    #[test]
    fn a_whole_unchanged_line_parts_edits_like_in_git() {
        check("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", Some("A\nb\nC\n"));
        assert_eq!(
            merge_lines("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n").as_deref(),
            Some("A\nb\nC\n")
        );
        assert_eq!(merge_lines("a\nb\n", "A\nb\n", "a\nB\n"), None);
    }

    #[test]
    fn lines_added_at_one_place_all_stay() {
        let check = |base, first, second, expected: Option<&str>| {
            assert_eq!(merge_added_lines(base, first, second).as_deref(), expected);
            assert_eq!(merge_added_lines(base, second, first).as_deref(), expected, "swapped");
        };
        check("a\n", "a\nb\n", "a\nc\n", Some("a\nb\nc\n"));
        check("a\n", "a\nb\n", "a\nb\n", Some("a\nb\n"));
        check("a\nz\n", "A\nz\nb\n", "a\nz\nc\n", Some("A\nz\nb\nc\n"));
        check("a\n", "A\nb\n", "a\nc\n", None);
        check("a\nz\n", "a\nb\nz\n", "a\n", None);
    }

    #[test]
    fn cells_of_a_row_are_merged_one_by_one() {
        let row = |second: &str, third: &str| format!("| a | {second} | {third} |\n");
        let (base, one, two) = (row("1", "x"), row("2", "x"), row("1", "y"));
        assert_eq!(merge_cells(&base, &one, &two), Some(row("2", "y")));
        assert_eq!(merge_cells(&base, &one, &row("3", "x")), None);
        assert_eq!(merge_cells(&base, &one, "| a | 1 |\n"), None);
    }

    #[test]
    fn ideographs_are_words() {
        check(
            "部署在周五下午冻结请先问艾达\n",
            "部署在周六下午冻结请先问艾达\n",
            "部署在周五下午冻结请先问格雷\n",
            Some("部署在周六下午冻结请先问格雷\n"),
        );
    }
}
