//! What commits and the index bring in: new commits of a range, and the files each introduces.
//! Border: works on any repository, however large: equal subtrees are not read.

use std::path::Path;

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::git::repo::Repo;
use crate::git::tree::TreeChange;
use crate::git::{GitError, from_gix, to_gix};
use crate::trust::commit::COMMIT_BYTES_MAX;

/// Annotated tags of tags; people make one around another at most.
const NESTED_TAGS_MAX: usize = 10;

/// A file as a commit or the index has it and no parent does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Introduced {
    /// The raw path.
    pub path: Vec<u8>,
    /// The mode as stored, for example `0o100644`.
    pub mode: u32,
    /// The blob.
    pub id: ObjectId,
    /// What stood there in the first parent.
    pub before: Option<ObjectId>,
}

impl Repo {
    /// The commit an id leads to through annotated tags; `None` when it leads to no commit.
    pub fn peel_to_commit(&self, id: ObjectId) -> Result<Option<ObjectId>, GitError> {
        let error = |source| GitError::Read { what: format!("object {id}"), source };
        let object = self.inner.find_object(to_gix(id)).map_err(error)?;
        let peeled = object.peel_to_kind(gix::objs::Kind::Commit);
        Ok(peeled.ok().map(|commit| from_gix(commit.id)))
    }

    /// The commits reachable from `tips` and from none of `hidden`, in no promised order.
    ///
    /// Hidden ids that are not here are passed over: they cannot hide anything.
    pub fn new_commits(
        &self,
        tips: &[ObjectId],
        hidden: &[ObjectId],
    ) -> Result<Vec<ObjectId>, GitError> {
        Ok(self.walk(tips, hidden)?.into_iter().map(|step| step.id).collect())
    }

    /// The commits all refs with a prefix lead to, for example `refs/remotes/origin/`.
    pub fn commits_of_refs(&self, prefix: &str) -> Result<Vec<ObjectId>, GitError> {
        let error = |source| GitError::Read { what: format!("refs below {prefix}"), source };
        let platform = self.inner.references().map_err(error)?;
        let mut found = Vec::new();
        for reference in platform.prefixed(prefix).map_err(error)? {
            let reference = reference.map_err(|source| GitError::Read {
                what: format!("refs below {prefix}"),
                source: gix::Error::from_error(source),
            })?;
            if let Ok(id) = reference.into_fully_peeled_id() {
                found.extend(self.peel_to_commit(from_gix(id))?);
            }
        }
        Ok(found)
    }

    /// Every ref with a prefix and what it points at, tags not followed, symbolic refs left out.
    pub fn refs_below(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>, GitError> {
        let what = || format!("refs below {prefix}");
        let error = |source| GitError::Read { what: what(), source };
        let platform = self.inner.references().map_err(error)?;
        let mut found = Vec::new();
        for reference in platform.prefixed(prefix).map_err(error)? {
            let reference = reference.map_err(|source| GitError::Read {
                what: what(),
                source: gix::Error::from_error(source),
            })?;
            if let Some(id) = reference.try_id() {
                found.push((reference.name().as_bstr().to_string(), from_gix(id.detach())));
            }
        }
        Ok(found)
    }

    /// Whether a ref is there and stands for another one.
    pub fn is_symbolic(&self, name: &str) -> Result<bool, GitError> {
        let error = |source| GitError::Read { what: format!("ref {}", Escaped(name)), source };
        let found = self.inner.try_find_reference(name).map_err(error)?;
        Ok(found.is_some_and(|reference| reference.try_id().is_none()))
    }

    /// The annotated tags on the way from an object to what is no tag, each as its raw bytes.
    ///
    /// # Errors
    /// More than a few around each other, or one that is larger than any message.
    pub fn annotations(&self, id: ObjectId) -> Result<Vec<(ObjectId, Vec<u8>)>, GitError> {
        let error = |source| GitError::Read { what: format!("object {id}"), source };
        let (mut found, mut at) = (Vec::new(), id);
        while self.inner.find_header(to_gix(at)).map_err(error)?.kind() == gix::objs::Kind::Tag {
            let raw = self.object(at, gix::objs::Kind::Tag, COMMIT_BYTES_MAX as u64)?;
            let malformed = || GitError::Malformed { what: format!("tag {at}") };
            let tag = gix::objs::TagRef::from_bytes(&raw, self.inner.object_hash());
            let target = from_gix(tag.map_err(|_| malformed())?.target());
            if found.len() == NESTED_TAGS_MAX {
                return Err(malformed());
            }
            found.push((at, raw));
            at = target;
        }
        Ok(found)
    }

    /// The files a commit has that none of its parents has in the same place.
    pub fn introduced(&self, commit: ObjectId) -> Result<Vec<Introduced>, GitError> {
        let mut commit = self.commit(commit)?;
        if self.cut_off(&[commit.id])?.is_some() {
            // Where history is cut off everything is new, as it is to whoever has the rest.
            commit.parents.retain(|parent| self.has(*parent));
        }
        let Some((first, others)) = commit.parents.split_first() else {
            return self.introduced_between(None, commit.tree);
        };
        let tree_of = |parent: &ObjectId| Ok::<_, GitError>(self.commit(*parent)?.tree);
        let mut files = self.introduced_between(Some(tree_of(first)?), commit.tree)?;
        for parent in others {
            let also = self.introduced_between(Some(tree_of(parent)?), commit.tree)?;
            files.retain(|file| {
                also.iter().any(|other| other.path == file.path && other.id == file.id)
            });
        }
        Ok(files)
    }

    fn introduced_between(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<Vec<Introduced>, GitError> {
        let file = |change: TreeChange| {
            let new = change.new?;
            let before = change.old.map(|old| old.id);
            Some(Introduced { path: change.path, mode: new.mode, id: new.id, before })
        };
        Ok(self.tree_changes(old, Some(new))?.into_iter().filter_map(file).collect())
    }

    /// The files of an index that the commit at HEAD does not have in the same place.
    pub fn staged(&self, index: &Path) -> Result<Vec<Introduced>, GitError> {
        let what = || "the index".to_owned();
        let error = |source| GitError::Read { what: what(), source };
        if !index.exists() {
            return Ok(Vec::new());
        }
        let index =
            gix::index::File::at(index, self.inner.object_hash(), false, Default::default());
        let index = index.map_err(|source| error(gix::Error::from_error(source)))?;
        let old = match self.head()? {
            Some(head) => {
                self.inner.index_from_tree(&to_gix(self.commit(head)?.tree)).map_err(error)?
            }
            None => {
                let empty = gix::ObjectId::empty_tree(self.inner.object_hash());
                self.inner.index_from_tree(&empty).map_err(error)?
            }
        };
        let mut files = Vec::new();
        for entry in index.entries() {
            let path = entry.path(&index);
            let before = old.entry_by_path(path);
            // A conflict's stages are no content yet; git refuses to commit them itself.
            let is_new = before.is_none_or(|b| b.id != entry.id || b.mode != entry.mode);
            if entry.stage() == gix::index::entry::Stage::Unconflicted && is_new {
                files.push(Introduced {
                    path: path.to_vec(),
                    mode: entry.mode.bits(),
                    id: from_gix(entry.id),
                    before: before.map(|b| from_gix(b.id)),
                });
            }
        }
        Ok(files)
    }
}

impl Repo {
    /// The blob at a path of a tree; `None` when there is none.
    pub fn blob_at(&self, tree: ObjectId, path: &str) -> Result<Option<ObjectId>, GitError> {
        let error = |source| GitError::Read { what: format!("tree {tree}"), source };
        let tree = self.inner.find_tree(to_gix(tree)).map_err(error)?;
        let entry = tree.lookup_entry_by_path(path).map_err(error)?;
        Ok(entry.filter(|entry| entry.mode().is_blob()).map(|entry| from_gix(entry.object_id())))
    }
}
