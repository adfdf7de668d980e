//! The files of one tree after another: what two trees share is read once, so that going through many
//! merges costs what they change.
//! Border: a view for the rules; writes nothing.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::git::repo::Repo;
use crate::memory::head::Head;
use crate::memory::index::Mention;
use crate::memory::limits::FILE_BYTES_MAX;
use crate::memory::snapshot::{Files, mentions_of};
use crate::sync::error::SyncError;
use crate::sync::worktree::tree_overlay::parse_tree_path;

/// The files of a tree. Paths the gate would refuse are not shown.
#[derive(Default)]
pub(crate) struct MovingTree {
    tree: Option<ObjectId>,
    files: BTreeMap<MemoryPath, ObjectId>,
}

impl MovingTree {
    /// Goes to another tree.
    pub(crate) fn go(&mut self, repo: &Repo, tree: ObjectId) -> Result<(), SyncError> {
        let changes = match repo.tree_changes(self.tree, Some(tree)) {
            // The last one was made in memory and may be forgotten.
            Err(_) if self.tree.is_some() => {
                self.files.clear();
                repo.tree_changes(None, Some(tree))?
            }
            changes => changes?,
        };
        for change in changes {
            let Ok(path) = parse_tree_path(&change.path) else { continue };
            match change.new {
                Some(file) => drop(self.files.insert(path, file.id)),
                None => drop(self.files.remove(&path)),
            }
        }
        self.tree = Some(tree);
        Ok(())
    }

    /// The blob of a file.
    pub(crate) fn blob(&self, path: &MemoryPath) -> Option<ObjectId> {
        self.files.get(path).copied()
    }

    /// The files but for some.
    pub(crate) fn without<'a>(
        &'a self,
        repo: &'a Repo,
        paths: &'a BTreeSet<MemoryPath>,
        heads: &'a Heads,
    ) -> Rest<'a> {
        Rest { repo, files: &self.files, paths, heads }
    }
}

/// The files that a merge does not handle itself.
pub(crate) struct Rest<'a> {
    repo: &'a Repo,
    files: &'a BTreeMap<MemoryPath, ObjectId>,
    paths: &'a BTreeSet<MemoryPath>,
    heads: &'a Heads,
}

impl Rest<'_> {
    fn blob(&self, path: &MemoryPath) -> Option<ObjectId> {
        self.files.get(path).copied().filter(|_| !self.paths.contains(path))
    }
}

impl Files for Rest<'_> {
    fn paths(&self) -> Box<dyn Iterator<Item = &MemoryPath> + '_> {
        Box::new(self.files.keys().filter(|path| !self.paths.contains(path)))
    }

    fn content(&self, path: &MemoryPath) -> Option<Arc<[u8]>> {
        self.repo.blob(self.blob(path)?, FILE_BYTES_MAX as u64).ok()
    }

    fn head(&self, path: &MemoryPath) -> Head {
        let read = || Head::of(&self.content(path).unwrap_or_default());
        self.blob(path).map_or_else(Head::default, |id| self.heads.heads.of(id, read, Head::len))
    }

    fn mentions(&self, path: &MemoryPath) -> Arc<[Mention]> {
        let read = || mentions_of(&self.content(path).unwrap_or_default());
        let known = |id| self.heads.mentions.of(id, read, mentions_len);
        self.blob(path).map_or_else(Arc::default, known)
    }
}

/// What memories say of themselves and which files they name, by blob: many merges in a row ask for
/// the same ones.
#[derive(Default)]
pub(crate) struct Heads {
    heads: ByBlob<Head>,
    mentions: ByBlob<Arc<[Mention]>>,
}

/// What was read of blobs, within a limit.
struct ByBlob<T> {
    known: RefCell<HashMap<ObjectId, T>>,
    bytes: Cell<usize>,
}

/// Bytes that are kept of them: more than those of a full team memory.
const HEADS_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What one takes beside its texts, roughly.
const HEAD_BYTES: usize = 128;

impl<T> Default for ByBlob<T> {
    fn default() -> Self {
        Self { known: RefCell::default(), bytes: Cell::default() }
    }
}

impl<T: Clone> ByBlob<T> {
    fn of(&self, id: ObjectId, read: impl FnOnce() -> T, len: impl Fn(&T) -> usize) -> T {
        if let Some(known) = self.known.borrow().get(&id) {
            return known.clone();
        }
        let value = read();
        let mut known = self.known.borrow_mut();
        let mut bytes = self.bytes.get() + HEAD_BYTES + len(&value);
        if bytes > HEADS_BYTES_MAX {
            known.clear();
            bytes = HEAD_BYTES + len(&value);
        }
        self.bytes.set(bytes);
        known.insert(id, value.clone());
        value
    }
}

/// The bytes of what a memory names.
fn mentions_len(mentions: &Arc<[Mention]>) -> usize {
    mentions.iter().map(|mention| mention.target.len() + size_of::<Mention>()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_memory_says_is_read_once_and_kept_within_a_limit() {
        let heads = ByBlob::default();
        let id = |number: u8| ObjectId::from_bytes(&[number; 20]).unwrap();
        let head = |length: usize| Head { name: Some("x".repeat(length)), ..Head::default() };
        assert_eq!(heads.of(id(1), || head(3), Head::len), head(3));
        assert_eq!(heads.of(id(1), || panic!("it was read already"), Head::len), head(3));
        assert_eq!(heads.of(id(2), || head(4), Head::len), head(4));
        for number in 3..20 {
            assert_eq!(
                heads.of(id(number), || head(HEADS_BYTES_MAX / 4), Head::len).len(),
                HEADS_BYTES_MAX / 4
            );
            let kept: usize =
                heads.known.borrow().values().map(|head| head.len() + HEAD_BYTES).sum();
            assert!(kept == heads.bytes.get() && kept <= HEADS_BYTES_MAX);
        }
    }
}
