//! Trees as flat lists of files, and what changed between two of them.
//! Border: paths are raw bytes here; only the gate turns them into safe ones.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use gix::objs::Kind;

use crate::base::id::ObjectId;
use crate::git::level::{Entry, Level};
use crate::git::read::TREE_BYTES_MAX;
use crate::git::repo::Repo;
use crate::git::{GitError, from_gix};
use crate::memory::limits::FILES_MAX;

/// Folders inside folders; far above the path rules, so that those can name the fault.
const TREE_DEPTH_MAX: usize = 64;

/// One file of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// The mode as stored, for example `0o100644`.
    pub mode: u32,
    /// The blob.
    pub id: ObjectId,
}

/// All files of a tree by path.
pub type TreeFiles = BTreeMap<Vec<u8>, TreeFile>;

/// A path that differs between two trees: what was there, what is there now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeChange {
    /// The raw path.
    pub path: Vec<u8>,
    /// Before; `None` when added.
    pub old: Option<TreeFile>,
    /// After; `None` when deleted.
    pub new: Option<TreeFile>,
}

impl Repo {
    /// Every file below a tree.
    pub fn tree_files(&self, tree: ObjectId) -> Result<TreeFiles, GitError> {
        let mut files = Vec::new();
        self.collect(tree, &[], 0, &mut files)?;
        // They come nearly in order, so all at once is much faster than one by one.
        Ok(files.into_iter().collect())
    }

    fn collect(
        &self,
        tree: ObjectId,
        prefix: &[u8],
        depth: usize,
        files: &mut Vec<(Vec<u8>, TreeFile)>,
    ) -> Result<(), GitError> {
        if depth > TREE_DEPTH_MAX || files.len() > FILES_MAX * 4 {
            return Err(GitError::Malformed { what: format!("tree {tree}") });
        }
        for entry in self.level(Some(tree))?.entries() {
            let mut path = [prefix, entry.name].concat();
            if entry.is_tree {
                path.push(b'/');
                self.collect(entry.id, &path, depth + 1, files)?;
            } else {
                files.push((path, file_of(&entry)));
            }
        }
        Ok(())
    }

    /// The differences between two trees, in path order; `None` stands for the empty tree.
    pub fn tree_changes(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
    ) -> Result<Vec<TreeChange>, GitError> {
        if old == new {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        self.compare(old, new, &[], 0, &mut found)?;
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// The files of git's own index; what is in conflict there is left out.
    pub fn staged_files(&self) -> Result<TreeFiles, GitError> {
        let error = |source| GitError::Read { what: "the index".to_owned(), source };
        let index = self.inner.index_or_empty().map_err(|e| error(gix::Error::from_error(e)))?;
        let backing = index.path_backing();
        let merged = |entry: &&gix::index::Entry| entry.flags.stage_raw() == 0;
        let file = |entry: &gix::index::Entry| {
            let file = TreeFile { mode: entry.mode.bits(), id: from_gix(entry.id) };
            (entry.path_in(backing).to_vec(), file)
        };
        Ok(index.entries().iter().filter(merged).map(file).collect())
    }

    /// One file of a tree, found without reading the rest of it.
    pub fn tree_file(&self, tree: ObjectId, path: &str) -> Result<Option<TreeFile>, GitError> {
        let mut current = tree;
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            let level = self.level(Some(current))?;
            let Some(entry) = level.entries().find(|entry| entry.name == part.as_bytes()) else {
                return Ok(None);
            };
            match (entry.is_tree, parts.peek()) {
                (true, Some(_)) => current = entry.id,
                (false, None) => return Ok(Some(file_of(&entry))),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Compares two trees level by level; equal subtrees are not read.
    fn compare(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        prefix: &[u8],
        depth: usize,
        found: &mut Vec<TreeChange>,
    ) -> Result<(), GitError> {
        if depth > TREE_DEPTH_MAX {
            return Err(GitError::Malformed { what: "a tree that is nested too deep".to_owned() });
        }
        let (old, new) = (self.level(old)?, self.level(new)?);
        let (mut old, mut new) = (old.entries().peekable(), new.entries().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (Some(a), Some(b)) => a.order(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Ok(()),
            };
            let a = if order.is_le() { old.next() } else { None };
            let b = if order.is_ge() { new.next() } else { None };
            let (file_a, file_b) = (a.as_ref().map(file_of), b.as_ref().map(file_of));
            if file_a == file_b {
                continue;
            }
            let any = a.or(b).expect("because one of the two is there");
            let mut path = [prefix, any.name].concat();
            if any.is_tree {
                path.push(b'/');
                let (a, b) = (a.map(|a| a.id), b.map(|b| b.id));
                self.compare(a, b, &path, depth + 1, found)?;
            } else {
                found.push(TreeChange { path, old: file_a, new: file_b });
            }
        }
    }

    /// One tree object; unsorted or doubled entries are malformed.
    fn level(&self, tree: Option<ObjectId>) -> Result<Level, GitError> {
        let hash = self.inner.object_hash();
        let empty = gix::ObjectId::empty_tree(hash);
        let Some(tree) = tree.filter(|tree| tree.as_bytes() != empty.as_slice()) else {
            return Ok(Level::empty(hash));
        };
        if let Some(known) = self.levels.borrow().get(tree) {
            return Ok(known);
        }
        let raw = self.object(tree, Kind::Tree, TREE_BYTES_MAX)?;
        let malformed = || GitError::Malformed { what: format!("tree {tree}") };
        let level = Level::parse(raw, hash).ok_or_else(malformed)?;
        self.levels.borrow_mut().keep(tree, &level);
        Ok(level)
    }
}

/// What a tree object says of a file.
fn file_of(entry: &Entry<'_>) -> TreeFile {
    TreeFile { mode: entry.mode, id: entry.id }
}

/// The differences between two flat trees, in path order.
pub fn changes(old: &TreeFiles, new: &TreeFiles) -> Vec<TreeChange> {
    let paths: std::collections::BTreeSet<&Vec<u8>> = old.keys().chain(new.keys()).collect();
    let change = |path: &Vec<u8>| {
        let (old, new) = (old.get(path).copied(), new.get(path).copied());
        (old != new).then(|| TreeChange { path: path.clone(), old, new })
    };
    paths.into_iter().filter_map(change).collect()
}
