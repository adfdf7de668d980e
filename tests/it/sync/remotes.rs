//! Remotes that are wrong, absent, say no, or tell another history than before.
//! Border: how each transport fails is `transport`; here it is what becomes of the member's work.
#![expect(clippy::disallowed_methods, reason = "breaks remotes by hand")]

use std::fs;

use crate::support::check::{assert_agreed, assert_clean};
use crate::support::{World, git, token};

#[test]
fn bad_addresses_are_refused_before_git_sees_them() {
    let world = World::new();
    let ada = world.newcomer("ada");
    let founder = world.founder("bob");
    let mark = world.path().join("executed");
    let touch = format!("touch {}", mark.display());
    let password = ["https://ada:", "hunter", "2hunter2@example.com/x.git"].concat();
    let with_token = format!("https://{}@example.com/x.git", token());
    for bad in [
        &format!("ext::sh -c {touch}"),
        &format!("--upload-pack={touch}"),
        "-oProxyCommand=x:repo",
        "fd::17",
        "ext::git%20upload-pack",
        &password,
        &with_token,
        "https://example.com/a\nb.git",
        "https://example.com/\u{1b}[31m.git",
        "https://example.com/%0d%0aevil.git",
        "ftp://example.com/x.git",
        "http://example.com/x.git",
        "ssh://-oProxyCommand=x/y",
        "user@-host:path",
        "javascript:alert(1)",
        "",
    ] {
        for command in [&["join"][..], &["init", "--open", "--remote"]] {
            let said = say_at(&ada, command, bad);
            assert_eq!(said.exit, 2, "{bad:?}: {said:?}");
            assert!(!said.err.contains("hunter") && !said.err.contains(&token()), "{said:?}");
            assert!(!said.err.contains('\u{1b}'), "{said:?}");
        }
        assert!(!ada.team().exists(), "{bad:?} left something behind");
        // The same in the configuration of a team memory.
        if !bad.is_empty() && !bad.contains('\n') {
            founder.git(&["config", "remote.origin.url", bad]);
            let said = founder.run(&["pull"]);
            assert_eq!(said.exit, 2, "{bad:?} in .git/config: {said:?}");
            assert!(said.err.contains("next:"), "{said:?}");
            assert!(!said.err.contains("hunter") && !said.err.contains(&token()), "{said:?}");
        }
    }
    assert!(!mark.exists(), "an address was executed");
}

fn say_at(member: &crate::support::Member, command: &[&str], url: &str) -> crate::support::Said {
    if url.starts_with('-') {
        let glued = format!("--remote={url}");
        let arguments: Vec<&str> = if command[0] == "init" {
            vec!["init", "--open", &glued]
        } else {
            vec!["join", "--", url]
        };
        return member.run(&arguments);
    }
    member.run(&[command, &[url]].concat())
}

#[test]
fn an_absent_remote_keeps_the_work_and_the_next_push_sends_it() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let away = world.path().join("away.git");
    fs::rename(world.hub(), &away).unwrap();
    ada.remember("ports", "8080 web");
    for command in ["push", "pull", "sync"] {
        ada.fails(&[command], 3, &["hub.git", "next:", "Nothing is lost"]);
    }
    assert!(ada.committed().contains_key("ports.md"), "it is committed here");
    assert_clean(&ada);
    let state = ada.json(&["status"]);
    assert_eq!((&state["ahead"], &state["behind"]), (&1.into(), &0.into()));
    assert!(state["last"]["failure"].as_str().unwrap().contains("hub.git"), "{state}");
    fs::rename(&away, world.hub()).unwrap();
    ada.done(&["push"]);
    assert!(ada.json(&["status"])["last"]["failure"].is_null());
    bob.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob]);
    let cem = world.newcomer("cem");
    cem.fails(&["join", "/nowhere/at/all.git"], 3, &["/nowhere/at/all.git", "next:"]);
    assert!(!cem.team().exists(), "a failed join leaves nothing");
}

#[test]
fn a_refused_push_keeps_the_work_and_says_what_the_server_said() {
    let world = World::new();
    let (ada, bob) = world.pair();
    world.hook("pre-receive", "#!/bin/sh\necho 'main is protected: ask Grace' >&2\nexit 1\n");
    ada.remember("ports", "8080 web");
    for command in ["push", "sync"] {
        ada.fails(&[command], 3, &["main is protected: ask Grace", "next:", "Nothing is lost"]);
    }
    assert!(ada.committed().contains_key("ports.md"));
    assert_eq!(ada.json(&["status"])["ahead"], 1);
    ada.done(&["pull"]);
    fs::remove_file(world.hub().join("hooks/pre-receive")).unwrap();
    world.hook("update", "#!/bin/sh\necho 'not on a Friday' >&2\nexit 1\n");
    ada.fails(&["push"], 3, &["not on a Friday"]);
    fs::remove_file(world.hub().join("hooks/update")).unwrap();
    for setting in ["receive.denyNonFastForwards", "receive.denyDeletes", "receive.fsckObjects"] {
        git(&world.hub(), &["config", setting, "true"]);
    }
    ada.done(&["push"]);
    bob.remember("more", "And more.");
    bob.done(&["push"]);
    ada.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_refused_push_to_a_hub_that_moved_on_still_takes_what_others_shared() {
    let world = World::new();
    let (ada, bob) = world.pair();
    bob.remember("theirs", "Shared before.");
    bob.done(&["push"]);
    world.hook("pre-receive", "#!/bin/sh\necho 'read only for Ada' >&2\nexit 1\n");
    ada.remember("ports", "8080 web");
    ada.fails(&["push"], 3, &["read only for Ada"]);
    ada.done(&["pull"]);
    assert!(ada.has("theirs.md") && ada.has("ports.md"));
    fs::remove_file(world.hub().join("hooks/pre-receive")).unwrap();
    ada.done(&["push"]);
    bob.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn joining_what_is_no_team_repository_leaves_nothing() {
    let world = World::new();
    let plain = world.path().join("plain");
    fs::create_dir(&plain).unwrap();
    git(&plain, &["init", "-q", "-b", "main", "."]);
    let ada = world.newcomer("ada");
    let address = plain.to_str().unwrap();
    ada.fails(&["join", address], 3, &["no branch", "next:"]);
    fs::write(plain.join("README.md"), "code\n").unwrap();
    git(&plain, &["add", "-A"]);
    git(&plain, &["commit", "-q", "-m", "code"]);
    ada.fails(&["join", address], 2, &["not a memsync team repository", "next:", "init"]);
    ada.fails(&["init", "--open", "--remote", address], 2, &["already", "join"]);
    assert!(!ada.team().join(".git").exists());
}

/// Puts another history onto the hub's branch.
fn rewrite(world: &World, member: &crate::support::Member, to: &str) {
    member.git(&[
        "push",
        "-q",
        "--force",
        world.address().as_str(),
        &format!("{to}:refs/heads/main"),
    ]);
}

#[test]
fn a_rewritten_or_rolled_back_remote_is_refused_and_both_tips_are_kept() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    let verified = ada.tip();
    let (rolled_back, other) = {
        let tree = ada.git(&["rev-parse", "HEAD^{tree}"]);
        let base = ada.git(&["rev-parse", "HEAD~1"]);
        (base.clone(), ada.git(&["commit-tree", &tree, "-p", &base, "-m", "rewritten"]))
    };
    let unrelated = {
        let tree = ada.git(&["rev-parse", "HEAD^{tree}"]);
        ada.git(&["commit-tree", &tree, "-m", "from nothing"])
    };
    bob.remember("mine", "Kept.");
    let root = ada.git(&["rev-list", "--max-parents=0", "HEAD"]);
    for (offered, words, known) in [
        (&rolled_back, ["went back", "refs/memsync/rescue"], &verified),
        (&other, ["rewritten", "refs/memsync/rescue"], &verified),
        (&unrelated, ["another team memory", "memsync remote set URL"], &root),
    ] {
        rewrite(&world, &ada, offered);
        for command in ["pull", "push", "sync"] {
            let said = bob.fails(&[command], 4, &words);
            assert!(said.err.contains(&known[..7]) && said.err.contains(&offered[..7]), "{said:?}");
        }
        let kept = bob.git(&["for-each-ref", "--format=%(objectname)", "refs/memsync/rescue"]);
        assert!(kept.contains(&verified) && kept.contains(offered.as_str()), "{kept}");
        assert_eq!(
            git(&world.hub(), &["rev-parse", "main"]),
            **offered,
            "nothing was pushed over it"
        );
        assert_eq!(bob.read("mine.md"), crate::support::memory("mine", "Kept."));
        assert!(bob.has("ports.md"));
    }
    // An admin puts the old history back: everything goes on.
    rewrite(&world, &ada, &verified);
    bob.done(&["sync"]);
    ada.done(&["sync"]);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_plain_git_fetch_does_not_make_a_rewritten_history_good() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    let tree = ada.git(&["rev-parse", "HEAD^{tree}"]);
    let other = ada.git(&["commit-tree", &tree, "-m", "from nothing"]);
    rewrite(&world, &ada, &other);
    bob.git(&["fetch", "-q", "origin"]);
    bob.fails(&["pull"], 4, &["another team memory"]);
    bob.fails(&["push"], 4, &["another team memory"]);
}

#[test]
fn a_branch_that_was_deleted_on_the_remote_is_told() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("ports", "8080 web");
    git(&world.hub(), &["update-ref", "-d", "refs/heads/main"]);
    ada.fails(&["push"], 3, &["no branch `main`", "next:"]);
    let said = ada.run(&["pull"]);
    assert!(said.exit == 3 || said.exit == 0, "{said:?}");
    assert!(ada.committed().contains_key("ports.md"));
}
