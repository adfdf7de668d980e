//! The shape of a history: who descends from whom, what was made beside what, where it forked.
//! Border: commits as places, every parent before its children; whose they are is up to the caller.

use std::collections::{BinaryHeap, HashMap, HashSet};

/// Commits as places, every parent before its children.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ancestry {
    parents: Vec<Vec<usize>>,
}

impl Ancestry {
    /// Adds the next commit. Parents must be places that are there.
    pub(crate) fn push(&mut self, parents: Vec<usize>) {
        debug_assert!(parents.iter().all(|parent| *parent < self.parents.len()), "parents first");
        self.parents.push(parents);
    }

    /// The parents of a commit.
    pub(crate) fn parents(&self, at: usize) -> &[usize] {
        &self.parents[at]
    }

    /// Whether `old` is `new` or one of its ancestors.
    pub(crate) fn is_ancestor(&self, old: usize, new: usize) -> bool {
        let mut open = vec![new];
        let mut seen = HashSet::new();
        while let Some(at) = open.pop() {
            if at == old {
                return true;
            }
            // A parent stands before its children, so nothing below `old` leads to it.
            let above = self.parents[at].iter().copied().filter(|parent| *parent >= old);
            open.extend(above.filter(|parent| seen.insert(*parent)));
        }
        false
    }

    /// The given commits without those that are ancestors of another one.
    pub(crate) fn heads(&self, mut commits: Vec<usize>) -> Vec<usize> {
        commits.sort_unstable();
        commits.dedup();
        let is_below =
            |at: usize| commits.iter().any(|other| *other != at && self.is_ancestor(at, *other));
        commits.iter().copied().filter(|at| !is_below(*at)).collect()
    }

    /// A commit and all its ancestors, the newest first.
    pub(crate) fn ancestors(&self, tip: usize) -> Descent<'_> {
        let (heap, queued) = (BinaryHeap::from([tip]), HashSet::from([tip]));
        Descent { graph: self, heap, queued, is_alone: true }
    }

    /// What `tip` has that is neither an ancestor nor a descendant of `other`.
    pub(crate) fn beside(&self, tip: usize, other: usize) -> Vec<usize> {
        let mut beyond = self.beyond(tip, other);
        beyond.reverse();
        let mut after = HashSet::from([other]);
        beyond.retain(|at| {
            let descends = self.parents[*at].iter().any(|parent| after.contains(parent));
            if descends {
                after.insert(*at);
            }
            !descends
        });
        beyond
    }

    /// What `tip` has and `other` has not, the newest first. It ends at the fork, however long the
    /// history before is.
    pub(crate) fn beyond(&self, tip: usize, other: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut heap = BinaryHeap::from([tip]);
        let mut is_others: HashMap<usize, bool> = HashMap::from([(tip, tip == other)]);
        let mut open = usize::from(tip != other);
        if tip != other {
            heap.push(other);
            is_others.insert(other, true);
        }
        while open > 0 {
            let Some(at) = heap.pop() else { break };
            let others = is_others[&at];
            if !others {
                open -= 1;
                found.push(at);
            }
            for parent in &self.parents[at] {
                match is_others.get_mut(parent) {
                    None => {
                        is_others.insert(*parent, others);
                        heap.push(*parent);
                        open += usize::from(!others);
                    }
                    Some(known) if others && !*known => {
                        *known = true;
                        open -= 1;
                    }
                    Some(_) => {}
                }
            }
        }
        found
    }

    /// The newest commits that are ancestors of both, none of another of them.
    pub(crate) fn best_common(&self, one: usize, two: usize) -> Vec<usize> {
        const ONE: u8 = 1;
        const TWO: u8 = 2;
        const BELOW: u8 = 4;
        let mut marks: HashMap<usize, u8> = HashMap::from([(one, ONE)]);
        *marks.entry(two).or_default() |= TWO;
        let mut heap: BinaryHeap<usize> = marks.keys().copied().collect();
        // Places in the heap that may still lead to something new.
        let mut open = heap.len();
        let mut found = Vec::new();
        while open > 0 {
            let Some(at) = heap.pop() else { break };
            let mut mark = marks[&at];
            open -= usize::from(mark & BELOW == 0);
            if mark & (ONE | TWO) == ONE | TWO {
                if mark & BELOW == 0 {
                    found.push(at);
                }
                mark |= BELOW;
            }
            for parent in &self.parents[at] {
                match marks.get_mut(parent) {
                    None => {
                        marks.insert(*parent, mark);
                        heap.push(*parent);
                        open += usize::from(mark & BELOW == 0);
                    }
                    Some(known) => {
                        open -= usize::from(*known & BELOW == 0 && mark & BELOW != 0);
                        *known |= mark;
                    }
                }
            }
        }
        found
    }

    /// The commits through which everything that `tip` has runs, the newest first: each other one is
    /// an ancestor or a descendant of them. No commit may have a parent that is an ancestor of another
    /// of its parents, see [`Self::heads`].
    pub(crate) fn narrow(&self, tip: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut descent = self.ancestors(tip);
        while let Some(at) = descent.next() {
            if descent.is_alone {
                found.push(at);
            }
            if self.parents[at].is_empty() {
                // A second beginning: nothing before it is below all the rest.
                break;
            }
        }
        found
    }
}

/// Goes from a commit to its ancestors, children before parents.
pub(crate) struct Descent<'a> {
    graph: &'a Ancestry,
    heap: BinaryHeap<usize>,
    queued: HashSet<usize>,
    /// Whether everything else that is left is an ancestor of the last commit.
    is_alone: bool,
}

impl Iterator for Descent<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let at = self.heap.pop()?;
        self.is_alone = self.heap.is_empty();
        for parent in &self.graph.parents[at] {
            if self.queued.insert(*parent) {
                self.heap.push(*parent);
            }
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};
    use proptest::strategy::Strategy;

    use super::*;

    /// Up to twelve commits, each with up to three parents before it.
    fn ancestry() -> impl Strategy<Value = Ancestry> {
        let parents = prop::collection::vec(any::<prop::sample::Index>(), 1..4);
        prop::collection::vec(parents, 0..12).prop_map(|commits| {
            let mut ancestry = Ancestry::default();
            ancestry.push(Vec::new());
            for parents in commits {
                let count = ancestry.parents.len();
                let mut parents: Vec<usize> = parents.iter().map(|at| at.index(count)).collect();
                parents.dedup();
                ancestry.push(parents);
            }
            ancestry
        })
    }

    /// By definition: everything that is reached from a commit.
    fn below(ancestry: &Ancestry, tip: usize) -> BTreeSet<usize> {
        let mut all = BTreeSet::from([tip]);
        for parent in ancestry.parents(tip) {
            all.extend(below(ancestry, *parent));
        }
        all
    }

    proptest! {
        #[test]
        fn every_answer_is_what_its_definition_gives(ancestry in ancestry()) {
            let count = ancestry.parents.len();
            let below: Vec<_> = (0..count).map(|at| below(&ancestry, at)).collect();
            let mut reduced = Ancestry::default();
            for parents in &ancestry.parents {
                reduced.push(ancestry.heads(parents.clone()));
            }
            for one in 0..count {
                prop_assert_eq!(ancestry.ancestors(one).collect::<BTreeSet<_>>(), below[one].clone());
                let narrow: BTreeSet<usize> = reduced.narrow(one).into_iter().collect();
                for at in &below[one] {
                    let all_meet = below[one].iter().all(|x| below[*x].contains(at) || below[*at].contains(x));
                    prop_assert_eq!(narrow.contains(at), all_meet);
                }
                for two in 0..count {
                    prop_assert_eq!(ancestry.is_ancestor(one, two), below[two].contains(&one));
                    let beyond: BTreeSet<usize> = ancestry.beyond(one, two).into_iter().collect();
                    prop_assert_eq!(&beyond, &(&below[one] - &below[two]));
                    let beside: BTreeSet<usize> = ancestry.beside(one, two).into_iter().collect();
                    let meets = |at: &usize| below[two].contains(at) || below[*at].contains(&two);
                    let expected = below[one].iter().copied().filter(|at| !meets(at)).collect();
                    prop_assert_eq!(beside, expected);
                    let common = &below[one] & &below[two];
                    let is_best = |at: &usize| !common.iter().any(|x| x != at && below[*x].contains(at));
                    let best: BTreeSet<usize> = ancestry.best_common(one, two).into_iter().collect();
                    prop_assert!(best == common.iter().copied().filter(is_best).collect());
                }
            }
        }
    }
}
