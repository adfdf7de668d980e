//! A pull that meets commits of strangers and many merges: the first time, and again.
//! Border: whole processes beside `git pull` of the same commits; run with
//! `cargo bench --bench junk -- [COMMITS] [KIND]`.
#![expect(clippy::disallowed_methods, reason = "starts git and memsync in throw-away folders")]
#![expect(clippy::print_stdout, reason = "a bench says its figures")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed bench")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use memsync::base::id::ObjectId;
use memsync::base::path::MemoryPath;
use memsync::git::repo::Repo;
use memsync::trust::key::{Protection, SigningKey};
use memsync::trust::roster::MemberId;
use memsync::trust::signature::sign_commit;
use memsync::trust::trailers::Trailers;
use zeroize::Zeroizing;

/// Commits unless told otherwise; a quarter of them shows how it grows.
const COMMITS: usize = 1_000;
/// Merges for 1,000 commits.
const MERGES_PERCENT: usize = 120;
/// Rules of each policy that a stranger makes.
const RULES: usize = 200;
/// Memories that one memory leads to, so that the index names few of them.
const LEAVES: usize = 200;
const MAIN: &str = "refs/heads/main";

/// What the strangers do.
#[derive(Clone, Copy)]
enum Junk {
    Unsigned,
    UnknownKey,
    /// Merges of each other, with the tree that our merge gives.
    Merges,
    /// Merges with a file that neither side has.
    AlteredMerges,
    /// No strangers: merges without signature of what a member signed, over a tree that grows.
    GoodMerges,
}

fn main() {
    let count: usize = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(COMMITS);
    let is_name = |text: &String| !text.starts_with('-') && text.parse::<usize>().is_err();
    let only = std::env::args().skip(1).find(is_name);
    for (what, junk) in [
        ("unsigned", Junk::Unsigned),
        ("signed by an unknown key", Junk::UnknownKey),
        ("unsigned merges", Junk::Merges),
        ("altered merges", Junk::AlteredMerges),
        ("good merges", Junk::GoodMerges),
    ] {
        if only.as_ref().is_some_and(|only| !what.contains(only.as_str())) {
            continue;
        }
        let full = match junk {
            Junk::Unsigned | Junk::UnknownKey => count,
            _ => count * MERGES_PERCENT / 100,
        };
        for number in [full / 4, full] {
            measure(what, junk, number);
        }
    }
}

fn measure(what: &str, junk: Junk, count: usize) {
    let world = World::new();
    world.publish(junk, count);
    let git = time(|| drop(world.run("plain", "git", &["pull", "-q"])));
    let first = time(|| drop(world.memsync(&["pull"])));
    let again = time(|| drop(world.memsync(&["pull"])));
    let ratio = first.as_secs_f64() / git.as_secs_f64();
    println!(
        "{what:26} {count:>6}   first {first:>9.1?}   again {again:>9.1?}   git {git:>9.1?}   ratio {ratio:.1}"
    );
}

/// A team of one admin, whose clone is up to date, and a clone of plain git.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        let text = member_key().to_openssh("ada", &Protection::Plain);
        let mut options = fs::OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(world.path("key"));
        file.unwrap().write_all(text.as_bytes()).unwrap();
        world.run(".", "git", &["init", "-q", "--bare", "-b", "main", "hub.git"]);
        world.memsync(&["init", "--remote", "hub.git", "--yes"]);
        world.memsync(&["push"]);
        world
    }

    /// Puts commits on the hub; the clones have what was there before.
    fn publish(&self, junk: Junk, count: usize) {
        let hub = Repo::open(&self.path("hub.git")).unwrap();
        let tip = hub.find_ref(MAIN).unwrap().unwrap();
        let mut maker = Maker { root: hub.range(None, tip).unwrap()[0], tip, hub, number: 0 };
        maker.hubs(count * 2);
        self.run("hub.git", "git", &["update-ref", MAIN, &maker.tip.to_string()]);
        self.memsync(&["pull"]);
        self.run(".", "git", &["clone", "-q", "hub.git", "plain"]);
        for n in 0..count {
            maker.one(junk, n);
        }
        self.run("hub.git", "git", &["update-ref", MAIN, &maker.tip.to_string()]);
        self.run("hub.git", "git", &["repack", "-adq"]);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs memsync; what is refused is a good answer here.
    fn memsync(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(".", env!("CARGO_BIN_EXE_memsync"));
        let output = command.args(["--memdir", "memory"]).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 4)), "{arguments:?}: {said}");
        output
    }

    fn run(&self, folder: &str, program: &str, arguments: &[&str]) -> Output {
        let output = self.command(folder, program).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {arguments:?}: {said}");
        output
    }

    fn command(&self, folder: &str, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path(folder)).env("HOME", self.folder.path());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("MEMSYNC_NAME", "ada").env("MEMSYNC_EMAIL", "ada@example.org");
        command.env("MEMSYNC_KEY", self.path("key"));
        command
    }
}

fn member_key() -> SigningKey {
    SigningKey::from_seed(&Zeroizing::new([5; 32]))
}

/// Writes commits to the hub as its owner can.
struct Maker {
    hub: Repo,
    root: ObjectId,
    tip: ObjectId,
    number: usize,
}

impl Maker {
    /// Memories that lead to those that will come, so that no merge has to change the index.
    fn hubs(&mut self, memories: usize) {
        let mut index = "# Team memory\n\n".to_owned();
        let mut edits = Vec::new();
        for at in 0..memories.div_ceil(LEAVES) {
            let name = format!("hub-{at}");
            index += &format!("- [{name}]({name}.md) — Part {at}\n");
            let links = (at * LEAVES..(at + 1) * LEAVES).map(|n| format!("[{n}](note-{n}.md)\n"));
            edits.push((format!("{name}.md"), memory(&name, &links.collect::<String>())));
        }
        edits.push(("MEMORY.md".to_owned(), index));
        self.tip = self.commit(&[self.tip], &edits, Some(&member_key()));
    }

    fn one(&mut self, junk: Junk, n: usize) {
        let stranger = SigningKey::from_seed(&Zeroizing::new([7; 32]));
        let policy = |n| [(".memsync/policy.yaml".to_owned(), policy(n))];
        self.tip = match junk {
            Junk::Unsigned => self.commit(&[self.tip], &policy(n), None),
            Junk::UnknownKey => self.commit(&[self.tip], &policy(n), Some(&stranger)),
            Junk::Merges => self.merge(n, None, &[]),
            Junk::AlteredMerges => self.merge(n, None, &policy(n)),
            Junk::GoodMerges => self.merge(n, Some(&member_key()), &[]),
        };
    }

    /// A merge of two commits that each add a memory.
    fn merge(&mut self, n: usize, key: Option<&SigningKey>, more: &[(String, String)]) -> ObjectId {
        let note = |n: usize| {
            let name = format!("note-{n}");
            (format!("{name}.md"), memory(&name, "A text.\n"))
        };
        let (one, two) = (note(2 * n), note(2 * n + 1));
        let ours = self.commit(&[self.tip], std::slice::from_ref(&one), key);
        let theirs = self.commit(&[self.tip], std::slice::from_ref(&two), key);
        self.commit(&[ours, theirs], &[&[two], more].concat(), None)
    }

    /// A commit on the tree of its first parent.
    fn commit(
        &mut self,
        parents: &[ObjectId],
        edits: &[(String, String)],
        key: Option<&SigningKey>,
    ) -> ObjectId {
        let edit = |(path, text): &(String, String)| {
            let blob = self.hub.write_blob(text.as_bytes()).unwrap();
            (MemoryPath::parse(path).unwrap(), Some(blob))
        };
        let edits: Vec<_> = edits.iter().map(edit).collect();
        let base = self.hub.commit(parents[0]).unwrap().tree;
        let tree = self.hub.write_tree(Some(base), &edits).unwrap();
        self.number += 1;
        let who = format!("Ada <ada@example.org> {} +0100", 1_700_000_000 + self.number);
        let trailers = Trailers {
            store: Some(self.root),
            reference: Some(MAIN.to_owned()),
            member: Some(MemberId::parse("ada").unwrap()),
            ..Trailers::default()
        };
        let message = trailers.compose(&format!("Number {}", self.number));
        let parents: String = parents.iter().map(|id| format!("parent {id}\n")).collect();
        let raw = format!("tree {tree}\n{parents}author {who}\ncommitter {who}\n\n{message}");
        let signed = key.map(|key| sign_commit(key, raw.as_bytes()).unwrap());
        self.hub.write_commit(&signed.unwrap_or_else(|| raw.into_bytes())).unwrap()
    }
}

fn memory(name: &str, text: &str) -> String {
    format!("---\nname: {name}\ndescription: What {name} says\ntype: project\n---\n{text}")
}

/// A policy with rules of its own that nobody met before.
fn policy(n: usize) -> String {
    let rules = (0..RULES).map(|at| {
        format!("  - id: rule-{n}-{at}\n    description: A rule\n    regex: 'key{n}x{at}_[a-z0-9]{{20}}'\n    keywords: [key{n}x{at}]\n")
    });
    format!(
        "format: memsync.policy/1\ntrust: open\nsecrets:\n  rules:\n{}",
        rules.collect::<String>()
    )
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
