//! One member on two machines: with a key of each, and with one key on both.
//! Border: the whole program; what a roster may hold is `trust`'s.
#![expect(clippy::disallowed_methods, reason = "copies keys by hand")]

use std::fs;

use crate::support::check::{assert_agreed, entries_for};
use crate::support::{Member, World};

fn introduction(member: &Member) -> String {
    member.json(&["status"])["introduction"].as_str().unwrap().to_owned()
}

/// Ada's second machine, joined, with a key that was made there.
fn second(world: &World, ada: &Member) -> Member {
    let folder = world.path().join("laptop");
    fs::create_dir(&folder).unwrap();
    let laptop = Member::below(&folder, "ada", &[]);
    laptop.done(&["join", &world.address(), "--introduction", &introduction(ada)]);
    laptop
}

fn key_of(member: &Member) -> std::path::PathBuf {
    member.memdir.with_file_name("ada-home").join("memsync/id_ed25519")
}

#[test]
fn a_second_device_gets_a_named_key_of_its_own_and_loses_it_alone() {
    let world = World::new();
    let ada = world.newcomer("ada");
    ada.done(&["init", "--remote", &world.address()]);
    let laptop = second(&world, &ada);
    laptop.remember("early", "Written before it was let in.");
    laptop.fails(&["push"], 4, &["next:"]);
    let line = laptop.done(&["member", "request"]).out;
    ada.fails(&["member", "add", line.trim()], 1, &["ada", "--device NAME"]);
    for bad in ["", " x", "a\u{202e}b", &"x".repeat(41)] {
        ada.fails(&["member", "add", line.trim(), "--device", bad], 2, &["name of a device"]);
    }
    let said = ada.done(&["member", "add", line.trim(), "--device", "laptop"]);
    assert!(said.out.contains("`ada` has a key on `laptop` now."), "{said:?}");
    ada.done(&["push"]);
    laptop.done(&["push"]);
    let listed = ada.done(&["member", "list"]).out;
    assert!(listed.contains("laptop, since 2026-03-04"), "{listed}");
    let devices = ada.json(&["member", "list"])["members"][0]["devices"].clone();
    assert_eq!(devices.as_array().unwrap().len(), 2);
    assert_eq!(devices[1]["device"], "laptop");
    let lone =
        "`ada` is the only admin, with 2 keys: once all are lost nobody can change the roster";
    assert!(ada.done(&["status", "-v"]).out.contains(lone));
    assert!(ada.json(&["doctor"]).to_string().contains(lone));
    both_write(&world, &ada, &laptop);
    // Rotating on one machine leaves the other its key.
    ada.done(&["key", "rotate"]);
    laptop.remember("still", "The laptop's key is its own.");
    laptop.done(&["push"]);
    // The laptop is lost.
    ada.fails(&["member", "remove", "ada", "--device", "tablet"], 2, &["no device", "tablet"]);
    ada.done(&["member", "remove", "ada", "--device", "laptop"]);
    ada.done(&["push"]);
    laptop.remember("stolen", "By whoever found it.");
    laptop.fails(&["push"], 4, &["revoked"]);
    laptop.done(&["pull"]);
    laptop.fails(&["doctor"], 1, &["is revoked", "memsync key import FILE"]);
    assert!(!world.hub_files().contains_key("stolen.md"));
    ada.done(&["pull"]);
    ada.remember("fine", "The desk still writes.");
    ada.done(&["push"]);
    // The last key of the last admin stays.
    let key = ada.json(&["member", "list"])["members"][0]["devices"][0]["key"].clone();
    ada.fails(&["member", "remove", "ada", "--device", key.as_str().unwrap()], 1, &["last admin"]);
}

#[test]
fn one_key_on_both_machines_is_imported_after_the_join() {
    let world = World::new();
    let ada = world.newcomer("ada");
    ada.done(&["init", "--remote", &world.address()]);
    let laptop = second(&world, &ada);
    let copied = world.path().join("copied");
    fs::copy(key_of(&ada), &copied).unwrap();
    let made = fs::read(key_of(&laptop)).unwrap();
    laptop.remember("early", "Committed with the key that join made.");
    laptop.done(&["pull"]);
    let said = laptop.done(&["key", "import", copied.to_str().unwrap()]);
    assert!(said.err.contains("kept in"), "{said:?}");
    let aside = key_of(&laptop).with_file_name("id_ed25519.old-2026-03-04");
    assert_eq!(fs::read(aside).unwrap(), made, "nothing is thrown away");
    let again = laptop.done(&["key", "import", copied.to_str().unwrap()]);
    assert!(again.err.contains("already"), "{again:?}");
    laptop.done(&["push"]);
    both_write(&world, &ada, &laptop);
    // A key that the roster knows is not put aside by the way.
    let other = world.path().join("other");
    ada.done(&["--key", other.to_str().unwrap(), "key", "generate"]);
    ada.fails(&["key", "import", other.to_str().unwrap()], 1, &["already", "key rotate --to"]);
}

/// Both change the same things at once; nothing is lost and both agree.
fn both_write(world: &World, ada: &Member, laptop: &Member) {
    ada.done(&["pull"]);
    ada.remember("shared", "- first\n- last");
    ada.done(&["push"]);
    laptop.done(&["pull"]);
    for round in 0..2 {
        ada.remember(&format!("desk{round}"), "From the desk.");
        laptop.remember(&format!("lap{round}"), "From the laptop.");
        ada.edit("shared.md", |text| text.replace("- last", &format!("- desk {round}\n- last")));
        laptop
            .edit("shared.md", |text| text.replace("- first", &format!("- first\n- lap {round}")));
        for who in [ada, laptop, ada] {
            who.done(&["sync"]);
        }
    }
    assert_agreed(world, &[ada, laptop]);
    for round in 0..2 {
        assert!(ada.read("shared.md").contains(&format!("- desk {round}")));
        assert!(ada.read("shared.md").contains(&format!("- lap {round}")));
        assert_eq!(entries_for(&ada.read("MEMORY.md"), &format!("lap{round}.md")), 1);
    }
}
