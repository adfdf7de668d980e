//! A team memory that is missing, half made, in the middle of something, or not writable.
//! Border: each fault gets its exit code, subject and next step, and nothing is lost.
#![expect(clippy::disallowed_methods, reason = "breaks folders by hand")]

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::check::{assert_agreed, entries_for};
use crate::support::{World, git, memory, say, write_program};

#[test]
fn without_a_memory_directory_or_a_team_memory_every_command_says_how_to_start() {
    let world = World::new();
    let ada = world.newcomer("ada");
    for command in ["push", "pull", "sync", "status", "log", "diff"] {
        let team = ada.team().display().to_string();
        ada.fails(&[command], 2, &["no team memory", &team, "next:", "memsync init"]);
    }
    fs::remove_dir(&ada.memdir).unwrap();
    for command in ["push", "pull", "sync", "status"] {
        ada.fails(&[command], 2, &["no memory directory", "next:", "memsync where"]);
    }
}

#[test]
fn a_team_folder_that_is_no_repository_is_told_and_init_keeps_what_is_in_it() {
    let world = World::new();
    let ada = world.newcomer("ada");
    ada.remember("ports", "8080 web");
    for command in ["push", "pull", "sync", "status"] {
        ada.fails(&[command], 2, &["is not a git repository", "next:", "memsync init"]);
    }
    ada.done(&["init", "--open", "--remote", &world.address()]);
    assert!(world.hub_files().contains_key("ports.md"));
    ada.fails(&["init", "--open"], 2, &["already", "next:"]);
}

#[test]
fn a_deleted_git_folder_is_told_and_joining_again_loses_nothing() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    bob.edit("ports.md", |text| format!("{text}9090 admin\n"));
    bob.remember("mine", "Not shared yet.");
    fs::remove_dir_all(bob.team().join(".git")).unwrap();
    bob.fails(&["push"], 2, &["is not a git repository", "next:"]);
    bob.done(&["join", &world.address()]);
    bob.done(&["push"]);
    ada.done(&["pull"]);
    assert!(
        ada.read("ports.md").contains("8080 web") && ada.read("ports.md").contains("9090 admin")
    );
    assert!(ada.has("mine.md"));
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_git_folder_without_a_commit_is_told() {
    let world = World::new();
    let ada = world.newcomer("ada");
    fs::create_dir_all(ada.team()).unwrap();
    ada.git(&["init", "-q", "-b", "main", "."]);
    ada.git(&["remote", "add", "origin", &world.address()]);
    for command in ["push", "sync", "status"] {
        ada.fails(&[command], 2, &["no commit yet", "next:"]);
    }
    ada.remember("ports", "8080 web");
    ada.git(&["add", "-A"]);
    ada.git(&["commit", "-q", "-m", "plain"]);
    ada.fails(&["push"], 2, &["no `.memsync/policy.yaml`", "next:"]);
}

#[test]
fn without_a_remote_sync_commits_and_push_says_how_to_set_one() {
    let world = World::new();
    let ada = world.newcomer("ada");
    ada.done(&["init", "--open"]);
    ada.remember("ports", "8080 web");
    for command in ["push", "pull"] {
        ada.fails(&[command], 2, &["has no remote", "next:", "memsync remote set URL"]);
    }
    ada.done(&["sync"]);
    assert!(ada.committed().contains_key("ports.md"));
    ada.git(&["remote", "add", "origin", &world.address()]);
    ada.done(&["push"]);
    let bob = world.joiner("bob");
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_detached_head_is_told_and_nothing_moves() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.git(&["checkout", "-q", "--detach"]);
    ada.remember("ports", "8080 web");
    let tip = ada.tip();
    for command in ["push", "pull", "sync", "status"] {
        ada.fails(&[command], 2, &["detached HEAD", "next:", "switch main"]);
    }
    assert_eq!(ada.tip(), tip);
    ada.git(&["switch", "-q", "main"]);
    ada.done(&["push"]);
    assert!(world.hub_files().contains_key("ports.md"));
}

#[test]
fn an_unfinished_git_operation_stops_sync_until_it_is_settled() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    ada.edit("ports.md", |text| text.replace("8080", "8081"));
    ada.done(&["push"]);
    bob.edit("ports.md", |text| text.replace("8080", "8082"));
    bob.git(&["commit", "-q", "-am", "mine"]);
    bob.git(&["fetch", "-q", "origin"]);
    for operation in ["merge", "rebase", "cherry-pick"] {
        let mut command = bob.command("git");
        command.args(["-c", "user.name=B", "-c", "user.email=b@example.com", operation]);
        let clashed = say(command.arg("origin/main").current_dir(bob.team()));
        assert_ne!(clashed.exit, 0, "{operation} clashes: {clashed:?}");
        let before = bob.files();
        for verb in ["push", "pull", "sync"] {
            bob.fails(&[verb], 2, &[operation, "unfinished", "next:", "--abort"]);
        }
        if operation == "rebase" {
            bob.fails(&["status"], 2, &["rebase", "unfinished", "--abort"]);
        } else {
            assert_eq!(bob.json(&["status"])["unfinished"], operation);
        }
        assert_eq!(bob.files(), before, "{operation}: nothing on disk moved");
        bob.git(&[operation, "--abort"]);
    }
    bob.done(&["sync"]);
    ada.done(&["sync"]);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn team_memory_that_is_a_link_is_refused() {
    let world = World::new();
    let ada = world.founder("ada");
    let elsewhere = world.path().join("elsewhere");
    fs::rename(ada.team(), &elsewhere).unwrap();
    symlink(&elsewhere, ada.team()).unwrap();
    for command in ["push", "pull", "status"] {
        ada.fails(&[command], 1, &["symbolic link", "next:"]);
    }
    let bob = world.newcomer("bob");
    symlink(&elsewhere, bob.team()).unwrap();
    bob.fails(&["join", &world.address()], 1, &["symbolic link", "next:"]);
    bob.fails(&["init", "--open"], 1, &["symbolic link", "next:"]);
}

#[test]
fn links_and_executable_files_are_kept_out_named_and_not_followed() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let outside = world.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("private.md"), memory("private", "Not yours.")).unwrap();
    symlink(outside.join("private.md"), ada.team().join("linked.md")).unwrap();
    symlink(&outside, ada.team().join("folder")).unwrap();
    write_program(&ada.team().join("tool.md"), &memory("tool", "x"));
    ada.remember("ports", "8080 web");
    let named = ["linked.md", "folder", "tool.md", "symlink", "next:"];
    ada.fails(&["push"], 1, &named);
    assert!(!world.hub_holds("Not yours."));
    bob.done(&["pull"]);
    let names: Vec<String> =
        bob.files().into_keys().filter(|name| !name.starts_with('.')).collect();
    assert_eq!(names, ["MEMORY.md", "ports.md"]);
    // A shared memory replaced by a link: the memory stays shared, the link stays on disk.
    bob.remove("ports.md");
    symlink("/etc/hostname", bob.team().join("ports.md")).unwrap();
    bob.fails(&["push"], 1, &["ports.md", "symlink"]);
    ada.edit("ports.md", |text| format!("{text}9090\n"));
    ada.fails(&["push"], 1, &named);
    bob.fails(&["pull"], 1, &["ports.md"]);
    assert!(bob.team().join("ports.md").is_symlink());
    assert!(world.hub_files()["ports.md"].contains("9090"));
    // A folder of team memory replaced by a link is not written through.
    ada.write("topics/a.md", memory("a", "one"));
    ada.fails(&["push"], 1, &named);
    fs::remove_file(bob.team().join("ports.md")).unwrap();
    symlink(&outside, bob.team().join("topics")).unwrap();
    let said = bob.run(&["pull"]);
    assert!([1, 3].contains(&said.exit) && said.err.contains("topics"), "{said:?}");
    assert!(!outside.join("a.md").exists());
    fs::remove_file(bob.team().join("topics")).unwrap();
    bob.git(&["checkout", "-q", "--", "ports.md"]);
    bob.done(&["sync"]);
    assert!(bob.has("topics/a.md"));
}

#[test]
fn files_that_are_too_large_or_not_text_are_kept_out() {
    let world = World::new();
    let ada = world.founder("ada");
    let limit = 250_000;
    let head = memory("big", "").len() - 1;
    ada.remember("big", &"x".repeat(limit - head));
    ada.remember("big", &format!("{}\n", "word ".repeat(60_000)));
    ada.write("bytes.md", b"---\nname: bytes\ndescription: d\ntype: project\n---\n\xff\xfe\n");
    ada.write("nul.md", memory("nul", "a\0b"));
    ada.remember("ports", "8080 web");
    let said = ada.fails(&["push"], 1, &["big.md", "250000", "bytes.md", "UTF-8", "next:"]);
    assert!(said.out.contains("size") && said.out.contains("utf8"), "{said:?}");
    assert!(world.hub_files().contains_key("ports.md"));
    assert!(!world.hub_files().contains_key("big.md"));
    ada.remove("bytes.md");
    ada.remove("nul.md");
    // Exactly at the limit it goes.
    let words = "word ".repeat(60_000);
    let head = memory("big", "").len();
    ada.write("big.md", memory("big", &words[..limit - head]));
    assert_eq!(ada.read("big.md").len(), limit);
    ada.done(&["push"]);
    ada.edit("big.md", |text| format!("{text}x"));
    ada.fails(&["push"], 1, &["big.md", "size"]);
}

#[test]
fn an_unreadable_policy_is_never_shared_and_the_agreed_one_goes_on_to_hold() {
    let world = World::new();
    let ada = world.founder("ada");
    let good = ada.read(".memsync/policy.yaml");
    for bad in ["format: memsync.policy/9\ntrust: open\n", "trust: [\n", "format: 1\n", ""] {
        // On disk only: the gate keeps it out, and the committed one goes on to hold.
        ada.write(".memsync/policy.yaml", bad);
        ada.remember("ports", bad.lines().next().unwrap_or("empty"));
        ada.fails(&["push"], 1, &[".memsync/policy.yaml"]);
        assert_eq!(world.hub_files()[".memsync/policy.yaml"], good.trim_end());
    }
    // Committed by plain git: the one the team agreed on holds, and this one is not shared.
    ada.git(&["commit", "-q", "-am", "bad policy"]);
    for command in ["push", "sync"] {
        ada.fails(&[command], 1, &[".memsync/policy.yaml", "is not shared", "next:"]);
    }
    ada.done(&["pull"]);
    assert_eq!(world.hub_files()[".memsync/policy.yaml"], good.trim_end());
    ada.git(&["reset", "-q", "--hard", "HEAD~1"]);
    ada.done(&["push"]);
}

#[test]
fn a_deleted_index_is_made_again() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.edit("MEMORY.md", |text| format!("{text}\nSome prose.\n"));
    ada.done(&["push"]);
    let index = ada.read("MEMORY.md");
    ada.remove("MEMORY.md");
    ada.done(&["push"]);
    assert_eq!(ada.read("MEMORY.md"), index);
    bob.done(&["pull"]);
    assert_eq!(entries_for(&bob.read("MEMORY.md"), "ports.md"), 1);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_mass_deletion_asks_first() {
    let world = World::new();
    let (ada, bob) = world.pair();
    for number in 0..8 {
        ada.remember(&format!("m{number}"), "Something.");
    }
    ada.done(&["push"]);
    bob.done(&["pull"]);
    for number in 0..6 {
        bob.remove(&format!("m{number}.md"));
    }
    let tip = bob.tip();
    for command in ["push", "pull", "sync"] {
        bob.fails(&[command], 1, &["6 of 8 memories are gone", "next:", "--yes"]);
    }
    assert_eq!(bob.tip(), tip);
    assert!(world.hub_files().contains_key("m0.md"));
    bob.git(&["checkout", "-q", "--", "m0.md", "m1.md", "m2.md"]);
    bob.done(&["push"]);
    bob.git(&["status"]);
    bob.remove("m0.md");
    bob.remove("m1.md");
    bob.remove("m2.md");
    bob.remove("m6.md");
    bob.remove("m7.md");
    bob.done(&["push", "--yes"]);
    ada.done(&["pull"]);
    assert!(!ada.has("m7.md"));
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_memory_directory_of_another_project_with_the_same_key_is_refused() {
    let world = World::new();
    let config = world.path().join("config");
    let (one, two) = (world.path().join("my.proj"), world.path().join("my-proj"));
    for project in [&one, &two] {
        fs::create_dir(project).unwrap();
        git(project, &["init", "-q", "."]);
    }
    let person = world.newcomer("ada").with("CLAUDE_CONFIG_DIR", config.to_str().unwrap());
    let program = env!("CARGO_BIN_EXE_memsync");
    let at = |project: &std::path::Path, arguments: &[&str]| {
        say(person.command(program).arg("-C").arg(project).args(arguments))
    };
    let made = at(&one, &["init", "--open", "--remote", &world.address()]);
    assert_eq!(made.exit, 0, "{made:?}");
    assert_eq!(at(&one, &["sync"]).exit, 0);
    for arguments in [&["sync"][..], &["push"], &["pull"], &["status"], &["log"]] {
        let said = at(&two, arguments);
        assert_eq!(said.exit, 2, "{arguments:?}: {said:?}");
        for text in ["belongs to", "my.proj", "my-proj", "next:", "MEMSYNC_MEMDIR"] {
            assert!(said.err.contains(text), "{arguments:?}: {said:?}");
        }
    }
    // A worktree of the first is the first.
    git(&one, &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(&one, &["worktree", "add", "-q", "../linked"]);
    assert_eq!(at(&world.path().join("linked"), &["sync"]).exit, 0);
    // A renamed project is found by doctor.
    let moved = world.path().join("my+proj");
    fs::rename(&one, &moved).unwrap();
    assert_eq!(at(&moved, &["sync"]).exit, 0);
    let doctor = at(&moved, &["doctor", "--fix"]);
    assert!(doctor.out.contains("linked"), "{doctor:?}");
}
