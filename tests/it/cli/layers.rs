//! `memsync list`, `search`, `share` and `unshare`: both layers, and the one door between them.
//! Border: the built program on real repositories; the rules have tests of their own.
#![expect(clippy::disallowed_methods, reason = "writes memories of the private layer")]

use std::fs;

use serde_json::Value;

use crate::support::{Member, World, any_object_holds, token};

const INDEX: &str = "# Mine\n\n- [Ports](ports.md) — asked for every week\n  the second line of it\n- [Ada](ada.md) — likes short answers\n";

fn text(name: &str, kind: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: about {name}\ntype: {kind}\n---\n{body}\n")
}

fn private(member: &Member, path: &str, text: impl AsRef<[u8]>) {
    let path = member.memdir.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(member: &Member, path: &str) -> String {
    fs::read_to_string(member.memdir.join(path)).unwrap()
}

fn has(member: &Member, path: &str) -> bool {
    member.memdir.join(path).exists()
}

/// Ada, with two private memories and one of the team's.
fn ada(world: &World) -> Member {
    let ada = world.founder("ada");
    private(&ada, "MEMORY.md", INDEX);
    private(&ada, "ports.md", text("Ports", "reference", "The test database has port 5433."));
    private(&ada, "ada.md", text("Ada", "user", "She answers at noon."));
    ada.remember("deploys", "No deploys on Fridays.");
    ada.done(&["push"]);
    ada
}

fn paths(document: &Value, list: &str) -> Vec<String> {
    let all = document[list].as_array().unwrap();
    all.iter().map(|one| one["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn both_layers_are_listed_and_searched() {
    let world = World::new();
    let ada = ada(&world);
    private(&ada, "unlisted.md", "no frontmatter, port 5433\n");
    private(&ada, "logs/2026/03/2026-03-04.md", "a day\n");
    let list = ada.json(&["list"]);
    assert_eq!(list["format"], "memsync.list/1");
    assert_eq!(paths(&list, "memories"), ["ada.md", "ports.md", "unlisted.md", "team/deploys.md"]);
    let ports = &list["memories"][1];
    assert_eq!((&ports["name"], &ports["kind"]), (&"Ports".into(), &"reference".into()));
    assert_eq!((&ports["layer"], &ports["visible"]), (&"private".into(), &true.into()));
    assert_eq!(ports["description"], "about Ports");
    assert_eq!(list["memories"][2]["visible"], false, "nothing leads to it");
    assert_eq!(list["memories"][3]["layer"], "team");
    for (options, expected) in [
        (&["--team"][..], &["team/deploys.md"][..]),
        (&["--private", "--kind", "user"], &["ada.md"]),
        (&["--stale", "100000"], &[]),
        (&["--author", "nobody"], &[]),
    ] {
        assert_eq!(paths(&ada.json(&[&["list"], options].concat()), "memories"), expected);
    }
    let found = ada.json(&["search", "PORT 5433"]);
    assert_eq!(found["format"], "memsync.search/1");
    assert_eq!(paths(&found, "matches"), ["ports.md", "unlisted.md"]);
    assert_eq!(
        (&found["matches"][0]["line"], &found["matches"][1]["line"]),
        (&6.into(), &1.into())
    );
    ada.fails(&["search", "no such words"], 1, &[]);
    ada.fails(&["search", " "], 2, &["nothing to search for"]);
    let said = ada.done(&["list"]);
    assert!(said.out.contains("unlisted.md  -, today, not seen by agents"), "{said:?}");
}

#[test]
fn a_memory_that_takes_the_place_of_another_is_named() {
    let world = World::new();
    let ada = ada(&world);
    private(
        &ada,
        "ports2.md",
        text("Ports 2", "reference", "5434.").replace("type:", "supersedes: [Ports]\ntype:"),
    );
    let list = ada.json(&["list", "--private"]);
    assert_eq!(list["memories"][1]["superseded_by"], "ports2.md");
}

#[test]
fn eight_memories_go_to_the_team_in_one_command_with_both_indexes_right() {
    let world = World::new();
    let ada = ada(&world);
    let names: Vec<String> = (0..8).map(|n| format!("m{n}")).collect();
    let mut index = INDEX.to_owned();
    for name in &names {
        private(&ada, &format!("{name}.md"), text(name, "project", "Decided in May."));
        index += &format!("- [{name}]({name}.md) — by hand, {name}\n");
    }
    private(&ada, "MEMORY.md", &index);
    let mut command = vec!["share", "--yes"];
    command.extend(names.iter().map(String::as_str));
    let said = ada.done(&command);
    assert!(said.err.contains("memsync push"), "{said:?}");
    assert_eq!(read(&ada, "MEMORY.md"), INDEX, "every other line of the private index stays");
    for name in &names {
        assert!(!has(&ada, &format!("{name}.md")) && has(&ada, &format!("team/{name}.md")));
        let line = format!("- [{name}]({name}.md) — by hand, {name}\n");
        assert!(read(&ada, "team/MEMORY.md").contains(&line), "the hook travels");
    }
    ada.done(&["check"]);
    ada.done(&["push"]);
    let ben = world.joiner("ben");
    assert!(ben.has("m7.md"));
    assert!(world.hub_holds("Decided in May.") && !world.hub_holds("She answers at noon."));
}

#[test]
fn an_entry_travels_with_the_lines_below_it_and_partial_names_do() {
    let world = World::new();
    let ada = ada(&world);
    ada.done(&["share", "port", "--yes"]);
    assert!(
        read(&ada, "team/MEMORY.md")
            .contains("- [Ports](ports.md) — asked for every week\n  the second line of it\n")
    );
    assert_eq!(read(&ada, "MEMORY.md"), "# Mine\n\n- [Ada](ada.md) — likes short answers\n");
}

#[test]
fn what_must_not_be_shared_is_refused_and_then_none_is() {
    let world = World::new();
    let ada = ada(&world);
    private(&ada, "good.md", text("Good", "project", "Fine."));
    private(&ada, "key.md", text("Key", "reference", &format!("The token is {}.", token())));
    private(&ada, "deploys.md", text("Deploys", "project", "Mine, not theirs."));
    private(&ada, "bytes.md", b"---\nname: B\n---\n\xFF\n");
    private(&ada, "Deploys.md", text("Capital", "project", "A name that meets another."));
    let before = ada.files();
    for (name, exit, said) in [
        ("ada", 1, "of type `user`"),
        ("key", 1, "key.md:6"),
        ("deploys", 1, "another text under `deploys.md`"),
        ("bytes", 1, "not valid UTF-8"),
        ("Capital", 1, "another text under `deploys.md`"),
        ("nothing-like-it", 2, "memsync list"),
        ("o", 2, "several"),
    ] {
        let refused = ada.fails(&["share", "good", name, "--yes"], exit, &[said]);
        assert!(!refused.err.contains(&token()) && !refused.out.contains(&token()));
        assert!(has(&ada, "good.md") && !has(&ada, "team/good.md"), "all or none: {name}");
    }
    ada.fails(&["share", "good"], 1, &["--yes"]);
    let said = ada.done(&["share", "good", "--dry-run"]);
    assert!(said.out.contains("+ Fine.") && said.err.contains("Nothing was changed"), "{said:?}");
    assert_eq!(before, ada.files());
}

#[test]
fn what_is_personal_is_named_and_taken_out_on_request() {
    let world = World::new();
    let ada = ada(&world);
    let body = "See /home/ada/notes or write to ada@example.org.";
    private(&ada, "how.md", text("How", "reference", body));
    let plan = ada.json(&["share", "how", "--dry-run"]);
    assert_eq!(plan["memories"][0]["personal"][0]["what"], "home path");
    assert_eq!(plan["memories"][0]["personal"][1]["text"], "ada@example.org");
    let said = ada.done(&["share", "how", "--take-out", "--yes"]);
    assert!(said.out.contains("+ See ~/notes or write to <e-mail>."), "{said:?}");
    assert!(read(&ada, "team/how.md").contains("See ~/notes or write to <e-mail>."));
    assert!(!has(&ada, "how.md"));
}

#[test]
fn an_interrupted_share_is_finished_by_the_same_command() {
    let world = World::new();
    let ada = ada(&world);
    let (index, memory) = (read(&ada, "MEMORY.md"), read(&ada, "ports.md"));
    ada.done(&["share", "ports", "--yes"]);
    // As if cut off after the commit: the memory is in both layers.
    private(&ada, "MEMORY.md", index);
    private(&ada, "ports.md", memory);
    ada.done(&["share", "ports", "--yes"]);
    assert!(!has(&ada, "ports.md") && has(&ada, "team/ports.md"));
    assert_eq!(read(&ada, "team/MEMORY.md").matches("(ports.md)").count(), 1);
}

#[test]
fn what_is_taken_back_before_a_push_was_never_sent() {
    let world = World::new();
    let ada = ada(&world);
    ada.done(&["share", "ports", "--yes"]);
    ada.done(&["unshare", "ports", "--yes"]);
    assert!(has(&ada, "ports.md") && !has(&ada, "team/ports.md"));
    assert!(read(&ada, "MEMORY.md").contains("— asked for every week\n  the second line of it\n"));
    assert!(!read(&ada, "team/MEMORY.md").contains("ports.md"));
    ada.done(&["push"]);
    assert!(!any_object_holds(&world.hub(), "port 5433"), "its text never left the machine");
    ada.fails(&["unshare", "deploys"], 1, &["--yes"]);
    ada.done(&["unshare", "deploys", "--yes"]);
    assert!(read(&ada, "MEMORY.md").contains("(deploys.md)"));
}

#[cfg(unix)]
#[test]
fn strange_files_are_passed_over_and_a_missing_directory_is_empty() {
    let world = World::new();
    let ada = ada(&world);
    rustix::fs::mkfifoat(rustix::fs::CWD, ada.memdir.join("pipe.md"), 0o600.into()).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", ada.memdir.join("link.md")).unwrap();
    private(&ada, "large.md", vec![b'x'; 3_000_000]);
    private(&ada, "odd.md", b"---\nname: \xFF\n---\n");
    let list = paths(&ada.json(&["list", "--private"]), "memories");
    assert_eq!(list, ["ada.md", "large.md", "odd.md", "ports.md"]);
    ada.fails(&["search", "root:"], 1, &[]);
    ada.fails(&["share", "large", "--yes"], 1, &["large.md"]);
    let nowhere = ada.json(&["list", "--memdir", "/nowhere/at/all"]);
    assert!(paths(&nowhere, "memories").is_empty());
}

#[test]
fn a_new_name_takes_the_entry_its_hook_and_the_links_along() {
    let world = World::new();
    let ada = ada(&world);
    private(&ada, "other.md", text("Other", "project", "See [[ports]] and [p](ports.md)."));
    let plan = ada.json(&["rename", "Ports", "Which port", "--dry-run"]);
    assert_eq!((&plan["from"], &plan["to"]), (&"ports.md".into(), &"which-port.md".into()));
    assert!(has(&ada, "ports.md"));
    ada.done(&["rename", "Ports", "Which port"]);
    assert!(!has(&ada, "ports.md") && read(&ada, "which-port.md").contains("name: Which port\n"));
    assert_eq!(
        read(&ada, "MEMORY.md"),
        INDEX.replace("[Ports](ports.md)", "[Which port](which-port.md)")
    );
    assert!(read(&ada, "other.md").contains("See [[which-port]] and [p](which-port.md)."));
    ada.edit("MEMORY.md", |text| {
        text.replace("(deploys.md)", "(deploys.md) — by hand") + "\nprose\n"
    });
    ada.done(&["push"]);
    let before = ada.read("MEMORY.md");
    ada.done(&["rename", "team/deploys.md", "when-not.md"]);
    assert_eq!(ada.read("MEMORY.md"), before.replace("(deploys.md)", "(when-not.md)"));
    ada.done(&["push"]);
    let ben = world.joiner("ben");
    assert!(ben.has("when-not.md") && !ben.has("deploys.md"));
    ada.fails(&["rename", "which-port", "ada.md"], 1, &["another text under `ada.md`"]);
    ada.fails(&["rename", "which-port", "ADA.md"], 1, &["another text under `ada.md`"]);
    ada.fails(&["rename", "nothing", "x"], 2, &["memsync list"]);
    ada.fails(&["rename", "ada", "../x"], 1, &["no path that a team memory may have"]);
    assert!(has(&ada, "ada.md") && !has(&ada, "x.md"));
    ada.fails(&["rename", "ada", "../x.md"], 1, &["no path that a team memory may have"]);
}

#[cfg(unix)]
#[test]
fn an_edit_in_the_editor_is_committed_and_what_is_refused_stays_on_disk() {
    let world = World::new();
    let ada = ada(&world);
    let editor = |script: &str| {
        let path = world.path().join("editor");
        crate::support::write_program(&path, &format!("#!/bin/sh\n{script}\n"));
        path.to_str().unwrap().to_owned()
    };
    let at = |ada: &Member, script: &str| ada.with("EDITOR", &editor(script));
    let ports = at(&ada, "sed -i 's/5433/5434/; s/about Ports/of the database/' \"$1\"");
    ports.done(&["edit", "ports"]);
    assert!(read(&ada, "ports.md").contains("port 5434"));
    assert_eq!(read(&ada, "MEMORY.md"), INDEX, "a hook that a person wrote stays");
    at(&ada, "sed -i 's/Fridays/Mondays/' \"$1\"").done(&["edit", "deploys"]);
    assert!(ada.committed()["deploys.md"].contains("Mondays"));
    let said = at(&ada, "true").done(&["edit", "deploys"]);
    assert!(said.err.contains("as it was"), "{said:?}");
    at(&ada, "exit 3").fails(&["edit", "deploys"], 1, &["ended with an error"]);
    let token = token();
    let secret = at(&ada, &format!("echo 'key {token}' >> \"$1\""));
    secret.fails(&["edit", "deploys"], 1, &["deploys.md"]);
    assert!(ada.read("deploys.md").contains(&token), "what was typed is not lost");
    assert!(!ada.committed()["deploys.md"].contains(&token));
}

#[test]
fn a_memory_is_shown_as_it_was_in_a_commit() {
    let world = World::new();
    let ada = ada(&world);
    let old = ada.tip();
    ada.edit("deploys.md", |text| text.replace("Fridays", "Mondays"));
    ada.done(&["push"]);
    let shown = ada.json(&["show", &format!("deploys@{}", &old[..10])]);
    assert!(shown["content"].as_str().unwrap().contains("Fridays"));
    assert!(ada.json(&["show", "deploys"])["content"].as_str().unwrap().contains("Mondays"));
    ada.fails(&["show", "deploys@0000000000"], 2, &["no memory"]);
}

#[test]
fn a_private_memory_is_shown_and_removed_when_a_person_says_so() {
    let world = World::new();
    let ada = ada(&world);
    assert!(ada.json(&["show", "ports"])["content"].as_str().unwrap().contains("port 5433"));
    ada.fails(&["forget", "ports"], 1, &["--yes"]);
    assert!(has(&ada, "ports.md"));
    let done = ada.json(&["forget", "ports", "--yes"]);
    assert_eq!((&done["path"], &done["team"]), (&"ports.md".into(), &false.into()));
    assert!(!has(&ada, "ports.md"));
    assert_eq!(read(&ada, "MEMORY.md"), "# Mine\n\n- [Ada](ada.md) — likes short answers\n");
    ada.fails(&["show", "ports"], 2, &["there is no memory `ports`"]);
    ada.fails(&["forget", "ports", "--yes"], 2, &["there is no memory `ports`"]);
    ada.done(&["forget", "deploys"]);
}

#[test]
fn a_share_that_is_refused_leaves_no_copy_that_a_later_push_would_send() {
    let world = World::new();
    let ada = ada(&world);
    private(&ada, "also.md", text("Also", "project", "Said to nobody."));
    let index = ada.read("MEMORY.md");
    ada.write("MEMORY.md", [index.as_bytes(), b"\xFF\n"].concat());
    ada.fails(&["share", "ports", "also", "--yes"], 1, &["not valid UTF-8"]);
    assert!(has(&ada, "ports.md") && has(&ada, "also.md"));
    assert!(!has(&ada, "team/ports.md") && !has(&ada, "team/also.md"), "nothing is left there");
    ada.write("MEMORY.md", index);
    ada.done(&["push"]);
    assert!(!any_object_holds(&world.hub(), "port 5433"));
    assert!(!any_object_holds(&world.hub(), "Said to nobody."));
    ada.done(&["share", "ports", "also", "--yes"]);
    assert!(has(&ada, "team/ports.md") && !has(&ada, "ports.md"));
}
