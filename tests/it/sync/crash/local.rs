//! `init`, `join`, `remember` and `seal` killed at any system call, or refused by the disk: the same
//! command again works or says what to do, and what was there is there.
//! Border: as the parent; pull and push have stories of their own there.
#![expect(clippy::disallowed_methods, reason = "writes what a person had before")]

use super::strace::{Copy, Fault, HUB, Story, calls, is_there};
use super::{each, spread};
use crate::support::check::{assert_clean, assert_sound};
use crate::support::{Said, World, git};

/// Points of the program and of the git it starts, for each command, and those where the disk says no.
const OWN_POINTS: usize = 14;
const GIT_POINTS: usize = 3;
const DISK_POINTS: usize = 4;

/// Disturbs a command everywhere; it is run again each time, and then the claims are checked.
fn disturb(story: &Story, command: &[&str], check: impl Fn(&Copy, &str) + Sync) {
    let (own, gits) = calls(story, command);
    let mut points: Vec<(Fault, Vec<String>)> = Vec::new();
    for point in spread(&own, OWN_POINTS).into_iter().chain(spread(&gits, GIT_POINTS)) {
        let options = point.kill();
        points.push((point, options));
    }
    let writes = |call: &&Fault| ["write", "fsync", "fdatasync"].contains(&call.name.as_str());
    let renames = |call: &&Fault| call.name.starts_with("rename");
    let full: Vec<Fault> = own.iter().filter(writes).cloned().collect();
    let broken: Vec<Fault> = own.iter().filter(renames).cloned().collect();
    for point in spread(&full, DISK_POINTS) {
        let options = point.fail("ENOSPC");
        points.push((point, options));
    }
    for point in spread(&broken, DISK_POINTS / 2) {
        let options = point.fail("EIO");
        points.push((point, options));
    }
    each(&points, |(point, options)| {
        let copy = story.copy();
        let first = copy.disturbed(command, options);
        let shown = format!("{command:?} at {point:?} with {options:?}: {first:?}");
        let is_kill = options.iter().any(|option| option.contains("signal=KILL"));
        assert!(is_kill || first.exit == 0 || first.err.contains("next:"), "{shown}");
        let again = copy.run(command);
        let shown = format!("{shown}\nagain: {again:?}");
        assert!(again.exit == 0 || is_said(&again), "{shown}");
        check(&copy, &shown);
    });
}

/// Whether a refusal says what to do, and is no fault of ours.
fn is_said(said: &Said) -> bool {
    said.exit != 70 && said.err.contains("next:")
}

/// Asserts that a member and the hub have the same, soundly.
fn assert_shared(copy: &Copy, shown: &str) {
    let said = copy.run(&["sync"]);
    assert_eq!(said.exit, 0, "{shown}\nsync: {said:?}");
    assert_eq!(copy.bob.committed(), copy.hub_files(), "{shown}");
    assert_clean(&copy.bob);
    assert_sound(&copy.bob.team());
    assert_sound(&copy.hub());
}

#[test]
fn remember_disturbed_anywhere_is_done_by_running_it_again() {
    if !is_there() {
        return;
    }
    let story = Story::new();
    let command =
        ["remember", "--kind", "project", "--description", "Told late", "--name", "late news"];
    let expected = {
        let copy = story.copy();
        assert_eq!(copy.run(&command).exit, 0);
        assert_eq!(copy.run(&["sync"]).exit, 0);
        copy.hub_files()
    };
    assert!(expected.contains_key("late-news.md"));
    disturb(&story, &command, |copy, shown| {
        assert_shared(copy, shown);
        assert_eq!(copy.hub_files(), expected, "{shown}");
    });
}

#[test]
fn seal_disturbed_anywhere_is_done_by_running_it_again() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let ada = world.newcomer("ada");
    ada.done(&["init", "--remote", &world.address()]);
    ada.remember("notes", "The plan of the quarter.");
    ada.remember("other", "Something else.");
    ada.done(&["push"]);
    let story = Story::of(world, "ada");
    let command = ["seal", "notes", "--yes"];
    let before = story.copy().hub_files();
    disturb(&story, &command, |copy, shown| {
        assert_shared(copy, shown);
        let mut after = copy.hub_files();
        let sealed = after.remove("notes.md").unwrap_or_default();
        assert!(
            !sealed.contains("quarter") && sealed.contains("AGE ENCRYPTED"),
            "{shown}: {sealed}"
        );
        let opened = copy.run(&["open", "notes"]);
        assert!(opened.out.contains("The plan of the quarter."), "{shown}: {opened:?}");
        let mut before = before.clone();
        before.remove("notes.md");
        assert_eq!(after, before, "{shown}");
    });
}

#[test]
fn init_disturbed_anywhere_is_done_by_running_it_again() {
    if !is_there() {
        return;
    }
    let world = World::new();
    world.newcomer("ada");
    let story = Story::of(world, "ada");
    disturb(&story, &["init", "--remote", HUB], |copy, shown| {
        assert_shared(copy, shown);
        assert!(copy.hub_files().contains_key(".memsync/roster.yaml"), "{shown}");
    });
}

#[test]
fn join_disturbed_anywhere_is_done_by_running_it_again() {
    if !is_there() {
        return;
    }
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("notes", "Words.");
    ada.done(&["push"]);
    let bob = world.newcomer("bob");
    // What Bob had before is his.
    std::fs::write(bob.memdir.join("mine.md"), "Private.\n").unwrap();
    let story = Story::of(world, "bob");
    let expected = story.copy().hub_files();
    disturb(&story, &["join", HUB], |copy, shown| {
        assert_shared(copy, shown);
        assert_eq!(copy.hub_files(), expected, "{shown}");
        let mine = std::fs::read_to_string(copy.bob.memdir.join("mine.md")).unwrap();
        assert_eq!(mine, "Private.\n", "{shown}");
    });
}

#[test]
fn a_repository_that_somebody_prepared_by_hand_is_never_taken_for_a_setup_that_was_cut_short() {
    let world = World::new();
    let ada = world.newcomer("ada");
    std::fs::create_dir_all(ada.team()).unwrap();
    let set_up = |more: &[&str]| {
        drop(std::fs::remove_dir_all(ada.team().join(".git")));
        git(&ada.team(), &["init", "-q", "-b", "main"]);
        git(&ada.team(), more);
    };
    let commit = ["commit-tree", "-m", "kept", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"];
    for more in [
        &["remote", "add", "origin", "https://git.example/notes.git"][..],
        &["config", "user.email", "ada@work.example"],
        &["update-ref", "refs/notes/mine", "STASH"],
        &["update-ref", "--no-deref", "HEAD", "STASH"],
    ] {
        set_up(&["hash-object", "-t", "tree", "-w", "/dev/null"]);
        let kept = git(&ada.team(), &commit);
        let more: Vec<&str> =
            more.iter().map(|word| if *word == "STASH" { &*kept } else { word }).collect();
        git(&ada.team(), &more);
        for command in ["push", "init"] {
            ada.fails(&[command], 2, &["next:"]);
        }
        assert_eq!(git(&ada.team(), &["cat-file", "-t", &kept]), "commit", "{more:?}");
    }
    set_up(&["status"]);
    ada.done(&["init"]);
}
