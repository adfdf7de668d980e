//! `memsync doctor`: what it knows of people, work and hooks, and that each line's command mends it.
//! Border: places are `sync::places`, remotes `sync::states`.
#![expect(clippy::disallowed_methods, reason = "breaks hooks and keys by hand")]

use std::fs;

use crate::support::{Member, World, say, write_program};

/// A team with a roster, its admin and a writer.
fn team(world: &World) -> (Member, Member) {
    let ada = world.newcomer("ada");
    ada.done(&["init", "--remote", &world.address()]);
    let bob = world.newcomer("bob");
    bob.done(&["join", &world.address(), "--accept-introduction"]);
    (ada, bob)
}

fn let_in(ada: &Member, bob: &Member) {
    let line = bob.done(&["member", "request"]).out;
    ada.done(&["member", "add", line.trim()]);
    ada.done(&["push"]);
    bob.done(&["pull"]);
}

/// The findings about something, as `state message → next step`.
fn about(member: &Member, topic: &str) -> Vec<String> {
    let document = member.json(&["doctor"]);
    let findings = document["findings"].as_array().unwrap().clone();
    let text = |finding: &serde_json::Value, key: &str| finding[key].as_str().unwrap().to_owned();
    findings
        .iter()
        .filter(|finding| finding["topic"] == topic)
        .map(|one| {
            format!("{} {} → {}", text(one, "state"), text(one, "message"), text(one, "next_step"))
        })
        .collect()
}

fn assert_says(member: &Member, topic: &str, texts: &[&str]) {
    let found = about(member, topic).join("\n");
    for text in texts {
        assert!(found.contains(text), "{topic} does not say {text:?}: {found}");
    }
}

#[test]
fn membership_role_and_key_are_known_and_mended_by_what_is_named() {
    let world = World::new();
    let (ada, bob) = team(&world);
    assert_says(&ada, "membership", &["good you are `ada`, admin, with the key SHA256:"]);
    assert_says(
        &bob,
        "membership",
        &["note", "not in the roster", "memsync member request --push"],
    );
    bob.done(&["member", "request", "--push"]);
    assert_eq!(
        ada.json(&["member", "list", "--requests"])["requests"].as_array().unwrap().len(),
        1
    );
    let_in(&ada, &bob);
    assert_says(&bob, "membership", &["good you are `bob`, writer"]);
    // The key is gone.
    let home = bob.memdir.with_file_name("bob-home");
    let aside = home.join("aside");
    fs::rename(home.join("memsync"), &aside).unwrap();
    assert_says(&bob, "key", &["bad", "no key", "memsync key generate"]);
    bob.fails(&["doctor"], 1, &["no key"]);
    bob.done(&["key", "generate"]);
    assert_says(&bob, "membership", &["note", "not in the roster"]);
    fs::remove_dir_all(home.join("memsync")).unwrap();
    fs::rename(&aside, home.join("memsync")).unwrap();
    // It was replaced elsewhere.
    let old = world.path().join("old");
    fs::copy(home.join("memsync/id_ed25519"), &old).unwrap();
    bob.done(&["key", "rotate"]);
    let named = bob.with("MEMSYNC_KEY", old.to_str().unwrap());
    assert_says(&named, "membership", &["bad", "revoked", "memsync key import FILE"]);
}

#[test]
fn a_single_admin_is_noted_until_there_are_two() {
    let world = World::new();
    let (ada, bob) = team(&world);
    assert_says(&ada, "admins", &["note `ada` is the only admin", "memsync member role ID admin"]);
    let_in(&ada, &bob);
    ada.done(&["member", "role", "bob", "admin"]);
    ada.done(&["push"]);
    assert_eq!(about(&ada, "admins"), ["good 2 admins → "]);
}

#[test]
fn work_that_waits_is_named_kept_out_open_and_unshared() {
    let world = World::new();
    let (ada, _) = team(&world);
    assert!(about(&ada, "kept out").is_empty() && about(&ada, "work").is_empty());
    ada.remember("leak", &format!("key = {}", crate::support::token()));
    assert_says(&ada, "kept out", &["note 1 file is", "leak.md", "memsync status"]);
    ada.remove("leak.md");
    ada.remember("ports", "8080 web");
    let away = world.path().join("away");
    fs::rename(world.hub(), &away).unwrap();
    ada.fails(&["push"], 3, &[]);
    fs::rename(&away, world.hub()).unwrap();
    assert_says(&ada, "work", &["note 1 change is committed here", "memsync push"]);
    ada.done(&["push"]);
    assert!(about(&ada, "work").is_empty());
}

#[test]
fn a_newer_format_asks_for_a_newer_memsync() {
    let world = World::new();
    let (ada, _) = team(&world);
    for (path, format) in [("policy", "memsync.policy"), ("roster", "memsync.roster")] {
        let file = format!(".memsync/{path}.yaml");
        let good = ada.read(&file);
        ada.edit(&file, |text| text.replace(&format!("{format}/1"), &format!("{format}/9")));
        ada.git(&["commit", "-q", "-am", "newer"]);
        ada.git(&["update-ref", "refs/memsync/verified/main", "HEAD"]);
        let said = ada.fails(&["doctor"], 1, &[&format!("{format}/9")]);
        assert!(said.out.to_lowercase().contains("update"), "{said:?}");
        ada.write(&file, good);
        ada.git(&["commit", "-q", "-am", "back"]);
        ada.git(&["update-ref", "refs/memsync/verified/main", "HEAD"]);
    }
}

#[test]
fn hooks_that_do_not_run_are_told_with_the_command_that_mends_each() {
    let world = World::new();
    let (ada, _) = team(&world);
    assert!(about(&ada, "hooks").is_empty(), "nobody asked for any");
    ada.done(&["hooks", "install"]);
    assert_eq!(about(&ada, "hooks"), ["good git runs pre-commit, pre-push → "]);
    let hook = ada.team().join(".git/hooks/pre-commit");
    let installed = fs::read_to_string(&hook).unwrap();
    let mend = |says: &str| {
        let found = about(&ada, "hooks");
        let bad = found.iter().find(|line| line.starts_with("bad")).unwrap();
        assert!(bad.contains(says), "{bad} is not about {says}");
        for command in bad.split('`').skip(1).step_by(2) {
            let words: Vec<&str> = command.split(' ').collect();
            match words[0] {
                "memsync" => drop(ada.done(&words[1..])),
                "chmod" | "rm" | "git" => {
                    let ran = say(ada.command(words[0]).args(&words[1..]));
                    assert_eq!(ran.exit, 0, "{command}: {ran:?}");
                }
                _ => {}
            }
        }
        assert_eq!(about(&ada, "hooks"), ["good git runs pre-commit, pre-push → "], "{bad}");
    };
    drop(say(ada.command("chmod").arg("-x").arg(&hook)));
    mend("not executable");
    write_program(&hook, &installed.replacen("#!/bin/sh\n", "#!/bin/sh\nexec true\n", 1));
    mend("may end before");
    let gone = installed.replace(env!("CARGO_BIN_EXE_memsync"), "/nowhere/memsync");
    write_program(&hook, &gone);
    mend("is gone");
    ada.git(&["config", "core.hooksPath", "/somewhere"]);
    mend("core.hooksPath");
    let end = installed.rfind("# <<<").or_else(|| installed.rfind("memsync")).unwrap();
    write_program(&hook, &installed[..installed[..end].rfind('\n').unwrap()]);
    mend("cannot be read");
}
