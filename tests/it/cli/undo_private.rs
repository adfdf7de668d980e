//! `undo` of private changes, and of what `share` and `unshare` moved.
//! Border: the built program on both layers.
#![expect(clippy::disallowed_methods, reason = "a memory directory is made of files")]

use std::collections::BTreeMap;
use std::fs;

use crate::support::{Member, World, memory, write_program};

/// Every private file but locks.
fn private(member: &Member) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(&member.memdir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_file() && !name.starts_with('.') {
            found.insert(name, fs::read_to_string(path).unwrap());
        }
    }
    found
}

/// A member with two private memories and an index written by hand.
fn scene(world: &World) -> Member {
    let ada = world.founder("ada");
    fs::write(ada.memdir.join("pump.md"), memory("pump", "See [[valve]].")).unwrap();
    fs::write(ada.memdir.join("valve.md"), memory("valve", "Opens.")).unwrap();
    let index =
        "# Mine\n\n- [pump](pump.md) — by hand\n- [valve](valve.md) — About valve\n\nNotes.\n";
    fs::write(ada.memdir.join("MEMORY.md"), index).unwrap();
    ada
}

#[test]
fn each_private_change_is_taken_back_the_last_first() {
    let world = World::new();
    let ada = scene(&world);
    let mut states = vec![private(&ada)];
    let editor = world.path().join("editor");
    write_program(&editor, "#!/bin/sh\nsed -i 's/Opens/Closes/; s/About valve/All of it/' $1\n");
    let ada = ada.with("VISUAL", editor.to_str().unwrap());
    let new =
        ["remember", "--private", "--name", "Well", "--kind", "reference", "--description", "deep"];
    for change in [
        &["edit", "valve"][..],
        &["rename", "valve", "Main valve"],
        &new,
        &["forget", "pump", "--yes"],
    ] {
        ada.done(change);
        assert_ne!(states.last(), Some(&private(&ada)), "{change:?}");
        states.push(private(&ada));
    }
    while states.pop().is_some_and(|now| now == private(&ada)) && !states.is_empty() {
        let said = ada.done(&["undo", "--dry-run"]);
        assert!(said.out.contains("On this machine only"), "{said:?}");
        ada.done(&["undo"]);
        assert_eq!(states.last(), Some(&private(&ada)));
    }
    assert!(states.is_empty(), "all the way back");
    ada.fails(&["undo"], 1, &["nothing here is unshared"]);
}

#[test]
fn what_was_written_since_is_not_taken_away() {
    let world = World::new();
    let ada = scene(&world);
    ada.done(&["forget", "pump", "--yes"]);
    // An agent writes the index meanwhile: only the entry comes back, at the end.
    let index = ada.memdir.join("MEMORY.md");
    let text = fs::read_to_string(&index).unwrap() + "\n- [Agent](agent.md) — new\n";
    fs::write(&index, &text).unwrap();
    ada.done(&["undo"]);
    let now = fs::read_to_string(&index).unwrap();
    assert_eq!(now, text + "- [pump](pump.md) — by hand\n");
    // And a memory that an agent wrote under the same name stays.
    ada.done(&["forget", "pump", "--yes"]);
    fs::write(ada.memdir.join("pump.md"), "agent's").unwrap();
    ada.fails(&["undo"], 1, &["pump.md", "changed"]);
    assert_eq!(fs::read_to_string(ada.memdir.join("pump.md")).unwrap(), "agent's");
}

#[test]
fn what_was_shared_comes_back_into_the_private_layer() {
    let world = World::new();
    let ada = scene(&world);
    let (before, team) = (private(&ada), ada.files());
    ada.done(&["share", "--yes", "pump", "valve"]);
    assert!(ada.has("pump.md") && !ada.memdir.join("pump.md").exists());
    let said = ada.done(&["undo"]);
    assert!(
        said.out.contains("deleted pump.md") && said.out.contains("added   pump.md"),
        "{said:?}"
    );
    assert_eq!((private(&ada), ada.files()), (before.clone(), team));
    // What others have is not taken back.
    ada.done(&["share", "--yes", "pump"]);
    ada.done(&["push"]);
    ada.fails(&["undo"], 1, &["nothing here is unshared"]);
    assert!(ada.has("pump.md"));
    // Taking it back from the team is a change like any other.
    let shared = (private(&ada), ada.files());
    ada.done(&["unshare", "--yes", "pump"]);
    assert!(!ada.has("pump.md") && ada.memdir.join("pump.md").exists());
    ada.done(&["undo"]);
    assert_eq!((private(&ada), ada.files()), shared);
}

#[test]
fn the_last_change_of_either_layer_goes_first() {
    let world = World::new();
    let ada = scene(&world);
    let remember = |layer: &str, name: &str| {
        let options =
            ["remember", layer, "--name", name, "--kind", "project", "--description", "d"];
        ada.done(&options);
    };
    remember("--team", "one");
    remember("--private", "two");
    remember("--team", "three");
    remember("--private", "four");
    let there = || {
        ["one", "three"]
            .map(|name| ada.has(&format!("{name}.md")))
            .into_iter()
            .chain(["two", "four"].map(|name| ada.memdir.join(format!("{name}.md")).exists()))
            .collect::<Vec<bool>>()
    };
    for expected in [
        [true, true, true, false],
        [true, false, true, false],
        [true, false, false, false],
        [false; 4],
    ] {
        ada.done(&["undo"]);
        assert_eq!(there(), expected);
    }
}

#[test]
fn copies_are_few_private_and_beside_the_memory_directory() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let ada = scene(&world);
    for number in 0..60 {
        let name = format!("n{number}");
        let options =
            ["remember", "--private", "--name", &name, "--kind", "user", "--description", "d"];
        ada.done(&options);
    }
    let folder = world.path().join(".memsync-undo-ada");
    let mode = fs::metadata(&folder).unwrap().permissions().mode() & 0o077;
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!((files.len(), mode), (50, 0));
    for file in files {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o077, 0);
    }
}
