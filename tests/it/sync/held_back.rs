//! What the gate keeps out stays on disk, is named, and never reaches the hub; everything else syncs.
//! Border: which text is a secret is `secrets`; here it is where it goes and what is said.

use crate::support::check::{assert_agreed, assert_clean, entries_for};
use crate::support::{Member, Said, World, any_object_holds, memory, token};

/// Asserts that no part of a token's random half is in what was said.
fn assert_masked(said: &Said) {
    let token = token();
    for at in 8..token.len() - 6 {
        let part = &token[at..at + 6];
        assert!(
            !said.out.contains(part) && !said.err.contains(part),
            "{part} of the value: {said:?}"
        );
    }
}

fn pushes_without_the_secret(member: &Member, hub: &World, line: &str) {
    for arguments in [&["push"][..], &["--format", "json", "push"], &["status"], &["-v", "sync"]] {
        let said = member.run(arguments);
        let expected = i32::from(arguments != ["status"]);
        assert_eq!(said.exit, expected, "{arguments:?}: {said:?}");
        assert!(said.out.contains("github-"), "{arguments:?} names the rule: {said:?}");
        assert!(said.out.contains(line) || said.out.contains("\"line\": 6"), "{said:?}");
        assert_masked(&said);
    }
    assert!(!hub.hub_holds(&token()), "the hub has the token");
    assert!(!any_object_holds(&member.team(), &token()), "the clone has the token in an object");
}

#[test]
fn a_file_with_a_token_stays_on_disk_and_the_rest_is_shared() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let secret = memory("hosting", &format!("The token is {}", token()));
    ada.write("hosting.md", &secret);
    ada.remember("ports", "8080 web");
    pushes_without_the_secret(&ada, &world, "hosting.md:6:");
    assert_eq!(ada.read("hosting.md"), secret);
    assert_eq!(entries_for(&ada.read("MEMORY.md"), "hosting.md"), 1, "its entry stays on disk");
    assert_eq!(entries_for(&world.hub_files()["MEMORY.md"], "hosting.md"), 0);
    bob.done(&["pull"]);
    assert!(bob.has("ports.md") && !bob.has("hosting.md"));
    ada.edit("hosting.md", |text| text.replace(&token(), "in the vault"));
    ada.done(&["push"]);
    bob.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob]);
    assert_eq!(entries_for(&bob.read("MEMORY.md"), "hosting.md"), 1);
}

#[test]
fn what_others_did_to_a_held_back_file_merges_when_the_secret_is_out() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("hosting", "One.\n\nTwo.\n\nThree.");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    ada.edit("hosting.md", |text| text.replace("Three.", &format!("Three is {}.", token())));
    bob.edit("hosting.md", |text| text.replace("One.", "One and a half."));
    bob.remember("other", "Beside it.");
    bob.done(&["push"]);
    let said = ada.fails(&["push"], 1, &["hosting.md"]);
    assert_masked(&said);
    assert!(ada.has("other.md"), "the rest came in");
    assert!(ada.read("hosting.md").contains(&token()), "the edit is untouched");
    bob.edit("hosting.md", |text| text.replace("Two.", "Two and a half."));
    bob.done(&["push"]);
    assert_masked(&ada.fails(&["pull"], 1, &["hosting.md"]));
    ada.edit("hosting.md", |text| text.replace(&token(), "secret"));
    ada.done(&["push"]);
    bob.done(&["pull"]);
    for part in ["One and a half.", "Two and a half.", "Three is secret."] {
        assert!(bob.read("hosting.md").contains(part), "{}", bob.read("hosting.md"));
    }
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_held_back_memory_keeps_its_entry_while_others_change_the_index() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.write("draft.md", memory("draft", &format!("Key: {}", token())));
    ada.edit("MEMORY.md", |text| format!("{text}- [My draft](draft.md) — not yet\n"));
    ada.fails(&["push"], 1, &["draft.md"]);
    bob.remember("ports", "8080 web");
    bob.done(&["push"]);
    ada.fails(&["sync"], 1, &["draft.md"]);
    let index = ada.read("MEMORY.md");
    assert!(index.contains("- [My draft](draft.md) — not yet"), "{index}");
    assert_eq!(entries_for(&index, "ports.md"), 1, "{index}");
    assert!(!world.hub_files()["MEMORY.md"].contains("draft"));
    ada.remove("draft.md");
    ada.done(&["sync"]);
    assert!(!ada.read("MEMORY.md").contains("draft.md"));
    bob.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn an_index_with_a_token_is_held_back_and_memories_still_go() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.edit("MEMORY.md", |text| format!("{text}Use {} here.\n", token()));
    ada.remember("ports", "8080 web");
    let said = ada.fails(&["push"], 1, &["MEMORY.md"]);
    assert_masked(&said);
    assert!(ada.read("MEMORY.md").contains(&token()), "the edit is untouched");
    assert!(!world.hub_holds(&token()));
    bob.done(&["pull"]);
    assert_eq!(entries_for(&bob.read("MEMORY.md"), "ports.md"), 1);
    ada.edit("MEMORY.md", |text| text.replace(&token(), "the vault"));
    ada.done(&["push"]);
    bob.done(&["pull"]);
    assert!(bob.read("MEMORY.md").contains("Use the vault here."));
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_token_committed_by_plain_git_and_removed_again_is_not_sent() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.write("oops.md", memory("oops", &format!("key {}", token())));
    ada.git(&["add", "-A"]);
    ada.git(&["commit", "-q", "-m", "oops"]);
    ada.write("oops.md", memory("oops", "key in the vault"));
    ada.git(&["commit", "-q", "-am", "better"]);
    ada.done(&["push"]);
    bob.done(&["pull"]);
    assert!(bob.read("oops.md").contains("key in the vault"));
    assert!(!world.hub_holds(&token()) && any_object_holds(&ada.team(), &token()));
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_token_in_a_merge_by_plain_git_that_was_removed_again_is_not_sent() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.git(&["switch", "-q", "-c", "side"]);
    ada.write("oops.md", memory("oops", &format!("key {}", token())));
    ada.git(&["add", "-A"]);
    ada.git(&["commit", "-q", "-m", "oops"]);
    ada.git(&["switch", "-q", "main"]);
    ada.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    ada.git(&["branch", "-q", "-D", "side"]);
    ada.write("oops.md", memory("oops", "key in the vault"));
    ada.git(&["commit", "-q", "-am", "better"]);
    bob.remember("ports", "8080 web");
    bob.done(&["push"]);
    let said = ada.done(&["push"]);
    assert_masked(&said);
    assert!(!world.hub_holds(&token()));
    bob.done(&["pull"]);
    assert!(bob.read("oops.md").contains("key in the vault"));
    assert!(!world.hub_holds(&token()));
    assert_clean(&ada);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_token_in_a_merge_by_plain_git_is_refused_until_it_is_corrected_and_never_sent() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let before = ada.tip();
    ada.git(&["switch", "-q", "-c", "side"]);
    ada.write("oops.md", memory("oops", &format!("key {}", token())));
    ada.git(&["add", "-A"]);
    ada.git(&["commit", "-q", "-m", "oops"]);
    ada.git(&["switch", "-q", "main"]);
    ada.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    ada.git(&["branch", "-q", "-D", "side"]);
    for command in ["push", "sync"] {
        let said = ada.fails(&[command], 1, &["oops.md:6:", "github-", &before]);
        assert_masked(&said);
    }
    assert!(!world.hub_holds(&token()));
    bob.remember("ports", "8080 web");
    bob.done(&["push"]);
    assert_masked(&ada.fails(&["push"], 1, &["oops.md:6:"]));
    assert!(!world.hub_holds(&token()));
    ada.write("oops.md", memory("oops", "key in the vault"));
    ada.done(&["push"]);
    bob.done(&["pull"]);
    assert!(bob.read("oops.md").contains("key in the vault"));
    assert!(!world.hub_holds(&token()) && any_object_holds(&ada.team(), &token()));
    assert_clean(&ada);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn deleting_a_memory_that_is_held_back_by_an_edit_deletes_it_for_all() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("hosting", "One.");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    ada.edit("hosting.md", |text| format!("{text}{}\n", token()));
    ada.fails(&["push"], 1, &["hosting.md"]);
    ada.remove("hosting.md");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    assert!(!bob.has("hosting.md"));
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn remembering_a_token_writes_nothing() {
    let world = World::new();
    let ada = world.founder("ada");
    let text = format!("The token is {}", token());
    let options = ["remember", "--name", "x", "--kind", "project", "--description", &text];
    let said = ada.fails(&options, 1, &["github-"]);
    assert_masked(&said);
    assert!(!ada.has("x.md"));
    assert_clean(&ada);
}

#[test]
fn a_finding_that_was_accepted_with_a_reason_is_shared_and_no_other() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.write("sample.md", memory("sample", &format!("A made-up token is {}", token())));
    let status = ada.json(&["status"]);
    let step = status["refused"][0]["reasons"][0]["next_step"].as_str().unwrap().to_owned();
    let fingerprint = step.split("allow ").nth(1).unwrap().split(' ').next().unwrap();
    let team = ada.team();
    let reason = ["--reason", "made up for the documentation"];
    let allow = ["-C", team.to_str().unwrap(), "scan", "allow", fingerprint];
    ada.done(&[&allow[..], &reason[..]].concat());
    ada.done(&["push"]);
    bob.done(&["pull"]);
    assert!(bob.has("sample.md"));
    bob.write(
        "other.md",
        memory("other", &format!("The token is {}", token().replace("ba8D", "xa8D"))),
    );
    bob.fails(&["push"], 1, &["other.md:6:"]);
}
