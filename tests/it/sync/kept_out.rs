//! Whatever the gate keeps out, nothing else waits for it, and correcting the file is enough.
//! Border: what is a credential or a bad name is the gate's; here it is that the rest goes on.
#![expect(clippy::disallowed_methods, reason = "puts things in the place of files by hand")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use crate::support::check::{assert_agreed, assert_sound, entries_for};
use crate::support::random::Random;
use crate::support::{Member, World, any_object_holds, memory, token};

/// The ways in which a file can go bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Credential,
    HiddenCharacter,
    Control,
    NotUtf8,
    Nul,
    TooLarge,
    UserKind,
    BadYaml,
    Symlink,
    Folder,
    FullFolder,
    Pipe,
    Executable,
    ConflictMarkers,
}

const WAYS: [Way; 14] = [
    Way::Credential,
    Way::HiddenCharacter,
    Way::Control,
    Way::NotUtf8,
    Way::Nul,
    Way::TooLarge,
    Way::UserKind,
    Way::BadYaml,
    Way::Symlink,
    Way::Folder,
    Way::FullFolder,
    Way::Pipe,
    Way::Executable,
    Way::ConflictMarkers,
];

impl Way {
    /// Whether the gate has anything against it in a file.
    fn is_for(self, file: &str) -> bool {
        file != "MEMORY.md" || !matches!(self, Self::UserKind | Self::BadYaml)
    }

    /// What the file becomes, where it stays one.
    fn spoiled(self, good: &str) -> Option<Vec<u8>> {
        Some(match self {
            Self::Credential => format!("{good}- the key is {}\n", token()).into_bytes(),
            Self::HiddenCharacter => format!("{good}- un\u{200B}seen\n").into_bytes(),
            Self::Control => format!("{good}- \u{202E}turned\n").into_bytes(),
            Self::NotUtf8 => [good.as_bytes(), b"- \xff\n"].concat(),
            Self::Nul => [good.as_bytes(), b"- \0\n"].concat(),
            Self::TooLarge => format!("{good}- {}\n", "many words ".repeat(26_000)).into_bytes(),
            Self::ConflictMarkers => {
                let sign = |c: &str| c.repeat(7);
                let (one, two, three) = (sign("<"), sign("="), sign(">"));
                format!("{good}{one} HEAD\n- ours\n{two}\n- theirs\n{three} side\n").into_bytes()
            }
            Self::UserKind => good.replace("type: project", "type: user").into_bytes(),
            Self::BadYaml => good.replace("description: ", "description: a: ").into_bytes(),
            Self::Symlink | Self::Folder | Self::FullFolder | Self::Pipe | Self::Executable => {
                return None;
            }
        })
    }

    /// Makes a file bad that is there and good.
    fn spoil(self, member: &Member, file: &str) {
        let path = member.team().join(file);
        let good = fs::read_to_string(&path).unwrap();
        if let Some(bad) = self.spoiled(&good) {
            return fs::write(path, bad).unwrap();
        }
        if self == Self::Executable {
            return fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::remove_file(&path).unwrap();
        match self {
            Self::Symlink => symlink("elsewhere.md", path).unwrap(),
            Self::FullFolder => {
                fs::create_dir(&path).unwrap();
                fs::write(path.join("notes.txt"), "x").unwrap();
            }
            Self::Pipe => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            _ => fs::create_dir(&path).unwrap(),
        }
    }

    /// Corrects it, as a person would: takes out what is wrong and keeps the rest.
    fn correct(self, member: &Member, file: &str) {
        let path = member.team().join(file);
        match self {
            Self::Symlink | Self::Pipe => fs::remove_file(path).unwrap(),
            Self::Folder | Self::FullFolder => fs::remove_dir_all(path).unwrap(),
            Self::Executable => {
                fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
            }
            Self::UserKind => {
                let text = fs::read_to_string(&path).unwrap();
                fs::write(path, text.replace("type: user", "type: project")).unwrap();
            }
            Self::BadYaml => {
                let text = fs::read_to_string(&path).unwrap();
                fs::write(path, text.replace("description: a: ", "description: ")).unwrap();
            }
            _ => {
                let bad: Vec<u8> = self.spoiled("").unwrap();
                let text = fs::read(&path).unwrap();
                let at = text.windows(bad.len()).position(|part| part == bad).unwrap();
                fs::write(path, [&text[..at], &text[at + bad.len()..]].concat()).unwrap();
            }
        }
    }
}

#[test]
fn whatever_is_wrong_with_the_index_others_memories_come_and_ours_go() {
    for way in WAYS.into_iter().filter(|way| way.is_for("MEMORY.md")) {
        let world = World::new();
        let (ada, bob) = world.pair();
        ada.remember("first", "One.");
        ada.done(&["push"]);
        bob.done(&["pull"]);
        way.spoil(&ada, "MEMORY.md");
        ada.remember("mine", "Mine.");
        bob.remember("theirs", "Theirs.");
        bob.done(&["push"]);
        for command in ["push", "pull", "sync", "pull"] {
            ada.fails(&[command], 1, &["MEMORY.md", "next:"]);
        }
        assert!(ada.has("theirs.md"), "{way:?}: the rest came in");
        bob.done(&["pull"]);
        assert!(bob.has("mine.md"), "{way:?}: the rest went out");
        assert_eq!(entries_for(&bob.read("MEMORY.md"), "mine.md"), 1, "{way:?}");
        assert!(!world.hub_holds(&token()) && !any_object_holds(&ada.team(), &token()));
        let status = ada.json(&["status"]);
        assert_eq!(status["refused"][0]["path"], "MEMORY.md", "{way:?}: {status}");
        assert_eq!(status["changes"].as_array().unwrap().len(), 0, "{way:?}: {status}");
        way.correct(&ada, "MEMORY.md");
        ada.done(&["push"]);
        bob.done(&["pull"]);
        assert_agreed(&world, &[&ada, &bob]);
        for name in ["first.md", "mine.md", "theirs.md"] {
            assert_eq!(entries_for(&ada.read("MEMORY.md"), name), 1, "{way:?} {name}");
        }
    }
}

#[test]
fn a_folder_where_a_memory_should_be_written_is_named_and_nothing_is_deleted() {
    let world = World::new();
    let (ada, bob) = world.pair();
    bob.write("infra.md/notes.txt", "x");
    ada.remember("infra", "Hosts.");
    ada.done(&["push"]);
    bob.fails(&["pull"], 1, &["infra.md"]);
    let said = bob.run(&["status"]);
    assert!(said.out.contains("a folder stands where the file should be"), "{said:?}");
    assert!(!said.out.contains("deleted"), "{said:?}");
    bob.fails(&["push"], 1, &["a folder stands where the file should be"]);
    fs::remove_dir_all(bob.team().join("infra.md")).unwrap();
    bob.done(&["sync"]);
    assert_agreed(&world, &[&ada, &bob]);
    // A memory that is there already is not deleted for all by a folder in its place.
    fs::remove_file(bob.team().join("infra.md")).unwrap();
    fs::create_dir(bob.team().join("infra.md")).unwrap();
    bob.fails(&["push"], 1, &["a folder stands where the file should be"]);
    fs::remove_dir(bob.team().join("infra.md")).unwrap();
    bob.done(&["push"]);
    assert_agreed(&world, &[&ada, &bob]);
    assert!(bob.has("infra.md"));
}

#[test]
fn what_others_published_against_a_rule_does_not_hold_up_ours() {
    let world = World::new();
    let (ada, bob) = world.pair();
    bob.edit("MEMORY.md", |text| format!("{text}\nThe key is {}.\n", token()));
    bob.write("bad.md", memory("bad", &format!("The key is {}.\n\nMore.", token())));
    bob.git(&["add", "-A"]);
    bob.git(&["commit", "-qm", "by plain git"]);
    bob.git(&["push", "-q", "origin", "HEAD:main"]);
    ada.remember("before", "Written before.");
    ada.done(&["push"]);
    ada.remember("after", "Written after.");
    ada.edit("MEMORY.md", |text| format!("{text}\nA line of mine.\n"));
    ada.done(&["push"]);
    let hub = world.hub_files();
    assert!(hub.contains_key("before.md") && hub.contains_key("after.md"));
    assert_eq!(entries_for(&hub["MEMORY.md"], "after.md"), 1);
    // The same once more would be ours.
    ada.edit("MEMORY.md", |text| format!("{text}\nAgain: the key is {}.\n", token()));
    ada.fails(&["push"], 1, &["MEMORY.md"]);
}

#[test]
fn a_folder_deeper_than_any_path_is_named_and_the_rest_goes_on() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.write(&format!("{}deep.md", "d/".repeat(40)), memory("deep", "x"));
    ada.remember("mine", "Mine.");
    ada.fails(&["push"], 1, &["kept out d/d/d/", "next:"]);
    assert!(world.hub_files().contains_key("mine.md"));
    ada.fails(&["check"], 1, &["d/d/d/"]);
}

/// A member's files with what is wrong with each.
struct Desk<'a> {
    member: &'a Member,
    bad: Vec<(&'static str, Way)>,
}

const FILES: [&str; 5] = ["MEMORY.md", "a.md", "b.md", "c.md", "sub/d.md"];

impl Desk<'_> {
    fn is_bad(&self, file: &str) -> bool {
        self.bad.iter().any(|(bad, _)| *bad == file)
    }

    /// One thing that may happen at a desk.
    fn step(&mut self, random: &mut Random, number: usize) -> String {
        let file = *random.pick(&FILES).unwrap();
        let there = self.member.has(file);
        match random.below(9) {
            0 | 1 if !self.is_bad(file) && there => {
                let ways: Vec<Way> = WAYS.into_iter().filter(|way| way.is_for(file)).collect();
                let way = *random.pick(&ways).unwrap();
                way.spoil(self.member, file);
                self.bad.push((file, way));
                format!("{file} becomes bad: {way:?}")
            }
            2 if !self.bad.is_empty() => {
                let (file, way) = self.bad.remove(random.below(self.bad.len()));
                way.correct(self.member, file);
                format!("{file} becomes good: {way:?}")
            }
            3 | 4 if !self.is_bad(file) => {
                let text = if there { self.member.read(file) } else { memory("new", "Body.") };
                let name = format!("name: {}\n", file.replace('/', "-"));
                let text = text.replace("name: new\n", &name);
                self.member.write(file, format!("{text}\n- line {number}\n"));
                format!("{file} gets a line")
            }
            5 if !self.is_bad(file) && there && file != "MEMORY.md" => {
                self.member.remove(file);
                format!("{file} is deleted")
            }
            6 => self.exchange("pull"),
            _ => self.exchange("push"),
        }
    }

    fn exchange(&self, command: &str) -> String {
        let said = self.member.run(&[command, "--yes"]);
        // A folder is in the way only where the team has a file.
        let is_surely_bad = self.bad.iter().any(|(_, way)| *way != Way::Folder);
        let expected = if is_surely_bad { 1..=1 } else { 0..=i32::from(!self.bad.is_empty()) };
        assert!(expected.contains(&said.exit), "{command} with {:?} bad: {said:?}", self.bad);
        let status = self.member.json(&["status"]);
        let diff = || self.member.git(&["diff"]);
        assert_eq!(status["changes"].as_array().unwrap().len(), 0, "{status}\n{}", diff());
        format!("{command} by {}", self.member.memdir.display())
    }
}

/// Random files go bad and good again on both sides; the rest always goes on.
fn one_round(seed: u64) {
    let world = World::new();
    let (ada, bob) = world.pair();
    let mut random = Random(seed);
    let mut desks = [&ada, &bob].map(|member| Desk { member, bad: Vec::new() });
    let mut story = vec![format!("seed {seed}")];
    let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        for number in 0..24 {
            let desk = random.below(2);
            let happened = desks[desk].step(&mut random, number);
            story.push(format!("{desk}: {happened}"));
        }
        for _ in 0..2 {
            desks.iter().for_each(|desk| drop(desk.exchange("push")));
        }
        let hub = world.hub_files();
        for desk in &desks {
            desk.exchange("pull");
            assert_eq!(desk.member.committed(), hub, "the rest is the same everywhere");
            for (path, text) in hub.iter().filter(|(path, _)| !desk.is_bad(path)) {
                // The index on disk also names what is kept out.
                if path != "MEMORY.md" || desk.bad.is_empty() {
                    assert_eq!(desk.member.read(path).trim_end(), text.trim_end(), "{path}");
                }
            }
        }
        assert!(!world.hub_holds(&token()), "the hub has the token");
        for desk in &mut desks {
            assert!(!any_object_holds(&desk.member.team(), &token()));
            for (file, way) in std::mem::take(&mut desk.bad) {
                way.correct(desk.member, file);
            }
        }
        for _ in 0..2 {
            desks.iter().for_each(|desk| drop(desk.exchange("push")));
        }
        desks.iter().for_each(|desk| drop(desk.exchange("pull")));
        assert_agreed(&world, &[&ada, &bob]);
        assert_sound(&ada.team());
    }));
    if let Err(panic) = told {
        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        panic!("{}\n{text}", story.join("\n"));
    }
}

/// The seeds: a few dozen, or as many as `MEMSYNC_TEST_ROUNDS` says from `MEMSYNC_TEST_SEED` on.
fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("MEMSYNC_TEST_SEED").unwrap_or(0);
    first..first + number("MEMSYNC_TEST_ROUNDS").unwrap_or(24)
}

#[test]
fn files_go_bad_and_good_again_in_any_order_and_the_rest_always_converges() {
    seeds().for_each(one_round);
}
