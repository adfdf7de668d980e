//! How ordinary teams work, by the second model: which ways need no admin, and which ask one.
//! Border: one short history for each; random ones are in `laws.rs` and `attack.rs`.

use std::collections::BTreeSet;

use super::generate::{commit, key};
use super::model::{Model, Own};
use super::roster::{Id, Key, Member, Role, Tree};

const ADA: u8 = 0;
const BEN: u8 = 1;
const CLEO: u8 = 2;
const EVE: u8 = 3;
const FAY: u8 = 4;

/// A closed team; each member has the first key.
fn team(members: &[(u8, Role)]) -> Tree {
    let member = |role: Role, person: u8| Member { role, keys: BTreeSet::from([key(person, 0)]) };
    Tree {
        open: false,
        members: members.iter().map(|&(id, role)| (Id(id), member(role, id))).collect(),
    }
}

/// The team of most flows.
fn three() -> Tree {
    team(&[(ADA, Role::Admin), (BEN, Role::Writer), (CLEO, Role::Writer)])
}

/// A history that begins with a team; each step gives the place of its commit.
struct Flow(Model);

impl Flow {
    fn begin(tree: Tree) -> Self {
        let mut model = Model::new(key(ADA, 0));
        model.push(commit(&[], Some(key(ADA, 0)), Some(tree)));
        Self(model)
    }

    fn last(&self) -> usize {
        self.0.verdicts.len() - 1
    }

    fn tree(&self, at: usize) -> Tree {
        self.0.history.commits[at].tree.clone().unwrap()
    }

    /// Writes memories.
    fn write(&mut self, on: usize, signer: Option<Key>) -> usize {
        let mut next = commit(&[on], signer, Some(self.tree(on)));
        next.writes = true;
        self.0.push(next);
        self.last()
    }

    /// States a roster.
    fn state(&mut self, on: usize, signer: u8, tree: Tree) -> usize {
        self.0.push(commit(&[on], Some(key(signer, 0)), Some(tree)));
        self.last()
    }

    /// The host's button.
    fn merge(&mut self, parents: &[usize]) -> usize {
        let given = self.0.merged_tree(parents);
        self.0.push(commit(parents, None, given));
        self.last()
    }

    fn vouch(&mut self, on: usize, signer: u8, tree: Tree, vouches: &[usize]) -> usize {
        let next = commit(&[on], Some(key(signer, 0)), Some(tree));
        self.0.push(super::model::Commit { vouches: vouches.to_vec(), ..next });
        self.last()
    }

    #[track_caller]
    fn good(&self, at: usize) {
        let verdict = &self.0.verdicts[at];
        assert!(verdict.good_tip, "{verdict:?}");
    }

    #[track_caller]
    fn asks_for(&self, at: usize, conflicts: &[(usize, usize)]) {
        let verdict = &self.0.verdicts[at];
        assert_eq!(verdict.conflicts, conflicts.iter().copied().collect(), "{verdict:?}");
        assert!(verdict.refused.is_empty() && !verdict.good_tip, "{verdict:?}");
    }
}

#[test]
fn a_request_is_merged_while_main_moved() {
    let mut flow = Flow::begin(three());
    let main = flow.write(0, Some(key(ADA, 0)));
    let request = flow.write(0, Some(key(BEN, 0)));
    let other = flow.write(0, Some(key(CLEO, 0)));
    let first = flow.merge(&[main, request]);
    let second = flow.merge(&[first, other]);
    flow.good(first);
    flow.good(second);
    // The button when main did not move.
    let request = flow.write(second, Some(key(BEN, 0)));
    let button = flow.merge(&[second, request]);
    flow.good(button);
    // The button that brings main into the request, and then the request into main.
    let request = flow.write(first, Some(key(CLEO, 0)));
    let updated = flow.merge(&[request, button]);
    let joined = flow.merge(&[button, updated]);
    flow.good(joined);
}

#[test]
fn a_member_comes_or_goes_while_another_has_a_request_open() {
    for (after, name) in [
        (
            team(&[
                (ADA, Role::Admin),
                (BEN, Role::Writer),
                (CLEO, Role::Writer),
                (EVE, Role::Writer),
            ]),
            "added",
        ),
        (team(&[(ADA, Role::Admin), (BEN, Role::Writer)]), "removed"),
        (team(&[(ADA, Role::Admin), (BEN, Role::Writer), (CLEO, Role::Reader)]), "demoted"),
    ] {
        let mut flow = Flow::begin(three());
        let request = flow.write(0, Some(key(BEN, 0)));
        let main = flow.state(0, ADA, after.clone());
        let joined = flow.merge(&[main, request]);
        flow.good(joined);
        assert_eq!(flow.tree(joined), after, "{name}");
    }
}

#[test]
fn a_new_member_resolves_an_old_request_by_a_signed_merge() {
    let mut flow = Flow::begin(three());
    let request = flow.write(0, Some(key(BEN, 0)));
    let mut more = three();
    more.members.insert(Id(EVE), team(&[(EVE, Role::Writer)]).members[&Id(EVE)].clone());
    let main = flow.state(0, ADA, more.clone());
    let mut resolved = commit(&[request, main], Some(key(EVE, 0)), Some(more));
    resolved.writes = true;
    flow.0.push(resolved);
    flow.good(flow.last());
}

#[test]
fn the_work_of_a_removed_member_beside_the_removal_asks_an_admin() {
    let mut flow = Flow::begin(three());
    let request = flow.write(0, Some(key(BEN, 0)));
    let after = team(&[(ADA, Role::Admin), (CLEO, Role::Writer)]);
    let removal = flow.state(0, ADA, after.clone());
    let joined = flow.merge(&[removal, request]);
    flow.asks_for(joined, &[(removal, request)]);
    let vouch = flow.vouch(joined, ADA, after, &[request]);
    flow.good(vouch);
}

#[test]
fn a_request_signed_with_the_key_before_a_rotation_asks_an_admin_or_is_signed_again() {
    let mut flow = Flow::begin(three());
    let request = flow.write(0, Some(key(BEN, 0)));
    let mut rotated = three();
    rotated.members.get_mut(&Id(BEN)).unwrap().keys = BTreeSet::from([key(BEN, 1)]);
    let rotation = flow.state(0, BEN, rotated.clone());
    assert_eq!(flow.0.verdicts[rotation].need, 2, "own keys take a writer");
    let joined = flow.merge(&[request, rotation]);
    flow.asks_for(joined, &[(rotation, request)]);
    let again = flow.write(rotation, Some(key(BEN, 1)));
    flow.good(again);
    let old = flow.write(rotation, Some(key(BEN, 0)));
    assert_eq!(flow.0.verdicts[old].own, Own::UnknownKey);
}

#[test]
fn an_admin_may_vouch_on_main_before_the_merge_but_not_for_a_roster() {
    let mut flow = Flow::begin(three());
    let unsigned = flow.write(0, None);
    let vouch = flow.vouch(0, ADA, three(), &[unsigned]);
    let joined = flow.merge(&[vouch, unsigned]);
    flow.good(joined);
    let mut flow = Flow::begin(three());
    let eve = team(&[(ADA, Role::Admin), (EVE, Role::Admin)]);
    flow.0.push(commit(&[0], None, Some(eve)));
    let vouch = flow.vouch(0, ADA, three(), &[1]);
    let joined = flow.merge(&[vouch, 1]);
    assert_eq!(flow.0.verdicts[joined].refused, BTreeSet::from([1]));
}

#[test]
fn a_vouch_given_before_a_removal_was_seen_does_not_excuse_the_use() {
    let mut flow =
        Flow::begin(team(&[(ADA, Role::Admin), (BEN, Role::Writer), (CLEO, Role::Admin)]));
    let request = flow.write(0, Some(key(BEN, 0)));
    let vouch = flow.vouch(0, CLEO, flow.tree(0), &[request]);
    let removal = flow.state(0, ADA, team(&[(ADA, Role::Admin), (CLEO, Role::Admin)]));
    let joined = flow.merge(&[vouch, removal, request]);
    flow.asks_for(joined, &[(removal, request)]);
}

#[test]
fn a_merge_takes_what_a_refused_side_took_and_is_refused_with_it() {
    let mut flow = Flow::begin(three());
    let main = flow.write(0, Some(key(ADA, 0)));
    flow.0.push(commit(&[0], None, Some(team(&[(ADA, Role::Admin), (BEN, Role::Writer)]))));
    let refused = flow.last();
    let joined = flow.merge(&[main, refused]);
    assert_eq!(
        flow.tree(joined),
        team(&[(ADA, Role::Admin), (BEN, Role::Writer)]),
        "as any three-way merge"
    );
    assert_eq!(flow.0.verdicts[joined].effect, three(), "it judges nothing");
    assert_eq!(flow.0.verdicts[joined].refused, BTreeSet::from([refused]));
}

/// Known limit of the rule: a voucher that leaves out what it excuses revokes nothing, because nobody judged it by that.
/// The ideal: eve has nothing to give any more. The way: state the roster with what was granted, then take it away.
#[test]
fn what_an_excused_commit_granted_is_taken_by_a_commit_of_its_own() {
    let mut flow = Flow::begin(team(&[(ADA, Role::Admin), (BEN, Role::Admin)]));
    let eve = team(&[(ADA, Role::Admin), (BEN, Role::Admin), (EVE, Role::Admin)]);
    let fay =
        team(&[(ADA, Role::Admin), (BEN, Role::Admin), (EVE, Role::Admin), (FAY, Role::Admin)]);
    let grant = flow.state(0, BEN, eve);
    let after = team(&[(ADA, Role::Admin), (BEN, Role::Writer)]);
    let demotion = flow.state(0, ADA, after.clone());
    let joined = flow.merge(&[grant, demotion]);
    flow.asks_for(joined, &[(demotion, grant)]);
    let late = flow.state(grant, EVE, fay);

    let left_out = flow.vouch(joined, ADA, after.clone(), &[grant]);
    let back = flow.merge(&[late, left_out]);
    flow.good(back);
    assert!(flow.tree(back).members.contains_key(&Id(FAY)), "the ideal is that she is not there");

    let stated = flow.vouch(joined, ADA, flow.tree(joined), &[grant]);
    let taken = flow.state(stated, ADA, after);
    flow.good(taken);
    let back = flow.merge(&[late, taken]);
    flow.asks_for(back, &[(taken, late)]);
}
