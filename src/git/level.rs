//! One tree object: its entries in git's order, without taking memory for each.
//! Border: bytes that were read; which object they are of is the reader's business.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use gix::objs::{TreeRef, TreeRefIter};

use crate::base::id::ObjectId;
use crate::git::from_gix;

/// Bytes of tree objects that are kept: those of two sides, their base and their merge, each with
/// 20,000 files.
const LEVELS_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A tree object that is well-formed and in order.
#[derive(Clone)]
pub(super) struct Level {
    raw: Arc<[u8]>,
    hash: gix::hash::Kind,
}

/// One entry of it.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) name: &'a [u8],
    pub(super) is_tree: bool,
    pub(super) mode: u32,
    pub(super) id: ObjectId,
}

/// Tree objects that were read: comparing and looking up ask for the same few again and again.
#[derive(Default)]
pub(super) struct Levels {
    known: HashMap<ObjectId, Level>,
    bytes: usize,
}

impl Level {
    /// The tree without entries.
    pub(super) fn empty(hash: gix::hash::Kind) -> Self {
        Self { raw: Arc::default(), hash }
    }

    /// Takes the bytes of a tree object; `None` when entries are malformed, unsorted or doubled.
    pub(super) fn parse(raw: Vec<u8>, hash: gix::hash::Kind) -> Option<Self> {
        TreeRef::from_bytes(&raw, hash).ok()?;
        let level = Self { raw: raw.into(), hash };
        level.entries().is_sorted_by(|a, b| a.order(b).is_lt()).then_some(level)
    }

    /// The entries in git's order.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        // All were read when the tree was, so none fails now.
        let entries = TreeRefIter::from_bytes(&self.raw, self.hash).map_while(Result::ok);
        entries.map(|entry| Entry {
            name: entry.filename,
            is_tree: entry.mode.is_tree(),
            mode: u32::from(entry.mode.value()),
            id: from_gix(entry.oid),
        })
    }
}

impl Entry<'_> {
    /// Git sorts a folder as if its name ended in `/`.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let same = self.name.len().min(other.name.len());
        let (one, two) = (self.after(same), other.after(same));
        self.name[..same].cmp(&other.name[..same]).then_with(|| one.cmp(two))
    }

    /// The name as git sorts it, from a place on.
    fn after(&self, at: usize) -> impl Iterator<Item = u8> {
        self.name[at..].iter().copied().chain(self.is_tree.then_some(b'/'))
    }
}

impl Levels {
    /// A tree that was read lately.
    pub(super) fn get(&self, tree: ObjectId) -> Option<Level> {
        self.known.get(&tree).cloned()
    }

    pub(super) fn keep(&mut self, tree: ObjectId, level: &Level) {
        self.bytes += level.raw.len();
        if self.bytes > LEVELS_BYTES_MAX {
            self.known.clear();
            self.bytes = level.raw.len();
        }
        self.known.insert(tree, level.clone());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    /// The bytes of a tree object with these entries, in the order given.
    fn tree(entries: &[(&str, bool)]) -> Vec<u8> {
        let mut raw = Vec::new();
        for (name, is_tree) in entries {
            let mode = if *is_tree { "40000" } else { "100644" };
            raw.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            raw.extend_from_slice(&[7; 20]);
        }
        raw
    }

    fn is_taken(entries: &[(&str, bool)]) -> bool {
        Level::parse(tree(entries), gix::hash::Kind::Sha1).is_some()
    }

    #[test]
    fn a_tree_is_taken_only_in_gits_order_and_without_twins() {
        assert!(is_taken(&[]));
        assert!(is_taken(&[("a", false), ("a.md", false), ("a", true), ("ab", false)]));
        assert!(!is_taken(&[("b", false), ("a", false)]));
        assert!(!is_taken(&[("a", true), ("a.md", false)]));
        assert!(!is_taken(&[("a", false), ("a", false)]));
        assert!(Level::parse(b"100644 a".to_vec(), gix::hash::Kind::Sha1).is_none());
    }

    #[test]
    fn what_is_kept_stays_within_its_limit() {
        let mut levels = Levels::default();
        let (count, bytes) = (40_u8, LEVELS_BYTES_MAX / 16);
        for number in 0..count {
            let raw = vec![0; bytes];
            let id = ObjectId::from_bytes(&[number; 20]).unwrap();
            levels.keep(id, &Level { raw: raw.into(), hash: gix::hash::Kind::Sha1 });
            assert!(levels.get(id).is_some());
            let kept: usize = levels.known.values().map(|level| level.raw.len()).sum();
            assert!(kept <= LEVELS_BYTES_MAX && kept == levels.bytes);
        }
    }

    proptest! {
        #[test]
        fn entries_are_ordered_as_if_folders_ended_in_a_slash(
            one in "[-./0a]{1,4}", one_is_tree: bool, two in "[-./0a]{1,4}", two_is_tree: bool,
        ) {
            let entry = |name, is_tree| {
                let id = ObjectId::from_bytes(&[0; 20]).unwrap();
                Entry { name, is_tree, mode: 0, id }
            };
            let key = |name: &str, is_tree| format!("{name}{}", if is_tree { "/" } else { "" });
            let by_key = key(&one, one_is_tree).cmp(&key(&two, two_is_tree));
            let (one, two) = (entry(one.as_bytes(), one_is_tree), entry(two.as_bytes(), two_is_tree));
            prop_assert_eq!(one.order(&two), by_key);
        }
    }
}
