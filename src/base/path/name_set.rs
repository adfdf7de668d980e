//! The paths of one tree, and what a path more or less makes of them, without looking at all again.
//! Border: says only that nothing meets or looks alike; what does is `name_collisions`'s to name.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::name_collisions::{collision_key, imitates};

/// Paths of which no two can be one file, and none looks like another, on any system.
#[derive(Debug, Default)]
pub struct NameSet {
    /// Each file and folder by its key.
    owners: HashMap<String, Owner>,
    files: usize,
}

/// What uses a key.
#[derive(Debug)]
struct Owner {
    spelling: String,
    is_file: bool,
    /// Files in a folder; one for a file.
    users: usize,
}

impl NameSet {
    /// Takes all paths of a tree; `None` where two of them meet, or might be taken for each other.
    pub fn of<'p>(paths: impl Iterator<Item = &'p str>) -> Option<Self> {
        let mut set = Self::default();
        for path in paths {
            if !set.add(path) {
                return None;
            }
        }
        Some(set)
    }

    /// The number of paths.
    pub fn len(&self) -> usize {
        self.files
    }

    /// Whether there is no path.
    pub fn is_empty(&self) -> bool {
        self.files == 0
    }

    /// Adds a path; false where it meets another one or might be taken for one, and then nothing
    /// changes.
    #[must_use]
    pub fn add(&mut self, path: &str) -> bool {
        if imitates(path) {
            return false;
        }
        for (spelling, is_file) in prefixes(path) {
            match self.owners.entry(collision_key(spelling)) {
                Entry::Vacant(free) => {
                    free.insert(Owner { spelling: spelling.to_owned(), is_file, users: 1 });
                }
                Entry::Occupied(mut taken) => {
                    let owner = taken.get_mut();
                    if is_file || owner.is_file || owner.spelling != spelling {
                        self.take_back(path, spelling);
                        return false;
                    }
                    owner.users += 1;
                }
            }
        }
        self.files += 1;
        true
    }

    /// Removes a path that was added.
    pub fn remove(&mut self, path: &str) {
        self.take_back(path, "");
        self.files = self.files.saturating_sub(1);
    }

    /// Removes what the parts of a path before `end` added.
    fn take_back(&mut self, path: &str, end: &str) {
        for (spelling, _) in prefixes(path).take_while(|(spelling, _)| *spelling != end) {
            if let Entry::Occupied(mut taken) = self.owners.entry(collision_key(spelling)) {
                taken.get_mut().users -= 1;
                if taken.get().users == 0 {
                    taken.remove();
                }
            }
        }
    }
}

/// A path's folders and the path itself, and which of them is the file.
fn prefixes(path: &str) -> impl Iterator<Item = (&str, bool)> {
    let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
    ends.map(|end| (&path[..end], end == path.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::base::path::{collisions, lookalikes};

    const NAMES: [&str; 12] = [
        "a.md",
        "A.md",
        "b/a.md",
        "B/c.md",
        "b/d.md",
        "a.md/x.md",
        "straße.md",
        "STRASSE.md",
        "ο.md",
        "o.md",
        "日.md",
        "b",
    ];

    proptest! {
        #[test]
        fn paths_that_come_and_go_are_told_apart_as_all_at_once(
            steps in prop::collection::vec((0..NAMES.len(), prop::bool::ANY), 0..40)
        ) {
            let mut set = NameSet::default();
            let mut there: Vec<&str> = Vec::new();
            for (at, adds) in steps {
                let path = NAMES[at];
                if !adds {
                    if there.contains(&path) {
                        there.retain(|one| *one != path);
                        set.remove(path);
                    }
                    continue;
                }
                if there.contains(&path) {
                    continue;
                }
                let mut all = there.clone();
                all.push(path);
                all.sort_unstable();
                let meets = !collisions(&all).is_empty();
                let is_added = set.add(path);
                // It may be careful, never careless.
                prop_assert!(!is_added || (!meets && lookalikes(&all).is_empty()), "{all:?}");
                prop_assert!(is_added || meets || imitates(path), "{all:?}");
                if is_added {
                    there.push(path);
                }
                prop_assert_eq!(set.len(), there.len());
            }
        }
    }
}
