//! Every blob of a history once, with the first commit and path that hold it.
//! Border: lists; judges no content.

use std::collections::HashSet;

use gix::objs::{Kind, TreeRef};

use super::read::TREE_BYTES_MAX;
use super::repo::Repo;
use super::{GitError, from_gix, to_gix};
use crate::base::display::Escaped;
use crate::base::id::ObjectId;

/// Folders inside folders, in any repository.
const TREE_DEPTH_MAX: usize = 256;

/// A blob and where a history holds it first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstSeen {
    /// The blob.
    pub id: ObjectId,
    /// Its raw path.
    pub path: Vec<u8>,
    /// The commit; `None` for a blob that is only staged.
    pub commit: Option<ObjectId>,
}

impl Repo {
    /// What every ref points at, HEAD included, tags followed to their commits.
    pub fn all_tips(&self) -> Result<Vec<ObjectId>, GitError> {
        let error = |source| GitError::Read { what: "the list of refs".to_owned(), source };
        let mut tips: Vec<ObjectId> = self.head()?.into_iter().collect();
        let refs = self.inner.references().map_err(error)?;
        for reference in refs.all().map_err(error)? {
            let Ok(mut reference) = reference else { continue };
            if let Ok(id) = reference.peel_to_id() {
                tips.push(from_gix(id));
            }
        }
        tips.sort_unstable();
        tips.dedup();
        tips.retain(|tip| self.commit(*tip).is_ok());
        Ok(tips)
    }

    /// Refs whose history cannot be read, with the reason: [`Self::all_tips`] leaves them out. A ref
    /// to nothing (`origin/HEAD` of a branch that is gone) or to no commit is none of them.
    pub fn broken_tips(&self) -> Result<Vec<(String, String)>, GitError> {
        let error = |source| GitError::Read { what: "the list of refs".to_owned(), source };
        let mut broken = Vec::new();
        let refs = self.inner.references().map_err(error)?;
        for reference in refs.all().map_err(error)? {
            let mut reference = match reference {
                Ok(reference) => reference,
                Err(source) => {
                    broken.push(("a ref".to_owned(), source.to_string()));
                    continue;
                }
            };
            let name = reference.name().as_bstr().to_string();
            let Some(target) = reference.target().try_id().map(ToOwned::to_owned) else { continue };
            match reference.peel_to_id() {
                Ok(id) if self.has(from_gix(id)) => {}
                _ => broken.push((name, format!("object {target} cannot be read"))),
            }
        }
        Ok(broken)
    }

    /// The commit a person names: a branch, a tag, an id, `HEAD~2`.
    pub fn resolve(&self, name: &str) -> Result<ObjectId, GitError> {
        let error =
            |source| GitError::Read { what: format!("revision `{}`", Escaped(name)), source };
        let found =
            self.inner.rev_parse_single(name).map_err(|e| error(gix::Error::from_error(e)))?;
        let commit = found
            .object()
            .map_err(error)?
            .peel_to_commit()
            .map_err(|e| error(gix::Error::from_error(e)))?;
        Ok(from_gix(commit.id))
    }

    /// Hands on every blob reachable from `tips` and not from `hidden`, the oldest commit first.
    pub fn each_blob_first_seen(
        &self,
        tips: &[ObjectId],
        hidden: &[ObjectId],
        found: &mut dyn FnMut(FirstSeen),
    ) -> Result<(), GitError> {
        let error = |source| GitError::Read { what: "the history".to_owned(), source };
        let walk = self
            .inner
            .rev_walk(tips.iter().copied().map(to_gix))
            .with_hidden(hidden.iter().copied().map(to_gix));
        let mut commits = Vec::new();
        for info in walk.all().map_err(error)? {
            commits.push(from_gix(info.map_err(error)?.id));
        }
        let mut seen = HashSet::new();
        for commit in hidden {
            let tree = self.commit(*commit)?.tree;
            self.new_blobs(tree, None, &mut Vec::new(), &mut seen, &mut |_| ())?;
        }
        // Parents come after their children in the walk.
        for commit in commits.into_iter().rev() {
            let tree = self.commit(commit)?.tree;
            self.new_blobs(tree, Some(commit), &mut Vec::new(), &mut seen, found)?;
        }
        Ok(())
    }

    /// Hands on the blobs below a tree that were not seen; a tree that was seen is not read again.
    fn new_blobs(
        &self,
        tree: ObjectId,
        commit: Option<ObjectId>,
        path: &mut Vec<u8>,
        seen: &mut HashSet<ObjectId>,
        found: &mut dyn FnMut(FirstSeen),
    ) -> Result<(), GitError> {
        let empty = gix::ObjectId::empty_tree(self.inner.object_hash());
        if !seen.insert(tree) || tree.as_bytes() == empty.as_slice() {
            return Ok(());
        }
        let malformed = || GitError::Malformed { what: format!("tree {tree}") };
        if path.iter().filter(|b| **b == b'/').count() > TREE_DEPTH_MAX {
            return Err(malformed());
        }
        let raw = self.object(tree, Kind::Tree, TREE_BYTES_MAX)?;
        let parsed =
            TreeRef::from_bytes(&raw, self.inner.object_hash()).map_err(|_| malformed())?;
        for entry in &parsed.entries {
            let id = from_gix(entry.oid);
            let length = path.len();
            path.extend_from_slice(entry.filename);
            if entry.mode.is_tree() {
                path.push(b'/');
                self.new_blobs(id, commit, path, seen, found)?;
            } else if entry.mode.is_blob() && seen.insert(id) {
                found(FirstSeen { id, path: path.clone(), commit });
            }
            path.truncate(length);
        }
        Ok(())
    }

    /// The blobs of the index that the last commit does not have, each once.
    pub fn staged_blobs(&self) -> Result<Vec<FirstSeen>, GitError> {
        let error = |source| GitError::Read { what: "the index".to_owned(), source };
        let index = self.inner.index_or_empty().map_err(|e| error(gix::Error::from_error(e)))?;
        let mut seen = HashSet::new();
        if let Some(head) = self.head()? {
            let tree = self.commit(head)?.tree;
            self.new_blobs(tree, None, &mut Vec::new(), &mut seen, &mut |_| ())?;
        }
        let backing = index.path_backing();
        let plain = |entry: &&gix::index::Entry| {
            matches!(
                entry.mode,
                gix::index::entry::Mode::FILE | gix::index::entry::Mode::FILE_EXECUTABLE
            )
        };
        let blob = |entry: &gix::index::Entry| FirstSeen {
            id: from_gix(entry.id),
            path: entry.path_in(backing).to_vec(),
            commit: None,
        };
        let entries = index.entries().iter().filter(plain).map(blob);
        Ok(entries.filter(|entry| seen.insert(entry.id)).collect())
    }
}
