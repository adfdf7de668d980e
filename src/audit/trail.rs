//! Follows one file through a history, across renames and merges.
//! Border: works on what each change did to which path; finds no renames itself.

use std::collections::{BTreeSet, HashMap};

use super::event::{ChangeKind, Touched};
use crate::base::id::ObjectId;

/// A walk from the newest commit to the oldest that knows the file's names on every line of history.
#[derive(Clone, Debug)]
pub struct Trail {
    names: HashMap<ObjectId, BTreeSet<String>>,
}

impl Trail {
    /// Starts at a tip with the file's name there, or the name it had when it was deleted.
    pub fn new(tip: ObjectId, path: &str) -> Self {
        Self { names: HashMap::from([(tip, BTreeSet::from([path.to_owned()]))]) }
    }

    /// Goes over one commit, children before parents; gives the places of the file among its
    /// changes. An empty answer means it did not touch the file.
    pub fn step(
        &mut self,
        commit: ObjectId,
        parents: &[ObjectId],
        files: &[Touched],
    ) -> Vec<usize> {
        let Some(mut names) = self.names.remove(&commit) else { return Vec::new() };
        let touches = |(_, file): &(usize, &Touched)| names.contains(&file.path);
        let hits: Vec<usize> = files.iter().enumerate().filter(touches).map(|(at, _)| at).collect();
        for at in &hits {
            let file = &files[*at];
            match (file.deed, &file.from) {
                (ChangeKind::Renamed, Some(from)) => {
                    names.remove(&file.path);
                    names.insert(from.clone());
                }
                // What bore this name before was another memory.
                (ChangeKind::Added, _) => drop(names.remove(&file.path)),
                _ => {}
            }
        }
        if !names.is_empty() {
            for parent in parents {
                self.names.entry(*parent).or_default().extend(names.iter().cloned());
            }
        }
        hits
    }

    /// Whether the file can still be found further back.
    pub fn is_over(&self) -> bool {
        self.names.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: [usize; 0] = [];

    fn id(n: u8) -> ObjectId {
        ObjectId::from_bytes(&[n; 20]).unwrap()
    }

    fn touched(path: &str, deed: ChangeKind, from: Option<&str>) -> Touched {
        let from = from.map(str::to_owned);
        Touched { path: path.to_owned(), deed, from, fields: Vec::new(), old: None, new: None }
    }

    #[test]
    fn a_renamed_file_is_followed_to_where_it_was_added_and_no_further() {
        let mut trail = Trail::new(id(9), "b.md");
        assert_eq!(
            trail.step(id(9), &[id(8)], &[touched("x.md", ChangeKind::Edited, None)]),
            NOTHING
        );
        let rename = [
            touched("x.md", ChangeKind::Edited, None),
            touched("b.md", ChangeKind::Renamed, Some("a.md")),
        ];
        assert_eq!(trail.step(id(8), &[id(7)], &rename), [1]);
        let other = [touched("b.md", ChangeKind::Deleted, None)];
        assert_eq!(
            trail.step(id(7), &[id(6)], &other),
            NOTHING,
            "another memory had the new name before"
        );
        assert_eq!(trail.step(id(6), &[id(5)], &[touched("a.md", ChangeKind::Added, None)]), [0]);
        assert!(trail.is_over());
        assert_eq!(trail.step(id(5), &[], &[touched("a.md", ChangeKind::Deleted, None)]), NOTHING);
    }

    #[test]
    fn both_lines_of_history_before_a_merge_are_followed() {
        let mut trail = Trail::new(id(4), "a.md");
        assert_eq!(trail.step(id(4), &[id(2), id(3)], &[]), NOTHING);
        assert_eq!(trail.step(id(3), &[id(1)], &[touched("a.md", ChangeKind::Edited, None)]), [0]);
        assert_eq!(trail.step(id(2), &[id(1)], &[touched("a.md", ChangeKind::Edited, None)]), [0]);
        assert_eq!(trail.step(id(1), &[], &[touched("a.md", ChangeKind::Added, None)]), [0]);
    }
}
