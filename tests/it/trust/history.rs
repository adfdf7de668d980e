//! Histories with branches: merges, removed members' old branches, vouching, tips that may be taken.
//! Border: the rule for one commit is in `authorize`; `trust_model` compares with a second model.

use memsync::trust::authorize::{MergeShape, Standing};
use memsync::trust::roster::MemberId;
use memsync::trust::verdict::Area;

use super::story::{Story, id, roster};

const TEAM: &str = "ann:admin eve:writer wim:writer";
const NO_EVE: &str = "ann:admin wim:writer";

#[test]
fn a_neutral_merge_of_good_parents_needs_no_signature_and_another_does() {
    let mut story = Story::new(TEAM);
    story.commit("a", &["root"], "wim");
    story.commit("b", &["root"], "eve");
    story.neutral("m", &["a", "b"], TEAM);
    assert_eq!(story.verdicts(), "a good, b good, m neutral-merge");
    story.unsigned("n", &["a", "b"]).shape = MergeShape::Altered;
    story.commit("o", &["a", "b"], "wim");
    assert_eq!(story.own(), "a good, b good, m neutral-merge, n unsigned*, o good");
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
fn a_member_added_on_main_signs_the_merge_of_an_older_branch() {
    let mut story = Story::new(NO_EVE);
    story.members("add", &["root"], "ann", TEAM);
    story.commit("a", &["root"], "wim");
    story.commit("m", &["add", "a"], "eve").after = Standing::Roster(roster(TEAM));
    assert_eq!(story.verdicts(), "add good, a good, m good");
}

#[test]
fn a_removed_members_old_branch_cannot_come_back_through_a_merge_of_any_order() {
    for parents in [["remove", "old"], ["old", "remove"]] {
        let mut story = Story::new(TEAM);
        story.members("remove", &["root"], "ann", NO_EVE);
        story.commit("old", &["root"], "eve");
        story.neutral("m", &parents, NO_EVE);
        assert_eq!(story.own(), "remove good, old good, m neutral-merge*");
        assert!(story.verdicts().contains("old revoked-beside"), "{}", story.verdicts());
        story.vouch("v", &["m"], "ann", &["old"]);
        assert!(story.history().is_good(id("v")), "{}", story.own());
    }
}

#[test]
fn a_demoted_admins_old_branch_cannot_change_the_roster() {
    for parents in [["demote", "old"], ["old", "demote"]] {
        let mut story = Story::new("ann:admin bob:admin");
        story.members("demote", &["root"], "ann", "ann:admin bob:writer");
        story.members("old", &["root"], "bob", "ann:admin bob:admin eve:admin");
        story.neutral("m", &parents, "ann:admin bob:writer eve:admin");
        story.commit("e", &["m"], "eve");
        assert_eq!(story.own(), "demote good, old good, m neutral-merge*, e unknown-key*");
    }
}

#[test]
fn what_a_demoted_admin_may_still_do_needs_no_admin() {
    let mut story = Story::new("ann:admin bob:admin");
    story.members("demote", &["root"], "ann", "ann:admin bob:writer");
    story.commit("old", &["root"], "bob");
    story.neutral("m", &["old", "demote"], "ann:admin bob:writer");
    assert_eq!(story.own(), "demote good, old good, m neutral-merge");
}

#[test]
fn a_removal_on_a_branch_merges_without_a_signature_when_the_member_did_nothing_beside_it() {
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
    assert_eq!(story.own(), "old good, add good, a good, m neutral-merge, b good");
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
fn a_merge_that_brings_nothing_of_its_own_may_have_an_ancestor_for_a_parent() {
    let mut story = Story::new(TEAM);
    story.commit("a", &["root"], "wim");
    story.neutral("m", &["root", "a"], TEAM);
    assert_eq!(story.verdicts(), "a good, m neutral-merge");
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
    takeover.changes = [Area::Roster].into();
    takeover.after = story_after("ann:admin eve:admin wim:writer");
    story.commit("b", &["a"], "wim").after = story_after("ann:admin eve:admin wim:writer");
    story.vouch("v", &["b"], "eve", &["a", "b"]);
    assert_eq!(story.verdicts(), "a unsigned, b good < a, v vouch-not-allowed < a");
}

#[test]
fn nobody_changes_the_roster_on_top_of_what_is_refused_without_vouching_for_it() {
    let mut story = Story::new(NO_EVE);
    story.unsigned("a", &["root"]);
    story.members("add", &["a"], "ann", TEAM);
    story.commit("b", &["add"], "eve");
    assert_eq!(story.own(), "a unsigned*, add roster-on-refused*, b unknown-key*");
}

#[test]
fn an_honest_admins_unsigned_roster_change_counts_once_vouched_for() {
    let mut story = Story::new(NO_EVE);
    let add = story.unsigned("add", &["root"]);
    add.changes = [Area::Roster].into();
    add.after = Standing::Roster(roster(TEAM));
    story.vouch("v", &["add"], "ann", &["add"]);
    story.commit("a", &["v"], "eve");
    assert_eq!(story.verdicts(), "add vouched, v good, a good");
}

#[test]
fn a_vouch_on_main_reaches_a_memory_on_a_branch_and_no_roster() {
    let mut story = Story::new(TEAM);
    story.unsigned("a", &["root"]);
    story.vouch("v", &["root"], "ann", &["a"]);
    story.commit("m", &["v", "a"], "ann");
    assert_eq!(story.own(), "a unsigned*, v good, m good");
    let mut story = Story::new(NO_EVE);
    let add = story.unsigned("a", &["root"]);
    add.changes = [Area::Roster].into();
    add.after = Standing::Roster(roster(TEAM));
    story.vouch("v", &["root"], "ann", &["a"]);
    story.neutral("m", &["v", "a"], TEAM);
    assert_eq!(story.own(), "a unsigned*, v good, m neutral-merge*");
}

#[test]
fn judging_from_a_good_tip_gives_what_judging_all_gives() {
    let mut story = Story::new(NO_EVE);
    story.commit("tip", &["root"], "wim");
    story.members("add", &["tip"], "ann", TEAM);
    story.commit("a", &["add"], "eve");
    assert_eq!(story.judge_after("tip", 2), "add good, a good");
    assert_eq!(story.verdicts(), "tip good, add good, a good");
}

#[test]
fn of_a_refused_merge_no_side_is_taken_and_what_all_runs_through_is() {
    let mut story = Story::new(TEAM);
    story.commit("base", &["root"], "wim");
    story.commit("side", &["base"], "wim");
    story.unsigned("bad", &["base"]);
    story.neutral("m", &["side", "bad"], TEAM);
    let history = story.history();
    assert_eq!(history.newest(Some(id("root")), id("m")), Some(id("base")));
    assert_eq!(history.newest(Some(id("base")), id("m")), None);
    assert_eq!(history.newest(Some(id("side")), id("m")), None);
    assert_eq!(history.newest(None, id("side")), Some(id("side")));
}

#[test]
fn a_parent_nobody_verified_is_refused() {
    let mut story = Story::new(TEAM);
    story.commit("a", &["root"], "wim");
    story.commit("b", &["a"], "wim").head.parents = vec![id("ghost")];
    assert_eq!(story.own(), "a good, b unverified-parent*");
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
fn the_member_trailer_is_held_against_the_roster_that_judges() {
    let renamed = |claims: &str| {
        let mut story = Story::new(TEAM);
        story.members("rename", &["root"], "ann", "ann:admin eve:writer wilma:writer:wim");
        let commit = story.commit("a", &["rename"], "wilma/wim");
        commit.head.trailers.as_mut().unwrap().member = Some(MemberId::parse(claims).unwrap());
        story.verdicts()
    };
    assert_eq!(renamed("wilma"), "rename good, a good");
    assert_eq!(renamed("wim"), "rename good, a other-member");
}
