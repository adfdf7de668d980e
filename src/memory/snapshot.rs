//! All files of a team memory at one moment, as values.
//! Border: holds bytes; does not know where they came from.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::path::MemoryPath;
use crate::memory::document::Document;
use crate::memory::head::Head;
use crate::memory::index::{Mention, mentions};

/// Read access to the files of a team memory, so that large ones need not be loaded whole.
pub trait Files {
    /// Every path, in path order.
    fn paths(&self) -> Box<dyn Iterator<Item = &MemoryPath> + '_>;

    /// The content of a file; `None` when there is no such file.
    fn content(&self, path: &MemoryPath) -> Option<Arc<[u8]>>;

    /// What a memory says of itself; nothing when there is no such file.
    fn head(&self, path: &MemoryPath) -> Head {
        Head::of(&self.content(path).unwrap_or_default())
    }

    /// The files that a memory names; none when there is no such file.
    fn mentions(&self, path: &MemoryPath) -> Arc<[Mention]> {
        mentions_of(&self.content(path).unwrap_or_default())
    }
}

/// The files that the body of a memory names.
pub fn mentions_of(content: &[u8]) -> Arc<[Mention]> {
    mentions(Document::parse(&String::from_utf8_lossy(content)).body()).into()
}

impl Files for Snapshot {
    fn paths(&self) -> Box<dyn Iterator<Item = &MemoryPath> + '_> {
        Box::new(self.files.keys())
    }

    fn content(&self, path: &MemoryPath) -> Option<Arc<[u8]>> {
        self.files.get(path).cloned()
    }
}

/// The files of a team memory by path, in path order. Cheap to clone: contents are shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    files: BTreeMap<MemoryPath, Arc<[u8]>>,
}

impl Snapshot {
    /// The content of a file.
    pub fn get(&self, path: &MemoryPath) -> Option<&Arc<[u8]>> {
        self.files.get(path)
    }

    /// Sets a file.
    pub fn insert(&mut self, path: MemoryPath, content: impl Into<Arc<[u8]>>) {
        self.files.insert(path, content.into());
    }

    /// Removes a file and gives its content.
    pub fn remove(&mut self, path: &MemoryPath) -> Option<Arc<[u8]>> {
        self.files.remove(path)
    }

    /// Every file in path order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&MemoryPath, &Arc<[u8]>)> {
        self.files.iter()
    }

    /// The memories: all files but the index and policy.
    pub fn memories(&self) -> impl Iterator<Item = (&MemoryPath, &Arc<[u8]>)> {
        self.files.iter().filter(|(path, _)| path.is_memory())
    }

    /// The number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file at all.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl FromIterator<(MemoryPath, Arc<[u8]>)> for Snapshot {
    fn from_iter<I: IntoIterator<Item = (MemoryPath, Arc<[u8]>)>>(files: I) -> Self {
        Self { files: files.into_iter().collect() }
    }
}
