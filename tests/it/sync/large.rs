//! Memories that are as large as they may be: whatever two of them merge to can be shared.
//! Border: whole commands; how a record is written is `merge`'s.

use crate::support::check::assert_agreed;
use crate::support::{World, memory};

/// Text of short lines, which take the most room where each is indented.
fn lines(word: &str, bytes: usize) -> String {
    format!("{word}\n").repeat(bytes / (word.len() + 1))
}

#[test]
fn two_memories_of_the_largest_size_merge_to_what_everybody_takes() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.write("big.md", memory("big", &lines("b", 240_000)));
    ada.write("grows.md", memory("grows", "One line."));
    ada.done(&["push"]);
    bob.done(&["pull"]);
    ada.write("big.md", memory("big", &lines("x", 240_000)));
    ada.edit("grows.md", |text| format!("{text}\n## Ada\n{}", lines("ada's", 130_000)));
    ada.done(&["push"]);
    bob.write("big.md", memory("big", &lines("y", 240_000)));
    bob.edit("grows.md", |text| format!("{text}\n## Bob\n{}", lines("bob's", 130_000)));
    bob.done(&["push"]);
    ada.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob]);
    let hub = world.hub_files();
    let records: Vec<&String> =
        hub.keys().filter(|path| path.starts_with(".memsync/conflicts/")).collect();
    assert!(records.len() >= 2, "{records:?}");
    for (path, text) in &hub {
        let limit = if path.starts_with(".memsync/") { 1_000_000 } else { 250_000 };
        assert!(text.len() <= limit, "{path} has {} bytes", text.len());
    }
    // Nothing is lost: what was set aside comes back.
    let before = ada.read("grows.md");
    ada.done(&["resolve", "grows", "--theirs"]);
    let after = ada.read("grows.md");
    assert!(before != after && after.contains("ada's") != before.contains("ada's"));
    ada.done(&["push"]);
    bob.done(&["pull"]);
}
