//! The verdicts of an audit against an independent check: `git verify-commit` with the signers file
//! that memsync wrote, and a few lines about roles.
//! Border: one commit at a time; what builds on a refused one is `trust`'s history.

use std::collections::BTreeMap;

use memsync::trust::roster::Role;
use serde_json::Value;

use super::forge::{Draft, Forge, Seal, key, roster};
use crate::support::{Member, git, memory, say};

/// What git and a few lines say of a commit: whose it is and whether the role allows its files.
fn independent(person: &Member, commit: &str) -> bool {
    let signers = person.team().join(".git/memsync/allowed_signers");
    let mut verify = person.command("git");
    let config = format!("gpg.ssh.allowedSignersFile={}", signers.display());
    verify.arg("-C").arg(person.team()).args(["-c", &config, "-c", "gpg.format=ssh"]);
    let said = say(verify.args(["verify-commit", commit]));
    let Some((_, rest)) = said.err.split_once("Good \"git\" signature for ") else { return false };
    let principal = rest.split(' ').next().unwrap();
    let roster = roster();
    let Some(member) = roster.members().iter().find(|m| m.id.as_str() == principal) else {
        return false;
    };
    let parents = person.git(&["rev-list", "--parents", "-n1", commit]);
    if said.exit != 0 || parents.split(' ').count() == 1 {
        return said.exit == 0;
    }
    let changed = person.git(&["diff-tree", "-r", "--name-only", "--no-commit-id", commit]);
    match member.role {
        Role::Admin => true,
        Role::Writer => !changed.lines().any(|path| path.starts_with(".memsync/")),
        Role::Reader => changed.is_empty(),
    }
}

fn events(person: &Member) -> BTreeMap<String, Value> {
    let document = person.json(&["audit", "--exit-zero"]);
    assert_eq!(document["format"], "memsync.audit/1");
    let events = document["events"].as_array().unwrap();
    let named = |event: &Value| (event["commit"].as_str().unwrap().to_owned(), event.clone());
    events.iter().map(named).collect()
}

/// A history of good changes with one of each kind of bad one in between.
fn mixed(forge: &mut Forge) -> BTreeMap<String, (&'static str, &'static str)> {
    let mut expected = BTreeMap::new();
    let mut bad = |forge: &mut Forge, member, name, seal, class, rule| {
        forge.write(name, "Bad.");
        let draft = forge.draft(member, &format!("Bad: {name}"));
        expected.insert(forge.commit(&draft, seal), (class, rule));
        forge.change("wim", "between", &format!("After {name}."));
    };
    bad(forge, "wim", "naked", Seal::None, "unsigned", "unsigned");
    bad(forge, "eve", "stranger", Seal::Own, "unknown-key", "unknown-key");
    bad(forge, "wim", "changed", Seal::Tampered, "bad-signature", "signature-mismatch");
    bad(forge, "wim", "file", Seal::Namespace("file"), "bad-signature", "signature-namespace");
    bad(forge, "rea", "reader", Seal::Own, "not-allowed", "not-allowed");
    let policy = forge.files[".memsync/policy.yaml"].clone();
    forge.files.insert(".memsync/policy.yaml".to_owned(), policy + "project: x/y\n");
    let draft = forge.draft("wim", "Bad: policy");
    expected.insert(forge.commit(&draft, Seal::Own), ("not-allowed", "not-allowed"));
    expected
}

#[test]
fn the_verdicts_are_those_of_git_and_a_few_lines_about_roles() {
    let mut forge = Forge::new();
    forge.change("ann", "deploy", "Freeze on Fridays.");
    forge.change("wim", "deploy", "Freeze on Thursdays.");
    let person = forge.joiner("kim");
    let bad = mixed(&mut forge);
    forge.force(&person);
    let events = events(&person);
    assert_eq!(events.len(), 3 + 2 * 5 + 1);
    for (commit, event) in &events {
        let class = event["verdict"]["class"].as_str().unwrap();
        let good = matches!(class, "good" | "blocked");
        assert_eq!(good, independent(&person, commit), "{commit}: {event}");
        if let Some((class, rule)) = bad.get(commit) {
            assert_eq!(event["verdict"]["class"], *class, "{event}");
            assert_eq!(event["verdict"]["rule"], *rule, "{event}");
            assert!(event["verdict"]["why"].is_string() && event["member"].is_null(), "{event}");
        }
    }
    let refused = person.run(&["audit"]);
    assert_eq!(refused.exit, 4, "{refused:?}");
}

#[test]
fn what_was_offered_and_refused_is_in_the_audit_and_not_taken() {
    let mut forge = Forge::new();
    forge.change("wim", "deploy", "Freeze on Fridays.");
    let person = forge.joiner("kim");
    assert_eq!(person.done(&["audit"]).exit, 0);
    forge.write("deploy", "No freeze at all.");
    let draft = forge.draft("wim", "Edit deploy");
    let bad = forge.commit(&draft, Seal::Tampered);
    let after = forge.change("wim", "later", "Built on it.");
    assert_eq!(person.run(&["pull"]).exit, 4);
    let events = events(&person);
    assert_eq!(
        (&events[&bad]["taken"], &events[&bad]["verdict"]["class"]),
        (&false.into(), &"bad-signature".into())
    );
    assert_eq!(events[&after]["verdict"]["class"], "blocked");
    assert_eq!(events[&after]["verdict"]["by"], Value::from(bad));
    assert_eq!(events.values().filter(|event| event["taken"] == true).count(), 2);
    person.fails(&["audit"], 4, &["not taken", "does not match the content"]);
}

#[test]
fn a_twin_that_git_calls_good_is_no_good_here() {
    let mut forge = Forge::new();
    forge.write("deploy", "Freeze.");
    let draft = forge.draft("wim", "Edit deploy");
    let good = forge.commit(&draft, Seal::Own);
    let person = forge.joiner("kim");
    let raw = git(&forge.world.hub(), &["cat-file", "commit", &good]);
    let (head, body) = raw.split_once("\n\n").unwrap();
    let twin = format!("{head}\ngpgsig-sha256 x\n\n{body}\n");
    let twin = forge.store(twin.as_bytes());
    forge.force(&person);
    assert!(independent(&person, &twin), "git is the one that is wrong here");
    assert_eq!(events(&person)[&twin]["verdict"]["class"], "bad-signature");
}

#[test]
fn a_vouched_change_says_who_accepted_it() {
    let mut forge = Forge::new();
    forge.write("deploy", "Freeze.");
    let draft = forge.draft("wim", "By plain git");
    let bad = forge.commit(&draft, Seal::None);
    let draft = forge.draft("ann", "Vouch for 1 change");
    let vouch = forge.commit(&Draft { vouches: vec![bad.clone()], ..draft }, Seal::Own);
    let person = forge.joiner("kim");
    let events = events(&person);
    let verdict = &events[&bad]["verdict"];
    assert_eq!(
        (verdict["class"].as_str(), verdict["rule"].as_str()),
        (Some("vouched"), Some("unsigned"))
    );
    assert_eq!(verdict["by"], Value::from(vouch));
    assert_eq!(person.done(&["audit"]).exit, 0, "what an admin accepted is no finding");
}

#[test]
fn a_merge_with_content_of_its_own_is_named_and_a_plain_one_is_not() {
    let mut forge = Forge::new();
    let base = forge.change("wim", "deploy", "Freeze.");
    let before = forge.files.clone();
    let left = forge.change("wim", "left", "Left.");
    let with_left = forge.files.clone();
    forge.files = before;
    forge.files.insert("right.md".to_owned(), memory("right", "Right."));
    let draft = Draft { parents: vec![base], ..forge.draft("ann", "Add right") };
    let right = forge.commit(&draft, Seal::Own);
    forge.files.extend(with_left);
    forge.files.get_mut("MEMORY.md").unwrap().push_str("- [right](right.md) — About right\n");
    let parents = vec![left, right];
    let draft = Draft { parents: parents.clone(), ..forge.draft("ann", "Merge right") };
    let plain = forge.commit(&draft, Seal::Own);
    forge.write("deploy", "Never freeze.");
    let draft = Draft { parents, ..forge.draft("ann", "Merge right, too") };
    let evil = forge.commit(&draft, Seal::Own);
    let person = forge.joiner("kim");
    let found = events(&person);
    assert_eq!(found[&evil]["altered_merge"], true);
    let files: Vec<_> =
        found[&evil]["files"].as_array().unwrap().iter().map(|f| &f["path"]).collect();
    assert_eq!(files, ["deploy.md"], "only what the merge added itself is named");
    assert_eq!(found[&evil]["verdict"]["class"], "good", "an admin may do it; it is shown");
    assert!(!found.contains_key(&plain));
    git(&forge.world.hub(), &["update-ref", "refs/heads/main", &plain]);
    forge.force(&person);
    let found = events(&person);
    assert_eq!(found[&plain]["altered_merge"], false, "{}", found[&plain]);
    assert_eq!(found[&plain]["files"].as_array().unwrap().len(), 0);
}

#[test]
fn a_key_is_named_only_where_it_signed_this_content() {
    let mut forge = Forge::new();
    let good = forge.change("wim", "deploy", "Freeze.");
    forge.write("deploy", "Bad.");
    let draft = forge.draft("wim", "Edit deploy");
    let bad = forge.commit(&draft, Seal::Tampered);
    let person = forge.joiner("kim");
    let found = events(&person);
    let fingerprint = key("wim").public_key().fingerprint().to_string();
    assert_eq!(found[&good]["key"], Value::from(fingerprint));
    assert!(found.get(&bad).is_none_or(|event| event["key"].is_null()));
}
