//! `memsync check --range`: merges that a host made without memsync are named by what they broke.
//! Border: histories as GitHub and GitLab write them, with plain git; putting right is claimed too.
#![expect(clippy::disallowed_methods, reason = "writes histories with plain git")]

use std::fs;
use std::path::Path;

use crate::support::{Member, World, git, memory};

/// A member at the merge of two branches, made on the host; each branch and the merge by a closure.
fn hosted(
    ours: impl Fn(&Path),
    theirs: impl Fn(&Path),
    merge: impl Fn(&Path),
) -> (World, Member, String) {
    let world = World::new();
    let ada = world.founder("ada");
    for name in ["auth", "build", "deploy"] {
        ada.remember(name, &format!("About {name}."));
    }
    ada.done(&["push", "--yes"]);
    let base = ada.tip();
    let host = world.newcomer("host").memdir;
    git(&host, &["clone", "-q", &world.address(), "."]);
    let branch = |name: &str, change: &dyn Fn(&Path)| {
        git(&host, &["switch", "-q", "-c", name, "origin/main"]);
        change(&host);
        git(&host, &["add", "-A"]);
        git(&host, &["commit", "-q", "-m", name]);
    };
    branch("theirs", &theirs);
    branch("ours", &ours);
    git(&host, &["merge", "-q", "--no-ff", "--no-commit", "-X", "ours", "theirs"]);
    merge(&host);
    git(&host, &["add", "-A"]);
    git(&host, &["commit", "-q", "-m", "Merge pull request"]);
    git(&host, &["push", "-q", "origin", "HEAD:main"]);
    ada.done(&["pull"]);
    (world, ada, base)
}

fn edit(folder: &Path, path: &str, change: impl Fn(&str) -> String) {
    let path = folder.join(path);
    fs::write(&path, change(&fs::read_to_string(&path).unwrap())).unwrap();
}

fn rules(member: &Member, base: &str) -> Vec<String> {
    let document = member.json(&["check", "--range", &format!("{base}..HEAD")]);
    let reasons = document["reasons"].as_array().unwrap().clone();
    reasons.iter().map(|reason| reason["rule"].as_str().unwrap().to_owned()).collect()
}

fn add(folder: &Path, name: &str) {
    fs::write(folder.join(format!("{name}.md")), memory(name, "New.")).unwrap();
    edit(folder, "MEMORY.md", |text| format!("{text}- [{name}]({name}.md) — About {name}\n"));
}

#[test]
fn a_merge_as_memsync_makes_it_is_fine() {
    let (_world, ada, base) = hosted(
        |ours| edit(ours, "auth.md", |text| text.replace("About auth.", "By token.")),
        |theirs| edit(theirs, "build.md", |text| text.replace("About build.", "By make.")),
        |_| {},
    );
    assert_eq!(rules(&ada, &base), [""; 0]);
    ada.done(&["check", "--range", &format!("{base}..HEAD")]);
}

#[test]
fn a_doubled_entry_is_named_and_put_right() {
    let line = "- [auth](auth.md) — About auth\n";
    let (_world, ada, base) = hosted(
        |ours| add(ours, "one"),
        |theirs| add(theirs, "two"),
        |merge| {
            edit(merge, "MEMORY.md", |text| format!("{text}{line}"));
        },
    );
    assert!(rules(&ada, &base).contains(&"merge-duplicate-entry".to_owned()));
    ada.fails(&["check", "--range", &format!("{base}..HEAD")], 1, &["auth.md"]);
    ada.done(&["sync"]);
    assert_eq!(ada.read("MEMORY.md").matches("](auth.md)").count(), 1);
}

#[test]
fn a_lost_entry_and_a_lost_file_are_named_and_sync_puts_the_entry_back() {
    let (_world, ada, base) = hosted(
        |ours| add(ours, "one"),
        |theirs| add(theirs, "two"),
        |merge| {
            let without = |text: &str| {
                text.lines()
                    .filter(|line| !line.contains("two.md"))
                    .fold(String::new(), |all, line| all + line + "\n")
            };
            edit(merge, "MEMORY.md", without);
            fs::remove_file(merge.join("deploy.md")).unwrap();
        },
    );
    let found = rules(&ada, &base);
    for rule in ["merge-dropped-entry", "merge-dropped"] {
        assert!(found.contains(&rule.to_owned()), "{rule} is not in {found:?}");
    }
    ada.done(&["sync"]);
    assert!(ada.read("MEMORY.md").contains("](two.md)"));
}

#[test]
fn a_file_and_an_entry_that_came_back_are_named() {
    let (_world, ada, base) = hosted(
        |ours| {
            fs::remove_file(ours.join("auth.md")).unwrap();
            edit(ours, "MEMORY.md", |text| {
                text.lines()
                    .filter(|line| !line.contains("auth.md"))
                    .fold(String::new(), |all, line| all + line + "\n")
            });
        },
        |theirs| edit(theirs, "build.md", |text| text.replace("About build.", "By make.")),
        |merge| {
            fs::write(merge.join("auth.md"), memory("auth", "About auth.")).unwrap();
            edit(merge, "MEMORY.md", |text| format!("{text}- [auth](auth.md) — About auth\n"));
        },
    );
    let found = rules(&ada, &base);
    for rule in ["merge-resurrected", "merge-resurrected-entry"] {
        assert!(found.contains(&rule.to_owned()), "{rule} is not in {found:?}");
    }
}

#[test]
fn a_range_that_is_none_is_told() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.fails(&["check", "--range", "nowhere..HEAD"], 2, &["nowhere"]);
    ada.fails(&["check", "--range", "HEAD..nowhere"], 2, &["nowhere"]);
}
