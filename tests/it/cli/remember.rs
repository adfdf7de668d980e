//! `remember`, `forget`, `edit` and `show` as people use them: editor, template, names, trials.
//! Border: the built program; a terminal is `script`'s, the editor a shell script.
#![expect(clippy::disallowed_methods, reason = "a memory directory is made of files")]

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use crate::support::{Member, World, memory, say, write_program};

/// Runs a command on a terminal with an editor; gives what it shows.
fn on_a_terminal(world: &World, member: &Member, arguments: &str, editor: &str) -> String {
    let program = env!("CARGO_BIN_EXE_memsync");
    let path = world.path().join("editor");
    write_program(&path, &format!("#!/bin/sh\n{editor}\n"));
    let line = format!("'{program}' --memdir '{}' {arguments}", member.memdir.display());
    let member = member.with("VISUAL", path.to_str().unwrap());
    let mut script = member.command("script");
    script.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm");
    script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = script.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"n\n").unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

/// `remember --private` with a text on stdin.
fn piped(member: &Member, more: &[&str], text: &str) -> crate::support::Said {
    let mut command = member.program();
    command.args(["remember", "--private", "--kind", "reference"]).args(more);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    crate::support::Said {
        exit: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn private(member: &Member, file: &str) -> String {
    fs::read_to_string(member.memdir.join(file)).unwrap()
}

#[test]
fn on_a_terminal_the_editor_opens_on_a_template_and_nothing_empty_is_stored() {
    let world = World::new();
    let ada = world.founder("ada");
    let untouched = on_a_terminal(&world, &ada, "remember --name Valve --private", "true");
    assert!(untouched.contains("nothing was written"), "{untouched}");
    assert!(!ada.memdir.join("valve.md").exists());
    let unfinished =
        on_a_terminal(&world, &ada, "remember --name Valve --private", "echo Opens. >> $1");
    assert!(unfinished.contains("`description` is not filled in"), "{unfinished}");
    assert!(unfinished.contains("Opens."), "what was typed is shown: {unfinished}");
    assert!(!ada.memdir.join("valve.md").exists());
    let fill = "sed -i 's/^description: *$/description: how it opens/; s/^type: .*/type: user/' $1; echo Opens. >> $1";
    let done = on_a_terminal(&world, &ada, "remember --name Valve --private", fill);
    assert!(done.contains("Remembered on this machine only, in valve.md"), "{done}");
    let text = private(&ada, "valve.md");
    assert_eq!(text, "---\nname: Valve\ndescription: how it opens\ntype: user\n---\nOpens.\n");
    assert!(private(&ada, "MEMORY.md").contains("- [Valve](valve.md) — how it opens"));
}

#[test]
fn without_a_terminal_what_is_missing_is_named() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.fails(&["remember", "--name", "x"], 2, &["`--kind` is missing"]);
    let empty = piped(&ada, &["--name", "x", "--description", " "], "  \n");
    assert_eq!((empty.exit, empty.err.contains("the memory is empty")), (2, true), "{empty:?}");
}

#[test]
fn a_memory_is_found_by_its_name_wherever_its_file_lies_and_its_entry_follows() {
    let world = World::new();
    let ada = world.founder("ada");
    fs::create_dir(ada.memdir.join("notes")).unwrap();
    fs::write(ada.memdir.join("notes/reference_valve.md"), memory("Valve", "Old.")).unwrap();
    let index =
        "# Mine\n\n- [Valve](notes/reference_valve.md) — About Valve\n- [B](b.md) — by hand\n";
    fs::write(ada.memdir.join("MEMORY.md"), index).unwrap();
    let options = ["--name", "valve", "--description", "how it opens"];
    let taken = piped(&ada, &options, "New.");
    assert_eq!(taken.exit, 2, "{taken:?}");
    assert!(taken.err.contains("notes/reference_valve.md"), "{taken:?}");
    let done = piped(&ada, &[&options[..], &["--replace"]].concat(), "New.");
    assert_eq!(done.exit, 0, "{done:?}");
    assert!(!ada.memdir.join("valve.md").exists(), "no second file");
    assert!(private(&ada, "notes/reference_valve.md").ends_with("New.\n"));
    let after = private(&ada, "MEMORY.md");
    assert!(after.contains("- [valve](notes/reference_valve.md) — how it opens\n"), "{after}");
    assert!(after.contains("- [B](b.md) — by hand"), "{after}");
    // For the team as well.
    ada.write("project_pump.md", memory("Pump", "Old."));
    ada.done(&["push"]);
    let more = ["--team", "--name", "Pump", "--kind", "project", "--description", "it pumps"];
    ada.fails(&[&["remember"][..], &more].concat(), 2, &["project_pump.md"]);
    ada.done(&[&["remember", "--replace"][..], &more].concat());
    assert!(!ada.has("pump.md") && ada.read("project_pump.md").contains("it pumps"));
}

#[test]
fn a_memory_takes_the_place_of_another_which_stays() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("old-pump", "Pump one.");
    ada.done(&["push"]);
    let options = ["remember", "--team", "--name", "New pump", "--kind", "project"];
    let more = ["--description", "Pump two", "--supersedes", "old-pump"];
    ada.done(&[&options[..], &more].concat());
    assert!(ada.read("new-pump.md").contains("supersedes: [old-pump]\n"));
    assert!(ada.has("old-pump.md"));
    let list = ada.done(&["list"]).out;
    assert!(list.contains("replaced by team/new-pump.md"), "{list}");
    let advice = ada.json(&["check"])["advice"].clone();
    assert_eq!(advice[0]["rule"], "advice-superseded", "{advice}");
    assert_eq!(advice[0]["path"], "MEMORY.md");
    ada.fails(
        &[&options[..], &["--replace", "--description", "x", "--supersedes", "nobody"]].concat(),
        2,
        &["no team memory `nobody`"],
    );
    // What is private is not named in the team.
    let done = piped(&ada, &["--name", "secret pump", "--description", "mine"], "Mine.");
    assert_eq!(done.exit, 0, "{done:?}");
    ada.fails(
        &[&options[..], &["--replace", "--description", "x", "--supersedes", "secret pump"]]
            .concat(),
        2,
        &["no team memory"],
    );
}

#[test]
fn a_trial_changes_nothing() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("pump", "Pump one.");
    ada.done(&["push"]);
    let done = piped(&ada, &["--name", "mine", "--description", "about mine"], "Mine.");
    assert_eq!(done.exit, 0);
    let all = |member: &Member| {
        let text = |file: &str| fs::read(member.memdir.join(file)).unwrap();
        (member.files(), member.tip(), text("mine.md"), text("MEMORY.md"))
    };
    let before = all(&ada);
    let shown =
        piped(&ada, &["--name", "x", "--description", "about x", "--dry-run"], "Seen yesterday.");
    assert!(
        shown.out.contains("+ Seen yesterday.") && shown.err.contains("`yesterday`"),
        "{shown:?}"
    );
    let team = ["remember", "--team", "--name", "pump", "--kind", "project", "--description", "d"];
    let said = ada.done(&[&team[..], &["--replace", "--dry-run"]].concat());
    assert!(said.out.contains("team/pump.md would be replaced"), "{said:?}");
    ada.fails(&[&team[..], &["--dry-run"]].concat(), 2, &["pump.md"]);
    assert!(ada.done(&["forget", "pump", "--dry-run"]).out.contains("would be removed"));
    assert!(ada.done(&["forget", "mine", "--dry-run"]).out.contains("(private)"));
    let editor = world.path().join("editor");
    write_program(&editor, "#!/bin/sh\nsed -i 's/one/two/' $1\n");
    let editing = ada.with("VISUAL", editor.to_str().unwrap());
    let said = say(editing.program().args(["edit", "pump", "--dry-run"]));
    assert!(said.out.contains("+Pump two.") && said.exit == 0, "{said:?}");
    assert_eq!(all(&ada), before);
}

#[test]
fn show_takes_a_part_of_a_name_and_offers_several() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("north-pump", "North.");
    ada.remember("south-pump", "South.");
    ada.done(&["push"]);
    assert!(ada.done(&["show", "north"]).out.contains("North."));
    let several = ["team/north-pump.md", "team/south-pump.md"];
    ada.fails(&["show", "pump"], 2, &several);
    ada.fails(&["show", "nothing"], 2, &["nothing"]);
}

#[test]
fn search_says_which_files_it_read_in_part() {
    let world = World::new();
    let ada = world.founder("ada");
    let long = memory("long", &"needle in hay\n".repeat(100_000));
    fs::write(ada.memdir.join("long.md"), &long).unwrap();
    let said = ada.done(&["search", "needle"]);
    assert!(said.err.contains("`long.md`: only its first"), "{}", said.err);
}
