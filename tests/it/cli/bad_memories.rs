//! Memory directories and questions as nobody should have them: clear answers, bounded time, nothing changed.
//! Border: `list`, `search`, `share`, `edit`, `rename`, `recall`, `context`, `instructions`; other commands
//! have theirs elsewhere.
#![expect(clippy::disallowed_methods, reason = "bad memory directories are made by hand")]

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Member, Said, World, memory, say};

/// Nothing here may take longer; a command that waits for a pipe would.
const PATIENCE: Duration = Duration::from_secs(60);

/// What reads, in every way.
const READING: [&[&str]; 8] = [
    &["list"],
    &["search", "pump"],
    &["recall", "how does the pump start"],
    &["context", "--static"],
    &["context", "--turn", "--prompt", "how does the pump start"],
    &["context", "--static", "--budget", "0"],
    &["instructions"],
    &["show", "pump"],
];

/// Runs a command that must end in time, with an exit code that people are told of, and without a panic.
fn run(member: &Member, arguments: &[&str]) -> Said {
    let began = Instant::now();
    let said = member.run(arguments);
    assert!(began.elapsed() < PATIENCE, "{arguments:?} took {:?}", began.elapsed());
    assert!((0..=4).contains(&said.exit), "{arguments:?}: {said:?}");
    assert!(!said.err.contains("panicked"), "{arguments:?}: {said:?}");
    let must_say = said.exit > 1 && !said.err.contains("next: ");
    assert!(!must_say, "{arguments:?} fails without a next step: {said:?}");
    said
}

/// A member with one good private memory.
fn one(world: &World) -> Member {
    let ada = world.newcomer("ada");
    fs::write(ada.memdir.join("pump.md"), memory("pump", "The pump starts at noon.")).unwrap();
    fs::write(ada.memdir.join("MEMORY.md"), "- [pump](pump.md) — About pump\n").unwrap();
    ada
}

#[test]
fn a_memory_directory_that_is_not_there_or_empty_holds_nothing() {
    let world = World::new();
    let ada = world.newcomer("ada");
    for is_there in [true, false] {
        if !is_there {
            fs::remove_dir(&ada.memdir).unwrap();
        }
        for arguments in READING {
            run(&ada, arguments);
        }
        for arguments in
            [&["share", "pump", "--yes"][..], &["edit", "pump"], &["rename", "pump", "x"]]
        {
            assert_ne!(run(&ada, arguments).exit, 0, "{arguments:?}");
        }
        assert_eq!(ada.memdir.exists(), is_there, "nothing is created by looking");
    }
}

#[test]
fn a_read_only_directory_is_read_and_nothing_is_lost() {
    let world = World::new();
    let ada = one(&world);
    let set = |mode| fs::set_permissions(&ada.memdir, fs::Permissions::from_mode(mode)).unwrap();
    set(0o555);
    // Whoever runs this as root may write all the same.
    let is_root = fs::write(ada.memdir.join("probe"), "").is_ok();
    for arguments in READING {
        run(&ada, arguments);
    }
    let said = run(&ada, &["rename", "pump", "well"]);
    set(0o755);
    assert!(is_root || said.exit != 0, "{said:?}");
    let name = if said.exit == 0 { "well.md" } else { "pump.md" };
    let text = fs::read_to_string(ada.memdir.join(name)).unwrap();
    assert!(text.contains("The pump starts at noon."));
}

#[test]
fn five_thousand_memories_are_listed_searched_and_recalled() {
    let world = World::new();
    let ada = one(&world);
    for number in 0..5_000 {
        let text = memory(&format!("note {number}"), "Something else.");
        fs::write(ada.memdir.join(format!("note-{number}.md")), text).unwrap();
    }
    assert_eq!(ada.json(&["list"])["memories"].as_array().unwrap().len(), 5_001);
    assert_eq!(ada.json(&["search", "at noon"])["matches"][0]["path"], "pump.md");
    for arguments in READING {
        run(&ada, arguments);
    }
    run(&ada, &["rename", "pump", "well"]);
    assert!(ada.memdir.join("well.md").exists());
}

#[test]
fn files_that_are_no_memories_are_passed_over_and_named() {
    let world = World::new();
    let ada = one(&world);
    // A sparse file of 200 MB costs no disk, and nobody may read all of it.
    let huge = fs::File::create(ada.memdir.join("huge.md")).unwrap();
    huge.set_len(200_000_000).unwrap();
    fs::write(ada.memdir.join("latin.md"), b"---\nname: caf\xe9\n---\npump \xff\xfe\n").unwrap();
    fs::create_dir(ada.memdir.join("folder.md")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", ada.memdir.join("zero.md")).unwrap();
    std::os::unix::fs::symlink("loop.md", ada.memdir.join("loop.md")).unwrap();
    let made = Command::new("mkfifo").arg(ada.memdir.join("pipe.md")).status().unwrap();
    assert!(made.success());
    let odd: [&[u8]; 5] =
        [b"a\nb.md", b"\xff\xfe.md", b"-rf.md", b"CON.md", "\u{202e}dm.md".as_bytes()];
    for name in odd {
        fs::write(ada.memdir.join(std::ffi::OsStr::from_bytes(name)), "pump").unwrap();
    }
    for arguments in READING {
        let said = run(&ada, arguments);
        assert!(!said.out.contains('\u{202e}') && !said.err.contains('\u{202e}'), "{arguments:?}");
    }
    let paths: Vec<String> = ada.json(&["list"])["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["path"].as_str().unwrap().to_owned())
        .collect();
    assert!(paths.contains(&"pump.md".to_owned()), "{paths:?}");
    for no_memory in ["folder.md", "zero.md", "loop.md", "pipe.md"] {
        assert!(!paths.iter().any(|path| path == no_memory), "{no_memory}: {paths:?}");
    }
    for name in ["huge", "latin", "zero", "pipe", "../pump", "/etc/passwd", "", "a\nb"] {
        for command in [&["share", name, "--yes"][..], &["rename", name, "well"], &["edit", name]] {
            let before = listing(&ada.memdir);
            let ada = ada.with("VISUAL", "true");
            let said = run(&ada, command);
            let may = command[0] == "edit" || matches!(name, "huge" | "latin");
            assert!(said.exit != 0 || may, "{command:?}: {said:?}");
            if said.exit != 0 {
                assert_eq!(listing(&ada.memdir), before, "{command:?}");
            }
        }
    }
    let good = fs::read_to_string(ada.memdir.join("pump.md")).unwrap();
    assert!(good.contains("at noon"));
}

fn listing(folder: &Path) -> Vec<Vec<u8>> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<Vec<u8>> = names.map(|name| name.as_bytes().to_vec()).collect();
    names.retain(|name| !name.starts_with(b"."));
    names.sort();
    names
}

#[test]
fn new_names_that_no_memory_may_have_are_refused() {
    let world = World::new();
    let ada = one(&world);
    let before = listing(&ada.memdir);
    for name in [
        "",
        " ",
        "..",
        "../x",
        "a/b",
        "a\\b",
        "x\u{7}y",
        "MEMORY",
        "memory.md",
        "con.md",
        ".hidden.md",
        "…",
        "\u{1f527}",
    ] {
        let said = run(&ada, &["rename", "pump", name]);
        assert_ne!(said.exit, 0, "{name:?}: {said:?}");
    }
    assert_eq!(listing(&ada.memdir), before);
}

#[test]
fn questions_that_say_nothing_or_far_too_much_are_answered() {
    let world = World::new();
    let ada = one(&world);
    let megabyte = "pump ".repeat(200_000);
    for text in
        ["🔧🔧🔧", "the and of to in", "насос", "泵怎么启动", "\u{0}", " ", megabyte.as_str()]
    {
        for command in [&["recall", "-"][..], &["context", "--turn", "--prompt", "-"]] {
            let mut program = ada.program();
            program
                .args(command)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            let mut child = program.spawn().unwrap();
            let mut input = child.stdin.take().unwrap();
            // A program that has read enough may close its end.
            drop(std::io::Write::write_all(&mut input, text.as_bytes()));
            drop(input);
            let output = child.wait_with_output().unwrap();
            let err = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code().is_some_and(|code| code <= 2), "{err}");
            assert!(!err.contains("panicked"), "{err}");
        }
    }
    for text in ["🔧🔧🔧", "the and of to in"] {
        let said = ada.json(&["recall", text]);
        assert_eq!(said["memories"].as_array().map(Vec::len), Some(0), "{text}");
        run(&ada, &["search", text]);
    }
    ada.fails(&["search", "  "], 2, &["nothing to search for"]);
    let said = run(&ada, &["context", "--static", "--budget", "0"]);
    assert!(said.out.trim().is_empty(), "no token is spent: {said:?}");
}

#[test]
fn without_a_home_the_memory_directory_must_be_named() {
    let world = World::new();
    let ada = one(&world);
    let without = |arguments: &[&str], named: bool| {
        let mut command = ada.command(env!("CARGO_BIN_EXE_memsync"));
        command.env_remove("HOME").env_remove("XDG_CONFIG_HOME");
        if named {
            command.arg("--memdir").arg(&ada.memdir);
        }
        say(command.args(arguments))
    };
    for arguments in
        [&["list"][..], &["search", "pump"], &["recall", "pump"], &["context", "--static"]]
    {
        assert_eq!(without(arguments, true).exit, 0, "{arguments:?}");
        let said = without(arguments, false);
        assert!(said.exit == 2 && said.err.contains("--memdir"), "{arguments:?}: {said:?}");
    }
    assert_eq!(without(&["rename", "pump", "well"], true).exit, 0);
    assert!(without(&["instructions"], true).exit <= 1);
}
