//! A pull or push that is killed, or refused by the disk, at any system call: the next `memsync sync`
//! ends where an undisturbed run ends, and nothing is lost.
//! Border: needs strace; without it the tests say so, unless `MEMSYNC_REQUIRE_SERVERS=1`.

mod local;
mod strace;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use strace::{Fault, Story, calls, is_there};

use crate::support::check::{assert_clean, assert_sound, entries_for};

/// Points of the program itself, for pull and push each.
const OWN_POINTS: usize = 28;

/// Runs that must really have been cut short, for pull and push each: a call may come at another
/// count than it was recorded with.
const KILLS_MIN: usize = 30;

/// Points of the git processes it starts, for pull and push each.
const GIT_POINTS: usize = 8;

/// Points at which the disk says no, for pull and push each.
const DISK_POINTS: usize = 8;

/// Worlds that are disturbed at the same time.
const THREADS: usize = 2;

/// The files everybody has in the end, but for what was written after the crash.
type Files = BTreeMap<String, String>;

/// How a story ends without any fault.
fn undisturbed(story: &Story, verb: &str) -> Files {
    let world = story.copy();
    world.bob.done(&[verb]);
    world.bob.done(&["sync"]);
    world.hub_files()
}

/// Runs a check for every point, on a few threads.
fn each<T: Sync>(points: &[T], check: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(point) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(point);
                }
            });
        }
    });
}

/// Takes about `count` of some things, evenly spread.
fn spread<T: Clone>(all: &[T], count: usize) -> Vec<T> {
    let count = count.min(all.len());
    (0..count).map(|at| all[at * all.len() / count].clone()).collect()
}

fn survives_being_killed(verb: &str) {
    if !is_there() {
        return;
    }
    let story = Story::new();
    let expected = undisturbed(&story, verb);
    assert_eq!(entries_for(&expected["MEMORY.md"], "from-bob.md"), 1);
    let (own, gits) = calls(&story, &[verb]);
    assert!(own.len() > OWN_POINTS && gits.len() > GIT_POINTS, "{} {}", own.len(), gits.len());
    let mut points = spread(&own, OWN_POINTS);
    points.extend(spread(&gits, GIT_POINTS));
    let kills = AtomicUsize::new(0);
    each(&points, |point| {
        let world = story.copy();
        let killed = world.disturbed(&[verb], &point.kill());
        kills.fetch_add(usize::from(killed.exit != 0), Ordering::Relaxed);
        // Every other time the person goes on editing before the next sync.
        let edits = point.count % 2 == 0;
        if edits {
            world.bob.edit("notes.md", |text| format!("{text}\nWritten after the crash.\n"));
        }
        let said = world.bob.run(&["sync"]);
        assert_eq!(said.exit, 0, "{verb} killed at {point:?} ({killed:?}): {said:?}");
        world.assert_ended_like(&expected, edits, &format!("{verb} killed at {point:?}"));
    });
    let kills = kills.into_inner();
    assert!(kills >= KILLS_MIN, "only {kills} of {} {verb}s were disturbed", points.len());
}

#[test]
fn a_pull_killed_at_any_system_call_is_completed_by_the_next_sync() {
    survives_being_killed("pull");
}

#[test]
fn a_push_killed_at_any_system_call_is_completed_by_the_next_sync() {
    survives_being_killed("push");
}

#[test]
fn a_disk_that_is_full_or_broken_at_any_write_is_told_and_loses_nothing() {
    if !is_there() {
        return;
    }
    let story = Story::new();
    for verb in ["pull", "push"] {
        let expected = undisturbed(&story, verb);
        let (own, _) = calls(&story, &[verb]);
        let of = |names: &[&str]| -> Vec<Fault> {
            own.iter().filter(|call| names.contains(&call.name.as_str())).cloned().collect()
        };
        let mut points = spread(&of(&["write"]), DISK_POINTS / 2);
        points.extend(spread(&of(&["fsync", "fdatasync"]), DISK_POINTS / 4));
        points.extend(spread(&of(&["renameat", "rename", "renameat2"]), DISK_POINTS / 4));
        each(&points, |point| {
            let world = story.copy();
            let error = if point.name == "write" { "ENOSPC" } else { "EIO" };
            let said = world.disturbed(&[verb], &point.fail(error));
            let shown = format!("{verb} with {error} at {point:?}: {said:?}");
            assert!([0, 3].contains(&said.exit), "{shown}");
            assert!(said.exit == 0 || said.err.contains("next:"), "{shown}");
            world.bob.done(&["sync"]);
            world.assert_ended_like(&expected, false, &shown);
        });
    }
}

impl strace::Copy {
    /// Asserts that hub and member hold what they should, soundly.
    fn assert_ended_like(&self, expected: &Files, edited: bool, shown: &str) {
        let mut found = self.hub_files();
        if edited {
            let notes = found.get_mut("notes.md").unwrap_or_else(|| panic!("{shown}: no notes"));
            assert_eq!(notes.matches("Written after the crash.").count(), 1, "{shown}: {notes}");
            let kept: Vec<&str> =
                notes.lines().filter(|line| *line != "Written after the crash.").collect();
            *notes = kept.join("\n").trim_end().to_owned();
        }
        assert_eq!(&found, expected, "{shown}");
        assert_eq!(self.bob.committed(), self.hub_files(), "{shown}");
        assert_clean(&self.bob);
        assert_sound(&self.bob.team());
        assert_sound(&self.hub());
    }
}
