//! A folder of memories on disk as [`Files`]: names at once, contents when asked for.
//! Border: reads beneath the folder and follows no link; needs no git.

use std::path::Path;
use std::sync::Arc;

use crate::base::path::MemoryPath;
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::memory::snapshot::Files;
use crate::system::files::{FileError, FileKind, Root, WalkLimits};

/// Any folder of memories: a team memory, a memory directory, or one of neither.
#[derive(Debug)]
pub struct Folder {
    root: Root,
    paths: Vec<MemoryPath>,
    others: Vec<String>,
}

impl Folder {
    /// Lists a folder.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let root = Root::open(path)?;
        let mut paths = Vec::new();
        let mut others = Vec::new();
        for file in root.walk(WalkLimits::default())? {
            match MemoryPath::parse_bytes(&file.path) {
                Ok(path) if file.stat.kind == FileKind::File => paths.push(path),
                _ => others.push(String::from_utf8_lossy(&file.path).into_owned()),
            }
        }
        paths.sort_unstable();
        Ok(Self { root, paths, others })
    }

    /// The folder as a root for reading and writing.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Names that are no memories: other files, links, and names no team memory may have.
    pub fn others(&self) -> &[String] {
        &self.others
    }

    /// The content of a memory, or why it cannot be read.
    pub fn read(&self, path: &MemoryPath) -> Result<Vec<u8>, FileError> {
        // One byte more than a memory may have, so that reading tells the two apart.
        self.root.read(path.as_str(), MEMORY_BYTES_MAX as u64 + 1)
    }
}

impl Files for Folder {
    fn paths(&self) -> Box<dyn Iterator<Item = &MemoryPath> + '_> {
        Box::new(self.paths.iter())
    }

    /// `None` also for a file that cannot be read; [`Folder::read`] says why.
    fn content(&self, path: &MemoryPath) -> Option<Arc<[u8]>> {
        self.read(path).ok().map(Arc::from)
    }
}
