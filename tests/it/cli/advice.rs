//! What is better not saved: said by `remember` and `check`, and never a refusal.
//! Border: how it reaches people; the rules have their own table in the library.
#![expect(clippy::disallowed_methods, reason = "a project is made of files")]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use crate::support::{Member, Said, World, git, memory};

/// Runs the program in a project, with a text on stdin.
fn inside(member: &Member, project: &PathBuf, arguments: &[&str], text: &str) -> Said {
    let mut command = member.command(env!("CARGO_BIN_EXE_memsync"));
    command.arg("-C").arg(project).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Said {
        exit: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A project with two files, its team memory, and where that is.
fn project(world: &World) -> (Member, PathBuf, PathBuf) {
    let member = world.newcomer("ada");
    let project = world.path().join("wells");
    fs::create_dir_all(project.join("crates/a/src")).unwrap();
    fs::create_dir(project.join("src")).unwrap();
    git(&project, &["init", "-q", "."]);
    fs::write(project.join("src/pump.rs"), "fn open_valve() {}\n").unwrap();
    fs::write(project.join("crates/a/src/well.rs"), "struct Well;\n").unwrap();
    fs::write(project.join(".gitignore"), "/out\n").unwrap();
    fs::create_dir(project.join("out")).unwrap();
    let done = inside(&member, &project, &["init", "--open", "--remote", &world.address()], "");
    assert_eq!(done.exit, 0, "{done:?}");
    let found = inside(&member, &project, &["where", "--format", "json"], "");
    let found: serde_json::Value = serde_json::from_str(&found.out).unwrap();
    let team = PathBuf::from(found["memdir"].as_str().unwrap()).join("team");
    (member, project, team)
}

const REMEMBER: [&str; 7] =
    ["remember", "--name", "valve", "--kind", "project", "--description", "how the valve opens"];

#[test]
fn remember_writes_and_then_says_what_is_better_not_saved() {
    let world = World::new();
    let ada = world.founder("ada");
    let mut command = ada.program();
    command.args(REMEMBER).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"The valve was replaced yesterday.").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("`yesterday` counts from the day it was written"), "{err}");
    assert!(err.contains("next: Write the date itself"), "{err}");
    assert!(ada.committed().contains_key("valve.md"), "it is no refusal");
}

#[test]
fn check_advises_and_passes_even_when_it_is_strict() {
    let world = World::new();
    let (ada, project, team) = project(&world);
    let said = inside(&ada, &project, &REMEMBER, "`open_valve()` in `src/pump.rs` locks.");
    assert_eq!((said.exit, said.err.contains("warning")), (0, false), "{said:?}");
    let write = |name: &str, body: &str| {
        fs::write(team.join(format!("{name}.md")), memory(name, body)).unwrap();
    };
    write("gone", "The depth is measured by `src/depth.rs`.");
    write("deep", "The well is `src/well.rs` in each crate, and `out/log.txt` is big.");
    write("symbol", "`close_valve()` in `src/pump.rs` waits for the well.");
    write("elsewhere", "Their tool has `lib/gauge.py`, which reads gauges.");
    let long = "Wells are measured at noon, because the pump runs in the morning and the level is still low then.";
    write("one", long);
    write("two", long);
    let synced = inside(&ada, &project, &["sync"], "");
    assert_eq!(synced.exit, 0, "{synced:?}");
    let said = inside(&ada, &project, &["check", "--strict", "--format", "json"], "");
    let document: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.exit, &document["passes"]), (0, &serde_json::json!(true)), "{document:#}");
    let told: Vec<(&str, &str, &str)> = document["advice"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap();
            (text("path"), text("rule"), text("message"))
        })
        .collect();
    assert_eq!(
        told,
        [
            ("gone.md", "advice-gone", "`src/depth.rs` is not in the project any more"),
            ("symbol.md", "advice-gone", "`close_valve` is not in `src/pump.rs` any more"),
            ("two.md", "advice-repeats", "it says what `team/one.md` says already"),
        ]
    );
    let said = inside(&ada, &project, &["check", "two.md"], "");
    assert!(said.out.contains("advice-repeats") && !said.out.contains("advice-gone"), "{said:?}");
}

#[test]
fn a_copy_of_an_instruction_file_is_told() {
    let world = World::new();
    let (ada, project, _) = project(&world);
    let text =
        "Run the gauge tests before every change of the pump, and never open two valves at once.";
    fs::write(project.join("CLAUDE.md"), format!("# Wells\n\n{text}\n")).unwrap();
    let said = inside(&ada, &project, &[&REMEMBER[..], &["--format", "json"]].concat(), text);
    let document: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let advice = &document["advice"][0];
    assert_eq!(advice["rule"], "advice-repeats", "{said:?}");
    assert!(advice["message"].as_str().unwrap().contains("CLAUDE.md"), "{advice}");
}
