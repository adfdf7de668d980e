//! Counts lines: a merge must not say anything more often than it was said.
//! Border: whole lines, as text; whose they are does not matter.

use std::collections::HashMap;

/// Whether a line stands more often in the result than in the side that has it more often. Where
/// both sides added it, as often as both together said it. A line that only the result has was made
/// of both edits of one line.
///
/// The head of a table is the same line in every section: a side that put one section in the place of
/// another added it too, which the section tells.
pub(crate) fn says_too_often(base: &str, first: &str, second: &str, merged: &str) -> bool {
    let mut counts: HashMap<&str, [usize; 4]> = HashMap::new();
    for (at, text) in [base, first, second, merged].into_iter().enumerate() {
        for line in said(text) {
            counts.entry(line).or_default()[at] += 1;
        }
    }
    counts.iter().any(|(line, [base_has, first_has, second_has, merged_has])| {
        let both_added = first_has > base_has && second_has > base_has;
        let more = *first_has.max(second_has);
        let most = if both_added { first_has + second_has - base_has } else { more };
        base_has + first_has + second_has > 0
            && *merged_has > most
            && !(is_of_table_head(line, merged)
                && *merged_has <= more + added(line, base, first).min(added(line, base, second)))
    })
}

/// The lines that say something.
fn said(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_end).filter(|line| !line.is_empty())
}

/// Whether a line is the line of dashes of a table, or stands above one.
fn is_of_table_head(line: &str, text: &str) -> bool {
    let is_dashes = |line: &str| {
        line.contains('-') && line.contains('|') && line.chars().all(|c| "|-: \t".contains(c))
    };
    let below = said(text).skip(1);
    is_dashes(line) || said(text).zip(below).any(|(above, below)| above == line && is_dashes(below))
}

/// How often a side has a line under headings where the base has it less often.
fn added(line: &str, base: &str, side: &str) -> usize {
    let places = |text| {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut heading = "";
        for it in said(text) {
            heading = if it.starts_with('#') { it } else { heading };
            *places.entry(heading).or_default() += usize::from(it == line);
        }
        places
    };
    let before = places(base);
    let more = |(heading, count): (&str, usize)| {
        count.saturating_sub(before.get(heading).copied().unwrap_or(0))
    };
    places(side).into_iter().map(more).sum()
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

    #[test]
    fn the_head_of_a_table_counts_by_its_section() {
        let table = |name: &str| format!("## {name}\n| k |\n|---|\n| {name} |\n");
        let text = |names: &[&str]| names.iter().copied().map(table).collect::<String>();
        let (base, first, second) = (text(&["a", "b"]), text(&["a", "c"]), text(&["a", "d"]));
        assert!(!says_too_often(&base, &first, &second, &text(&["a", "c", "d"])));
        assert!(says_too_often(&base, &first, &base, &text(&["a", "b", "c"])));
        assert!(says_too_often(&base, &first, &second, &text(&["a", "a", "c", "d"])));
    }
}
