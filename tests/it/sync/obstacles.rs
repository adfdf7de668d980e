//! Something stands in the way while memsync works: another memsync, a lock, a full or read-only disk.
//! Border: each obstacle gets its exit code, subject and next step, and nothing is lost.
#![expect(clippy::disallowed_methods, reason = "breaks folders by hand")]

use std::fs;
use std::process::Stdio;

use crate::mounts::Mount;
use crate::support::check::{assert_agreed, assert_sound, entries_for};
use crate::support::{Member, World, memory};

#[test]
fn two_at_once_succeed_in_turn_and_one_without_patience_is_told() {
    let world = World::new();
    let ada = world.founder("ada");
    let release = world.path().join("release");
    let script =
        format!("#!/bin/sh\nwhile [ ! -e '{}' ]; do sleep 0.05; done\nexit 0\n", release.display());
    world.hook("pre-receive", &script);
    ada.remember("ports", "8080 web");
    let slow = |member: &Member| {
        let mut command = member.program();
        command.arg("push").stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let first = slow(&ada);
    let quarantine = world.hub().join("objects");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    // The first one is in the middle of its push once the server holds its objects.
    while !fs::read_dir(&quarantine)
        .unwrap()
        .any(|entry| entry.unwrap().file_name().to_string_lossy().starts_with("tmp_objdir"))
    {
        assert!(std::time::Instant::now() < deadline, "the first push never arrived");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    ada.remember("second", "Written meanwhile.");
    ada.fails(&["push", "--wait", "0"], 3, &["another memsync", "next:", "--wait"]);
    ada.done(&["status"]);
    let second = slow(&ada);
    fs::write(&release, "").unwrap();
    for child in [first, second] {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert!(world.hub_files().contains_key("ports.md"));
    assert!(world.hub_files().contains_key("second.md"));
    assert_sound(&world.hub());
}

#[test]
fn a_read_only_directory_is_told_and_nothing_is_half_done() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    let (tip, files) = (bob.tip(), bob.files());
    {
        let Some(mount) = Mount::bind(&bob.memdir, &bob.memdir) else { return };
        if !mount.make_read_only() {
            return;
        }
        for command in ["pull", "push", "sync"] {
            bob.fails(&[command], 3, &["read-only", "next:"]);
        }
        bob.done(&["status"]);
        assert_eq!((bob.tip(), bob.files()), (tip, files));
    }
    bob.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_full_disk_is_told_and_the_next_sync_completes() {
    let world = World::new();
    let ada = world.founder("ada");
    let bob = world.newcomer("bob");
    let Some(_mount) = Mount::memory(600_000, &bob.memdir) else { return };
    bob.done(&["join", &world.address()]);
    for number in 0..40 {
        ada.remember(&format!("m{number}"), &"Words and more words. ".repeat(200));
    }
    ada.done(&["push"]);
    bob.remember("mine", "Kept.");
    let ballast = bob.memdir.join("ballast");
    for size in [20_000, 60_000, 100_000, 140_000, 180_000] {
        drop(fs::write(&ballast, vec![b'x'; 520_000 - size]));
        let said = bob.run(&["sync"]);
        fs::remove_file(&ballast).unwrap();
        assert!([0, 3].contains(&said.exit), "{said:?}");
        assert!(said.exit == 0 || said.err.contains("next:"), "{said:?}");
        assert_eq!(bob.read("mine.md"), memory("mine", "Kept."));
    }
    bob.done(&["sync"]);
    ada.done(&["sync"]);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_git_lock_that_someone_holds_is_told_and_nothing_is_lost() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    let lock = bob.team().join(".git/refs/heads/main.lock");
    fs::write(&lock, "").unwrap();
    bob.remember("mine", "Kept.");
    bob.fails(&["sync"], 3, &["main.lock", "next:"]);
    assert_eq!(bob.read("mine.md"), memory("mine", "Kept."));
    fs::remove_file(&lock).unwrap();
    bob.done(&["sync"]);
    ada.done(&["sync"]);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn an_index_is_written_under_the_lock_of_the_team() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.write("ports.md", memory("ports", "8080 web"));
    let lock = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(ada.team().join(".git/memsync/lock"))
        .unwrap();
    lock.lock().unwrap();
    // To look is free; to write has to wait.
    assert!(ada.run(&["index"]).out.contains("ports.md"));
    let mut writer = ada.program().args(["index", "--write"]).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(writer.try_wait().unwrap().is_none(), "it did not wait for the lock");
    assert!(!ada.read("MEMORY.md").contains("ports.md"));
    lock.unlock().unwrap();
    assert!(writer.wait().unwrap().success());
    assert_eq!(entries_for(&ada.read("MEMORY.md"), "ports.md"), 1);
}

#[test]
fn a_failure_after_a_failure_is_told_as_well_and_nothing_is_lost() {
    let team = crate::host::team();
    let bob = &team.bob;
    bob.done(&["pull"]);
    let hub = team.world.hub();
    let aside = team.world.path().join("aside.git");
    fs::rename(&hub, &aside).unwrap();
    // What is left to do once the remote cannot be reached fails, too.
    let signers = bob.team().join(".git/memsync/allowed_signers");
    fs::remove_file(&signers).unwrap();
    fs::create_dir(&signers).unwrap();
    bob.remember("mine", "Bob's own.");
    bob.fails(&["push"], 1, &["allowed_signers", "next:"]);
    assert!(bob.committed().contains_key("mine.md"));
    fs::remove_dir(&signers).unwrap();
    fs::rename(&aside, &hub).unwrap();
    bob.done(&["push"]);
    assert!(team.world.hub_files().contains_key("mine.md"));
}
