//! What users of such tools reported, each as a claim that it does not happen here.
//! Border: the rows that have no test of their own elsewhere in `sync`.
#![expect(clippy::disallowed_methods, reason = "sets up what users had")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::check::{assert_agreed, assert_clean, entries_for};
use crate::support::{World, git, memory};

/// Every file below a folder that is not team memory, with its content and time of change.
fn surroundings(folder: &Path) -> BTreeMap<String, (Vec<u8>, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("team") && !path.ends_with("hub.git") {
                    open.push(path);
                }
            } else {
                let changed = path.metadata().unwrap().modified().unwrap();
                found.insert(path.display().to_string(), (fs::read(&path).unwrap(), changed));
            }
        }
    }
    found
}

#[test]
fn nothing_outside_team_memory_is_touched() {
    let world = World::new();
    let (ada, bob) = world.pair();
    for (path, text) in [("MEMORY.md", "- [Mine](mine.md) — private\n"), ("mine.md", "Private.\n")]
    {
        fs::write(bob.memdir.join(path), text).unwrap();
    }
    let before = surroundings(world.path());
    ada.remember("mine", "Shared under the same name.");
    ada.done(&["push"]);
    bob.remember("ports", "8080 web");
    bob.done(&["sync"]);
    ada.done(&["sync"]);
    assert_eq!(surroundings(world.path()), before);
    assert!(!world.hub_holds("Private."));
    let changed = git(&world.hub(), &["log", "--format=", "--name-only", "-2", "main"]);
    let mut names: Vec<&str> = changed.lines().filter(|line| !line.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, ["MEMORY.md", "mine.md", "ports.md"]);
}

#[test]
fn an_edit_that_plain_git_was_told_to_hide_is_seen() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        ada.git(&["update-index", flag, "ports.md"]);
        ada.edit("ports.md", |text| format!("{text}{flag}\n"));
        ada.done(&["push"]);
        bob.done(&["pull"]);
        assert!(bob.read("ports.md").contains(flag));
    }
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_clock_that_is_wrong_does_not_decide_what_survives() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("notes", "One.\n\nTwo.\n\nThree.");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    let late = bob.with("MEMSYNC_TEST_CLOCK", "1999-01-01T00:00:00Z");
    let early = ada.with("MEMSYNC_TEST_CLOCK", "2099-01-01T00:00:00Z");
    ada.edit("notes.md", |text| text.replace("One.", "One by Ada."));
    bob.edit("notes.md", |text| text.replace("Three.", "Three by Bob."));
    early.done(&["push"]);
    late.done(&["push"]);
    early.done(&["pull"]);
    for part in ["One by Ada.", "Two.", "Three by Bob."] {
        assert!(ada.read("notes.md").contains(part), "{}", ada.read("notes.md"));
    }
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn sync_never_writes_the_configuration_of_git() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let config = bob.team().join(".git/config");
    let state = || (fs::read(&config).unwrap(), config.metadata().unwrap().modified().unwrap());
    let before = state();
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    bob.remember("more", "And more.");
    fs::write(bob.team().join(".git/config.lock"), "").unwrap();
    for command in ["pull", "push", "sync", "status"] {
        bob.done(&[command]);
    }
    assert_eq!(state(), before);
}

#[test]
fn a_stale_clone_brings_nothing_back() {
    let world = World::new();
    let (ada, bob) = world.pair();
    for name in ["old", "kept", "renamed"] {
        ada.remember(name, &format!("About {name}, long enough to be told from others."));
    }
    ada.done(&["push"]);
    bob.done(&["pull"]);
    ada.remove("old.md");
    fs::rename(ada.team().join("renamed.md"), ada.team().join("new-name.md")).unwrap();
    ada.done(&["push"]);
    // Bob was away, and edits something else and the index before he syncs.
    bob.remember("mine", "Written offline.");
    bob.edit("MEMORY.md", |text| format!("{text}\nProse by Bob.\n"));
    bob.done(&["sync"]);
    ada.done(&["sync"]);
    for gone in ["old.md", "renamed.md"] {
        assert!(!bob.has(gone), "{gone} came back");
        assert_eq!(entries_for(&bob.read("MEMORY.md"), gone), 0);
    }
    assert!(bob.has("new-name.md") && ada.has("mine.md"));
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn names_that_differ_only_by_case_never_meet() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("Ports", "8080 web");
    ada.done(&["push"]);
    bob.remember("ports", "9090 admin");
    let said = bob.run(&["sync"]);
    let both = world.hub_files();
    assert_eq!(said.exit, 0, "{said:?}");
    let names: Vec<String> = both.keys().map(|path| path.to_lowercase()).collect();
    let unique: std::collections::BTreeSet<&String> = names.iter().collect();
    assert_eq!(names.len(), unique.len(), "{names:?}");
    let texts: String = bob.files().values().map(|raw| String::from_utf8_lossy(raw)).collect();
    assert!(texts.contains("8080 web") && texts.contains("9090 admin"), "nothing is lost");
    // On one machine the second name is kept out, and said.
    ada.done(&["pull"]);
    ada.write("MORE.md", memory("more", "Capitals."));
    ada.done(&["push"]);
    ada.write("more.md", memory("more", "Small letters."));
    ada.fails(&["push"], 1, &["more.md", "collision"]);
    assert!(!world.hub_files().contains_key("more.md"));
}

#[test]
fn line_endings_and_marks_of_other_systems_go_through_byte_by_byte() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let text =
        "\u{feff}---\r\nname: win\r\ndescription: From Windows\r\ntype: project\r\n---\r\nOne.\r\n";
    ada.write("win.md", text);
    ada.edit("MEMORY.md", |text| text.replace('\n', "\r\n"));
    ada.done(&["push"]);
    bob.done(&["pull"]);
    assert_eq!(bob.read("win.md"), text);
    assert!(!bob.read("MEMORY.md").replace("\r\n", "").contains('\n'), "the index stays CRLF");
    bob.edit("win.md", |text| format!("{text}Two.\r\n"));
    ada.edit("win.md", |text| text.replace("From Windows", "From a PC"));
    bob.done(&["sync"]);
    ada.done(&["sync"]);
    bob.done(&["sync"]);
    let merged = ada.read("win.md");
    assert!(merged.contains("From a PC") && merged.contains("Two.\r\n"), "{merged:?}");
    assert!(!merged.replace("\r\n", "").contains('\n'), "{merged:?}");
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_merge_that_a_host_made_is_understood_and_its_index_put_right() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    let address = world.address();
    // Two branches of a pull request, merged on the host with `union`: the entry is there twice.
    let host = world.newcomer("host");
    git(&host.memdir, &["clone", "-q", &address, "."]);
    let commit = |branch: &str, path: &str| {
        git(&host.memdir, &["switch", "-q", "-c", branch, "origin/main"]);
        fs::write(host.memdir.join(path), memory(path.trim_end_matches(".md"), "By a host."))
            .unwrap();
        git(&host.memdir, &["add", "-A"]);
        git(&host.memdir, &["commit", "-q", "-m", branch]);
    };
    commit("one", "first.md");
    commit("two", "second.md");
    git(&host.memdir, &["merge", "-q", "--no-ff", "-m", "Merge pull request", "one"]);
    git(&host.memdir, &["push", "-q", &address, "HEAD:main"]);
    bob.remember("mine", "Bob's own.");
    for member in [&bob, &ada, &bob] {
        member.done(&["sync"]);
    }
    for path in ["first.md", "second.md", "mine.md", "ports.md"] {
        assert_eq!(entries_for(&bob.read("MEMORY.md"), path), 1, "{path}");
    }
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_settings_file_of_the_project_is_ignored_and_said() {
    let world = World::new();
    let ada = world.founder("ada");
    let project = world.path().join("project");
    fs::create_dir_all(project.join(".claude")).unwrap();
    fs::write(project.join(".claude/settings.json"), r#"{"autoMemoryDirectory": "./evil"}"#)
        .unwrap();
    let program = env!("CARGO_BIN_EXE_memsync");
    let said = crate::support::say(ada.command(program).arg("-C").arg(&project).arg("where"));
    assert!(said.out.contains("evil") && said.out.contains("ignored"), "{said:?}");
    assert!(!project.join("evil").exists());
    assert_clean(&ada);
}
