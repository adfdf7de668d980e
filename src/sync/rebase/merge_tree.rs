//! What commits merge to, the same for whoever looks: over all their best merge bases, in any order
//! of parents, with sealed memories left closed.
//! Border: works in the object database only. Our own commits are put onto others' by `replay`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::commits::{BlobOf, origin, snapshot, write_merged};
use super::moving_tree::{Heads, MovingTree};
use crate::base::ancestry::Ancestry;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::git::commit::Commit;
use crate::git::repo::Repo;
use crate::git::tree::{TreeChange, TreeFile};
use crate::memory::snapshot::Snapshot;
use crate::merge::{Origin, Side, merge_over_unlocked};
use crate::seal::unlock::NoKeys;
use crate::sync::error::SyncError;
use crate::sync::worktree::tree_overlay::parse_tree_path;

/// Makes merges of the commits of one team repository.
pub(crate) struct Merger<'a> {
    repo: &'a Repo,
    lineage: Lineage,
    commits: RefCell<HashMap<ObjectId, Rc<Commit>>>,
    /// What each commit gave a path that none of its parents had there.
    made: RefCell<HashMap<ObjectId, Rc<Made>>>,
    /// The files of the side that was merged last.
    tree: RefCell<MovingTree>,
    /// What memories say of themselves that none of the merges touches.
    heads: Heads,
}

/// What the sides of a merge have otherwise than one of its bases: the blob there and the side's.
struct Differences {
    ours: Changed,
    theirs: Changed,
}

/// Paths with the blob before and after; `None` where there is no file.
type Changed = BTreeMap<MemoryPath, (Option<ObjectId>, Option<ObjectId>)>;

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
    /// What it merges is written to `repo`.
    pub(crate) fn new(repo: &'a Repo, lineage: Lineage) -> Self {
        let (commits, made) = (RefCell::default(), RefCell::default());
        let (tree, heads) = (RefCell::default(), Heads::default());
        Self { repo, lineage, commits, made, tree, heads }
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
        let commit = Rc::new(self.repo.commit(id)?);
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
                _ => bases.extend(self.repo.merge_bases(*one, theirs)?),
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
            _ => Ok(self.repo.is_ancestor(old, new)?),
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
                    _ => new.extend(self.repo.range(Some(*base), *tip)?),
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
        let mut differences = Vec::with_capacity(base_trees.len());
        for base in &base_trees {
            let (ours, theirs) = (ours.tree, theirs.tree);
            let (ours, theirs) = (self.changed(*base, ours)?, self.changed(*base, theirs)?);
            differences.push(Differences { ours, theirs });
        }
        self.tree.borrow_mut().go(self.repo, ours.tree)?;
        let moving = self.tree.borrow();
        let mut paths = BTreeSet::new();
        let mut both = BTreeSet::new();
        for Differences { ours, theirs } in &differences {
            both.extend(ours.keys().filter(|path| theirs.contains_key(path)).cloned());
            paths.extend(ours.keys().chain(theirs.keys()).cloned());
        }
        paths.insert(MemoryPath::parse("MEMORY.md").expect("because the index has a valid path"));
        let our = |path: &MemoryPath| moving.blob(path);
        let base = |at: &Differences, path: &MemoryPath| {
            let before = at.ours.get(path).or_else(|| at.theirs.get(path)).map(|(old, _)| *old);
            before.unwrap_or_else(|| our(path))
        };
        let first = differences.first().expect("because a merge has a base");
        let their = |path: &MemoryPath| {
            let after = first.theirs.get(path).map(|(_, new)| *new);
            after.unwrap_or_else(|| base(first, path))
        };
        let made = |side: &Half, blob: BlobOf<'_>| {
            let snapshot = snapshot(self.repo, blob, &paths)?;
            self.side(bases, side, snapshot, &both, blob)
        };
        let (ours_side, theirs_side) = (made(ours, &our)?, made(theirs, &their)?);
        let mut snapshots = Vec::with_capacity(differences.len());
        for at in &differences {
            snapshots.push(snapshot(self.repo, &|path| base(at, path), &paths)?);
        }
        let unchanged = moving.without(self.repo, &paths, &self.heads);
        let merged = merge_over_unlocked(&snapshots, &ours_side, &theirs_side, &unchanged, &NoKeys);
        write_merged(self.repo, ours.tree, &our, &paths, &merged)
    }

    fn changed(&self, base: ObjectId, side: ObjectId) -> Result<Changed, SyncError> {
        let changes = self.repo.tree_changes(Some(base), Some(side))?;
        let blob = |file: Option<TreeFile>| file.map(|file| file.id);
        let change = |change: TreeChange| {
            Ok((parse_tree_path(&change.path)?, (blob(change.old), blob(change.new))))
        };
        changes.into_iter().map(change).collect()
    }

    /// A side with whose its files are, for those that both sides changed.
    fn side(
        &self,
        bases: &[ObjectId],
        half: &Half,
        snapshot: Snapshot,
        both: &BTreeSet<MemoryPath>,
        blob: BlobOf<'_>,
    ) -> Result<Side, SyncError> {
        let mut newest: Option<Origin> = None;
        for id in &half.commits {
            let origin = origin(&*self.commit(*id)?);
            if newest.as_ref().is_none_or(|known| known.compare(&origin).is_lt()) {
                newest = Some(origin);
            }
        }
        let origins =
            if both.is_empty() { BTreeMap::new() } else { self.origins(bases, half, both, blob)? };
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
        blob: BlobOf<'_>,
    ) -> Result<BTreeMap<MemoryPath, Origin>, SyncError> {
        let mut found: BTreeMap<MemoryPath, Origin> = BTreeMap::new();
        for id in self.beyond(bases, &half.commits)? {
            let made = self.made(id)?;
            for path in paths {
                if made.get(path.as_str().as_bytes()) != Some(&blob(path)) {
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
                self.repo.tree_changes(Some(self.commit(*parent)?.tree), Some(commit.tree))?;
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
