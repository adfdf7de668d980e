//! Walks commits by what the objects themselves say: no replacement, no graph file, no cut between.
//! Border: ids and parents; every commit is read through [`Repo::commit_parents`], which checks that its
//! bytes are the ones its id stands for.
//!
//! The list of a shallow clone excuses parents that are not here, and hides none that are: a commit that
//! can be sent can be judged.

use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap, HashSet};

use gix::objs::CommitRef;

use crate::base::id::ObjectId;
use crate::git::GitError;
use crate::git::repo::Repo;

/// A commit on a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) id: ObjectId,
    /// Its parents that are here.
    pub(super) parents: Vec<ObjectId>,
}

/// From which side a commit is reached.
const SHOWN: u8 = 1;
const HIDDEN: u8 = 2;
/// Reached from both, and said to its parents.
const SETTLED: u8 = 4;

/// What is known of a commit.
struct Node {
    parents: Vec<ObjectId>,
    time: i64,
    flags: u8,
}

impl Repo {
    /// The commits reachable from `tips` and from none of `hidden`, newest first as far as their dates
    /// are to be believed. Hidden ids that are not here hide nothing.
    pub(super) fn walk(
        &self,
        tips: &[ObjectId],
        hidden: &[ObjectId],
    ) -> Result<Vec<Step>, GitError> {
        let cut = self.cut_list()?;
        let frontier = match hidden.is_empty() {
            true => HashSet::new(),
            false => self.frontier(tips, hidden, &cut)?,
        };
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut open = BinaryHeap::new();
        let mut parents_of = HashMap::new();
        let mut push = |id: ObjectId, open: &mut BinaryHeap<_>, parents_of: &mut HashMap<_, _>| {
            if !frontier.contains(&id) && seen.insert(id) {
                let (parents, time) = self.commit_parents(id, &cut)?;
                parents_of.insert(id, parents);
                open.push((time, id));
            }
            Ok::<_, GitError>(())
        };
        for tip in tips {
            push(*tip, &mut open, &mut parents_of)?;
        }
        while let Some((_, id)) = open.pop() {
            let parents = parents_of.remove(&id).unwrap_or_default();
            for parent in &parents {
                push(*parent, &mut open, &mut parents_of)?;
            }
            found.push(Step { id, parents });
        }
        Ok(found)
    }

    /// Where the walk must stop: the newest commits that the hidden ones reach, too, and all that were
    /// met below them.
    fn frontier(
        &self,
        tips: &[ObjectId],
        hidden: &[ObjectId],
        cut: &HashSet<ObjectId>,
    ) -> Result<HashSet<ObjectId>, GitError> {
        let mut nodes: HashMap<ObjectId, Node> = HashMap::new();
        let mut open = BinaryHeap::new();
        // Those in `open` whose parents may still hear something new.
        let mut unsettled: HashSet<ObjectId> = HashSet::new();
        let starts = tips.iter().map(|id| (*id, SHOWN));
        let here = hidden.iter().filter(|id| self.has(**id)).map(|id| (*id, HIDDEN));
        let mut work: Vec<(ObjectId, u8)> = starts.chain(here).collect();
        loop {
            for (id, flags) in work.drain(..) {
                if let Entry::Vacant(vacant) = nodes.entry(id) {
                    let (parents, time) = self.commit_parents(id, cut)?;
                    vacant.insert(Node { parents, time, flags: 0 });
                }
                let node = nodes.get_mut(&id).expect("because it was just put there");
                if node.flags & flags == flags {
                    continue;
                }
                node.flags |= flags;
                open.push((node.time, id));
                match node.flags & SETTLED {
                    0 => unsettled.insert(id),
                    _ => unsettled.remove(&id),
                };
            }
            let Some((_, id)) = open.pop().filter(|_| !unsettled.is_empty()) else { break };
            unsettled.remove(&id);
            let node = nodes.get_mut(&id).expect("because every open commit is known");
            if node.flags & (SHOWN | HIDDEN) == SHOWN | HIDDEN {
                node.flags |= SETTLED;
            }
            work.extend(node.parents.iter().map(|parent| (*parent, node.flags)));
        }
        Ok(closed(&nodes))
    }

    /// The parents of a commit that are here, and when it was committed.
    fn commit_parents(
        &self,
        id: ObjectId,
        cut: &HashSet<ObjectId>,
    ) -> Result<(Vec<ObjectId>, i64), GitError> {
        let raw = self.commit_bytes(id)?;
        let malformed = || GitError::Malformed { what: format!("commit {id}") };
        let commit =
            CommitRef::from_bytes(&raw, self.inner.object_hash()).map_err(|_| malformed())?;
        let time =
            commit.committer().ok().and_then(|who| who.time().ok()).map_or(0, |time| time.seconds);
        let mut parents: Vec<ObjectId> = commit.parents().map(crate::git::from_gix).collect();
        if cut.contains(&id) {
            parents.retain(|parent| self.has(*parent));
        }
        Ok((parents, time))
    }

    /// The commits whose parents may be missing, as `git clone --depth` leaves them.
    fn cut_list(&self) -> Result<HashSet<ObjectId>, GitError> {
        let error =
            |source| GitError::Read { what: "the list of a shallow clone".to_owned(), source };
        let commits = self.inner.shallow_commits().map_err(error)?;
        Ok(commits.iter().flat_map(|list| list.iter()).map(crate::git::from_gix).collect())
    }

    /// The list of a shallow clone as git writes it, as far as its commits are here and their parents
    /// are not; empty where nothing is cut off.
    pub(super) fn cut_text(&self) -> Result<String, GitError> {
        let mut cut: Vec<ObjectId> = self.cut_list()?.into_iter().collect();
        cut.sort_unstable();
        let mut text = String::new();
        for id in cut.into_iter().filter(|id| self.has(*id)) {
            if self.cut_off(&[id])?.is_some() {
                text.push_str(&format!("{id}\n"));
            }
        }
        Ok(text)
    }

    /// How many commits have parents that are not here.
    pub fn cuts(&self) -> Result<usize, GitError> {
        Ok(self.cut_text()?.lines().count())
    }

    /// Refuses a repository where git itself would send by other parents than the commits name.
    pub(super) fn refuse_grafts(&self) -> Result<(), GitError> {
        let path = self.common_dir().join("info/grafts");
        match std::fs::symlink_metadata(&path) {
            Ok(stat) if !stat.is_file() || stat.len() > 0 => {
                Err(GitError::Setting { path, name: "grafts".to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// The first of some commits whose parents are not all here: history is cut off before it.
    pub fn cut_off(&self, ids: &[ObjectId]) -> Result<Option<ObjectId>, GitError> {
        let cut = self.cut_list()?;
        for id in ids.iter().filter(|id| cut.contains(id)) {
            if self.commit(*id)?.parents.iter().any(|parent| !self.has(*parent)) {
                return Ok(Some(*id));
            }
        }
        Ok(None)
    }
}

/// Everything reached from both sides, also where dates led the walk to a commit too early.
fn closed(nodes: &HashMap<ObjectId, Node>) -> HashSet<ObjectId> {
    let is_both = |node: &Node| node.flags & (SHOWN | HIDDEN) == SHOWN | HIDDEN;
    let mut found = HashSet::new();
    let mut open: Vec<ObjectId> =
        nodes.iter().filter(|(_, node)| is_both(node)).map(|(id, _)| *id).collect();
    while let Some(id) = open.pop() {
        if let Some(node) = nodes.get(&id).filter(|_| found.insert(id)) {
            open.extend(&node.parents);
        }
    }
    found
}

/// Orders the commits of a walk so that parents come before children, first parents first.
pub(super) fn parents_first(tips: &[ObjectId], steps: Vec<Step>) -> Vec<ObjectId> {
    let found: HashMap<ObjectId, Vec<ObjectId>> =
        steps.into_iter().map(|step| (step.id, step.parents)).collect();
    let mut order = Vec::with_capacity(found.len());
    let mut done = HashSet::new();
    let mut open: Vec<(ObjectId, bool)> = tips.iter().rev().map(|tip| (*tip, false)).collect();
    while let Some((id, expanded)) = open.pop() {
        let Some(parents) = found.get(&id) else { continue };
        if expanded {
            order.push(id);
        } else if done.insert(id) {
            open.push((id, true));
            open.extend(parents.iter().rev().map(|parent| (*parent, false)));
        }
    }
    order
}
