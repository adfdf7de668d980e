//! Cases of two members and a hub: what is kept out or in the way, and what is said of it.
//! Border: one case each; random orders of such things are `sync::kept_out`.
#![expect(clippy::disallowed_methods, reason = "puts things in the place of files by hand")]

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::support::check::{assert_agreed, entries_for};
use crate::support::{Member, World, memory, token};

pub(super) fn index_kept_out() {
    for bad in [format!("the key is {}", token()), "un\u{200B}seen \u{202E}words".to_owned()] {
        let world = World::new();
        let (ada, bob) = world.pair();
        ada.remember("a", "x");
        ada.done(&["push"]);
        bob.done(&["pull"]);
        let text = format!("# Team memory\n\n- [A](a.md) — {bad}\n");
        ada.write("MEMORY.md", &text);
        ada.fails(&["push"], 1, &["MEMORY.md"]);
        bob.remember("b", "y");
        bob.done(&["push"]);
        for _ in 0..2 {
            let said = ada.fails(&["pull"], 1, &["MEMORY.md"]);
            assert!(!said.err.contains("fsck"), "{said:?}");
        }
        assert!(ada.has("b.md"));
        assert!(ada.read("MEMORY.md").contains(&bad), "what stands there is untouched");
        ada.edit("MEMORY.md", |index| index.replace(&bad, "in the vault"));
        ada.done(&["push"]);
        bob.done(&["pull"]);
        assert_agreed(&world, &[&ada, &bob]);
        assert!(bob.read("MEMORY.md").contains("- [A](a.md) — in the vault\n"));
        assert_eq!(entries_for(&bob.read("MEMORY.md"), "b.md"), 1);
    }
}

pub(super) fn kept_out_is_not_shown() {
    let secret = memory("s", &format!("token {}", token()));
    let private = memory("s", "Only mine, and unusual.").replace("type: project", "type: user");
    for (text, shown) in [(secret, token()), (private, "unusual".to_owned())] {
        let world = World::new();
        let ada = world.founder("ada");
        ada.remember("a", "x");
        ada.done(&["push"]);
        ada.write("s.md", text);
        ada.edit("MEMORY.md", |index| format!("{index}- [S](s.md) — my own words\n"));
        ada.fails(&["push"], 1, &["s.md"]);
        let diff = ada.run(&["diff"]);
        assert!(!diff.out.contains(&shown) && !diff.out.contains("my own words"), "{diff:?}");
        let status = ada.json(&["status"]);
        assert_eq!(status["changes"].as_array().unwrap().len(), 0, "{status}");
        assert_eq!(status["refused"][0]["path"], "s.md", "{status}");
    }
}

pub(super) fn thing_in_the_place_of_a_memory() {
    for name in ["a folder", "a pipe"] {
        let world = World::new();
        let (ada, bob) = world.pair();
        ada.remember("infra", "Hosts.");
        ada.done(&["push"]);
        if name == "a folder" {
            bob.write("infra.md/notes.txt", "x");
        } else {
            let path = bob.team().join("infra.md");
            assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        }
        bob.fails(&["pull"], 1, &["infra.md"]);
        let status = bob.run(&["status"]);
        let said = format!("{}{}", status.out, status.err);
        assert!(said.contains(name) && said.contains("infra.md"), "{name}: {said}");
        assert!(!said.contains("deleted") && !said.contains("gitlink"), "{said}");
        bob.fails(&["push"], 1, &["infra.md"]);
        assert!(world.hub_files().contains_key("infra.md"));
    }
}

pub(super) fn another_branch() {
    for committed in [false, true] {
        let world = World::new();
        let ada = world.newcomer("ada");
        ada.done(&["init", "--remote", &world.address()]);
        ada.git(&["switch", "-q", "-c", "topic"]);
        ada.remember("a", "x");
        if committed {
            ada.git(&["add", "-A"]);
            ada.git(&["commit", "-qm", "on topic"]);
        }
        let tip = ada.tip();
        for command in ["sync", "push", "pull"] {
            let said = ada.fails(&[command], 2, &["`topic`", "`main`", "switch main"]);
            assert!(!said.err.contains("admin"), "{said:?}");
            assert_eq!(ada.tip(), tip, "nothing is committed");
        }
        ada.git(&["switch", "-q", "main"]);
        if committed {
            ada.git(&["merge", "-q", "topic"]);
        }
        ada.done(&["push"]);
        assert!(world.hub_files().contains_key("a.md"));
    }
}

pub(super) fn leftovers() {
    let met: fn(&Member) = |member| {
        for name in ["#a.md#", "a.md.orig", ".obsidian/app.json", ".trash/old.md"] {
            member.write(name, "x");
        }
        symlink("ada@host.1", member.team().join(".#a.md")).unwrap();
    };
    let second: fn(&Member) = |member| {
        for name in [
            "#MEMORY.md#",
            "a.md~",
            ".a.md.swp",
            ".DS_Store",
            "Thumbs.db",
            "a.md.rej",
            ".vscode/settings.json",
            ".idea/workspace.xml",
            "topics/.obsidian/x.json",
        ] {
            member.write(name, "x");
        }
        symlink("ada@host.1", member.team().join(".#MEMORY.md")).unwrap();
    };
    for make in [met, second] {
        let world = World::new();
        let ada = world.founder("ada");
        ada.remember("a", "x");
        make(&ada);
        let said = ada.done(&["push"]);
        assert!(!said.err.contains("kept out"), "{said:?}");
        ada.done(&["check"]);
        let names: Vec<String> = world.hub_files().into_keys().collect();
        let is_ours = |name: &String| {
            name.ends_with(".md") || name.starts_with(".memsync/") || name == ".gitattributes"
        };
        assert!(names.iter().all(is_ours), "{names:?}");
        assert_eq!(names.iter().filter(|name| name.ends_with(".md")).count(), 2, "{names:?}");
    }
}

pub(super) fn index_too_large() {
    for more in ["many words ".repeat(24_000), format!("- {}\n", "x".repeat(70)).repeat(4_000)] {
        let world = World::new();
        let (ada, bob) = world.pair();
        ada.remember("a", "x");
        ada.done(&["push"]);
        let small = ada.read("MEMORY.md");
        let tip = ada.tip();
        ada.edit("MEMORY.md", |index| format!("{index}\n{more}\n"));
        let said = ada.fails(&["push"], 1, &["MEMORY.md", "next:"]);
        assert!(!said.err.contains("plain git"), "{said:?}");
        assert_eq!(ada.tip(), tip, "kept out before the commit");
        bob.remember("b", "y");
        bob.done(&["sync"]);
        ada.fails(&["pull"], 1, &["MEMORY.md"]);
        assert!(ada.has("b.md"));
        ada.write("MEMORY.md", format!("{small}\nSmall again.\n"));
        ada.done(&["push"]);
        bob.done(&["pull"]);
        assert_agreed(&world, &[&ada, &bob]);
        assert!(bob.read("MEMORY.md").contains("Small again."));
    }
}

pub(super) fn index_no_text() {
    let utf16: Vec<u8> = "# M\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bad in
        [b"# M\n\n- [A](a.md) \xe2\x80\x94 \xff\n".to_vec(), [vec![0xff, 0xfe], utf16].concat()]
    {
        let world = World::new();
        let ada = world.founder("ada");
        ada.write("MEMORY.md", &bad);
        let said = ada.fails(&["push"], 1, &["MEMORY.md", "UTF-8"]);
        assert!(!said.out.contains("Nothing to do"), "{said:?}");
        ada.fails(&["check"], 1, &["MEMORY.md"]);
        assert_eq!(fs::read(ada.team().join("MEMORY.md")).unwrap(), bad);
    }
}

pub(super) fn reworded_and_deleted() {
    let reword = |index: String| index.replace("About x", "all there is about x");
    let moved = |index: String| {
        let line = index.lines().find(|line| line.contains("(x.md)")).unwrap().to_owned();
        let rest = index.replace(&format!("{line}\n"), "");
        format!("{rest}\n## Old\n\n{}\n", line.replace("About x", "gone soon"))
    };
    let edits: [fn(String) -> String; 2] = [reword, moved];
    for (nth, edit) in edits.into_iter().enumerate() {
        for edit_first in [true, false] {
            let world = World::new();
            let (ada, bob) = world.pair();
            ada.remember("x", "One.");
            ada.remember("y", "Two.");
            ada.done(&["push"]);
            bob.done(&["pull"]);
            ada.edit("MEMORY.md", edit);
            bob.remove("x.md");
            let order = if edit_first { [&ada, &bob] } else { [&bob, &ada] };
            order.into_iter().for_each(|member| drop(member.done(&["push"])));
            ada.done(&["sync"]);
            bob.done(&["sync"]);
            assert_agreed(&world, &[&ada, &bob]);
            assert!(!ada.has("x.md") && ada.has("y.md"), "{nth}");
            assert_eq!(entries_for(&ada.read("MEMORY.md"), "x.md"), 0, "{nth}");
            assert_eq!(ada.json(&["status"])["conflicts"].as_array().map(Vec::len), Some(0));
            ada.done(&["check", "--strict"]);
        }
    }
}
