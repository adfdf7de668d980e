//! Every blob of a history once, with the first commit and path that hold it.
//! Border: lists; judges no content.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use gix::objs::{Kind, TreeRef};

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::git::outgoing::Introduced;
use crate::git::read::TREE_BYTES_MAX;
use crate::git::repo::Repo;
use crate::git::walk::parents_first;
use crate::git::{GitError, from_gix};

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
    /// What tells it from the same bytes elsewhere, see [`By`].
    pub class: u128,
}

/// How the places of a history are gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Each tree once: where it stands tells nothing.
    Trees,
    /// Each tree once at each path.
    Places,
    /// What each commit changes: in which commit it came tells something.
    Changes,
}

/// What tells the same bytes at two places apart: blobs of one id and one class are one.
#[derive(Clone, Copy)]
pub struct By<'a> {
    /// How places are gone through.
    pub listing: Listing,
    /// The class of a path in a commit. With [`Listing::Trees`] it may look at the name alone.
    pub class: &'a dyn Fn(&[u8], Option<ObjectId>) -> u128,
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
        let mut commits = Vec::with_capacity(tips.len());
        for tip in tips {
            match self.commit(tip) {
                Ok(_) => commits.push(tip),
                // Somebody put it there; that it cannot be read must not pass for nothing to read.
                Err(error @ (GitError::Altered { .. } | GitError::NotAFile { .. })) => {
                    return Err(error);
                }
                Err(_) => {}
            }
        }
        Ok(commits)
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

    /// Hands on every blob reachable from `tips` and not from `hidden`, the oldest commit first: once
    /// for each class.
    pub fn each_blob_first_seen(
        &self,
        tips: &[ObjectId],
        hidden: &[ObjectId],
        by: By<'_>,
        found: &mut dyn FnMut(FirstSeen),
    ) -> Result<(), GitError> {
        let commits = parents_first(tips, self.walk(tips, hidden)?);
        let mut lister = Lister::new(self, by);
        if by.listing == Listing::Changes {
            for commit in commits {
                for file in self.introduced(commit)? {
                    lister.hand_on(file, commit, found);
                }
            }
            return Ok(());
        }
        for commit in hidden {
            lister.list(self.commit(*commit)?.tree, None, &mut |_| ())?;
        }
        for commit in commits {
            lister.list(self.commit(commit)?.tree, Some(commit), found)?;
        }
        Ok(())
    }

    /// The blobs of the index that the last commit does not have, each once for each class.
    pub fn staged_blobs(&self, by: By<'_>) -> Result<Vec<FirstSeen>, GitError> {
        let error = |source| GitError::Read { what: "the index".to_owned(), source };
        let index = self.inner.index_or_empty().map_err(|e| error(gix::Error::from_error(e)))?;
        let mut lister = Lister::new(self, by);
        if let Some(head) = self.head()? {
            lister.list(self.commit(head)?.tree, None, &mut |_| ())?;
        }
        let backing = index.path_backing();
        let plain = |entry: &&gix::index::Entry| {
            matches!(
                entry.mode,
                gix::index::entry::Mode::FILE | gix::index::entry::Mode::FILE_EXECUTABLE
            )
        };
        let blob = |entry: &gix::index::Entry| {
            let path = entry.path_in(backing).to_vec();
            let class = (by.class)(&path, None);
            FirstSeen { id: from_gix(entry.id), path, commit: None, class }
        };
        let entries = index.entries().iter().filter(plain).map(blob);
        Ok(entries.filter(|entry| lister.seen.insert((entry.id, entry.class))).collect())
    }
}

/// Goes through trees and remembers what it handed on.
struct Lister<'a> {
    repo: &'a Repo,
    by: By<'a>,
    /// Blobs by their class, trees by where they stand.
    seen: HashSet<(ObjectId, u128)>,
    places: RandomState,
    path: Vec<u8>,
}

impl<'a> Lister<'a> {
    fn new(repo: &'a Repo, by: By<'a>) -> Self {
        let places = RandomState::new();
        Self { repo, by, seen: HashSet::new(), places, path: Vec::new() }
    }

    /// Hands on a file that a commit brings in.
    fn hand_on(&mut self, file: Introduced, commit: ObjectId, found: &mut dyn FnMut(FirstSeen)) {
        // Links and submodules hold no text of a file.
        if file.mode & 0o170_000 != 0o100_000 {
            return;
        }
        let class = (self.by.class)(&file.path, Some(commit));
        if self.seen.insert((file.id, class)) {
            found(FirstSeen { id: file.id, path: file.path, commit: Some(commit), class });
        }
    }

    /// Hands on the blobs below a tree that were not seen; a tree that was seen is not read again.
    fn list(
        &mut self,
        tree: ObjectId,
        commit: Option<ObjectId>,
        found: &mut dyn FnMut(FirstSeen),
    ) -> Result<(), GitError> {
        let hash = self.repo.inner.object_hash();
        let empty = gix::ObjectId::empty_tree(hash);
        let place = match self.by.listing {
            Listing::Trees => 0,
            _ => u128::from(self.places.hash_one(&self.path)) + 1,
        };
        if !self.seen.insert((tree, place)) || tree.as_bytes() == empty.as_slice() {
            return Ok(());
        }
        let malformed = || GitError::Malformed { what: format!("tree {tree}") };
        if self.path.iter().filter(|b| **b == b'/').count() > TREE_DEPTH_MAX {
            return Err(malformed());
        }
        let raw = self.repo.object(tree, Kind::Tree, TREE_BYTES_MAX)?;
        let parsed = TreeRef::from_bytes(&raw, hash).map_err(|_| malformed())?;
        for entry in &parsed.entries {
            let id = from_gix(entry.oid);
            let length = self.path.len();
            self.path.extend_from_slice(entry.filename);
            if entry.mode.is_tree() {
                self.path.push(b'/');
                self.list(id, commit, found)?;
            } else if entry.mode.is_blob() {
                let class = (self.by.class)(&self.path, commit);
                if self.seen.insert((id, class)) {
                    found(FirstSeen { id, path: self.path.clone(), commit, class });
                }
            }
            self.path.truncate(length);
        }
        Ok(())
    }
}
