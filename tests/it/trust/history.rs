//! Histories with branches: merges, removed members' old branches, vouching, verified tips.
//! Border: the rule for one commit is in `authorize`.

use memsync::trust::authorize::{MergeShape, Standing};
use memsync::trust::roster::MemberId;
use memsync::trust::verdict::ChangeKind;

use super::story::{Story, roster};

const TEAM: &str = "ann:admin eve:writer wim:writer";
const NO_EVE: &str = "ann:admin wim:writer";

#[test]
fn a_neutral_merge_of_good_parents_needs_no_signature_and_another_does() {
    let mut story = Story::new(TEAM);
    story.commit("a", &["root"], "wim");
    story.commit("b", &["root"], "eve");
    story.neutral("m", &["a", "b"], TEAM);
    assert_eq!(story.verdicts(), "a good, b good, m neutral-merge");
    let altered = story.unsigned("n", &["a", "b"]);
    altered.shape = MergeShape::Altered;
    story.commit("o", &["a", "b"], "wim");
    assert!(story.verdicts().ends_with("n unsigned, o good"), "{}", story.verdicts());
}

#[test]
fn an_unauthorised_ancestor_is_not_washed_by_an_authorised_merge() {
    let mut story = Story::new(TEAM);
    story.commit("a", &["root"], "wim");
    story.unsigned("b", &["root"]);
    story.commit("m", &["a", "b"], "ann");
    story.commit("c", &["m"], "wim");
    assert_eq!(story.verdicts(), "a good, b unsigned, m good < b, c good < b");
}

#[test]
fn a_merge_is_signed_by_someone_every_parent_knows() {
    let mut story = Story::new(NO_EVE);
    story.members("add", &["root"], "ann", TEAM);
    story.commit("a", &["root"], "wim");
    story.commit("m", &["add", "a"], "eve").after = Standing::Roster(roster(TEAM));
    assert_eq!(story.verdicts(), "add good, a good, m unknown-key");
}

#[test]
fn a_removed_members_old_branch_cannot_come_back_through_a_merge() {
    let mut story = Story::new(TEAM);
    story.members("remove", &["root"], "ann", NO_EVE);
    story.commit("old", &["root"], "eve");
    story.neutral("m", &["remove", "old"], NO_EVE);
    assert_eq!(story.verdicts(), "remove good, old unknown-key, m neutral-merge < old");
}

#[test]
fn a_demoted_admins_old_branch_cannot_change_the_roster() {
    let mut story = Story::new("ann:admin bob:admin");
    story.members("demote", &["root"], "ann", "ann:admin bob:writer");
    story.members("old", &["root"], "bob", "ann:admin bob:admin eve:admin");
    story.commit("e", &["old"], "eve");
    story.neutral("m", &["demote", "old"], "ann:admin bob:writer eve:admin");
    assert!(story.verdicts().starts_with("demote good, old not-allowed, e unknown-key < old"));
}

#[test]
fn an_unsigned_merge_with_its_parents_swapped_cannot_bring_a_removed_key_back() {
    let mut story = Story::new(TEAM);
    story.members("remove", &["root"], "ann", NO_EVE);
    story.commit("old", &["root"], "eve");
    story.neutral("m", &["old", "remove"], NO_EVE);
    assert_eq!(story.verdicts(), "remove good, old good, m removed-key-returns");
}

#[test]
fn a_removal_on_a_branch_merges_without_a_signature_when_nothing_came_between() {
    let mut story = Story::new(TEAM);
    story.commit("before", &["root"], "eve");
    story.commit("a", &["before"], "wim");
    story.members("remove", &["before"], "ann", NO_EVE);
    story.neutral("m", &["a", "remove"], NO_EVE);
    let expected = "before good, a good, remove good, m neutral-merge";
    assert_eq!(story.verdicts(), expected);
}

#[test]
fn a_branch_older_than_a_new_member_merges_and_the_new_members_work_stays_good() {
    let mut story = Story::new(NO_EVE);
    story.commit("old", &["root"], "wim");
    story.members("add", &["root"], "ann", TEAM);
    story.commit("a", &["add"], "eve");
    story.neutral("m", &["a", "old"], TEAM);
    story.commit("b", &["m"], "eve");
    let expected = "old good, add good, a good, m neutral-merge, b good";
    assert_eq!(story.verdicts(), expected);
}

#[test]
fn criss_cross_merges_are_judged_and_end() {
    let mut story = Story::new(TEAM);
    story.commit("a", &["root"], "wim");
    story.commit("b", &["root"], "eve");
    story.neutral("m1", &["a", "b"], TEAM);
    story.neutral("m2", &["b", "a"], TEAM);
    story.neutral("m3", &["m1", "m2"], TEAM);
    let expected = "a good, b good, m1 neutral-merge, m2 neutral-merge, m3 neutral-merge";
    assert_eq!(story.verdicts(), expected);
}

#[test]
fn an_admins_vouch_lifts_exactly_what_it_names() {
    let mut story = Story::new(TEAM);
    story.unsigned("a", &["root"]);
    story.commit("b", &["a"], "wim");
    story.unsigned("c", &["b"]);
    story.vouch("v", &["c"], "ann", &["a"]);
    story.vouch("w", &["v"], "ann", &["c"]);
    assert_eq!(story.verdicts(), "a vouched, b good, c vouched, v good, w good");
    let mut story = Story::new(TEAM);
    story.unsigned("a", &["root"]);
    story.unsigned("c", &["a"]);
    story.vouch("v", &["c"], "ann", &["a"]);
    assert_eq!(story.verdicts(), "a vouched, c unsigned, v good < c");
}

#[test]
fn only_an_admin_of_the_accepted_history_can_vouch() {
    let mut story = Story::new(TEAM);
    story.unsigned("a", &["root"]);
    story.vouch("v", &["a"], "wim", &["a"]);
    assert_eq!(story.verdicts(), "a unsigned, v vouch-not-allowed < a");
    let mut story = Story::new(TEAM);
    let takeover = story.unsigned("a", &["root"]);
    takeover.changes = [ChangeKind::Roster].into();
    takeover.after = Standing::Roster(roster("ann:admin eve:admin wim:writer"));
    story.commit("b", &["a"], "wim").after = story_after("ann:admin eve:admin wim:writer");
    story.vouch("v", &["b"], "eve", &["a", "b"]);
    assert_eq!(story.verdicts(), "a unsigned, b good < a, v vouch-not-allowed < a");
}

#[test]
fn an_honest_admins_unsigned_roster_change_counts_once_vouched_for() {
    let mut story = Story::new(NO_EVE);
    let add = story.unsigned("add", &["root"]);
    add.changes = [ChangeKind::Roster].into();
    add.after = Standing::Roster(roster(TEAM));
    story.vouch("v", &["add"], "ann", &["add"]);
    story.commit("a", &["v"], "eve");
    assert_eq!(story.verdicts(), "add vouched, v good, a good");
}

#[test]
fn a_vouch_does_not_reach_commits_it_does_not_build_on() {
    let mut story = Story::new(TEAM);
    story.unsigned("a", &["root"]);
    story.vouch("v", &["root"], "ann", &["a"]);
    story.commit("m", &["v", "a"], "ann");
    assert_eq!(story.verdicts(), "a unsigned, v good, m good < a");
}

#[test]
fn what_forked_before_the_verified_tip_is_judged_by_the_tip_as_well() {
    let mut story = Story::new(TEAM);
    story.members("remove", &["root"], "ann", NO_EVE);
    story.commit("old", &["root"], "eve");
    story.neutral("m", &["old", "remove"], NO_EVE);
    let told = story.judge_after("remove", 2);
    assert_eq!(told, "old unknown-key, m neutral-merge < old");
    let mut story = Story::new(NO_EVE);
    story.commit("tip", &["root"], "wim");
    story.members("add", &["tip"], "ann", TEAM);
    story.commit("a", &["add"], "eve");
    assert_eq!(story.judge_after("tip", 2), "add good, a good");
}

#[test]
fn a_parent_nobody_verified_is_refused() {
    let mut story = Story::new(TEAM);
    story.commit("a", &["root"], "wim");
    story.commit("b", &["a"], "wim").parents = vec![super::story::id("ghost")];
    assert_eq!(story.verdicts(), "a good, b unverified-parent");
}

#[test]
fn ten_thousand_commits_refused_in_a_row_stay_cheap() {
    let mut story = Story::new(TEAM);
    let standing = story_after(TEAM);
    let mut parent = "root".to_owned();
    for n in 0..10_000 {
        let name = format!("c{n}");
        story.unsigned_after(&name, &parent, &standing);
        parent = name;
    }
    let judged = story.judge();
    assert!(judged[1..].iter().all(|commit| commit.blocked_by == Some(judged[1].id)));
}

fn story_after(members: &str) -> Standing {
    Standing::Roster(roster(members))
}

#[test]
fn the_member_trailer_is_held_against_every_roster_that_judges() {
    let mut story = Story::new(TEAM);
    story.members("rename", &["root"], "ann", "ann:admin eve:writer wilma:writer:wim");
    story.commit("a", &["rename"], "wilma/wim");
    let old = story.commit("b", &["rename"], "wilma/wim");
    old.trailers.as_mut().unwrap().member = Some(MemberId::parse("wim").unwrap());
    assert_eq!(story.verdicts(), "rename good, a good, b other-member");
}
