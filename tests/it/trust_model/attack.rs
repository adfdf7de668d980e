//! Attacks by removed, demoted and rotated members with the help of a host that merges what and how it likes.
//! Border: honest members build on good tips only and grant nothing to the others; the model judges.

use std::collections::BTreeSet;

use super::generate::{Generator, commit, key};
use super::laws::seeds;
use super::model::{Commit, Model};
use super::roster::{Id, Key, Member, Role, Tree};

/// Members 0 and 2 are honest, the others (4 is nobody's member) work against them.
const HONEST: [u8; 2] = [0, 2];
const AGAINST: [u8; 3] = [1, 3, 4];
const COMMITS: usize = 13;

/// What honest members do besides their own work.
#[derive(Clone, Copy, PartialEq)]
enum Vouching {
    Never,
    /// For everything that is refused, with the roster that judges.
    All,
}

/// Keys of some people.
fn keys(people: &[u8]) -> BTreeSet<Key> {
    people.iter().flat_map(|&person| (0..3).map(move |number| key(person, number))).collect()
}

struct Attack {
    generator: Generator,
    honest: BTreeSet<Key>,
    against: BTreeSet<Key>,
    vouching: Vouching,
}

impl Attack {
    fn new(seed: u64, vouching: Vouching) -> Self {
        let mut generator = Generator::new(seed);
        let mut members = std::collections::BTreeMap::new();
        for person in 0..4 {
            let role =
                [Role::Admin, Role::Admin, Role::Writer, Role::Reader][generator.random.below(4)];
            let role = if person == 0 { Role::Admin } else { role };
            members.insert(Id(person), Member { role, keys: BTreeSet::from([key(person, 0)]) });
        }
        let mut model = Model::new(key(0, 0));
        model.push(commit(&[], Some(key(0, 0)), Some(Tree { open: false, members })));
        generator.model = model;
        Self { generator, honest: keys(&HONEST), against: keys(&AGAINST), vouching }
    }

    fn run(mut self) -> Model {
        while self.generator.model.verdicts.len() < COMMITS {
            let next =
                if self.generator.percent(35) { self.honest() } else { Some(self.hostile()) };
            if let Some(next) = next {
                self.generator.model.push(next);
            }
        }
        self.generator.model
    }

    /// Anything on anything by anybody of them, unsigned as well; most often what looks most like the rule.
    fn hostile(&mut self) -> Commit {
        let parents = self.generator.parents();
        let verdict = parents.first().map(|&p| self.generator.model.verdicts[p].clone());
        let judge = verdict.map(|verdict| verdict.effect).unwrap_or_default();
        let able = |key: &&Key| judge.level(Some(**key)) > 0;
        let able: Vec<Key> = self.against.iter().filter(able).copied().collect();
        let all: Vec<Key> = self.against.iter().copied().collect();
        let from = if self.generator.percent(80) && !able.is_empty() { &able } else { &all };
        let mut signer = self.generator.random.pick(from).copied();
        let mut next = commit(&parents, signer, self.generator.model.merged_tree(&parents));
        if parents.len() > 1 && self.generator.percent(75) {
            if self.generator.percent(60) {
                signer = None;
            }
            return Commit { signer, ..next };
        }
        match self.generator.random.below(10) {
            0..2 => next.writes = true,
            2 => next.governs = true,
            3 => next.tree = Some(judge),
            _ => {
                let before = next.tree.clone().unwrap_or(judge);
                next.tree = Some(self.generator.edited(&before, signer));
            }
        }
        if self.generator.percent(15) {
            self.generator.add_vouches(&mut next, &parents);
        }
        next
    }

    /// An honest member's commit on a good tip, or an admin's vouch on a refused one.
    fn honest(&mut self) -> Option<Commit> {
        let tip = self.generator.any();
        let verdict = self.generator.model.verdicts[tip].clone();
        let judge = verdict.effect.clone();
        let able: Vec<Key> =
            self.honest.iter().filter(|key| judge.level(Some(**key)) >= 2).copied().collect();
        let signer = self.generator.random.pick(&able).copied()?;
        let admin = judge.level(Some(signer)) == 3;
        let mut next = commit(&[tip], Some(signer), Some(judge.clone()));
        if !verdict.good_tip {
            let open = verdict
                .refused
                .iter()
                .copied()
                .chain(verdict.conflicts.iter().map(|&(_, user)| user));
            next.vouches = open.collect();
            return (admin && self.vouching == Vouching::All).then_some(next);
        }
        if !admin || self.generator.percent(30) {
            next.writes = true;
        } else {
            next.tree = Some(self.less(judge, signer));
        }
        Some(next)
    }

    /// A roster that gives somebody less: an enemy, or the own old key.
    fn less(&mut self, mut tree: Tree, signer: Key) -> Tree {
        let all: Vec<Id> =
            tree.members.keys().copied().filter(|id| !HONEST.contains(&id.0)).collect();
        let target = self.generator.random.pick(&all).copied();
        match (self.generator.random.below(10), target) {
            (0..5, Some(target)) => drop(tree.members.remove(&target)),
            (5..8, Some(target)) => {
                let role = [Role::Reader, Role::Writer][self.generator.random.below(2)];
                tree.members.entry(target).and_modify(|member| member.role = member.role.min(role));
            }
            _ => {
                let own = tree.member_of(signer).and_then(|id| tree.members.get_mut(&id));
                if let Some(own) = own {
                    own.keys =
                        BTreeSet::from([key(signer.0 / 3, self.generator.random.below(3) as u8)]);
                }
            }
        }
        tree
    }

    /// The most that any of the others may do by a roster.
    fn most(against: &BTreeSet<Key>, tree: &Tree) -> u8 {
        against.iter().map(|&key| tree.level(Some(key))).max().unwrap_or(0)
    }
}

/// Checks what may come in once an honest admin has taken rights: in each good tip above it.
fn check(
    seed: u64,
    model: &Model,
    honest: &BTreeSet<Key>,
    against: &BTreeSet<Key>,
    vouching: Vouching,
) -> usize {
    let mut checked = 0;
    for taker in 1..model.verdicts.len() {
        let by_honest =
            model.history.commits[taker].signer.is_some_and(|key| honest.contains(&key));
        if !by_honest || !model.verdicts[taker].revokes {
            continue;
        }
        let left = &model.verdicts[taker].effect;
        let most = Attack::most(against, left);
        for tip in (0..model.verdicts.len()).filter(|&tip| model.verdicts[tip].good_tip) {
            if tip == taker || !model.up_to(tip).contains(&taker) {
                continue;
            }
            checked += 1;
            let now = &model.verdicts[tip].effect;
            let at = || format!("seed {seed}: taken at {taker}, good tip {tip}\n{}", story(model));
            assert!(Attack::most(against, now) <= most, "more rights than were left, {}", at());
            for (id, member) in now.members.iter().filter(|_| most < 3) {
                let theirs = member.keys.iter().any(|key| against.contains(key));
                assert!(!theirs || left.members.contains_key(id), "a member came in, {}", at());
            }
            if vouching == Vouching::All {
                continue;
            }
            for user in model.up_to(tip).difference(model.up_to(taker)) {
                let commit = &model.history.commits[*user];
                let theirs = commit.signer.is_none_or(|key| against.contains(&key));
                let vouched = honest_vouch(model, tip, *user, honest);
                assert!(
                    !theirs || vouched || model.verdicts[*user].need <= most,
                    "use of {user}, {}",
                    at()
                );
            }
        }
    }
    checked
}

fn honest_vouch(model: &Model, tip: usize, user: usize, honest: &BTreeSet<Key>) -> bool {
    model.up_to(tip).iter().map(|&c| &model.history.commits[c]).any(|commit| {
        commit.vouches.contains(&user) && commit.signer.is_some_and(|key| honest.contains(&key))
    })
}

/// A history for people.
pub(crate) fn story(model: &Model) -> String {
    let line = |(place, commit): (usize, &Commit)| {
        let roster = |tree: &Tree| {
            let members: Vec<String> = tree
                .members
                .iter()
                .map(|(id, m)| {
                    format!(
                        "{}:{:?}{:?}",
                        id.0,
                        m.role,
                        m.keys.iter().map(|k| k.0).collect::<Vec<_>>()
                    )
                })
                .collect();
            format!("{}{}", if tree.open { "open " } else { "" }, members.join(" "))
        };
        let verdict = &model.verdicts[place];
        format!(
            "{place} on {:?} by {:?} [{}]{}{} vouches {:?}: {:?} need {} good tip {} neutral {} J [{}] conflicts {:?} refused {:?}\n",
            commit.parents,
            commit.signer.map(|key| key.0),
            commit.tree.as_ref().map_or("broken".to_owned(), roster),
            if commit.writes { " writes" } else { "" },
            if commit.governs { " governs" } else { "" },
            commit.vouches,
            verdict.own,
            verdict.need,
            verdict.good_tip,
            verdict.neutral,
            roster(&verdict.judged_by),
            verdict.conflicts,
            verdict.refused,
        )
    };
    model.history.commits.iter().enumerate().map(line).collect()
}

fn attack(vouching: Vouching) {
    let mut checked = 0;
    for seed in seeds() {
        let attack = Attack::new(seed, vouching);
        let (honest, against) = (attack.honest.clone(), attack.against.clone());
        checked += check(seed, &attack.run(), &honest, &against, vouching);
    }
    assert!(checked > 100, "only {checked} good tips above a revocation");
}

#[test]
fn what_an_admin_took_never_comes_back() {
    attack(Vouching::Never);
}

#[test]
fn what_an_admin_took_never_comes_back_by_a_vouch_that_does_not_give_it() {
    attack(Vouching::All);
}
