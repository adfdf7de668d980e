//! What commits merge to, the same for whoever looks: over all their best merge bases, in any order
//! of parents, with sealed memories left closed.
//! Border: works in the object database only. Our own commits are put onto others' by `replay`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::commits::{origin, snapshot, write_merged};
use crate::base::ancestry::Ancestry;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::git::commit::Commit;
use crate::git::tree::TreeFiles;
use crate::memory::snapshot::Snapshot;
use crate::merge::{Origin, Side, merge_over_unlocked};
use crate::seal::unlock::NoKeys;
use crate::sync::error::SyncError;
use crate::sync::repo::team::Team;
use crate::sync::worktree::tree_overlay::Edits;
use crate::sync::worktree::tree_overlay::{Heads, TreeView, tracked};

/// Makes merges of the commits of one team repository.
pub(crate) struct Merger<'a> {
    team: &'a Team,
    lineage: Lineage,
    commits: RefCell<HashMap<ObjectId, Rc<Commit>>>,
    /// What each commit gave a path that none of its parents had there.
    made: RefCell<HashMap<ObjectId, Rc<Made>>>,
    /// What memories say of themselves that none of the merges touches.
    heads: Heads,
}

/// Paths and what a commit made them; `None` where it removed them.
type Made = BTreeMap<Vec<u8>, Option<ObjectId>>;

/// Commits that are known without reading them again, and how they descend from each other.
#[derive(Clone, Default)]
pub(crate) struct Lineage {
    ids: Vec<ObjectId>,
    places: HashMap<ObjectId, usize>,
    ancestry: Ancestry,
}

/// A side of a merge: the tree, and the commits that made it.
struct Half {
    tree: ObjectId,
    commits: Vec<ObjectId>,
}

impl Lineage {
    /// Adds a commit after its parents; parents that are not here are left out.
    pub(crate) fn push(&mut self, id: ObjectId, parents: &[ObjectId]) {
        if self.places.contains_key(&id) {
            return;
        }
        let known = parents.iter().filter_map(|parent| self.places.get(parent).copied());
        let mut known: Vec<usize> = known.collect();
        known.dedup();
        self.places.insert(id, self.ids.len());
        self.ids.push(id);
        self.ancestry.push(known);
    }

    fn place(&self, id: ObjectId) -> Option<usize> {
        self.places.get(&id).copied()
    }
}

impl<'a> Merger<'a> {
    /// A merger that asks `lineage` first; commits it does not know are looked up in the repository.
    pub(crate) fn new(team: &'a Team, lineage: Lineage) -> Self {
        let (commits, made) = (RefCell::default(), RefCell::default());
        Self { team, lineage, commits, made, heads: Heads::default() }
    }

    /// The tree that commits merge to; `None` when two of them share no history.
    pub(crate) fn merged_tree(&self, parents: &[ObjectId]) -> Result<Option<ObjectId>, SyncError> {
        let mut parents = parents.to_vec();
        parents.sort_unstable();
        let mut parents = parents.into_iter();
        let Some(first) = parents.next() else { return Ok(None) };
        let mut all = Half { tree: self.commit(first)?.tree, commits: vec![first] };
        for parent in parents {
            let bases = self.bases(&all.commits, parent)?;
            if bases.is_empty() {
                return Ok(None);
            }
            let side = Half { tree: self.commit(parent)?.tree, commits: vec![parent] };
            all.tree = self.merge(&bases, &all, &side)?;
            all.commits.push(parent);
        }
        Ok(Some(all.tree))
    }

    fn commit(&self, id: ObjectId) -> Result<Rc<Commit>, SyncError> {
        if let Some(known) = self.commits.borrow().get(&id) {
            return Ok(Rc::clone(known));
        }
        let commit = Rc::new(self.team.repo.commit(id)?);
        self.commits.borrow_mut().insert(id, Rc::clone(&commit));
        Ok(commit)
    }

    /// The best common ancestors of a commit and any of some others.
    fn bases(&self, ours: &[ObjectId], theirs: ObjectId) -> Result<Vec<ObjectId>, SyncError> {
        let mut bases = BTreeSet::new();
        for one in ours {
            match (self.lineage.place(*one), self.lineage.place(theirs)) {
                (Some(one), Some(two)) => {
                    let found = self.lineage.ancestry.best_common(one, two);
                    bases.extend(found.into_iter().map(|at| self.lineage.ids[at]));
                }
                _ => bases.extend(self.team.repo.merge_bases(*one, theirs)?),
            }
        }
        let all: Vec<ObjectId> = bases.iter().copied().collect();
        let mut best = Vec::new();
        for base in &all {
            let mut is_below = false;
            for other in all.iter().filter(|other| *other != base) {
                is_below |= self.is_ancestor(*base, *other)?;
            }
            if !is_below {
                best.push(*base);
            }
        }
        Ok(best)
    }

    fn is_ancestor(&self, old: ObjectId, new: ObjectId) -> Result<bool, SyncError> {
        match (self.lineage.place(old), self.lineage.place(new)) {
            (Some(old), Some(new)) => Ok(self.lineage.ancestry.is_ancestor(old, new)),
            _ => Ok(self.team.repo.is_ancestor(old, new)?),
        }
    }

    /// What some commits have and none of the bases has.
    fn beyond(&self, bases: &[ObjectId], tips: &[ObjectId]) -> Result<Vec<ObjectId>, SyncError> {
        if let ([base], [tip]) = (bases, tips)
            && let (Some(base), Some(tip)) = (self.lineage.place(*base), self.lineage.place(*tip))
        {
            let places = self.lineage.ancestry.beyond(tip, base);
            return Ok(places.into_iter().map(|at| self.lineage.ids[at]).collect());
        }
        let mut found: Option<BTreeSet<ObjectId>> = None;
        for base in bases {
            let mut new = BTreeSet::new();
            for tip in tips {
                match (self.lineage.place(*base), self.lineage.place(*tip)) {
                    (Some(base), Some(tip)) => {
                        let places = self.lineage.ancestry.beyond(tip, base);
                        new.extend(places.into_iter().map(|at| self.lineage.ids[at]));
                    }
                    _ => new.extend(self.team.repo.range(Some(*base), *tip)?),
                }
            }
            found = Some(match found {
                None => new,
                Some(known) => &known & &new,
            });
        }
        Ok(found.unwrap_or_default().into_iter().collect())
    }

    fn merge(&self, bases: &[ObjectId], ours: &Half, theirs: &Half) -> Result<ObjectId, SyncError> {
        let repo = &self.team.repo;
        let mut base_trees = BTreeSet::new();
        for base in bases {
            base_trees.insert(self.commit(*base)?.tree);
        }
        if let [only] = base_trees.iter().collect::<Vec<_>>()[..] {
            if *only == ours.tree || ours.tree == theirs.tree {
                return Ok(theirs.tree);
            }
            if *only == theirs.tree {
                return Ok(ours.tree);
            }
        }
        let mut paths = BTreeSet::new();
        let mut both = BTreeSet::new();
        for base in &base_trees {
            let one = self.changed(*base, ours.tree)?;
            let two = self.changed(*base, theirs.tree)?;
            both.extend(one.intersection(&two).cloned());
            paths.extend(one.into_iter().chain(two));
        }
        let index = MemoryPath::parse("MEMORY.md").expect("because the index has a valid path");
        paths.insert(index);
        let files = repo.tree_files(ours.tree)?;
        let unchanged = TreeView::new(repo, &files, &Edits::new()).remembering(&self.heads);
        let unchanged = unchanged.without(paths.iter());
        let ours_side = self.side(bases, ours, snapshot(self.team, &files, &paths)?, &both)?;
        let their_files = self.files(theirs.tree, &paths)?;
        let theirs_side =
            self.side(bases, theirs, snapshot(self.team, &their_files, &paths)?, &both)?;
        let mut snapshots = Vec::with_capacity(base_trees.len());
        for base in &base_trees {
            snapshots.push(snapshot(self.team, &self.files(*base, &paths)?, &paths)?);
        }
        let merged = merge_over_unlocked(&snapshots, &ours_side, &theirs_side, &unchanged, &NoKeys);
        write_merged(self.team, ours.tree, &files, &paths, &merged)
    }

    fn changed(&self, base: ObjectId, side: ObjectId) -> Result<BTreeSet<MemoryPath>, SyncError> {
        let changes = self.team.repo.tree_changes(Some(base), Some(side))?;
        changes.iter().map(|change| tracked(&change.path)).collect()
    }

    /// Some files of a tree, found without reading the rest of it.
    fn files(&self, tree: ObjectId, paths: &BTreeSet<MemoryPath>) -> Result<TreeFiles, SyncError> {
        let mut files = TreeFiles::new();
        for path in paths {
            if let Some(file) = self.team.repo.tree_file(tree, path.as_str())? {
                files.insert(path.as_str().as_bytes().to_vec(), file);
            }
        }
        Ok(files)
    }

    /// A side with whose its files are, for those that both sides changed.
    fn side(
        &self,
        bases: &[ObjectId],
        half: &Half,
        snapshot: Snapshot,
        both: &BTreeSet<MemoryPath>,
    ) -> Result<Side, SyncError> {
        let mut newest: Option<Origin> = None;
        for id in &half.commits {
            let origin = origin(&*self.commit(*id)?);
            if newest.as_ref().is_none_or(|known| known.compare(&origin).is_lt()) {
                newest = Some(origin);
            }
        }
        let origins =
            if both.is_empty() { BTreeMap::new() } else { self.origins(bases, half, both)? };
        let origin = newest.expect("because a side has a commit");
        Ok(Side { snapshot, origin, origins })
    }

    /// Who made the files what they are on a side: of several who made the same, the one whom a
    /// conflict would favour, so that no order of commits counts.
    fn origins(
        &self,
        bases: &[ObjectId],
        half: &Half,
        paths: &BTreeSet<MemoryPath>,
    ) -> Result<BTreeMap<MemoryPath, Origin>, SyncError> {
        let files = self.files(half.tree, paths)?;
        let mut found: BTreeMap<MemoryPath, Origin> = BTreeMap::new();
        for id in self.beyond(bases, &half.commits)? {
            let made = self.made(id)?;
            for path in paths {
                let raw = path.as_str().as_bytes();
                let here = files.get(raw).map(|file| file.id);
                if made.get(raw) != Some(&here) {
                    continue;
                }
                let origin = origin(&*self.commit(id)?);
                let is_newer = found.get(path).is_none_or(|known| known.compare(&origin).is_lt());
                if is_newer {
                    found.insert(path.clone(), origin);
                }
            }
        }
        Ok(found)
    }

    fn made(&self, id: ObjectId) -> Result<Rc<Made>, SyncError> {
        if let Some(known) = self.made.borrow().get(&id) {
            return Ok(Rc::clone(known));
        }
        let commit = self.commit(id)?;
        let mut made: Option<Made> = None;
        for parent in &commit.parents {
            let changes =
                self.team.repo.tree_changes(Some(self.commit(*parent)?.tree), Some(commit.tree))?;
            let news: Made = changes
                .into_iter()
                .map(|change| (change.path, change.new.map(|file| file.id)))
                .collect();
            made = Some(match made {
                None => news,
                Some(known) => {
                    known.into_iter().filter(|(path, _)| news.contains_key(path)).collect()
                }
            });
        }
        let made = Rc::new(made.unwrap_or_default());
        self.made.borrow_mut().insert(id, Rc::clone(&made));
        Ok(made)
    }
}
