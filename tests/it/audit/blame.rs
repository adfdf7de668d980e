//! `memsync blame`, `log` and `show` of one memory, across renames and merges.
//! Border: what they say of whose change it is; verdicts are `verdicts`.

use serde_json::Value;

use super::forge::{Draft, Forge, Seal};
use crate::support::{Member, git};

/// Line text and the commit behind it.
fn lines(person: &Member, memory: &str) -> Vec<(String, String, String)> {
    let document = person.json(&["blame", memory]);
    assert_eq!(document["format"], "memsync.blame/1");
    let text = |part: &Value, field: &str| part[field].as_str().unwrap().to_owned();
    let parts = document["parts"].as_array().unwrap();
    parts
        .iter()
        .map(|part| (text(part, "text"), text(part, "commit"), text(part, "deed")))
        .collect()
}

fn rename(forge: &mut Forge, from: &str, to: &str) {
    let text = forge.files.remove(from).unwrap();
    forge.files.insert(to.to_owned(), text);
    let index = forge.files["MEMORY.md"].replace(&format!("({from})"), &format!("({to})"));
    forge.files.insert("MEMORY.md".to_owned(), index);
}

#[test]
fn each_line_names_the_change_it_comes_from_across_a_rename() {
    let mut forge = Forge::new();
    let first = forge.change("wim", "deploy", "One.\n\nTwo.\n\nThree.");
    let second = forge.change("ann", "deploy", "One.\n\nTwo, edited.\n\nThree.");
    rename(&mut forge, "deploy.md", "freeze.md");
    let draft = forge.draft("wim", "Rename deploy");
    let third = forge.commit(&draft, Seal::Own);
    let text = forge.files["freeze.md"].clone() + "\nFour.\n";
    forge.files.insert("freeze.md".to_owned(), text);
    let draft = forge.draft("ann", "Add four");
    let fourth = forge.commit(&draft, Seal::Own);
    let person = forge.joiner("kim");
    let of = |text: &str| {
        let lines = lines(&person, "freeze");
        lines.into_iter().find(|(line, _, _)| line == text).unwrap().1
    };
    assert_eq!([of("One."), of("Three."), of("name: deploy")], [&*first, &first, &first]);
    assert_eq!([of("Two, edited."), of("Four.")], [&*second, &fourth]);
    let said = person.done(&["blame", "freeze"]).out;
    assert!(
        said.contains(&format!("{} 2025-05-10 ann    8  Two, edited.", &second[..10])),
        "{said}"
    );
    let logged = person.json(&["log", "freeze"]);
    let commits: Vec<&str> = logged["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["commit"].as_str().unwrap())
        .collect();
    assert_eq!(commits, [&*fourth, &third, &second, &first]);
    assert_eq!(logged["entries"][1]["renamed"][0]["from"], "deploy.md");
    assert_eq!(logged["entries"][1]["verdict"]["class"], "good");
}

#[test]
fn each_entry_of_the_index_names_who_added_or_edited_it_last() {
    let mut forge = Forge::new();
    let a = forge.change("wim", "a", "A.");
    let b = forge.change("ann", "b", "B.");
    let index = forge.files["MEMORY.md"].replace("About a", "All about a");
    forge.files.insert("MEMORY.md".to_owned(), index);
    let draft = forge.draft("ann", "Say more of a");
    let edited = forge.commit(&draft, Seal::Own);
    rename(&mut forge, "b.md", "c.md");
    let sorted = forge.files["MEMORY.md"].lines().rev().map(|line| format!("{line}\n")).collect();
    forge.files.insert("MEMORY.md".to_owned(), sorted);
    let draft = forge.draft("wim", "Rename and sort");
    forge.commit(&draft, Seal::Own);
    let person = forge.joiner("kim");
    let found = lines(&person, "MEMORY.md");
    let expected = [
        ("[b](c.md) — About b".to_owned(), b, "added".to_owned()),
        ("[a](a.md) — All about a".to_owned(), edited, "edited".to_owned()),
    ];
    assert_eq!(found, expected, "moved and renamed is not edited; {a} is before the edit");
}

#[test]
fn lines_of_both_sides_of_a_merge_keep_their_writers() {
    let mut forge = Forge::new();
    let base = forge.change("wim", "deploy", "One.\n\nTwo.");
    let left = forge.change("wim", "deploy", "Zero.\n\nOne.\n\nTwo.");
    forge.write("deploy", "One.\n\nTwo.\n\nThree.");
    let draft = Draft { parents: vec![base.clone()], ..forge.draft("ann", "Add three") };
    let right = forge.commit(&draft, Seal::Own);
    forge.write("deploy", "Zero.\n\nOne.\n\nTwo.\n\nThree.");
    let draft = Draft { parents: vec![left.clone(), right.clone()], ..forge.draft("ann", "Merge") };
    forge.commit(&draft, Seal::Own);
    let person = forge.joiner("kim");
    let found = lines(&person, "deploy");
    let of = |text: &str| &found.iter().find(|(line, _, _)| line == text).unwrap().1;
    assert_eq!([of("Zero."), of("One."), of("Three.")], [&left, &base, &right]);
    let theirs = git(&person.team(), &["blame", "--porcelain", "HEAD", "--", "deploy.md"]);
    for line in ["Zero.", "One.", "Two.", "Three."] {
        let before = theirs.split(&format!("\t{line}")).next().unwrap();
        let commit =
            before.lines().rev().find(|l| l.split(' ').next().unwrap().len() == 40).unwrap();
        assert_eq!(commit.split(' ').next().unwrap(), of(line), "git says otherwise of {line}");
    }
}

#[test]
fn a_memory_that_is_gone_still_has_a_history_and_no_blame() {
    let mut forge = Forge::new();
    let added = forge.change("wim", "deploy", "One.");
    forge.files.remove("deploy.md");
    forge.files.insert("MEMORY.md".to_owned(), "# Team memory\n".to_owned());
    let draft = Draft { agent: Some("codex".to_owned()), ..forge.draft("ann", "Forget deploy") };
    let gone = forge.commit(&draft, Seal::Own);
    let person = forge.joiner("kim");
    let said = person.done(&["log", "deploy"]).out;
    assert!(
        said.find(&gone[..10]) < said.find(&added[..10]) && said.contains(&added[..10]),
        "{said}"
    );
    assert!(said.contains("by codex (session s-42), signed by ann"), "{said}");
    person.fails(&["blame", "deploy"], 2, &["there is no memory `deploy`"]);
}

#[test]
fn a_refused_change_is_named_in_log_show_and_blame() {
    let mut forge = Forge::new();
    forge.change("wim", "deploy", "One.");
    let person = forge.joiner("kim");
    forge.write("deploy", "Two \u{1b}[2J.");
    let draft = forge.draft("wim", "Edit deploy");
    let bad = forge.commit(&draft, Seal::None);
    forge.force(&person);
    let log = person.done(&["log", "deploy"]).out;
    assert!(log.contains("unsigned: the commit is not signed"), "{log}");
    assert!(person.done(&["show", &bad[..12]]).out.contains("unsigned: the commit is not signed"));
    assert!(person.done(&["show", "deploy"]).err.contains("that change is unsigned"));
    let blame = person.done(&["blame", "deploy"]).out;
    assert!(blame.contains("unsigned Two \\u{1b}[2J."), "{blame}");
}

#[test]
fn the_log_names_the_member_whose_key_signed_whoever_the_commit_claims() {
    let mut forge = Forge::new();
    forge.write("ports", "One.");
    let author = "ann".to_owned();
    let draft = Draft { author, ..forge.draft("wim", "Add ports") };
    forge.commit(&draft, Seal::Own);
    let said = forge.joiner("kim").done(&["log", "-n", "1"]).out;
    assert!(said.contains("  ann <") && said.contains(", signed by wim"), "{said}");
}
