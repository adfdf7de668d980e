//! Whatever the gate keeps out, nothing else waits for it, and correcting the file is enough.
//! Border: what is a credential or a bad name is the gate's; here it is that the rest goes on.
#![expect(clippy::disallowed_methods, reason = "puts things in the place of files by hand")]

mod ways;
mod machine;

use std::fs;

use self::ways::WAYS;
use crate::support::check::{assert_agreed, entries_for};
use crate::support::{World, any_object_holds, memory, token};

#[test]
fn whatever_is_wrong_with_the_index_others_memories_come_and_ours_go() {
    for way in WAYS.into_iter().filter(|way| way.is_for("MEMORY.md")) {
        let world = World::new();
        let (ada, bob) = world.pair();
        ada.remember("first", "One.");
        ada.done(&["push"]);
        bob.done(&["pull"]);
        way.spoil(&ada, "MEMORY.md");
        ada.remember("mine", "Mine.");
        bob.remember("theirs", "Theirs.");
        bob.done(&["push"]);
        for command in ["push", "pull", "sync", "pull"] {
            ada.fails(&[command], 1, &["MEMORY.md", "next:"]);
        }
        assert!(ada.has("theirs.md"), "{way:?}: the rest came in");
        bob.done(&["pull"]);
        assert!(bob.has("mine.md"), "{way:?}: the rest went out");
        assert_eq!(entries_for(&bob.read("MEMORY.md"), "mine.md"), 1, "{way:?}");
        assert!(!world.hub_holds(&token()) && !any_object_holds(&ada.team(), &token()));
        let status = ada.json(&["status"]);
        assert_eq!(status["refused"][0]["path"], "MEMORY.md", "{way:?}: {status}");
        assert_eq!(status["changes"].as_array().unwrap().len(), 0, "{way:?}: {status}");
        way.correct(&ada, "MEMORY.md");
        ada.done(&["push"]);
        bob.done(&["pull"]);
        assert_agreed(&world, &[&ada, &bob]);
        for name in ["first.md", "mine.md", "theirs.md"] {
            assert_eq!(entries_for(&ada.read("MEMORY.md"), name), 1, "{way:?} {name}");
        }
    }
}

#[test]
fn a_folder_where_a_memory_should_be_written_is_named_and_nothing_is_deleted() {
    let world = World::new();
    let (ada, bob) = world.pair();
    bob.write("infra.md/notes.txt", "x");
    ada.remember("infra", "Hosts.");
    ada.done(&["push"]);
    bob.fails(&["pull"], 1, &["infra.md"]);
    let said = bob.run(&["status"]);
    assert!(said.out.contains("a folder stands where the file should be"), "{said:?}");
    assert!(!said.out.contains("deleted"), "{said:?}");
    bob.fails(&["push"], 1, &["a folder stands where the file should be"]);
    fs::remove_dir_all(bob.team().join("infra.md")).unwrap();
    bob.done(&["sync"]);
    assert_agreed(&world, &[&ada, &bob]);
    // A memory that is there already is not deleted for all by a folder in its place.
    fs::remove_file(bob.team().join("infra.md")).unwrap();
    fs::create_dir(bob.team().join("infra.md")).unwrap();
    bob.fails(&["push"], 1, &["a folder stands where the file should be"]);
    fs::remove_dir(bob.team().join("infra.md")).unwrap();
    bob.done(&["push"]);
    assert_agreed(&world, &[&ada, &bob]);
    assert!(bob.has("infra.md"));
}

#[test]
fn what_others_published_against_a_rule_does_not_hold_up_ours() {
    let world = World::new();
    let (ada, bob) = world.pair();
    bob.edit("MEMORY.md", |text| format!("{text}\nThe key is {}.\n", token()));
    bob.write("bad.md", memory("bad", &format!("The key is {}.\n\nMore.", token())));
    bob.git(&["add", "-A"]);
    bob.git(&["commit", "-qm", "by plain git"]);
    bob.git(&["push", "-q", "origin", "HEAD:main"]);
    ada.remember("before", "Written before.");
    ada.done(&["push"]);
    ada.remember("after", "Written after.");
    ada.edit("MEMORY.md", |text| format!("{text}\nA line of mine.\n"));
    ada.done(&["push"]);
    let hub = world.hub_files();
    assert!(hub.contains_key("before.md") && hub.contains_key("after.md"));
    assert_eq!(entries_for(&hub["MEMORY.md"], "after.md"), 1);
    // The same once more would be ours.
    ada.edit("MEMORY.md", |text| format!("{text}\nAgain: the key is {}.\n", token()));
    ada.fails(&["push"], 1, &["MEMORY.md"]);
}

#[test]
fn a_folder_deeper_than_any_path_is_named_and_the_rest_goes_on() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.write(&format!("{}deep.md", "d/".repeat(40)), memory("deep", "x"));
    ada.remember("mine", "Mine.");
    ada.fails(&["push"], 1, &["kept out d/d/d/", "next:"]);
    assert!(world.hub_files().contains_key("mine.md"));
    ada.fails(&["check"], 1, &["d/d/d/"]);
}
