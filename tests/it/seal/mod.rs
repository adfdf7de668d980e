//! Sealed memories as people use them: the built program, a hub, members with keys and an outsider.
//! Border: envelope and readers by themselves are unit tests in `seal`.
#![expect(clippy::disallowed_methods, reason = "worlds are made of files and programs")]

mod bad_input;
mod identities;
mod interop;
mod leaks;
mod merge;
mod roster;
mod story;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::{Member, Said, World, git, write_program};

/// What must be found nowhere.
const MARKER: &str = "ZEBRA-CROSSING-4711";

/// A team with a roster: Ada (admin), Ben and Cy, all with the first memory.
struct Team {
    world: World,
    ada: Member,
    ben: Member,
    cy: Member,
}

impl Team {
    fn new() -> Self {
        let world = World::new();
        let ada = newcomer(&world, "ada");
        ada.done(&["init", "--remote", &world.address()]);
        let [ben, cy] = ["ben", "cy"].map(|name| {
            let member = newcomer(&world, name);
            member.done(&["join", &world.address(), "--accept-introduction"]);
            let line = request(&member);
            ada.done(&["member", "add", &line]);
            member
        });
        ada.done(&["push"]);
        for member in [&ben, &cy] {
            member.done(&["pull"]);
        }
        Self { world, ada, ben, cy }
    }

    /// Ada seals a memory for Ben, and everyone has it.
    fn with_incident(text: &str) -> Self {
        let team = Self::new();
        assert_eq!(remember(&team.ada, &["--for", "ben"], text).exit, 0);
        team.ada.done(&["push"]);
        for member in [&team.ben, &team.cy] {
            member.done(&["pull"]);
        }
        team
    }
}

/// A member whose temporary files are below the world as well.
fn newcomer(world: &World, name: &str) -> Member {
    let temporary = world.path().join("tmp");
    fs::create_dir_all(&temporary).unwrap();
    world.newcomer(name).with("TMPDIR", temporary.to_str().unwrap())
}

fn request(member: &Member) -> String {
    let said = member.done(&["member", "request"]).out;
    said.lines().find(|line| line.starts_with("memsync-request/")).unwrap().to_owned()
}

/// `memsync remember --seal` of the memory `incident`.
fn remember(member: &Member, more: &[&str], text: &str) -> Said {
    let arguments = [
        &["remember", "--seal", "--name", "incident", "--kind", "project"][..],
        &["--description", "An incident"],
        more,
    ];
    piped(member, &arguments.concat(), text)
}

/// Runs the program with a text on stdin.
fn piped(member: &Member, arguments: &[&str], text: &str) -> Said {
    let mut command = member.program();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdin.take().unwrap().write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    Said {
        exit: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The member with an editor that runs a shell script on the file `$1`.
fn editor(world: &World, member: &Member, script: &str) -> Member {
    let path = world.path().join(format!("editor-{}", script.len()));
    write_program(&path, &format!("#!/bin/sh\n{script}\n"));
    member.with("EDITOR", path.to_str().unwrap())
}

/// Lets a member edit a sealed memory by a `sed` command.
fn edit(world: &World, member: &Member, sed: &str) -> Said {
    let member = editor(world, member, &format!("sed -i '{sed}' \"$1\""));
    member.done(&["open", "incident", "--edit"])
}

/// A member's private key.
fn key_of(world: &World, name: &str) -> PathBuf {
    world.path().join(format!("{name}-home/memsync/id_ed25519"))
}

/// Every file below a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() { open.push(path) } else { found.push(path) }
        }
    }
    found
}

/// Fails if a text is in any file of the world, or in any object of its repositories.
fn assert_nowhere(world: &World, text: &str) {
    let is_script = |path: &PathBuf| path.to_string_lossy().contains("/editor-");
    for path in files_below(world.path()).into_iter().filter(|path| !is_script(path)) {
        let content = fs::read(&path).unwrap_or_default();
        let found = content.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(!found, "{} holds the text", path.display());
        let name = path.to_string_lossy().into_owned();
        assert!(!name.contains(text), "{name}");
    }
    for repository in ["hub.git", "ada/team", "ben/team", "cy/team"] {
        let folder = world.path().join(repository);
        if folder.exists() {
            let all = git(&folder, &["cat-file", "--batch-all-objects", "--batch", "--unordered"]);
            assert!(!all.contains(text), "an object of {repository} holds the text");
        }
    }
    let left = files_below(&world.path().join("tmp"));
    assert!(left.is_empty(), "left behind: {left:?}");
}
