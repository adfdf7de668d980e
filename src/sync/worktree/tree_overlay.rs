//! The files of a tree with edits on top, read only when asked for.
//! Border: a view for the rules; writes nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::id::ObjectId;
use crate::base::path::{EntryMode, MemoryPath};
use crate::git::repo::Repo;
use crate::git::tree::TreeFiles;
use crate::memory::limits::FILE_BYTES_MAX;
use crate::memory::snapshot::Files;
use crate::sync::error::SyncError;

/// The safe path of a file in a tree that was verified or staged.
///
/// Such trees hold safe paths only; anything else was put there past memsync.
pub(crate) fn parse_tree_path(raw: &[u8]) -> Result<MemoryPath, SyncError> {
    MemoryPath::parse_tracked(raw, EntryMode::File).map_err(SyncError::UnsafeTree)
}

/// Edits that may be committed, by path; `None` deletes.
pub(crate) type Edits = BTreeMap<MemoryPath, Option<Arc<[u8]>>>;

/// A lazily read team memory.
pub(crate) struct TreeView<'a> {
    repo: &'a Repo,
    files: BTreeMap<MemoryPath, Source>,
}

enum Source {
    Blob(ObjectId),
    Edit(Arc<[u8]>),
}

impl<'a> TreeView<'a> {
    /// The files of a tree, with edits applied. Paths the gate would refuse are not shown.
    pub(crate) fn new(repo: &'a Repo, tree: &TreeFiles, edits: &Edits) -> Self {
        let safe = |(raw, file): (&Vec<u8>, &crate::git::tree::TreeFile)| {
            Some((parse_tree_path(raw).ok()?, Source::Blob(file.id)))
        };
        let mut files: BTreeMap<MemoryPath, Source> = tree.iter().filter_map(safe).collect();
        for (path, content) in edits {
            match content {
                Some(content) => drop(files.insert(path.clone(), Source::Edit(content.clone()))),
                None => drop(files.remove(path)),
            }
        }
        Self { repo, files }
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
}
