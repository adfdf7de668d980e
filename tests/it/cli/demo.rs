//! `memsync demo`: tells the whole story, checks itself, and leaves nothing behind unless asked.
//! Border: what each step does is tested where it is built.
#![expect(clippy::disallowed_methods, reason = "this test starts the built program")]

use std::path::Path;
use std::process::Command;

/// Runs the demo without terminal, identity or configuration; gives exit code, stdout, stderr.
fn demo(world: &Path, arguments: &[&str]) -> (i32, String, String) {
    let temporary = world.join("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_memsync"))
        .args(arguments)
        .current_dir(world)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", world.join("home-that-is-not-there"))
        .env("TMPDIR", &temporary)
        .env("TMP", &temporary)
        .output()
        .unwrap();
    let text = |raw: Vec<u8>| String::from_utf8(raw).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_story_is_told_and_nothing_stays_behind() {
    let world = tempfile::tempdir().unwrap();
    let (exit, out, err) = demo(world.path(), &["demo"]);
    assert_eq!(exit, 0, "{out}{err}");
    for part in [
        "ada $ memsync init",
        "ben $ memsync join ../hub.git",
        "merged 2 changes of yours onto it",
        "kept out ci-access.md",
        "looks like a secret",
        "(exit code 1)",
        "ada $ memsync member add",
        "kept out ..%2F..%2FCLAUDE.md",
        "(exit code 4)",
        "Ben <ben@example.com>",
        "by claude-code, signed by ben",
    ] {
        assert!(out.contains(part), "`{part}` is missing in:\n{out}");
    }
    assert!(!out.contains('\u{1b}'), "no colour where there is no terminal");
    assert_eq!(err, "Everything went as told. The demo took its folder away again.\n");
    assert!(names(&world.path().join("tmp")).is_empty(), "the throw-away folder is gone");
    assert_eq!(names(world.path()), ["tmp"], "nothing else was written");
}

#[test]
fn a_kept_demo_is_two_working_members_and_a_sound_hub() {
    let world = tempfile::tempdir().unwrap();
    let (exit, out, err) = demo(world.path(), &["--format", "json", "demo", "--keep", "kept"]);
    assert_eq!((exit, err.as_str()), (0, ""));
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["format"], "memsync.demo/1");
    let kept = world.path().join("kept").canonicalize().unwrap();
    assert_eq!(document["folder"], kept.to_str().unwrap());
    let exits = |code: u64| {
        let steps = document["steps"].as_array().unwrap();
        steps.iter().filter(|step| step["exit"] == code).count()
    };
    assert_eq!((exits(1), exits(4)), (2, 1), "{out}");
    assert_eq!(names(&kept), ["ada", "ben", "hub.git"]);
    let memdir = kept.join("ben/memory");
    let (exit, out, _) = demo(world.path(), &["--memdir", memdir.to_str().unwrap(), "log"]);
    assert_eq!(exit, 0);
    assert!(out.contains("Start team memory"), "{out}");
}

#[test]
fn a_folder_that_is_in_use_is_refused_and_left_as_it_is() {
    let world = tempfile::tempdir().unwrap();
    std::fs::create_dir(world.path().join("mine")).unwrap();
    std::fs::write(world.path().join("mine/letter.txt"), "x").unwrap();
    let (exit, out, err) = demo(world.path(), &["demo", "--keep", "mine"]);
    assert_eq!((exit, out.as_str()), (2, ""));
    assert!(err.contains("is not empty") && err.contains("next:"), "{err}");
    assert_eq!(names(&world.path().join("mine")), ["letter.txt"]);
}

#[test]
fn a_quiet_demo_says_nothing_and_still_checks() {
    let world = tempfile::tempdir().unwrap();
    assert_eq!(demo(world.path(), &["-q", "demo"]), (0, String::new(), String::new()));
}
