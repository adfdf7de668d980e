//! The rule for one commit: the test list of `guix git authenticate` by meaning, roles and replay.
//! Border: straight histories; merges and vouching are in `history`.

use memsync::trust::authorize::Standing;
use memsync::trust::commit::CommitProblem;
use memsync::trust::roster::MemberId;
use memsync::trust::signature::SignatureProblem;
use memsync::trust::trailers::TrailerProblem;
use memsync::trust::verdict::{Area, Authorisation};

use super::story::{Story, id, key, roster};

const TEAM: &str = "ann:admin wim:writer rea:reader";

/// Tells a story of one change on top of the root and checks its verdict.
fn check(tell: impl FnOnce(&mut Story), expected: &str) {
    let mut story = Story::new(TEAM);
    tell(&mut story);
    assert_eq!(story.verdicts(), expected);
}

#[test]
fn a_signed_change_by_a_writer_is_good() {
    check(|s| _ = s.commit("a", &["root"], "wim"), "a good");
}

#[test]
fn an_unsigned_commit_is_refused_and_blocks_what_is_built_on_it() {
    check(
        |s| {
            s.unsigned("a", &["root"]);
            s.commit("b", &["a"], "ann");
        },
        "a unsigned, b good < a",
    );
}

#[test]
fn every_problem_of_a_signature_or_trailer_keeps_its_name() {
    let signature = |problem: SignatureProblem| {
        let rule = problem.rule();
        check(
            |s| s.commit("a", &["root"], "wim").head.signature = Err(problem),
            &format!("a {rule}"),
        );
    };
    signature(SignatureProblem::Hash);
    signature(SignatureProblem::NotSsh);
    signature(SignatureProblem::Namespace("file".to_owned()));
    signature(SignatureProblem::Mismatch(key("wim")));
    signature(SignatureProblem::Commit(CommitProblem::SignatureTwice));
    let damaged = || Err(TrailerProblem::Twice("Memsync-Ref"));
    check(|s| s.commit("a", &["root"], "wim").head.trailers = damaged(), "a trailer-twice");
}

#[test]
fn a_key_outside_the_roster_is_unknown() {
    check(|s| _ = s.commit("a", &["root"], "eve"), "a unknown-key");
}

#[test]
fn a_member_added_by_an_admin_signs_from_the_next_commit_on() {
    check(|s| _ = s.commit("early", &["root"], "new"), "early unknown-key");
    check(
        |s| {
            s.members("add", &["root"], "ann", "ann:admin new:writer wim:writer rea:reader");
            s.commit("a", &["add"], "new");
        },
        "add good, a good",
    );
}

#[test]
fn a_member_cannot_admit_himself() {
    let with_eve = "ann:admin eve:admin wim:writer rea:reader";
    check(
        |s| {
            s.members("a", &["root"], "eve", with_eve);
            s.commit("b", &["a"], "eve");
            s.vouch("c", &["b"], "eve", &["a", "b"]);
        },
        "a unknown-key, b unknown-key < a, c unknown-key < a",
    );
}

#[test]
fn a_removed_member_cannot_push_and_his_history_stays_good() {
    check(
        |s| {
            s.commit("a", &["root"], "wim");
            s.members("remove", &["a"], "ann", "ann:admin rea:reader");
            s.commit("b", &["remove"], "wim");
        },
        "a good, remove good, b unknown-key",
    );
}

#[test]
fn a_revoked_key_cannot_push() {
    for (signer, expected) in [("wim", "a revoked-key"), ("wim/wim2", "a good")] {
        check(
            |s| {
                s.members("rotate", &["root"], "ann", "ann:admin wim:writer:wim!,wim2 rea:reader");
                s.commit("a", &["rotate"], signer);
            },
            &format!("rotate good, {expected}"),
        );
    }
}

#[test]
fn a_writer_changes_memories_and_conflict_records_and_nothing_that_steers() {
    for (path, expected) in [
        ("notes/a.md", "a good"),
        ("MEMORY.md", "a good"),
        (".memsync/conflicts/x.yaml", "a good"),
        (".memsync/policy.yaml", "a not-allowed"),
        (".memsync/allow.yaml", "a not-allowed"),
        (".memsync/roster.yaml", "a not-allowed"),
        (".memsync/anything", "a not-allowed"),
        (".gitattributes", "a not-allowed"),
        ("sub/.gitattributes", "a not-allowed"),
    ] {
        let kind = Area::of(path);
        check(|s| _ = s.commit("a", &["root"], "wim").changes.insert(kind), expected);
        check(|s| _ = s.commit("a", &["root"], "ann").changes.insert(kind), "a good");
        let only = |s: &mut Story| s.commit("a", &["root"], "rea").changes = [kind].into();
        check(only, "a not-allowed");
    }
}

#[test]
fn a_roster_change_is_seen_even_when_no_changed_path_was_reported() {
    let hidden = |s: &mut Story, members: &str| {
        s.commit("a", &["root"], "wim").after = Standing::Roster(roster(members));
    };
    check(|s| hidden(s, "ann:admin wim:admin rea:reader"), "a not-allowed");
    check(|s| s.commit("a", &["root"], "wim").after = Standing::Open(None), "a not-allowed");
}

#[test]
fn a_writer_may_rotate_his_own_keys_and_nobody_elses() {
    check(
        |s| s.members("a", &["root"], "wim", "ann:admin wim:writer:wim!,wim2 rea:reader"),
        "a good",
    );
    check(
        |s| s.members("a", &["root"], "wim", "ann:admin:ann,ann2 wim:writer rea:reader"),
        "a not-allowed",
    );
    check(
        |s| s.members("a", &["root"], "rea", "ann:admin wim:writer rea:reader:rea!,re2"),
        "a not-allowed",
    );
    check(
        |s| s.members("a", &["root"], "wim", "ann:admin wim:admin:wim!,wim2 rea:reader"),
        "a not-allowed",
    );
}

#[test]
fn nobody_can_remove_or_break_the_roster_or_the_last_admin() {
    let after = |standing: Standing, signer: &'static str, expected: &str| {
        check(|s| s.commit("a", &["root"], signer).after = standing, expected);
    };
    after(Standing::Missing, "ann", "a roster-removed");
    after(Standing::Missing, "wim", "a not-allowed");
    after(Standing::Broken("line 3".to_owned()), "ann", "a roster-broken");
    after(Standing::Roster(roster("ann:writer wim:writer rea:reader")), "ann", "a no-admin");
    after(Standing::Roster(roster("ann:admin:ann! wim:writer rea:reader")), "ann", "a no-admin");
    after(Standing::Open(None), "ann", "a good");
}

#[test]
fn a_commit_signed_for_another_place_is_replayed() {
    let trailers = |edit: fn(&mut memsync::trust::trailers::Trailers), expected: &str| {
        check(|s| edit(s.commit("a", &["root"], "wim").head.trailers.as_mut().unwrap()), expected);
    };
    trailers(|t| t.store = Some(id("elsewhere")), "a replayed-store");
    trailers(|t| t.store = None, "a replayed-store");
    trailers(|t| t.reference = Some("refs/heads/draft".to_owned()), "a replayed-ref");
    trailers(|t| t.reference = None, "a replayed-ref");
    trailers(|t| t.member = Some(MemberId::parse("ann").unwrap()), "a other-member");
    trailers(|t| t.member = None, "a other-member");
}

#[test]
fn trust_starts_at_the_introduction_only() {
    let founder = |edit: fn(&mut Story)| {
        let mut story = Story::new(TEAM);
        edit(&mut story);
        story.judge()[0].authorisation.name().to_owned()
    };
    assert_eq!(founder(|_| {}), "good");
    assert_eq!(founder(|s| s.team.introduction.commit = id("other")), "other-root");
    assert_eq!(
        founder(|s| s.team.introduction.founder = Some(key("wim").fingerprint())),
        "other-founder"
    );
    let mut unrelated = Story::new(TEAM);
    unrelated.commit("root2", &[], "ann").after = Standing::Roster(roster(TEAM));
    unrelated.commit("a", &["root2"], "ann");
    assert_eq!(unrelated.own(), "root2 other-root*, a unknown-key*");
}

#[test]
fn an_open_team_takes_everything_and_says_what_is_proven() {
    let mut story = Story::new("ann:admin");
    story.team.introduction.founder = None;
    story.commit("open", &["root"], "ann").after = Standing::Open(Some(roster("ann:admin")));
    story.unsigned("a", &["open"]);
    story.commit("b", &["a"], "ann");
    story.commit("c", &["b"], "eve");
    story.commit("close", &["c"], "ann").after = Standing::Roster(roster("ann:admin"));
    story.unsigned("d", &["close"]);
    assert_eq!(story.verdicts(), "open good, a open, b good, c open, close good, d unsigned");
}

#[test]
fn an_open_team_may_be_founded_with_a_key_which_then_must_be_that_key() {
    let root = |founder: Option<&str>, signer: Option<&str>| {
        let mut story = Story::new("ann:admin");
        story.team.introduction.founder = founder.map(|name| key(name).fingerprint());
        story.root().after = Standing::Open(None);
        story.root().head.signature = signer.map(key).ok_or(SignatureProblem::Unsigned);
        story.judge()[0].authorisation.name().to_owned()
    };
    assert_eq!(root(None, None), "open");
    assert_eq!(root(None, Some("ann")), "open");
    assert_eq!(root(Some("ann"), Some("ann")), "open");
    assert_eq!(root(Some("ann"), Some("eve")), "other-founder");
    assert_eq!(root(Some("ann"), None), "unsigned");
}

#[test]
fn a_refusal_is_a_sentence_for_a_person() {
    let mut story = Story::new(TEAM);
    story.commit("a", &["root"], "wim").changes.insert(Area::Policy);
    let Authorisation::Refuse(refusal) = &story.judge()[1].authorisation else { panic!() };
    assert_eq!(refusal.to_string(), "`wim` is writer and may not change the policy");
}
