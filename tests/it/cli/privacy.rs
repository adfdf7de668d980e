//! The private layer stays on the machine: a mark in it is in nothing that is sent, whatever is run.
//! Border: the built program with a hub; `share` is the only door, and it is tried as well.
#![expect(clippy::disallowed_methods, reason = "writes memories of the private layer")]

use std::fs;
use std::path::Path;

use crate::support::{Member, World, any_object_holds};

const MARK: &str = "zirkonwort";

fn private(member: &Member, path: &str, text: &str) {
    let path = member.memdir.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Files below a folder that hold a text, or have it in their name; objects are looked at by git.
fn holders(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.display().to_string().contains(text)
                || String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(text)
            {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

/// Marks every corner of the private layer, and puts one memory beside that is to be shared.
fn plant(ada: &Member) {
    private(
        ada,
        "MEMORY.md",
        &format!("- [Mine](mine.md) — {MARK}\n- [Open](open.md) — to share\n"),
    );
    private(
        ada,
        "mine.md",
        &format!("---\nname: Mine {MARK}\ndescription: {MARK}\ntype: reference\n---\n{MARK}\n"),
    );
    private(ada, "logs/2026/03/2026-03-04.md", &format!("{MARK}\n"));
    private(ada, "folder/deep.md", &format!("{MARK}\n"));
    private(ada, "open.md", "---\nname: Open\ndescription: open\ntype: project\n---\nFor all.\n");
}

#[test]
fn no_command_sends_anything_of_the_private_layer_but_share() {
    let world = World::new();
    let (ada, ben) = world.pair();
    ada.remember("deploys", "No deploys on Fridays.");
    ada.done(&["push"]);
    let shared = ada.tip();
    plant(&ada);
    let editor = world.path().join("editor");
    crate::support::write_program(&editor, "#!/bin/sh\necho more >> \"$1\"\n");
    let ada = ada.with("EDITOR", editor.to_str().unwrap());
    let commands: &[&[&str]] = &[
        &["list"],
        &["search", MARK],
        &["recall", MARK],
        &["context", "--static"],
        &["context", "--turn", "--prompt", MARK],
        &["instructions"],
        &["edit", "mine"],
        &["rename", "mine", &format!("Mine two {MARK}")],
        &[
            "remember",
            "--private",
            "--name",
            &format!("New {MARK}"),
            "--kind",
            "user",
            "--description",
            MARK,
        ],
        &["share", "open", "--yes"],
        &["push"],
        &["revert", &shared[..10]],
        &["restore", "deploys"],
        &["edit", "deploys"],
        &["rename", "deploys", "When not"],
        &["undo"],
        &["unshare", "open", "--yes"],
        &["index", "--write"],
        &["check"],
        &["status"],
        &["diff"],
        &["doctor"],
        &["audit"],
        &["log"],
        &["sync"],
        &["pull"],
    ];
    for command in commands {
        let said = ada.run(command);
        // What looks may say no: nothing is certain to help, a check finds something.
        let looks = matches!(command[0], "search" | "check" | "doctor" | "instructions");
        assert!(said.exit == 0 || (looks && said.exit == 1), "{command:?}: {said:?}");
    }
    ben.done(&["member", "request", "--push"]);
    ada.done(&["push"]);
    let hub = world.hub();
    assert!(!any_object_holds(&hub, MARK), "an object of the hub");
    assert_eq!(holders(&hub, MARK), [""; 0], "a ref, a log or a name in the hub");
    let clone = ada.team().join(".git");
    assert!(!any_object_holds(&clone, MARK), "an object that a later push might send");
    assert_eq!(holders(&ada.team(), MARK), [""; 0], "a file of the team memory");
    // The mark is found where it goes out by the one door.
    let name = "mine-two-".to_owned() + MARK;
    ada.done(&["share", &name, "--yes"]);
    ada.done(&["push"]);
    assert!(any_object_holds(&hub, MARK));
}
