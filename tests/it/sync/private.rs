//! A memory that becomes private: what others have is said, what they have not is not sent.
//! Border: which types a team keeps is the gate's; deleting for all is a push like any other.
#![expect(clippy::disallowed_methods, reason = "moves a file as a person would")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::check::{assert_agreed, entries_for};
use crate::support::{World, any_object_holds};

fn private(text: String) -> String {
    text.replace("type: project", "type: user")
}

#[test]
fn a_shared_memory_that_becomes_private_is_said_to_be_with_the_team_until_it_is_moved() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("habits", "Works at night.");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    ada.edit("habits.md", private);
    for command in ["push", "pull"] {
        let said = ["the team still has it as it was", "deletes it for the team"];
        ada.fails(&[command], 1, &said);
    }
    assert!(ada.run(&["status"]).out.contains("the team still has it as it was"));
    assert!(world.hub_files()["habits.md"].contains("type: project"));
    fs::rename(ada.team().join("habits.md"), ada.memdir.join("habits.md")).unwrap();
    ada.done(&["push"]);
    bob.done(&["pull"]);
    assert!(!bob.has("habits.md"));
    assert_eq!(entries_for(&bob.read("MEMORY.md"), "habits.md"), 0);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_memory_that_becomes_private_before_anybody_had_it_is_not_sent_as_it_was() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("habits", "Said by Quillfeather.");
    let hub = world.address();
    ada.git(&["remote", "set-url", "origin", "/nonexistent/hub.git"]);
    ada.fails(&["push"], 3, &[]);
    ada.git(&["remote", "set-url", "origin", &hub]);
    assert!(any_object_holds(&ada.team(), "Quillfeather"), "or this test proves nothing");
    ada.edit("habits.md", private);
    ada.remember("other", "x");
    for _ in 0..2 {
        let said = ada.fails(&["push"], 1, &["habits.md", "type `user`"]);
        assert!(!said.out.contains("the team still has"), "{said:?}");
    }
    assert!(ada.read("habits.md").contains("Quillfeather"));
    assert!(!world.hub_holds("Quillfeather") && !world.hub_holds("habits"));
    // It may be shared after all.
    ada.edit("habits.md", |text| text.replace("type: user", "type: project"));
    ada.done(&["push"]);
    bob.done(&["pull"]);
    assert!(bob.has("habits.md") && bob.has("other.md"));
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_conflict_that_is_found_while_committing_is_on_disk_and_stays_open() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("both", "One.");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    // Kept out by its kind of file, then deleted, while the other edited it.
    fs::set_permissions(ada.team().join("both.md"), fs::Permissions::from_mode(0o755)).unwrap();
    ada.fails(&["push"], 1, &["both.md"]);
    bob.edit("both.md", |text| format!("{text}\nMore.\n"));
    bob.done(&["push"]);
    ada.fails(&["pull"], 1, &["both.md"]);
    ada.remove("both.md");
    for _ in 0..2 {
        ada.run(&["push"]);
        let status = ada.json(&["status"]);
        assert_eq!(status["conflicts"].as_array().unwrap().len(), 1, "{status}");
        assert_eq!(status["changes"].as_array().unwrap().len(), 0, "{status}");
    }
    assert!(ada.read("both.md").contains("More."));
    bob.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob]);
}
