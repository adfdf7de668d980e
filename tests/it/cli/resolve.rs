//! `memsync resolve`: two members edit one sentence, and a person closes what no rule could.
//! Border: what a choice makes of a text is `merge::resolve`; here it is what people meet.
#![expect(clippy::disallowed_methods, reason = "edits a team memory and starts a terminal")]

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::support::{Member, World, memory, say, token, write_program};

const OURS: &str = "The port is 8081 since March.";
const THEIRS: &str = "The port is 9090 since April.";

/// Two members with one conflict about the sentence of `ports.md`; both have the record.
struct Open {
    world: World,
    ada: Member,
    bob: Member,
    id: String,
    /// What the file holds, and what was set aside.
    kept: &'static str,
    other: &'static str,
}

impl Open {
    fn new() -> Self {
        let world = World::new();
        let (ada, bob) = world.pair();
        ada.remember("ports", "The port is 8080.");
        ada.done(&["push"]);
        bob.done(&["pull"]);
        ada.remember("ports", OURS);
        ada.done(&["push"]);
        bob.remember("ports", THEIRS);
        bob.done(&["push"]);
        ada.done(&["pull"]);
        let id = ids(&bob).remove(0);
        let (kept, other) =
            if bob.read("ports.md").contains(OURS) { (OURS, THEIRS) } else { (THEIRS, OURS) };
        Self { world, ada, bob, id, kept, other }
    }

    fn body(&self) -> String {
        self.bob.read("ports.md").split("---\n").last().unwrap().to_owned()
    }
}

fn ids(member: &Member) -> Vec<String> {
    let document = member.json(&["resolve"]);
    let conflicts = document["conflicts"].as_array().unwrap().clone();
    conflicts.iter().map(|conflict| conflict["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn both_members_see_one_conflict_with_both_texts_and_their_authors() {
    let open = Open::new();
    assert_eq!(ids(&open.ada), [open.id.as_str()]);
    let said = open.bob.done(&["resolve"]).out;
    for text in
        [open.id.as_str(), "ports.md", "in the file (", "set aside (", "Ada", "you", "[-", "{+"]
    {
        assert!(said.contains(text), "{text:?} is not in {said}");
    }
    assert!(open.bob.done(&["status"]).out.contains("conflict"));
    assert_eq!(open.bob.json(&["status"])["conflicts"].as_array().unwrap().len(), 1);
    open.bob.fails(&["check", "--strict"], 1, &[open.id.as_str()]);
    open.bob.fails(&["pull", "--strict"], 1, &["1 conflict is open", "`memsync resolve`"]);
}

#[test]
fn a_conflict_names_who_changed_that_file_and_not_who_pushed_last() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let eve = world.joiner("eve");
    ada.remember("ports", "The port is 8080.");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    ada.remember("ports", OURS);
    ada.done(&["push"]);
    eve.remember("other", "Something else.");
    eve.done(&["push"]);
    bob.remember("ports", THEIRS);
    bob.done(&["push"]);
    let said = bob.done(&["resolve"]).out;
    assert!(said.contains("(Ada, ") && said.contains("(you, ") && !said.contains("Eve"), "{said}");
}

#[test]
fn each_choice_closes_it_for_everyone() {
    for (choice, wanted) in
        [("--ours", ["kept"].as_slice()), ("--theirs", &["other"]), ("--both", &["kept", "other"])]
    {
        let open = Open::new();
        open.bob.done(&["resolve", &open.id[..6], choice]);
        let body = open.body();
        for (name, text) in [("kept", open.kept), ("other", open.other)] {
            assert_eq!(body.contains(text), wanted.contains(&name), "{choice}: {body}");
        }
        assert_eq!(ids(&open.bob), [""; 0]);
        open.bob.done(&["push"]);
        open.ada.done(&["pull", "--strict"]);
        assert_eq!(open.ada.files(), open.bob.files());
    }
}

#[test]
fn a_text_of_ones_own_comes_from_a_file_or_an_editor() {
    let open = Open::new();
    let mine = memory("ports", "Ask the gateway for its port.");
    let file = open.world.path().join("mine.md");
    fs::write(&file, &mine).unwrap();
    open.bob.done(&["resolve", &open.id, "--file", file.to_str().unwrap()]);
    assert_eq!(open.bob.read("ports.md"), mine);

    let open = Open::new();
    let editor = open.world.path().join("editor");
    write_program(&editor, "#!/bin/sh\nprintf 'Edited by hand.\\n' >> \"$1\"\n");
    let bob = open.bob.with("EDITOR", editor.to_str().unwrap());
    bob.fails(&["resolve", &open.id, "--edit"], 2, &["no terminal", "`--file FILE`"]);
    let said = walk_as(&bob, "e\n");
    assert!(said.contains("Closed"), "{said}");
    assert!(open.body().contains("Edited by hand."));
    assert_eq!(ids(&open.bob), [""; 0]);
}

#[test]
fn text_that_the_gate_refuses_closes_nothing() {
    let open = Open::new();
    let before = open.bob.files();
    let file = open.world.path().join("leak.md");
    for text in [memory("ports", &format!("token {}", token())), "no frontmatter\n".to_owned()] {
        fs::write(&file, text).unwrap();
        let said = open.bob.fails(
            &["resolve", &open.id, "--file", file.to_str().unwrap()],
            1,
            &["ports.md"],
        );
        assert!(!format!("{said:?}").contains(&token()), "{said:?}");
        assert_eq!(open.bob.files(), before);
        assert_eq!(ids(&open.bob), [open.id.as_str()]);
    }
    open.bob.fails(&["resolve", &open.id, "--file", "absent.md"], 2, &["absent.md"]);
    open.bob.fails(&["resolve", "feedfeed", "--ours"], 2, &["feedfeed"]);
}

#[test]
fn a_file_that_was_edited_or_deleted_since_keeps_what_its_author_did() {
    let open = Open::new();
    let further = memory("ports", "The port is 443.");
    open.bob.write("ports.md", &further);
    // The text to replace is gone: nothing is guessed, and the person is told what works.
    open.bob.fails(&["resolve", &open.id, "--theirs"], 1, &["ports.md", "--edit"]);
    assert_eq!(open.bob.read("ports.md"), further);
    open.bob.done(&["resolve", &open.id, "--ours"]);
    assert_eq!(open.bob.read("ports.md"), further);
    assert_eq!(ids(&open.bob), [""; 0]);

    let open = Open::new();
    open.bob.remove("ports.md");
    open.bob.done(&["sync", "--yes"]);
    open.bob.done(&["resolve", &open.id, "--ours"]);
    assert!(!open.bob.has("ports.md"));
    open.bob.done(&["push"]);
    assert_eq!(ids(&open.bob), [""; 0]);
}

#[test]
fn an_edit_against_a_deletion_is_kept_or_deleted_as_decided() {
    for (choice, stays) in [("--ours", true), ("--theirs", false)] {
        let world = World::new();
        let (ada, bob) = world.pair();
        ada.remember("ports", "The port is 8080.");
        ada.done(&["push"]);
        bob.done(&["pull"]);
        ada.remove("ports.md");
        ada.done(&["push"]);
        bob.remember("ports", OURS);
        bob.done(&["push"]);
        assert!(bob.read("ports.md").contains(OURS), "the edit survives");
        let id = ids(&bob).remove(0);
        bob.done(&["resolve", &id, choice]);
        bob.done(&["push"]);
        ada.done(&["pull", "--strict"]);
        assert_eq!(ada.has("ports.md"), stays);
        assert_eq!(ada.read("MEMORY.md").contains("ports.md"), stays);
    }
}

#[test]
fn a_record_changed_or_made_by_hand_proposes_nothing_and_can_be_removed() {
    let open = Open::new();
    let record = format!(".memsync/conflicts/{}.yaml", open.id);
    let made_up = ".memsync/conflicts/0123456789abcdef0123.yaml";
    open.bob.edit(&record, |text| text.replace("9090", "6666").replace("8081", "6666"));
    open.bob.write(made_up, "format: memsync.conflict/1\npath: ../x\n");
    open.bob.fails(&["sync"], 1, &[&record, made_up, "conflict-record", "delete the file"]);
    assert_eq!(ids(&open.bob), [open.id.as_str()]);
    // Plain git commits anything.
    let who = ["-c", "user.name=Bob", "-c", "user.email=bob@example.com"];
    open.bob.git(&[&who[..], &["add", "-A"]].concat());
    open.bob.git(&[&who[..], &["commit", "-q", "--no-verify", "-m", "by hand"]].concat());
    let said = open.bob.run(&["resolve"]);
    assert!(!open.body().contains("6666"), "{said:?}");
    assert_eq!(ids(&open.bob).len(), 2);
    for id in ids(&open.bob) {
        open.bob.fails(&["resolve", &id, "--theirs"], 1, &["No side is taken from it"]);
        open.bob.done(&["resolve", &id, "--ours"]);
    }
    assert_eq!(ids(&open.bob), [""; 0]);
    assert!(open.body().contains(open.kept));
}

#[test]
fn two_conflicts_in_one_file_are_closed_one_by_one() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let text = |web: &str, db: &str| {
        memory(
            "ports",
            &format!("## Web\nThe web port is {web}.\n\n## Data\nThe data port is {db}."),
        )
    };
    ada.write("ports.md", text("1", "2"));
    ada.done(&["push"]);
    bob.done(&["pull"]);
    ada.write("ports.md", text("10", "20"));
    ada.done(&["push"]);
    bob.write("ports.md", text("11", "21"));
    bob.done(&["push"]);
    let all = ids(&bob);
    assert_eq!(all.len(), 2);
    let (kept_web, other_web, kept_db) = if bob.read("ports.md").contains("port is 11.") {
        ("11", "10", "21")
    } else {
        ("10", "11", "20")
    };
    let web = bob.json(&["resolve"]);
    let is_web = |c: &&serde_json::Value| c.to_string().contains(&format!("port is {kept_web}."));
    let id = web["conflicts"].as_array().unwrap().iter().find(is_web).unwrap()["id"].clone();
    bob.done(&["resolve", id.as_str().unwrap(), "--theirs"]);
    assert_eq!(bob.read("ports.md"), text(other_web, kept_db));
    assert_eq!(ids(&bob).len(), 1);
    bob.done(&["resolve", &ids(&bob)[0], "--ours"]);
    bob.done(&["push"]);
    ada.done(&["pull", "--strict"]);
    assert_eq!(ada.read("ports.md"), text(other_web, kept_db));
}

#[test]
fn a_conflict_is_named_by_its_memory_or_the_start_of_its_id_and_all_at_once() {
    let open = Open::new();
    open.bob.done(&["resolve", "ports", "--theirs"]);
    assert!(open.body().contains(open.other));

    let world = World::new();
    let (ada, bob) = world.pair();
    let text = |web: &str, db: &str| {
        memory(
            "ports",
            &format!("## Web\nThe web port is {web}.\n\n## Data\nThe data port is {db}."),
        )
    };
    ada.write("ports.md", text("1", "2"));
    ada.done(&["push"]);
    bob.done(&["pull"]);
    ada.write("ports.md", text("10", "20"));
    ada.done(&["push"]);
    bob.write("ports.md", text("11", "21"));
    bob.done(&["push"]);
    let all = ids(&bob);
    let said = bob.fails(&["resolve", "ports.md", "--ours"], 2, &["names 2 conflicts"]);
    assert!(all.iter().all(|id| said.err.contains(&id[..10])), "{said:?}");
    bob.fails(&["resolve", "--all"], 2, &[]);
    bob.done(&["resolve", "--all", "--theirs"]);
    assert_eq!(ids(&bob), [""; 0]);
}

#[test]
fn a_file_corrected_by_hand_closes_its_record_or_is_said_to_hold_neither_text() {
    let open = Open::new();
    open.bob.write("ports.md", memory("ports", "The port is 443."));
    let said = open.bob.done(&["resolve"]);
    assert!(said.err.contains("holds neither text") && said.err.contains("--ours"), "{said:?}");
    assert_eq!(ids(&open.bob), [open.id.as_str()]);
    open.bob.write("ports.md", memory("ports", open.other));
    let said = open.bob.done(&["resolve"]);
    assert!(said.err.contains("holds what was set aside"), "{said:?}");
    assert_eq!(ids(&open.bob), [""; 0]);
    assert!(open.body().contains(open.other));
}

#[test]
fn markers_that_git_left_are_named_and_not_shared() {
    let world = World::new();
    let (ada, _) = world.pair();
    let marker = |sign: &str| sign.repeat(7);
    let torn =
        format!("{} HEAD\nPort 1.\n{}\nPort 2.\n{} theirs", marker("<"), marker("="), marker(">"));
    ada.write("ports.md", memory("ports", &torn));
    ada.fails(&["push"], 1, &["ports.md", "conflict-markers"]);
    ada.write("ports.md", memory("ports", &format!("```\n{torn}\n```")));
    ada.done(&["push"]);
}

#[test]
fn on_a_terminal_it_walks_through_them_and_asks() {
    let open = Open::new();
    let said = walk(&open, "x\n");
    assert!(said.contains("Conflict 1 of 1") && said.contains("[k]eep the file"), "{said}");
    assert!(said.contains("q: leave"), "an unknown key shows the keys: {said}");
    assert_eq!(ids(&open.bob), [open.id.as_str()], "an answer that is none closes nothing");

    let said = walk(&open, "t\n");
    assert!(said.contains("Closed"), "{said}");
    assert!(open.body().contains(open.other));
    assert_eq!(say(open.bob.program().arg("resolve")).err, "no conflict is open\n");
}

/// Runs `resolve` on a terminal with an answer; gives what it shows.
fn walk(open: &Open, answer: &str) -> String {
    walk_as(&open.bob, answer)
}

fn walk_as(member: &Member, answer: &str) -> String {
    let program = env!("CARGO_BIN_EXE_memsync");
    let line = format!("'{program}' --memdir '{}' resolve", member.memdir.display());
    // `script` gives the program a terminal; it is part of util-linux.
    let mut script = member.command("script");
    script.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm");
    script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = script.spawn().unwrap();
    child.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}
