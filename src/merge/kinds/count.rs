//! Counts lines: a merge must not say anything more often than it was said.
//! Border: whole lines, as text; whose they are does not matter.

use std::collections::HashMap;

/// Whether a line stands more often in the result than in the side that has it more often. Where
/// both sides added it, as often as both together said it. A line that only the result has was made
/// of both edits of one line.
pub(crate) fn says_too_often(base: &str, first: &str, second: &str, merged: &str) -> bool {
    let mut counts: HashMap<&str, [usize; 4]> = HashMap::new();
    for (at, text) in [base, first, second, merged].into_iter().enumerate() {
        for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
            counts.entry(line).or_default()[at] += 1;
        }
    }
    counts.values().any(|[base, first, second, merged]| {
        let both_added = first > base && second > base;
        let most = if both_added { first + second - base } else { *first.max(second) };
        base + first + second > 0 && *merged > most
    })
}

#[cfg(test)]
mod tests {
    use super::says_too_often;

    #[test]
    fn a_line_counts_as_often_as_a_side_has_it_or_both_added_it() {
        assert!(!says_too_often("a\n", "a\nb\n", "a\nb\n", "a\nb\nb\n"));
        assert!(says_too_often("a\n", "a\nb\n", "a\n", "a\nb\nb\n"));
        assert!(says_too_often("a\n", "a\n", "", "a\na\n"));
        assert!(!says_too_often("a\n", "a\na\n", "a\n", "a\na\n"));
    }
}
