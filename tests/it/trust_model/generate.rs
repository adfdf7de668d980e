//! Random histories from a seed: few people, many forks, and more removals, merges and vouches than real teams have.
//! Border: makes commits and asks the model what merges give; says nothing about what is right.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::random::Random;

use super::model::{Commit, History, Model};
use super::roster::{Id, Key, Member, Role, Tree};

/// Members by number; the last is nobody's member in the beginning.
const PEOPLE: u8 = 5;
const KEYS_EACH: u8 = 3;
/// Names that nobody has in the beginning, for renames.
const NEW_NAMES: u8 = 2;
const COMMITS_MIN: usize = 3;
const COMMITS_MAX: usize = 14;

/// A random history of 3 to 14 commits.
pub(crate) fn history(seed: u64) -> History {
    let mut generator = Generator::new(seed);
    let commits = COMMITS_MIN + generator.random.below(COMMITS_MAX - COMMITS_MIN + 1);
    while generator.model.verdicts.len() < commits {
        generator.grow();
    }
    generator.model.history
}

/// One of a member's keys.
pub(crate) fn key(person: u8, number: u8) -> Key {
    Key(person * KEYS_EACH + number)
}

/// A history that grows.
pub(crate) struct Generator {
    pub(crate) random: Random,
    pub(crate) model: Model,
}

impl Generator {
    /// A history with a root.
    pub(crate) fn new(seed: u64) -> Self {
        let mut generator = Self { random: Random(seed), model: Model::new(key(0, 0)) };
        let root = generator.root();
        generator.model.push(root);
        generator
    }

    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    /// The introduced root: an admin, and most often others.
    fn root(&mut self) -> Commit {
        let mut members = BTreeMap::new();
        for person in 0..PEOPLE - 1 {
            if person < 2 || self.percent(60) {
                let role = if person == 0 || self.percent(45) { Role::Admin } else { self.role() };
                members.insert(Id(person), Member { role, keys: BTreeSet::from([key(person, 0)]) });
            }
        }
        let tree = Tree { open: self.percent(15), members };
        commit(&[], Some(key(0, 0)), Some(tree))
    }

    fn role(&mut self) -> Role {
        [Role::Reader, Role::Writer, Role::Writer, Role::Admin][self.random.below(4)]
    }

    /// One more commit.
    fn grow(&mut self) {
        let parents = self.parents();
        let next = match parents.as_slice() {
            [] => self.foreign(),
            [parent] => self.child(*parent),
            _ => self.merge(parents),
        };
        self.model.push(next);
    }

    /// Commits that nobody builds on.
    fn heads(&self) -> Vec<usize> {
        let count = self.model.verdicts.len();
        let built_on = |c: usize| (c + 1..count).any(|later| self.model.up_to(later).contains(&c));
        (0..count).filter(|&c| !built_on(c)).collect()
    }

    pub(crate) fn any(&mut self) -> usize {
        self.random.below(self.model.verdicts.len())
    }

    /// Where the next commit goes: on a head, on anything (a fork), or on several in any order.
    pub(crate) fn parents(&mut self) -> Vec<usize> {
        let heads = self.heads();
        if self.percent(1) {
            return Vec::new();
        }
        if heads.len() > 1 && self.percent(45) || self.percent(6) {
            let wanted = if self.percent(20) { 3 } else { 2 };
            let mut parents = BTreeSet::new();
            for _ in 0..wanted {
                let from_heads = self.percent(75);
                let head = self.random.pick(&heads).copied().filter(|_| from_heads);
                parents.insert(head.unwrap_or_else(|| self.any()));
            }
            let mut parents: Vec<usize> = parents.into_iter().collect();
            self.random.shuffle(&mut parents);
            return parents;
        }
        let on_head = self.percent(55);
        let head = self.random.pick(&heads).copied().filter(|_| on_head);
        vec![head.unwrap_or_else(|| self.any())]
    }

    /// A root that nobody introduced.
    fn foreign(&mut self) -> Commit {
        let root = self.root();
        Commit { signer: self.signer(&Tree::default()), ..root }
    }

    /// Most often a key that may do something; sometimes any key, or none.
    pub(crate) fn signer(&mut self, judge: &Tree) -> Option<Key> {
        let alive: Vec<Key> = judge.keys().into_iter().collect();
        match self.random.below(10) {
            0 => None,
            1 => Some(Key(self.random.below(usize::from(PEOPLE * KEYS_EACH)) as u8)),
            2 => self.random.pick(&alive).copied(),
            _ => {
                let admins: Vec<Key> =
                    alive.iter().copied().filter(|&k| judge.level(Some(k)) == 3).collect();
                let from = if self.percent(60) && !admins.is_empty() { &admins } else { &alive };
                self.random.pick(from).copied()
            }
        }
    }

    fn child(&mut self, parent: usize) -> Commit {
        let verdict = self.model.verdicts[parent].clone();
        let before = self.model.history.commits[parent].tree.clone();
        let signer = self.signer(&verdict.effect);
        let mut next = commit(&[parent], signer, before.clone());
        match self.random.below(100) {
            0..30 => next.writes = true,
            30..34 => {}
            34..37 => next.governs = true,
            37..40 => next.tree = Some(verdict.effect.clone()),
            40..42 => next.tree = None,
            _ => next.tree = Some(self.edited(&before.unwrap_or(verdict.effect), signer)),
        }
        let refused = !verdict.good_tip;
        if self.percent(if refused { 40 } else { 4 }) {
            self.add_vouches(&mut next, &[parent]);
        }
        next
    }

    fn merge(&mut self, parents: Vec<usize>) -> Commit {
        let given = self.model.merged_tree(&parents);
        let judge = given.clone().unwrap_or_default();
        let signer = if self.percent(50) { None } else { self.signer(&judge) };
        let mut next = commit(&parents, signer, given);
        match self.random.below(100) {
            0..75 => {}
            75..84 => next.writes = true,
            84..86 => next.governs = true,
            86..88 => {
                // The tree of one side, as `git merge -s ours` makes it.
                next.tree.clone_from(&self.model.history.commits[parents[0]].tree);
            }
            _ => next.tree = Some(self.edited(&judge, signer)),
        }
        if self.percent(8) {
            self.add_vouches(&mut next, &parents);
        }
        next
    }

    /// Vouches for what is refused or used below, or for something that is not below at all.
    pub(crate) fn add_vouches(&mut self, next: &mut Commit, parents: &[usize]) {
        let mut open: BTreeSet<usize> = BTreeSet::new();
        for &parent in parents {
            let verdict = &self.model.verdicts[parent];
            open.extend(&verdict.refused);
            open.extend(verdict.conflicts.iter().map(|&(_, user)| user));
        }
        if !self.percent(70) {
            open.retain(|_| self.random.below(2) == 0);
        }
        if open.is_empty() || self.percent(10) {
            open.insert(self.any());
        }
        next.vouches = open.into_iter().collect();
    }

    /// One or two changes to a roster.
    pub(crate) fn edited(&mut self, tree: &Tree, signer: Option<Key>) -> Tree {
        let mut tree = tree.clone();
        for _ in 0..if self.percent(85) { 1 } else { 2 } {
            self.edit(&mut tree, signer);
        }
        tree
    }

    fn edit(&mut self, tree: &mut Tree, signer: Option<Key>) {
        let ids: Vec<Id> = tree.members.keys().copied().collect();
        let own = signer.and_then(|key| tree.member_of(key));
        // The later members are the ones that things happen to.
        let target = ids
            .last()
            .copied()
            .filter(|_| self.percent(40))
            .or_else(|| self.random.pick(&ids).copied());
        let Some(target) = target else { return self.admit(tree) };
        match self.random.below(100) {
            0..25 => drop(tree.members.remove(&target)),
            25..42 => {
                let role = self.role();
                tree.members.entry(target).and_modify(|member| member.role = role);
            }
            42..60 => self.admit(tree),
            60..78 => self.turn_keys(tree, own.unwrap_or(target)),
            78..83 => self.turn_keys(tree, target),
            83..92 => self.rename(tree, target),
            92..94 => tree.open = true,
            _ => tree.open = !tree.open,
        }
    }

    /// Adds somebody, or somebody again.
    fn admit(&mut self, tree: &mut Tree) {
        let person = self.random.below(usize::from(PEOPLE)) as u8;
        let number =
            if self.percent(60) { 0 } else { self.random.below(usize::from(KEYS_EACH)) as u8 };
        let member = Member { role: self.role(), keys: BTreeSet::from([key(person, number)]) };
        tree.members.insert(Id(person), member);
    }

    /// Rotates, adds or revokes a key; once in a while with somebody else's.
    fn turn_keys(&mut self, tree: &mut Tree, id: Id) {
        let person = if self.percent(95) {
            id.0 % PEOPLE
        } else {
            self.random.below(usize::from(PEOPLE)) as u8
        };
        let new = key(person, self.random.below(usize::from(KEYS_EACH)) as u8);
        let way = self.random.below(10);
        let Some(member) = tree.members.get_mut(&id) else { return };
        match way {
            0..6 => member.keys = BTreeSet::from([new]),
            6..8 => drop(member.keys.insert(new)),
            8 => drop(member.keys.remove(&new)),
            _ => drop(member.keys.pop_first()),
        }
    }

    /// Moves a line to another name, with its role or another.
    fn rename(&mut self, tree: &mut Tree, id: Id) {
        let Some(mut member) = tree.members.remove(&id) else { return };
        if self.percent(25) {
            member.role = self.role();
        }
        let name = PEOPLE + self.random.below(usize::from(NEW_NAMES)) as u8;
        tree.members.insert(Id(name), member);
    }
}

/// A commit that changes nothing yet.
pub(crate) fn commit(parents: &[usize], signer: Option<Key>, tree: Option<Tree>) -> Commit {
    Commit {
        parents: parents.to_vec(),
        signer,
        tree,
        writes: false,
        governs: false,
        vouches: Vec::new(),
    }
}
