//! Trees as flat lists of files, and what changed between two of them.
//! Border: paths are raw bytes here; only the gate turns them into safe ones.

use std::collections::BTreeMap;

use gix::objs::{Kind, TreeRef};

use super::read::TREE_BYTES_MAX;
use super::repo::Repo;
use super::{GitError, from_gix};
use crate::base::id::ObjectId;
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
        let mut files = TreeFiles::new();
        self.collect(tree, &[], 0, &mut files)?;
        Ok(files)
    }

    fn collect(
        &self,
        tree: ObjectId,
        prefix: &[u8],
        depth: usize,
        files: &mut TreeFiles,
    ) -> Result<(), GitError> {
        if depth > TREE_DEPTH_MAX || files.len() > FILES_MAX * 4 {
            return Err(GitError::Malformed { what: format!("tree {tree}") });
        }
        for entry in self.level(Some(tree))? {
            let mut path = [prefix, entry.name.as_slice()].concat();
            if entry.is_tree {
                path.push(b'/');
                self.collect(entry.file.id, &path, depth + 1, files)?;
            } else {
                files.insert(path, entry.file);
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
            let Some(entry) = level.iter().find(|entry| entry.name == part.as_bytes()) else {
                return Ok(None);
            };
            match (entry.is_tree, parts.peek()) {
                (true, Some(_)) => current = entry.file.id,
                (false, None) => return Ok(Some(entry.file)),
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
        let (mut at_old, mut at_new) = (0, 0);
        while at_old < old.len() || at_new < new.len() {
            let order = match (old.get(at_old), new.get(at_new)) {
                (Some(a), Some(b)) => a.sort_key().cmp(b.sort_key()),
                (Some(_), None) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            let a = order.is_le().then(|| &old[at_old]);
            let b = order.is_ge().then(|| &new[at_new]);
            at_old += usize::from(a.is_some());
            at_new += usize::from(b.is_some());
            if a.map(|a| a.file) == b.map(|b| b.file) {
                continue;
            }
            let any = a.or(b).expect("because one of the two is there");
            let mut path = [prefix, any.name.as_slice()].concat();
            if any.is_tree {
                path.push(b'/');
                let (a, b) = (a.map(|a| a.file.id), b.map(|b| b.file.id));
                self.compare(a, b, &path, depth + 1, found)?;
            } else {
                found.push(TreeChange { path, old: a.map(|a| a.file), new: b.map(|b| b.file) });
            }
        }
        Ok(())
    }

    /// The entries of one tree object in git's order; unsorted or doubled ones are malformed.
    fn level(&self, tree: Option<ObjectId>) -> Result<Vec<Entry>, GitError> {
        let Some(tree) = tree else { return Ok(Vec::new()) };
        let malformed = || GitError::Malformed { what: format!("tree {tree}") };
        if tree.as_bytes() == gix::ObjectId::empty_tree(self.inner.object_hash()).as_slice() {
            return Ok(Vec::new());
        }
        let raw = self.object(tree, Kind::Tree, TREE_BYTES_MAX)?;
        let parsed = TreeRef::from_bytes(&raw, self.inner.object_hash());
        let parsed = parsed.map_err(|_| malformed())?;
        let entry = |entry: &gix::objs::tree::EntryRef<'_>| Entry {
            name: entry.filename.to_vec(),
            is_tree: entry.mode.is_tree(),
            file: TreeFile { mode: u32::from(entry.mode.value()), id: from_gix(entry.oid) },
        };
        let level: Vec<Entry> = parsed.entries.iter().map(entry).collect();
        let in_order = level.windows(2).all(|pair| pair[0].sort_key().lt(pair[1].sort_key()));
        if in_order { Ok(level) } else { Err(malformed()) }
    }
}

/// One entry of one tree object.
struct Entry {
    name: Vec<u8>,
    is_tree: bool,
    file: TreeFile,
}

impl Entry {
    /// Git sorts a folder as if its name ended in `/`.
    fn sort_key(&self) -> impl Iterator<Item = &u8> {
        self.name.iter().chain(self.is_tree.then_some(&b'/'))
    }
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
