//! `memsync undo`, `revert` and `restore`: changes are taken back, what was edited since stays.
//! Border: the built program on real repositories with a hub.

use crate::support::{Member, World, any_object_holds};

fn said(member: &Member, arguments: &[&str]) -> String {
    let said = member.done(arguments);
    said.out + &said.err
}

#[test]
fn undo_goes_back_one_unshared_state_each_time_and_no_further() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("ports", "Port one.");
    ada.done(&["push"]);
    ada.edit("ports.md", |text| text.replace("Port one", "Port two"));
    ada.done(&["push"]);
    let shared = ada.files();
    ada.done(&[
        "remember",
        "--team",
        "--name",
        "Kiln",
        "--kind",
        "project",
        "--description",
        "hot",
    ]);
    let first = ada.files();
    ada.done(&["forget", "Kiln"]);
    assert!(!ada.has("kiln.md"));
    assert!(said(&ada, &["undo", "--dry-run"]).contains("added   kiln.md"));
    assert!(!ada.has("kiln.md"));
    ada.done(&["undo"]);
    assert_eq!(ada.files(), first, "back to where it was before it was forgotten");
    ada.done(&["undo"]);
    assert_eq!(ada.files(), shared, "and to what others have");
    ada.fails(&["undo"], 1, &["nothing here is unshared", "memsync revert"]);
    ada.done(&["push"]);
    assert!(!any_object_holds(&world.hub(), "hot"), "what was taken back is not sent");
}

#[test]
fn revert_takes_back_one_shared_change_and_keeps_later_ones() {
    let world = World::new();
    let (ada, ben) = world.pair();
    ada.remember("ports", "Port one.\n\nSecond paragraph.\n\nThird paragraph.");
    ada.done(&["push"]);
    ada.edit("ports.md", |text| text.replace("Port one", "Port two"));
    ada.done(&["push"]);
    let wrong = ada.tip();
    ada.edit("ports.md", |text| text.replace("Third paragraph", "Another end"));
    ada.remember("later", "Something else.");
    ada.done(&["push"]);
    ada.done(&["revert", &wrong[..10]]);
    let text = ada.read("ports.md");
    assert!(text.contains("Port one") && text.contains("Another end"), "{text}");
    assert!(ada.has("later.md"));
    ada.done(&["push"]);
    ben.done(&["pull"]);
    assert_eq!(ben.read("ports.md"), text);
    ada.edit("ports.md", |text| text.replace("Port one", "Port nine"));
    ada.done(&["push"]);
    let before = ada.files();
    ada.fails(&["revert", &wrong[..10]], 1, &["`ports.md` was changed at the same place since"]);
    assert_eq!(ada.files(), before);
    ada.fails(&["revert", "0123456789"], 2, &["there is no commit", "memsync log"]);
}

#[test]
fn a_memory_comes_back_by_name_or_as_it_was_in_a_commit() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("ports", "Port one.");
    ada.done(&["push"]);
    let old = ada.tip();
    ada.edit("ports.md", |text| text.replace("Port one", "Port two"));
    ada.done(&["push"]);
    ada.fails(&["restore", "ports"], 1, &["nothing of it is gone", "memsync restore"]);
    ada.done(&["restore", &format!("ports@{}", &old[..10])]);
    assert!(ada.read("ports.md").contains("Port one"));
    ada.done(&["push"]);
    ada.done(&["forget", "ports"]);
    ada.done(&["push"]);
    assert!(!ada.has("ports.md"));
    let back = ada.json(&["restore", "ports", "--dry-run"]);
    assert_eq!(back["changes"][0]["path"], "ports.md");
    ada.done(&["restore", "ports"]);
    assert!(
        ada.read("ports.md").contains("Port one") && ada.read("MEMORY.md").contains("(ports.md)")
    );
    ada.fails(&["restore", "never-there"], 2, &["there is no memory `never-there`"]);
}

#[test]
fn forget_says_whether_the_text_was_ever_shared_under_any_name() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("ports", "Port one.");
    ada.remember("never", "Not sent.");
    assert!(said(&ada, &["forget", "never"]).contains("nobody else had it"));
    ada.done(&["push"]);
    ada.done(&["rename", "ports", "harbours.md"]);
    assert!(said(&ada, &["forget", "harbours"]).contains("History keeps its text"));
    ada.done(&["push"]);
    ada.remember("ports", "Port three.");
    assert!(said(&ada, &["forget", "ports"]).contains("History keeps its text"));
}
