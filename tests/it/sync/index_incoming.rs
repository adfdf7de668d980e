//! The index of a member after commits came in that plain git made, so that nobody had looked at theirs.
//! Border: what a member's own edits do to it is `index_team`.

use crate::support::check::{assert_clean, entries_for};
use crate::support::{World, memory};

const HUB: &str = "---\nname: hub\ndescription: Where things are\ntype: project\n---\n";

#[test]
fn what_came_in_by_plain_git_is_brought_in_line_unless_no_index_could_tell() {
    let world = World::new();
    let ada = world.newcomer("ada");
    ada.done(&["init", "--open", "--remote", &world.address()]);
    ada.write("hub.md", format!("{HUB}See [the leaf](leaf.md).\n"));
    ada.write("leaf.md", memory("leaf", "A leaf."));
    ada.write("MEMORY.md", "# Team memory\n\n- [hub](hub.md) — Where things are\n");
    ada.done(&["push", "--yes"]);
    let bob = world.joiner("bob");
    let by_plain_git = |path: &str, text: String| {
        bob.write(path, text);
        bob.git(&["add", "-A"]);
        bob.git(&["-c", "core.hooksPath=none", "commit", "-qm", "by hand"]);
        bob.git(&["-c", "core.hooksPath=none", "push", "-q", "origin", "HEAD:main"]);
        ada.done(&["pull"]);
        assert_clean(&ada);
        ada.json(&["status"])["changes"].to_string()
    };
    let before = ada.read("MEMORY.md");

    // Only the body: the index has nothing to say, now and at the next push.
    let changes = by_plain_git("leaf.md", memory("leaf", "A leaf that fell."));
    assert_eq!(changes, "[]");
    ada.done(&["push"]);
    assert_eq!(ada.read("MEMORY.md"), before);

    // The only way to a memory went.
    let changes = by_plain_git("hub.md", format!("{HUB}Nothing any more.\n"));
    assert!(changes.contains("MEMORY.md"), "{changes}");
    ada.done(&["push"]);
    assert_eq!(entries_for(&world.hub_files()["MEMORY.md"], "leaf.md"), 1, "the way went");
    bob.done(&["pull"]);

    // A memory says something else of itself.
    let hub = HUB.replace("things", "tools");
    let changes = by_plain_git("hub.md", format!("{hub}Nothing any more.\n"));
    assert!(changes.contains("MEMORY.md"), "{changes}");
    ada.done(&["push"]);
    assert!(world.hub_files()["MEMORY.md"].contains("Where tools are"), "the hook follows");
    bob.done(&["pull"]);

    // A memory came that has no entry, and one went.
    by_plain_git("new.md", memory("new", "New."));
    ada.done(&["push"]);
    assert_eq!(entries_for(&world.hub_files()["MEMORY.md"], "new.md"), 1);
    assert_clean(&ada);
}
