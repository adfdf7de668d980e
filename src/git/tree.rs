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
        self.collect(tree, Vec::new(), 0, &mut files)?;
        Ok(files)
    }

    fn collect(
        &self,
        tree: ObjectId,
        prefix: Vec<u8>,
        depth: usize,
        files: &mut TreeFiles,
    ) -> Result<(), GitError> {
        let malformed = || GitError::Malformed { what: format!("tree {tree}") };
        if depth > TREE_DEPTH_MAX || files.len() > FILES_MAX * 4 {
            return Err(malformed());
        }
        if tree.as_bytes() == gix::ObjectId::empty_tree(self.inner.object_hash()).as_slice() {
            return Ok(());
        }
        let raw = self.object(tree, Kind::Tree, TREE_BYTES_MAX)?;
        let parsed =
            TreeRef::from_bytes(&raw, self.inner.object_hash()).map_err(|_| malformed())?;
        for entry in &parsed.entries {
            let mut path = prefix.clone();
            path.extend_from_slice(entry.filename);
            let id = from_gix(entry.oid);
            if entry.mode.is_tree() {
                path.push(b'/');
                self.collect(id, path, depth + 1, files)?;
            } else if files
                .insert(path, TreeFile { mode: u32::from(entry.mode.value()), id })
                .is_some()
            {
                // git fsck calls this duplicateEntries; two files cannot share a name.
                return Err(malformed());
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
        let files = |tree: Option<ObjectId>| {
            tree.map_or_else(|| Ok(TreeFiles::new()), |t| self.tree_files(t))
        };
        Ok(changes(&files(old)?, &files(new)?))
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
