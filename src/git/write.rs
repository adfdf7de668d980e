//! Writing blobs, trees, commits and refs, and making them durable.
//! Border: refs move by compare-and-swap only; work tree files are `store`'s.

use std::fs::File;

use gix::bstr::BStr;
use gix::objs::tree::{Editor, EntryKind};
use gix::objs::{Kind, Tree, Write};
use gix::refs::transaction::{PreviousValue, RefEdit};
use gix::refs::{FullName, Target};

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::{EntryMode, MemoryPath};
use crate::git::repo::Repo;
use crate::git::{GitError, from_gix, to_gix};

/// What a ref must be for an update to go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It must not exist.
    Absent,
    /// It must point exactly here.
    At(ObjectId),
    /// Whatever it is; for refs that only memsync writes.
    Any,
}

impl Repo {
    /// The id a blob would have.
    pub fn blob_id(&self, content: &[u8]) -> ObjectId {
        let id = gix::objs::compute_hash(self.inner.object_hash(), Kind::Blob, content);
        from_gix(id.expect("because hashing memory does not fail without a collision attack"))
    }

    /// Writes a blob.
    pub fn write_blob(&self, content: &[u8]) -> Result<ObjectId, GitError> {
        self.write_object(Kind::Blob, content)
    }

    /// Writes an object from its exact bytes, for example a signed commit.
    pub fn write_commit(&self, raw: &[u8]) -> Result<ObjectId, GitError> {
        self.write_object(Kind::Commit, raw)
    }

    fn write_object(&self, kind: Kind, content: &[u8]) -> Result<ObjectId, GitError> {
        let error = |source| GitError::Write { what: format!("a {kind}"), source };
        let id = gix::objs::compute_hash(self.inner.object_hash(), kind, content).map_err(error)?;
        if !self.inner.has_object(id) {
            self.inner.objects.write_buf(kind, content).map_err(error)?;
        }
        self.fresh.borrow_mut().push(id);
        Ok(from_gix(id))
    }

    /// Writes the tree that `base` becomes when each path gets its blob, which must be here (`None` deletes
    /// the path). What the base holds already is not looked for.
    pub fn write_tree(
        &self,
        base: Option<ObjectId>,
        edits: &[(MemoryPath, Option<ObjectId>)],
    ) -> Result<ObjectId, GitError> {
        let error = |source| GitError::Write { what: "a tree".to_owned(), source };
        let base = base.map_or_else(|| gix::ObjectId::empty_tree(self.inner.object_hash()), to_gix);
        let root = self.inner.find_tree(base).map_err(error)?.decode().map_err(error)?.into();
        // gix's own editor would look for every blob of every tree it writes; only these are new.
        let mut editor = Editor::new(root, &self.inner.objects, self.inner.object_hash());
        for (path, blob) in edits {
            let parts = path.components().map(BStr::new);
            match blob {
                Some(id) => {
                    self.inner.find_header(to_gix(*id)).map_err(error)?;
                    editor.upsert(parts, EntryKind::Blob, to_gix(*id)).map_err(error)?
                }
                None => editor.remove(parts).map_err(error)?,
            };
        }
        let write = |tree: &Tree| self.inner.write_object(tree).map(gix::Id::detach);
        let written = from_gix(editor.write(write).map_err(error)?);
        self.note_trees(written, edits);
        Ok(written)
    }

    /// Writes the tree that `base` becomes with one entry that no gate has looked at, as an
    /// attacker would. For the demo and for tests.
    pub fn danger_write_unchecked(
        &self,
        base: ObjectId,
        path: &str,
        content: &[u8],
        mode: EntryMode,
    ) -> Result<ObjectId, GitError> {
        let error = |source| GitError::Write { what: "a tree".to_owned(), source };
        let kind = match mode {
            EntryMode::Symlink => EntryKind::Link,
            _ => EntryKind::Blob,
        };
        let blob = self.write_blob(content)?;
        let mut editor = self.inner.edit_tree(to_gix(base)).map_err(error)?;
        editor.upsert(path, kind, to_gix(blob)).map_err(error)?;
        Ok(from_gix(editor.write().map_err(error)?))
    }

    /// Remembers the trees an edit rewrote, so that they are made durable too.
    fn note_trees(&self, root: ObjectId, edits: &[(MemoryPath, Option<ObjectId>)]) {
        let mut fresh = self.fresh.borrow_mut();
        fresh.push(to_gix(root));
        let Ok(tree) = self.inner.find_tree(to_gix(root)) else { return };
        for (path, _) in edits {
            let parts: Vec<&str> = path.components().collect();
            for depth in 1..parts.len() {
                let found = tree.lookup_entry(parts[..depth].iter().copied());
                fresh.extend(found.ok().flatten().map(|entry| entry.object_id()));
            }
        }
    }

    /// Flushes every object written since the last call to the disk, so that a ref may name them.
    pub fn make_objects_durable(&self) -> Result<(), GitError> {
        let mut ids = std::mem::take(&mut *self.fresh.borrow_mut());
        ids.sort_unstable();
        ids.dedup();
        let objects = self.inner.objects.store_ref().path().to_owned();
        let mut folders = std::collections::BTreeSet::new();
        let mut files = Vec::new();
        for id in ids {
            let hex = id.to_string();
            let folder = objects.join(&hex[..2]);
            let path = folder.join(&hex[2..]);
            // An object that was packed meanwhile is durable already: git syncs packs.
            if let Ok(file) = File::open(&path) {
                files.push(file);
                folders.insert(folder);
            }
        }
        files.extend(folders.iter().filter_map(|folder| File::open(folder).ok()));
        use rayon::prelude::*;
        let error = |source| GitError::Disk { what: "objects".to_owned(), source };
        files.par_iter().try_for_each(File::sync_all).map_err(error)
    }

    /// Moves a ref if it is where it is expected; the reflog gets `reason`.
    pub fn update_ref(
        &self,
        name: &str,
        new: ObjectId,
        expected: Expected,
        reason: &str,
    ) -> Result<(), GitError> {
        let full: FullName = name
            .try_into()
            .map_err(|_| GitError::BadRefName { name: Escaped(name).to_string() })?;
        // gix's MustNotExist lets an equal value pass; ours asks first, git's own rule.
        if expected == Expected::Absent && self.find_ref(name)?.is_some() {
            return Err(GitError::RefMoved { name: name.to_owned() });
        }
        let expected = match expected {
            Expected::Absent => PreviousValue::MustNotExist,
            Expected::At(id) => PreviousValue::MustExistAndMatch(Target::Object(to_gix(id))),
            Expected::Any => PreviousValue::Any,
        };
        let log =
            gix::refs::transaction::LogChange { message: reason.into(), ..Default::default() };
        self.apply(name, RefEdit::update_with_log(full, to_gix(new), expected, log))
    }

    /// Deletes a ref if it exists.
    pub fn delete_ref(&self, name: &str) -> Result<(), GitError> {
        let full: FullName = name
            .try_into()
            .map_err(|_| GitError::BadRefName { name: Escaped(name).to_string() })?;
        self.apply(name, RefEdit::delete(full, PreviousValue::Any))
    }

    /// Points HEAD at a branch, which need not exist yet.
    pub fn set_head(&self, branch: &str) -> Result<(), GitError> {
        let target: FullName = format!("refs/heads/{branch}")
            .try_into()
            .map_err(|_| GitError::BadRefName { name: Escaped(branch).to_string() })?;
        let head: FullName = "HEAD".try_into().expect("because HEAD is a valid ref name");
        self.apply("HEAD", RefEdit::update(head, target, PreviousValue::Any, "memsync: set branch"))
    }

    fn apply(&self, name: &str, edit: RefEdit) -> Result<(), GitError> {
        let time = gix::date::Time::now_utc().to_string();
        let committer = gix::actor::SignatureRef {
            name: "memsync".into(),
            email: "memsync@localhost".into(),
            time: &time,
        };
        let done = self.inner.edit_references_as([edit], Some(committer));
        done.map(drop).map_err(|source| {
            let lock = self.git_dir().join(format!("{name}.lock"));
            if lock.exists() {
                GitError::Locked { path: lock }
            } else if source.is_conflict() {
                GitError::RefMoved { name: name.to_owned() }
            } else {
                GitError::Write { what: format!("ref {}", Escaped(name)), source }
            }
        })
    }
}
