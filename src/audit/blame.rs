//! What of a text was there before a change: its lines, and the entries of an index.
//! Border: two versions at a time; `sync::blame` walks the history with it.

use std::collections::BTreeMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::memory::index::Entry;

/// Where an entry of an index was before a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// It said the same, at this place among the entries.
    Same(usize),
    /// It was there and said something else.
    Other,
    /// It was not there.
    Nowhere,
}

/// For each new line its place among the old ones; `None` for a line that is new or changed.
pub fn lines_before(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    let mut places = vec![None; new.len()];
    for op in capture_diff_slices(Algorithm::Histogram, old, new) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            for at in 0..len {
                places[new_index + at] = Some(old_index + at);
            }
        }
    }
    places
}

/// For each new entry where it was before; `renamed` gives the old name of a memory by its new one.
///
/// An entry is the same when it points at the same memory with the same title and hook, wherever
/// it stands in the index.
pub fn entries_before(
    old: &[Entry],
    new: &[Entry],
    renamed: &BTreeMap<String, String>,
) -> Vec<Before> {
    let mut used = vec![false; old.len()];
    let mut find = |entry: &Entry| {
        let was = renamed.get(&entry.target).unwrap_or(&entry.target);
        let is_of = |other: &Entry| other.target == entry.target || other.target == *was;
        let same = |(at, other): &(usize, &Entry)| {
            !used[*at] && is_of(other) && other.title == entry.title && other.hook == entry.hook
        };
        let found = old.iter().enumerate().find(same).map(|(at, _)| at);
        match found {
            Some(at) => {
                used[at] = true;
                Before::Same(at)
            }
            None if old.iter().any(is_of) => Before::Other,
            None => Before::Nowhere,
        }
    };
    new.iter().map(&mut find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::index::Index;

    #[test]
    fn a_line_that_stayed_is_found_where_it_was() {
        let old = ["a", "b", "c"];
        assert_eq!(lines_before(&old, &["x", "a", "c"]), [None, Some(0), Some(2)]);
        assert_eq!(lines_before(&[], &["a"]), [None]);
        assert_eq!(lines_before(&old, &old), [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn an_entry_is_known_by_what_it_points_at_wherever_it_stands() {
        let entries = |text: &str| Index::parse(text).entries().cloned().collect::<Vec<Entry>>();
        let old = entries("- [A](a.md) — one\n- [B](b.md) — two\n- [C](c.md) — three\n");
        let new = entries("- [C](c.md) — three\n- [B](b.md) — 2\n- [D](d.md) — one\n- [E](e.md)\n");
        let renamed = BTreeMap::from([("d.md".to_owned(), "a.md".to_owned())]);
        let before = |renamed| entries_before(&old, &new, renamed);
        let expected = [Before::Same(2), Before::Other, Before::Other, Before::Nowhere];
        assert_eq!(before(&renamed), expected, "another title is an edit");
        let kept = entries("- [A](d.md) — one\n");
        assert_eq!(entries_before(&old, &kept, &renamed), [Before::Same(0)]);
        assert_eq!(entries_before(&old, &kept, &BTreeMap::new()), [Before::Nowhere]);
    }
}
