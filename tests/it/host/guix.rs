//! The test list of `guix git authenticate` (tests/git-authenticate.scm), by meaning: real pushes
//! into a bare repository, judged by a member's pull.
//! Border: one test for each of theirs; what is ours alone is in the other files.

use super::{Forged, admit, team};
use crate::support::{Member, git};

/// Bob takes everything.
fn accepted(team: &super::Team) {
    team.bob.done(&["pull"]);
    let tip = team.tip().to_string();
    assert_eq!(team.bob.git(&["merge-base", "HEAD", &tip]), tip);
}

/// The roster in the hub with one text in place of another.
fn roster(team: &super::Team, from: &str, to: &str) -> Option<String> {
    let text = team.file(".memsync/roster.yaml");
    assert!(text.contains(from), "{text}");
    Some(text.replacen(from, to, 1))
}

#[test]
fn guix_unsigned_commits_are_refused() {
    let team = team();
    team.refused(&Forged { signer: None, ..team.by(&team.bob) }, "unsigned");
}

#[test]
fn guix_signed_commits_by_the_founder_alone_are_accepted() {
    let team = team();
    team.publish(&team.by(&team.ada));
    accepted(&team);
}

#[test]
fn guix_signed_commits_by_those_in_the_authorizations_are_accepted() {
    let team = team();
    team.publish(&team.by(&team.ada));
    team.publish(&team.by(&team.bob).edit("mine.md", None));
    accepted(&team);
    // A signer who is taken out can sign no more, and what he signed before stays good.
    team.ada.done(&["sync"]);
    team.ada.done(&["member", "remove", "bob"]);
    team.ada.done(&["push"]);
    accepted(&team);
    let again = team.by(&team.bob).edit("again.md", Some(crate::support::memory("again", "x")));
    let bad = team.publish(&again);
    team.bob.fails(&["pull"], 4, &["(unknown-key)", &bad.short()]);
}

#[test]
fn guix_an_unauthorized_merge_is_refused() {
    let team = team();
    let base = team.tip();
    let side = team.store(&team.raw(&team.by(&team.bob).on(&[base])));
    team.publish(&team.by(&team.ada).edit("ports.md", Some(crate::support::memory("ports", "1"))));
    // Eve merges two good branches and adds something of her own.
    let merge = team.by(&team.eve).on(&[team.tip(), side]);
    let bad = team.publish(&merge.edit("own.md", Some(crate::support::memory("own", "x"))));
    team.bob.fails(&["pull"], 4, &["(unknown-key)", &bad.short()]);
    assert!(!team.bob.has("own.md"));
}

#[test]
fn guix_an_unauthorised_commit_behind_an_authorised_merge_is_refused() {
    let team = team();
    let base = team.tip();
    let side = team.store(&team.raw(&team.by(&team.eve).on(&[base])));
    team.publish(&team.by(&team.ada).edit("ports.md", Some(crate::support::memory("ports", "1"))));
    team.publish(&team.by(&team.ada).on(&[team.tip(), side]));
    team.bob.fails(&["pull"], 4, &["(unknown-key)", &side.short()]);
    assert!(!team.bob.has("evil.md"));
}

#[test]
fn guix_an_authorised_merge_that_brings_a_new_signer_is_accepted() {
    let team = team();
    let base = team.tip();
    // Beside Bob's work an admin lets Carol in; Bob, known to both sides, merges.
    let bobs = team.store(&team.raw(&team.by(&team.bob).on(&[base])));
    let carol = team.world.newcomer("carol");
    admit(&team.world, &team.ada, &carol, "writer");
    let mut merge = team.by(&team.bob).on(&[bobs, team.tip()]);
    merge.edits =
        vec![(".memsync/roster.yaml".to_owned(), Some(team.file(".memsync/roster.yaml")))];
    team.publish(&merge);
    accepted(&team);
    let carols = team.by(&carol).edit("hers.md", Some(crate::support::memory("hers", "x")));
    team.publish(&carols);
    accepted(&team);
    assert!(team.bob.has("evil.md") && team.bob.has("hers.md"));
}

#[test]
fn guix_removing_the_authorizations_is_refused_though_signed_by_an_admin() {
    let team = team();
    team.refused(&team.by(&team.ada).edit(".memsync/roster.yaml", None), "roster-removed");
}

#[test]
fn guix_a_wrong_first_signer_is_refused() {
    let team = team();
    let eve = git(&team.world.hub(), &["rev-list", "--max-parents=0", "main"]);
    let wrong = |member: &Member| {
        let shown = member.json(&["key", "show"])["fingerprint"].as_str().unwrap().to_owned();
        let introduction = format!("{eve}:{shown}");
        let carol = team.world.newcomer("carol");
        carol.run(&["join", &team.world.address(), "--introduction", &introduction])
    };
    let said = wrong(&team.eve);
    assert!(said.exit == 4 && said.err.contains("not with the introduced"), "{said:?}");
    assert_eq!(wrong(&team.ada).exit, 0);
}

#[test]
fn guix_a_signer_added_by_a_commit_may_sign_from_the_next_one_on() {
    let team = team();
    let bob = "id: bob";
    let forged = team.by(&team.bob).edit(".memsync/roster.yaml", roster(&team, bob, "id: rob"));
    team.refused(&forged, "not-allowed");
}
