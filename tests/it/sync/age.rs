//! Files that a sync writes show the age of what they say: clients read it off the mtime.
//! Border: what a memory's `modified` means is `documents`.

use std::fs;
use std::time::UNIX_EPOCH;

use memsync::base::time::Timestamp;

use crate::support::check::assert_clean;
use crate::support::{Member, NOW, World, memory};

fn seconds(text: &str) -> i64 {
    Timestamp::parse(text).unwrap().seconds
}

fn mtime(member: &Member, path: &str) -> i64 {
    let moment = fs::metadata(member.team().join(path)).unwrap().modified().unwrap();
    i64::try_from(moment.duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap()
}

fn at(member: &Member, time: &str) -> Member {
    member.with("MEMSYNC_TEST_CLOCK", time)
}

#[test]
fn pulled_and_joined_files_are_as_old_as_what_they_say() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let (first, second) = ("2026-03-05T10:00:00Z", "2026-03-06T10:00:00Z");
    let flat = memory("flat", "x").replace("type:", "modified: 2025-11-02T03:04:05Z\ntype:");
    ada.write("flat.md", flat);
    ada.write(
        "nested.md",
        "---\nname: nested\ndescription: d\nmetadata:\n  type: project\n  modified: 2025-12-24\n---\nx\n",
    );
    let later = memory("later", "x").replace("type:", "modified: 2031-01-01T00:00:00Z\ntype:");
    ada.write("later.md", later);
    ada.remember("early", "x");
    ada.remember("edited", "x");
    at(&ada, first).done(&["push"]);
    bob.done(&["pull"]);
    assert_eq!(mtime(&bob, "edited.md"), seconds(first));
    ada.edit("edited.md", |text| format!("{text}more\n"));
    ada.write("sub/new.md", memory("new", "x"));
    at(&ada, second).done(&["push"]);
    bob.done(&["pull"]);
    let cara = world.joiner("cara");
    for member in [&bob, &cara] {
        let table = [
            ("flat.md", seconds("2025-11-02T03:04:05Z")),
            ("nested.md", seconds("2025-12-24T00:00:00Z")),
            ("early.md", seconds(first)),
            ("edited.md", seconds(second)),
            ("sub/new.md", seconds(second)),
            ("MEMORY.md", seconds(second)),
            // A clock that is ahead makes nothing younger than the commit it came with.
            ("later.md", seconds(first)),
        ];
        for (path, expected) in table {
            assert_eq!(mtime(member, path), expected, "{path} of {}", member.memdir.display());
        }
        assert_clean(member);
    }
    assert_eq!(mtime(&cara, ".memsync/policy.yaml"), seconds(NOW));
    // What was edited here is as old as the edit, and a merge as old as itself.
    assert!(mtime(&ada, "edited.md") > seconds(second));
}

#[test]
fn a_merged_memory_is_as_old_as_the_newer_of_its_edits() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("both", "One.\n\nTwo.");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    ada.edit("both.md", |text| text.replace("One.", "One, by Ada."));
    at(&ada, "2026-03-05T10:00:00Z").done(&["push"]);
    bob.edit("both.md", |text| text.replace("Two.", "Two, by Bob."));
    let later = "2026-03-06T10:00:00Z";
    at(&bob, later).done(&["push"]);
    assert_eq!(mtime(&bob, "both.md"), seconds(later));
    ada.done(&["pull"]);
    assert_eq!(mtime(&ada, "both.md"), seconds(later));
    assert!(ada.read("both.md").contains("by Ada") && ada.read("both.md").contains("by Bob"));
}
