//! Whether the names of a tree can be one folder on every system, tree after tree: what did not change
//! since the last one is not looked at again.
//! Border: gives the verdict of `gate::set_of_any_team`, whichever tree was asked about before.

use std::cell::RefCell;

use crate::base::id::ObjectId;
use crate::base::path::NameSet;
use crate::gate::set_of_any_team;
use crate::gate::verdict::Reason;
use crate::git::repo::Repo;
use crate::memory::limits::FILES_MAX;
use crate::sync::error::SyncError;

/// The names of the last tree in which nothing was wrong.
#[derive(Default)]
pub(crate) struct TreeNames {
    last: RefCell<Option<(ObjectId, NameSet)>>,
}

impl TreeNames {
    /// The first reason why the names of a tree cannot be one folder.
    pub(crate) fn problem(&self, repo: &Repo, tree: ObjectId) -> Result<Option<Reason>, SyncError> {
        if self.follows(repo, tree)? {
            return Ok(None);
        }
        let files = repo.tree_files(tree)?;
        let paths: Vec<&[u8]> = files.keys().map(Vec::as_slice).collect();
        let problem = set_of_any_team(&paths).into_iter().next();
        if problem.is_none() {
            let texts: Vec<_> = paths.iter().map(|path| String::from_utf8_lossy(path)).collect();
            let names = NameSet::of(texts.iter().map(|text| &**text));
            *self.last.borrow_mut() = names.map(|names| (tree, names));
        }
        Ok(problem)
    }

    /// Goes from the last tree to this one; false where that does not show that nothing is wrong.
    fn follows(&self, repo: &Repo, tree: ObjectId) -> Result<bool, SyncError> {
        let Some((last, mut names)) = self.last.take() else { return Ok(false) };
        let changes = repo.tree_changes(Some(last), Some(tree))?;
        let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
        for change in changes.iter().filter(|change| change.new.is_none()) {
            names.remove(&text(&change.path));
        }
        for change in changes.iter().filter(|change| change.old.is_none()) {
            if !names.add(&text(&change.path)) {
                return Ok(false);
            }
        }
        let fits = names.len() <= FILES_MAX;
        if fits {
            *self.last.borrow_mut() = Some((tree, names));
        }
        Ok(fits)
    }
}
