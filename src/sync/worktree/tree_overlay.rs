//! The files of a tree with edits on top, read only when asked for.
//! Border: a view for the rules; writes nothing.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::base::id::ObjectId;
use crate::base::path::{EntryMode, MemoryPath};
use crate::git::repo::Repo;
use crate::git::tree::TreeFiles;
use crate::memory::head::Head;
use crate::memory::limits::FILE_BYTES_MAX;
use crate::memory::snapshot::Files;
use crate::sync::error::SyncError;

/// The safe path of a file in a tree that was verified or staged.
///
/// Such trees hold safe paths only; anything else was put there past memsync.
pub(crate) fn tracked(raw: &[u8]) -> Result<MemoryPath, SyncError> {
    MemoryPath::parse_tracked(raw, EntryMode::File).map_err(SyncError::UnsafeTree)
}

/// Edits that may be committed, by path; `None` deletes.
pub(crate) type Edits = BTreeMap<MemoryPath, Option<Arc<[u8]>>>;

/// A lazily read team memory.
pub(crate) struct TreeView<'a> {
    repo: &'a Repo,
    files: BTreeMap<MemoryPath, Source>,
    heads: Option<&'a Heads>,
}

/// What memories say of themselves, by blob: many merges in a row ask for the same ones.
#[derive(Default)]
pub(crate) struct Heads {
    known: RefCell<HashMap<ObjectId, Head>>,
    bytes: Cell<usize>,
}

/// Bytes that are kept of them: more than those of a full team memory.
const HEADS_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What one takes beside its texts, roughly.
const HEAD_BYTES: usize = 128;

impl Heads {
    fn of(&self, id: ObjectId, read: impl FnOnce() -> Head) -> Head {
        if let Some(known) = self.known.borrow().get(&id) {
            return known.clone();
        }
        let head = read();
        let mut known = self.known.borrow_mut();
        let mut bytes = self.bytes.get() + HEAD_BYTES + head.len();
        if bytes > HEADS_BYTES_MAX {
            known.clear();
            bytes = HEAD_BYTES + head.len();
        }
        self.bytes.set(bytes);
        known.insert(id, head.clone());
        head
    }
}

enum Source {
    Blob(ObjectId),
    Edit(Arc<[u8]>),
}

impl<'a> TreeView<'a> {
    /// The files of a tree, with edits applied. Paths the gate would refuse are not shown.
    pub(crate) fn new(repo: &'a Repo, tree: &TreeFiles, edits: &Edits) -> Self {
        let safe = |(raw, file): (&Vec<u8>, &crate::git::tree::TreeFile)| {
            Some((tracked(raw).ok()?, Source::Blob(file.id)))
        };
        let mut files: BTreeMap<MemoryPath, Source> = tree.iter().filter_map(safe).collect();
        for (path, content) in edits {
            match content {
                Some(content) => drop(files.insert(path.clone(), Source::Edit(content.clone()))),
                None => drop(files.remove(path)),
            }
        }
        Self { repo, files, heads: None }
    }

    /// Keeps what memories say of themselves for other views.
    pub(crate) fn remembering(self, heads: &'a Heads) -> Self {
        Self { heads: Some(heads), ..self }
    }

    /// Leaves out the paths a merge handles itself.
    pub(crate) fn without<'p>(mut self, paths: impl Iterator<Item = &'p MemoryPath>) -> Self {
        for path in paths {
            self.files.remove(path);
        }
        self
    }

    /// Adds a file that is on disk but not in the tree.
    pub(crate) fn with_file(&mut self, path: MemoryPath, content: Arc<[u8]>) {
        self.files.insert(path, Source::Edit(content));
    }
}

impl Files for TreeView<'_> {
    fn paths(&self) -> Box<dyn Iterator<Item = &MemoryPath> + '_> {
        Box::new(self.files.keys())
    }

    fn content(&self, path: &MemoryPath) -> Option<Arc<[u8]>> {
        match self.files.get(path)? {
            Source::Blob(id) => self.repo.blob(*id, FILE_BYTES_MAX as u64).ok(),
            Source::Edit(content) => Some(content.clone()),
        }
    }

    fn head(&self, path: &MemoryPath) -> Head {
        let read = || Head::of(&self.content(path).unwrap_or_default());
        match (self.files.get(path), self.heads) {
            (Some(Source::Blob(id)), Some(heads)) => heads.of(*id, read),
            _ => read(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_memory_says_is_read_once_and_kept_within_a_limit() {
        let heads = Heads::default();
        let id = |number: u8| ObjectId::from_bytes(&[number; 20]).unwrap();
        let head = |length: usize| Head { name: Some("x".repeat(length)), ..Head::default() };
        assert_eq!(heads.of(id(1), || head(3)), head(3));
        assert_eq!(heads.of(id(1), || panic!("it was read already")), head(3));
        assert_eq!(heads.of(id(2), || head(4)), head(4));
        for number in 3..20 {
            assert_eq!(
                heads.of(id(number), || head(HEADS_BYTES_MAX / 4)).len(),
                HEADS_BYTES_MAX / 4
            );
            let kept: usize =
                heads.known.borrow().values().map(|head| head.len() + HEAD_BYTES).sum();
            assert!(kept == heads.bytes.get() && kept <= HEADS_BYTES_MAX);
        }
    }
}
