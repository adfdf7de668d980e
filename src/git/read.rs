//! Reading commits, blobs, refs and ancestry.
//! Border: every read has a limit; nothing is written.

use std::sync::Arc;

use gix::objs::{CommitRef, Find as _, Kind};

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::time::Timestamp;
use crate::git::commit::{Commit, Person};
use crate::git::repo::Repo;
use crate::git::walk::parents_first;
use crate::git::{GitError, from_gix, to_gix};

/// A commit object as it is read. One over the limit of `trust::commit` is refused by its name; only
/// what no machine should hold in memory stops a command.
pub const COMMIT_READ_BYTES_MAX: u64 = 32_000_000;

/// A tree object: 20,000 entries with long names stay below.
pub const TREE_BYTES_MAX: u64 = 10_000_000;

impl Repo {
    /// The commit a ref points at; `None` when there is no such ref.
    pub fn find_ref(&self, name: &str) -> Result<Option<ObjectId>, GitError> {
        let error = |source| GitError::Read { what: format!("ref {}", Escaped(name)), source };
        let Some(mut found) = self.inner.try_find_reference(name).map_err(error)? else {
            return Ok(None);
        };
        Ok(Some(from_gix(found.peel_to_id().map_err(error)?)))
    }

    /// The commit a person names: a ref, an id or its start, `HEAD~2`; `None` when there is none.
    pub fn find_commit(&self, text: &str) -> Result<Option<ObjectId>, GitError> {
        let Ok(found) = self.inner.rev_parse_single(text) else { return Ok(None) };
        let error = |source| GitError::Read { what: format!("commit {}", Escaped(text)), source };
        let peeled = found.object().map_err(error)?.peel_to_commit();
        Ok(peeled.ok().map(|commit| from_gix(commit.id)))
    }

    /// The branch HEAD is on, for example `main`; `None` when HEAD is detached.
    pub fn branch(&self) -> Result<Option<String>, GitError> {
        let error = |source| GitError::Read { what: "HEAD".to_owned(), source };
        let name = self.inner.head_name().map_err(error)?;
        Ok(name.map(|name| name.shorten().to_string()))
    }

    /// The object HEAD resolves to; `None` before the first commit.
    pub fn head(&self) -> Result<Option<ObjectId>, GitError> {
        let head = self
            .inner
            .head()
            .map_err(|source| GitError::Read { what: "HEAD".to_owned(), source })?;
        Ok(head.id().map(from_gix))
    }

    /// Whether an object is here.
    pub fn has(&self, id: ObjectId) -> bool {
        self.inner.has_object(to_gix(id))
    }

    /// Refuses an object that is of another kind, or larger than its reader takes.
    fn admit(&self, id: ObjectId, kind: Kind, limit: u64) -> Result<(), GitError> {
        let what = || format!("{kind} {id}");
        let error = |source| GitError::Read { what: what(), source };
        self.refuse_no_file(id, limit)?;
        let header = self.inner.find_header(to_gix(id)).map_err(error)?;
        if header.kind() != kind {
            return Err(GitError::Malformed { what: what() });
        }
        if header.size() > limit {
            return Err(GitError::TooLarge { id, bytes: header.size(), limit });
        }
        Ok(())
    }

    /// The raw bytes of an object of a known kind, within a limit.
    pub(super) fn object(&self, id: ObjectId, kind: Kind, limit: u64) -> Result<Vec<u8>, GitError> {
        self.admit(id, kind, limit)?;
        let error = |source| GitError::Read { what: format!("{kind} {id}"), source };
        let data = self.inner.find_object(to_gix(id)).map_err(error)?.detach().data;
        self.check_id(id, kind, &data)?;
        Ok(data)
    }

    /// Refuses an object whose file is none: opening a pipe waits for ever.
    fn refuse_no_file(&self, id: ObjectId, limit: u64) -> Result<(), GitError> {
        let hex = id.to_string();
        let path = self.inner.objects.store_ref().path().join(&hex[..2]).join(&hex[2..]);
        match std::fs::symlink_metadata(&path) {
            Ok(stat) if !stat.is_file() => Err(GitError::NotAFile { path, limit }),
            _ => Ok(()),
        }
    }

    /// A blob's content, within a limit.
    pub fn blob(&self, id: ObjectId, limit: u64) -> Result<Arc<[u8]>, GitError> {
        Ok(self.object(id, Kind::Blob, limit)?.into())
    }

    /// Reads a blob, within a limit, into memory that serves for the next one, too.
    pub fn blob_into<'a>(
        &self,
        id: ObjectId,
        limit: u64,
        memory: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], GitError> {
        self.admit(id, Kind::Blob, limit)?;
        let what = || format!("blob {id}");
        let error = |e| GitError::Read { what: what(), source: gix::Error::from_error(e) };
        let found = self.inner.objects.try_find(&to_gix(id), memory).map_err(error)?;
        let data = found.ok_or_else(|| GitError::Malformed { what: what() })?.data;
        self.check_id(id, Kind::Blob, data)?;
        Ok(data)
    }

    /// Refuses bytes that are not those an id stands for: whoever is sent an object computes its id from
    /// the bytes, so only with the right ones is what was judged what was sent.
    fn check_id(&self, id: ObjectId, kind: Kind, data: &[u8]) -> Result<(), GitError> {
        let error = |source| GitError::Read { what: format!("{kind} {id}"), source };
        let found = gix::objs::compute_hash(self.inner.object_hash(), kind, data).map_err(error)?;
        match found == to_gix(id) {
            true => Ok(()),
            false => Err(GitError::Altered { what: format!("{kind} {id}") }),
        }
    }

    /// A blob's size without reading it.
    pub fn blob_size(&self, id: ObjectId) -> Result<u64, GitError> {
        let error = |source| GitError::Read { what: format!("blob {id}"), source };
        Ok(self.inner.find_header(to_gix(id)).map_err(error)?.size())
    }

    /// A commit as it is stored.
    pub(super) fn commit_bytes(&self, id: ObjectId) -> Result<Vec<u8>, GitError> {
        self.object(id, Kind::Commit, COMMIT_READ_BYTES_MAX)
    }

    /// A commit with every field.
    pub fn commit(&self, id: ObjectId) -> Result<Commit, GitError> {
        let raw = self.commit_bytes(id)?;
        parse_commit(id, raw, self.inner.object_hash())
    }

    /// The best common ancestor; `None` for unrelated histories.
    pub fn merge_base(&self, one: ObjectId, two: ObjectId) -> Result<Option<ObjectId>, GitError> {
        // Criss-cross histories have several; the smallest id makes every machine choose the same.
        Ok(self.merge_bases(one, two)?.into_iter().min())
    }

    /// Whether an object is here.
    pub fn contains(&self, id: ObjectId) -> bool {
        self.inner.has_object(to_gix(id))
    }

    /// All best common ancestors of two commits, in no particular order.
    pub fn merge_bases(&self, one: ObjectId, two: ObjectId) -> Result<Vec<ObjectId>, GitError> {
        if one == two {
            return Ok(vec![one]);
        }
        let error = |source| GitError::Read { what: format!("history of {one}"), source };
        let bases = self.inner.merge_bases_many(to_gix(one), &[to_gix(two)]).map_err(error)?;
        Ok(bases.into_iter().map(from_gix).collect())
    }

    /// Whether `old` is `new` or one of its ancestors.
    pub fn is_ancestor(&self, old: ObjectId, new: ObjectId) -> Result<bool, GitError> {
        Ok(old == new || self.walk(&[old], &[new])?.is_empty())
    }

    /// The commits reachable from `tip` but not from `hidden`, parents before children.
    pub fn range(
        &self,
        hidden: Option<ObjectId>,
        tip: ObjectId,
    ) -> Result<Vec<ObjectId>, GitError> {
        if hidden == Some(tip) {
            return Ok(Vec::new());
        }
        let hidden: Vec<ObjectId> = hidden.into_iter().collect();
        let steps = self.walk(&[tip], &hidden)?;
        Ok(parents_first(&[tip], steps))
    }

    /// How many commits `tip` has that `hidden` has not.
    pub fn count(&self, hidden: Option<ObjectId>, tip: ObjectId) -> Result<usize, GitError> {
        Ok(self.range(hidden, tip)?.len())
    }
}

fn parse_commit(id: ObjectId, raw: Vec<u8>, hash: gix::hash::Kind) -> Result<Commit, GitError> {
    let malformed = || GitError::Malformed { what: format!("commit {id}") };
    let parsed = CommitRef::from_bytes(&raw, hash).map_err(|_| malformed())?;
    let person = |signature: gix::actor::SignatureRef<'_>| {
        let time = signature.time().unwrap_or_default();
        let person =
            Person { name: signature.name.to_string(), email: signature.email.to_string() };
        (person, Timestamp { seconds: time.seconds, offset: time.offset })
    };
    let (author, author_time) = person(parsed.author().map_err(|_| malformed())?);
    let (committer, committer_time) = person(parsed.committer().map_err(|_| malformed())?);
    let (tree, parents) = (from_gix(parsed.tree()), parsed.parents().map(from_gix).collect());
    let message = String::from_utf8_lossy(parsed.message).into_owned();
    drop(parsed);
    Ok(Commit { id, tree, parents, author, author_time, committer, committer_time, message, raw })
}
