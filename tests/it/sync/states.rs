//! A clone and a remote that stand apart: each state has its own words and exit code, and each next
//! step that is printed works in the state that printed it.
//! Border: how single requests fail is `transport`; here it is what people are told and what helps.
#![expect(clippy::disallowed_methods, reason = "breaks remotes by hand")]

use std::fs;

use crate::servers::git;
use crate::support::check::{assert_agreed, assert_clean};
use crate::support::{Member, World};

/// The introduction that a member tells newcomers.
fn introduction(member: &Member) -> String {
    member.json(&["status"])["introduction"].as_str().unwrap().to_owned()
}

/// A team with a roster: an admin and a writer, who agree.
pub(super) fn team(world: &World) -> (Member, Member) {
    let ada = world.newcomer("ada");
    ada.done(&["init", "--remote", &world.address()]);
    let bob = world.newcomer("bob");
    bob.done(&["join", &world.address(), "--introduction", &introduction(&ada)]);
    let line = bob.done(&["member", "request"]).out;
    ada.done(&["member", "add", line.trim()]);
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    (ada, bob)
}

/// Makes the hub anew, empty.
fn empty_hub(world: &World) {
    fs::remove_dir_all(world.hub()).unwrap();
    fs::create_dir(world.hub()).unwrap();
    git(&world.hub(), &["init", "-q", "--bare", "-b", "main", "."]);
}

/// No sentence of advice stands twice in what was said.
pub(super) fn assert_no_echo(said: &str) {
    let advice = said.split_once("next: ").unwrap().1;
    let sentences: Vec<&str> =
        advice.split(['.', ':', '\n']).map(str::trim).filter(|text| text.len() > 20).collect();
    for (at, sentence) in sentences.iter().enumerate() {
        assert!(!sentences[at + 1..].contains(sentence), "{sentence:?} stands twice: {said}");
    }
}

#[test]
fn a_branch_that_is_gone_is_told_by_every_command_and_put_back() {
    let world = World::new();
    let (ada, bob) = team(&world);
    git(&world.hub(), &["update-ref", "refs/heads/other", "main"]);
    git(&world.hub(), &["update-ref", "-d", "refs/heads/main"]);
    bob.remember("mine", "Kept.");
    for command in ["pull", "push", "sync"] {
        let said = bob.fails(&[command], 3, &["no branch `main` any more", "--restore"]);
        assert_no_echo(&said.err);
    }
    assert!(bob.committed().contains_key("mine.md"), "it is committed here");
    assert_clean(&bob);
    bob.fails(&["push", "--branch", "idea"], 3, &["no branch `main` any more"]);
    let doctor = bob.fails(&["doctor"], 1, &["no branch `main` any more", "push --restore"]);
    assert!(!doctor.out.contains("`memsync push` makes it"), "{doctor:?}");
    bob.fails(&["push", "--restore"], 1, &["not confirmed", "--yes"]);
    let said = bob.done(&["push", "--restore", "--yes"]);
    assert!(said.out.contains("Shared ") && !said.out.contains("Nothing to do"), "{said:?}");
    ada.done(&["pull"]);
    assert!(ada.has("mine.md"));
    assert_agreed(&world, &[&ada, &bob]);
    bob.fails(&["push", "--restore", "--yes"], 1, &["nothing is missing"]);
}

#[test]
fn a_hub_that_was_made_anew_gets_everything_back_from_any_member() {
    let world = World::new();
    let (ada, bob) = team(&world);
    empty_hub(&world);
    for command in ["pull", "push", "sync"] {
        ada.fails(&[command], 3, &["is empty", "held this team memory", "--restore"]);
    }
    bob.remember("mine", "Kept.");
    bob.done(&["push", "--restore", "--yes"]);
    ada.done(&["sync"]);
    assert!(ada.has("mine.md"));
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_backup_of_last_week_at_the_hub_is_told_from_a_rewrite_and_brought_up_to_date() {
    let world = World::new();
    let (ada, bob) = team(&world);
    let old = git(&world.hub(), &["rev-parse", "main"]);
    for number in 0..3 {
        ada.remember(&format!("m{number}"), "New.");
        ada.done(&["push"]);
    }
    bob.done(&["pull"]);
    git(&world.hub(), &["update-ref", "refs/heads/main", &old]);
    let words = ["went back", "3 commits", "backup", "--restore", "refs/memsync/rescue"];
    for command in ["pull", "push", "sync"] {
        bob.fails(&[command], 4, &words);
    }
    assert_eq!(bob.json(&["status"])["behind"], 0, "nothing of it can be taken");
    // Somebody who was away goes on from the backup: that work stays, and nobody's is lost.
    let cem = world.newcomer("cem");
    cem.done(&["join", &world.address(), "--introduction", &introduction(&ada)]);
    bob.done(&["push", "--restore", "--yes"]);
    ada.done(&["pull"]);
    cem.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob, &cem]);
    assert!(cem.has("m2.md"));
}

#[test]
fn a_backup_that_was_written_to_is_not_overwritten() {
    let world = World::new();
    let (ada, bob) = team(&world);
    let old = git(&world.hub(), &["rev-parse", "main"]);
    ada.remember("newer", "New.");
    ada.done(&["push"]);
    git(&world.hub(), &["update-ref", "refs/heads/main", &old]);
    bob.remember("other", "On the backup.");
    bob.done(&["push"]);
    ada.fails(&["push", "--restore", "--yes"], 4, &["rewritten", "accept-rewrite"]);
    ada.done(&["accept-rewrite", "--yes"]);
    assert!(ada.has("other.md"));
}

#[test]
fn a_members_own_machine_from_last_weeks_backup_catches_up_and_sends_nothing_twice() {
    let world = World::new();
    let (ada, bob) = team(&world);
    let backup = world.path().join("backup");
    bob.remember("mine", "Committed before the backup.");
    bob.done(&["pull"]);
    copy(&bob.memdir, &backup);
    bob.done(&["push"]);
    ada.remember("later", "After the backup.");
    ada.done(&["sync"]);
    bob.done(&["pull"]);
    fs::remove_dir_all(&bob.memdir).unwrap();
    fs::rename(&backup, &bob.memdir).unwrap();
    bob.done(&["sync"]);
    assert!(bob.has("later.md") && bob.has("mine.md"));
    ada.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob]);
    let log = git(&world.hub(), &["log", "--format=%s", "main"]);
    assert_eq!(log.matches("Add mine").count(), 1, "{log}");
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    let status = std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
    assert!(status.success());
}

#[test]
fn a_hub_that_starts_with_somebody_elses_commit_is_no_rewrite() {
    let world = World::new();
    let (ada, _) = team(&world);
    empty_hub(&world);
    let other = world.path().join("other");
    fs::create_dir(&other).unwrap();
    git(&other, &["init", "-q", "-b", "main", "."]);
    fs::write(other.join("README.md"), "# Ours\n").unwrap();
    git(&other, &["add", "-A"]);
    git(&other, &["commit", "-q", "-m", "Initial commit"]);
    git(&other, &["push", "-q", &world.address(), "main"]);
    for command in ["pull", "push", "sync"] {
        let words = ["holds something else", "policy.yaml", "--restore", "memsync remote set URL"];
        let said = ada.fails(&[command], 2, &words);
        assert!(!said.err.contains("rewritten"), "{said:?}");
    }
    ada.fails(&["push", "--restore", "--yes"], 2, &["holds something else"]);
    ada.fails(&["accept-rewrite"], 2, &["holds something else"]);
    // A newcomer, and a founder, are told the same.
    let cem = world.newcomer("cem");
    cem.fails(&["init", "--remote", &world.address()], 2, &["is not empty", "no README"]);
    cem.fails(&["join", &world.address()], 2, &["not a memsync team repository"]);
    // A team memory that was never shared is told, too, before anything of it goes there.
    cem.done(&["init"]);
    cem.done(&["remote", "set", &world.address()]);
    cem.fails(&["push"], 2, &["holds something else"]);
    // What is advised works.
    empty_hub(&world);
    ada.done(&["push", "--restore", "--yes"]);
    ada.done(&["pull"]);
}

#[test]
fn another_teams_repository_is_told_and_never_mixed_in() {
    let world = World::new();
    let (ada, _) = team(&world);
    let tip = ada.tip();
    let elsewhere = World::new();
    let eve = elsewhere.newcomer("eve");
    eve.done(&["init", "--remote", &elsewhere.address()]);
    ada.done(&["remote", "set", &elsewhere.address()]);
    for command in ["pull", "push", "sync", "accept-rewrite"] {
        let words = ["holds another team memory", &introduction(&eve), &introduction(&ada)];
        let said = ada.fails(&[command], 4, &words);
        assert!(said.err.contains("memsync remote set URL"), "{said:?}");
    }
    assert_eq!(ada.tip(), tip);
    ada.fails(&["doctor"], 1, &["holds another team memory", "memsync remote set URL"]);
    ada.done(&["remote", "set", &world.address()]);
    ada.done(&["push"]);
}

#[test]
fn the_address_is_shown_and_set_by_one_command_and_checked_as_everywhere() {
    let world = World::new();
    let ada = world.newcomer("ada");
    ada.done(&["init", "--open"]);
    ada.done(&["remote"]);
    ada.fails(&["push"], 2, &["memsync remote set URL"]);
    for bad in ["ext::sh -c x", "http://example.com/x.git", "https://a:b@example.com/x.git", ""] {
        ada.fails(&["remote", "set", bad], 2, &["next:"]);
        assert_eq!(ada.json(&["remote"])["remote"], serde_json::Value::Null);
    }
    ada.done(&["remote", "set", "hub.git"]);
    assert_eq!(ada.done(&["remote"]).out.trim(), world.address(), "relative paths are resolved");
    ada.done(&["push"]);
    let before = fs::read_to_string(ada.team().join(".git/config")).unwrap();
    let moved = world.path().join("moved; # \"hub\".git");
    fs::rename(world.hub(), &moved).unwrap();
    ada.fails(&["pull"], 3, &["not a git repository", "memsync remote set URL"]);
    let said = ada.done(&["remote", "set", moved.to_str().unwrap()]);
    assert!(said.out.contains(&world.address()), "it says what it was: {said:?}");
    ada.done(&["pull"]);
    assert_eq!(ada.git(&["config", "remote.origin.url"]), moved.to_str().unwrap());
    fs::rename(&moved, world.hub()).unwrap();
    ada.done(&["remote", "set", &world.address()]);
    let after = fs::read_to_string(ada.team().join(".git/config")).unwrap();
    let plain = |text: &str| text.replace(['"', ' ', '\t'], "");
    assert_eq!(plain(&before), plain(&after), "nothing else in the file changes");
    ada.done(&["pull"]);
}

#[test]
fn on_another_branch_everything_says_so_before_anything_is_committed() {
    let world = World::new();
    let (ada, bob) = team(&world);
    let tip = ada.tip();
    ada.git(&["switch", "-q", "-c", "topic"]);
    ada.remember("more", "On topic.");
    for command in ["pull", "push", "sync", "status", "diff"] {
        let words = ["team memory is on the branch `main`", "on `topic`", "switch main"];
        let said = ada.fails(&[command], 2, &words);
        assert!(!said.err.contains("member request"), "{said:?}");
    }
    ada.fails(&["doctor"], 1, &["on `topic`", "switch main"]);
    assert_eq!(ada.tip(), tip, "nothing was committed");
    ada.git(&["switch", "-q", "main"]);
    ada.done(&["push"]);
    bob.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn join_adopts_a_plain_clone_with_its_edits_and_commits() {
    let world = World::new();
    let (ada, bob) = team(&world);
    let cem = world.newcomer("cem");
    git(world.path(), &["clone", "-q", &world.address(), "cem/team"]);
    for command in [&["pull"][..], &["push"], &["status"], &["member", "request"]] {
        let words = ["plain git clone", "memsync join", &world.address()];
        cem.fails(command, 2, &words);
    }
    cem.fails(&["doctor"], 1, &["plain git clone", "memsync join"]);
    cem.remember("edit", "On disk.");
    ada.remember("later", "After the clone.");
    ada.done(&["push"]);
    let wrong = introduction(&ada).replace(":SHA256:", ":SHA256:x");
    cem.fails(&["join", &world.address(), "--introduction", &wrong], 4, &["introduced"]);
    cem.fails(&["push"], 2, &["plain git clone"]);
    cem.done(&["join", &world.address(), "--introduction", &introduction(&ada)]);
    assert!(cem.has("later.md"), "it is up to date");
    assert!(cem.committed().contains_key("edit.md"), "its edit stays");
    let line = cem.done(&["member", "request"]).out;
    ada.done(&["member", "add", line.trim()]);
    ada.done(&["push"]);
    cem.done(&["push"]);
    ada.done(&["pull"]);
    bob.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob, &cem]);
    cem.fails(&["join", &world.address()], 2, &["already"]);
}

#[test]
fn a_plain_clone_of_what_is_refused_is_not_shared_in_the_adopters_name() {
    let world = World::new();
    let (ada, _) = team(&world);
    let mallory = world.newcomer("mallory");
    git(world.path(), &["clone", "-q", &world.address(), "mallory/team"]);
    mallory.remember("evil", "Trust me.");
    mallory.git(&["add", "-A"]);
    mallory.git(&["commit", "-q", "-m", "evil"]);
    mallory.git(&["push", "-q", "origin", "main"]);
    let cem = world.newcomer("cem");
    git(world.path(), &["clone", "-q", &world.address(), "cem/team"]);
    let told = introduction(&ada);
    cem.fails(&["join", &world.address(), "--introduction", &told], 4, &["refuse", "aside"]);
    cem.fails(&["push"], 2, &["plain git clone"]);
    let shallow = world.newcomer("dan");
    let address = format!("file://{}", world.address());
    git(world.path(), &["clone", "-q", "--depth", "1", &address, "dan/team"]);
    shallow.fails(&["join", &address, "--introduction", &told], 2, &["history is missing"]);
}

#[test]
fn a_team_folder_that_was_deleted_comes_back_by_joining_again() {
    let world = World::new();
    let (ada, bob) = team(&world);
    fs::remove_dir_all(bob.team()).unwrap();
    for command in ["pull", "push", "status"] {
        bob.fails(&[command], 2, &["no team memory", "memsync join"]);
    }
    bob.done(&["join", &world.address(), "--introduction", &introduction(&ada)]);
    bob.remember("again", "Still a member.");
    bob.done(&["push"]);
    ada.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob]);
}
