//! What commands say and when they are silent: counts, `-q`, help, what a join brought.
//! Border: one claim about words each; what commands do is tested beside each of them.

use crate::support::{World, token};

#[test]
fn quiet_says_nothing_when_all_is_well_and_everything_that_is_not() {
    let world = World::new();
    let ada = world.newcomer("ada");
    let bob = world.newcomer("bob");
    let silent = |member: &crate::support::Member, arguments: &[&str]| {
        let said = member.done(&[&["-q"], arguments].concat());
        assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""), "{arguments:?}");
    };
    silent(&ada, &["init", "--open", "--remote", &world.address()]);
    ada.remember("ports", "8080 web");
    silent(&ada, &["push"]);
    silent(&bob, &["join", &world.address()]);
    silent(&bob, &["remember", "--name", "x", "--kind", "project", "--description", "About x"]);
    silent(&bob, &["sync"]);
    silent(&ada, &["pull"]);
    silent(&ada, &["sync"]);
    silent(&ada, &["forget", "ports"]);
    silent(&ada, &["push"]);
    // Data that was asked for, warnings and errors stay.
    assert!(ada.done(&["-q", "status"]).out.contains("1 memory"));
    ada.remember("leak", &format!("key = {}", token()));
    ada.fails(&["-q", "push"], 1, &["kept out", "leak.md", "next:"]);
    ada.fails(&["-q", "show", "nothing"], 2, &["error:", "next:"]);
}

#[test]
fn help_is_given_by_every_spelling() {
    let world = World::new();
    let ada = world.newcomer("ada");
    assert_eq!(ada.done(&["help"]).out, ada.done(&["--help"]).out);
    assert_eq!(ada.done(&["help", "push"]).out, ada.done(&["push", "--help"]).out);
    assert_eq!(
        ada.done(&["help", "member", "add"]).out,
        ada.done(&["member", "add", "--help"]).out
    );
    ada.fails(&["help", "nothing"], 2, &["nothing"]);
}

#[test]
fn a_join_says_how_many_memories_it_brought() {
    let world = World::new();
    let ada = world.founder("ada");
    for number in 0..9 {
        ada.remember(&format!("m{number}"), "Something.");
    }
    ada.done(&["push"]);
    let bob = world.newcomer("bob");
    let said = bob.done(&["join", &world.address()]);
    assert!(said.out.contains(": 9 memories."), "{said:?}");
    assert!(!said.out.contains("Nothing to do"), "{said:?}");
    assert!(!said.err.contains("member request"), "everyone may write: {said:?}");
    assert_eq!(world.newcomer("cem").json(&["join", &world.address()])["memories"], 9);
}

#[test]
fn one_is_no_plural_and_changes_that_cancel_out_are_not_listed() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.write("../leak.txt", format!("key = {}\n", token()));
    let path = ada.memdir.join("leak.txt");
    let said = ada.fails(&["scan", path.to_str().unwrap()], 1, &["1 finding in 1 file"]);
    assert!(!said.err.contains("1 findings") && !said.err.contains("1 files"), "{said:?}");
    ada.remember("ports", "one");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    for text in ["two", "one"] {
        ada.remember("ports", text);
        ada.done(&["push"]);
    }
    let said = bob.done(&["pull"]);
    assert!(said.out.contains("Received 2 changes; no file here changes by it."), "{said:?}");
}

#[test]
fn a_single_admin_is_told_before_the_key_is_lost() {
    let world = World::new();
    let ada = world.newcomer("ada");
    let said = ada.done(&["init", "--remote", &world.address()]);
    assert!(said.err.contains("only admin") && said.err.contains("memsync member role ID admin"));
    assert!(ada.done(&["status", "-v"]).out.contains("`ada` is the only admin"));
    assert!(!ada.done(&["status"]).out.contains("only admin"));
    let bob = world.newcomer("bob");
    let said = bob.done(&["join", &world.address(), "--accept-introduction"]);
    assert!(said.err.contains("next: You can read. To share as well"), "{said:?}");
    let line = bob.done(&["member", "request"]).out;
    ada.done(&["member", "add", line.trim(), "--role", "admin"]);
    assert!(!ada.done(&["status", "-v"]).out.contains("only admin"));
    let open = World::new();
    let said = open.newcomer("cem").done(&["init", "--open", "--remote", &open.address()]);
    assert!(!said.err.contains("only admin"), "{said:?}");
}
