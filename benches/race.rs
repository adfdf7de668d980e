//! Sixteen writers at once to one hub, twenty pushes each: `memsync push` and, beside it, the loop
//! around `git pull --rebase` and `git push` that a team writes by hand.
//! Border: says how long pushes waited and what is missing afterwards; `cargo bench --bench race`.
#![expect(clippy::disallowed_methods, reason = "starts git and memsync in throw-away folders")]
#![expect(clippy::print_stdout, reason = "a bench says its figures")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed bench")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Writers with a clone each, unless told otherwise.
const WRITERS: usize = 16;
/// Pushes of each.
const PUSHES: usize = 20;

/// The loop of a team: a conflict is given up, as a script cannot resolve it.
const SCRIPT: &str = "git add -A && git commit -qm edit && for n in $(seq 200); do
  git pull -q --rebase || { git rebase --abort; exit 9; }
  git push -q && exit 0
done; exit 8";

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let writers = numbers.first().copied().unwrap_or(WRITERS);
    let pushes = numbers.get(1).copied().unwrap_or(PUSHES);
    println!(
        "{writers} writers, {pushes} pushes each: one memory of one's own, one line in a shared one"
    );
    for side in [Side::Memsync, Side::Git] {
        race(side, writers, pushes);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Memsync,
    Git,
}

/// A hub and the clones of its writers.
struct World {
    folder: tempfile::TempDir,
    side: Side,
}

impl World {
    fn new(side: Side, writers: usize) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap(), side };
        world.must(Path::new("."), "git", &["init", "-q", "--bare", "-b", "main", "hub.git"]);
        let shared = "---\nname: shared\ndescription: Lines of all\ntype: project\n---\n- Start.\n";
        let index = "- [shared](shared.md) — Lines of all\n";
        match side {
            Side::Memsync => {
                world.memsync(0, &["init", "--open", "--remote", "hub.git", "--yes"]);
                fs::write(world.clone_of(0).join("shared.md"), shared).unwrap();
                world.memsync(0, &["push", "--yes"]);
                (1..writers).for_each(|n| drop(world.memsync(n, &["join", "hub.git"])));
            }
            Side::Git => {
                world.must(Path::new("."), "git", &["clone", "-q", "hub.git", "w0/team"]);
                fs::write(world.clone_of(0).join("shared.md"), shared).unwrap();
                fs::write(world.clone_of(0).join("MEMORY.md"), index).unwrap();
                let first = "git add -A && git commit -qm first && git push -q -u origin HEAD";
                world.must(&world.clone_of(0), "sh", &["-c", first]);
                (1..writers).for_each(|n| {
                    let folder = format!("w{n}/team");
                    world.must(Path::new("."), "git", &["clone", "-q", "hub.git", &folder]);
                });
            }
        }
        world
    }

    fn clone_of(&self, writer: usize) -> PathBuf {
        self.folder.path().join(format!("w{writer}/team"))
    }

    fn memsync(&self, writer: usize, arguments: &[&str]) -> Output {
        let memdir = format!("w{writer}");
        fs::create_dir_all(self.folder.path().join(&memdir)).unwrap();
        let all = [&["--memdir", memdir.as_str()], arguments].concat();
        let output = self.run(Path::new("."), env!("CARGO_BIN_EXE_memsync"), &all);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn must(&self, folder: &Path, program: &str, arguments: &[&str]) -> Output {
        let output = self.run(folder, program, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn run(&self, folder: &Path, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path().join(folder)).args(arguments);
        command.env("HOME", self.folder.path()).env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Ada");
            command.env(format!("GIT_{who}_EMAIL"), "ada@example.org");
        }
        command.output().unwrap()
    }

    /// One edit of one writer: a new memory with its entry, and a line in the shared one.
    fn edit(&self, writer: usize, push: usize) {
        let folder = self.clone_of(writer);
        let name = format!("w{writer}-{push}");
        let text =
            format!("---\nname: {name}\ndescription: About {name}\ntype: project\n---\nText.\n");
        fs::write(folder.join(format!("{name}.md")), text).unwrap();
        append(&folder.join("shared.md"), &format!("- Line {name}.\n"));
        append(&folder.join("MEMORY.md"), &format!("- [{name}]({name}.md) — About {name}\n"));
    }

    /// Pushes; gives the time it took, `None` when a person would be needed.
    fn push(&self, writer: usize) -> Option<Duration> {
        let start = Instant::now();
        let output = match self.side {
            Side::Memsync => {
                let memdir = format!("w{writer}");
                let arguments = ["--memdir", memdir.as_str(), "push", "--wait", "600"];
                self.run(Path::new("."), env!("CARGO_BIN_EXE_memsync"), &arguments)
            }
            Side::Git => self.run(&self.clone_of(writer), "sh", &["-c", SCRIPT]),
        };
        output.status.success().then(|| start.elapsed())
    }
}

fn append(path: &Path, line: &str) {
    let text = fs::read_to_string(path).unwrap();
    fs::write(path, text + line).unwrap();
}

fn race(side: Side, writers: usize, pushes: usize) {
    let world = World::new(side, writers);
    let start = Instant::now();
    let results: Vec<Option<Duration>> = std::thread::scope(|scope| {
        let writer = |writer| {
            let world = &world;
            scope.spawn(move || {
                let push = |push| {
                    world.edit(writer, push);
                    world.push(writer)
                };
                (0..pushes).map(push).collect::<Vec<_>>()
            })
        };
        let running: Vec<_> = (0..writers).map(writer).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let whole = start.elapsed();
    let mut times: Vec<Duration> = results.iter().copied().flatten().collect();
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let longest = times.last().copied().unwrap_or_default();
    let ratio = longest.as_secs_f64() / median.as_secs_f64();
    println!(
        "{side:?}: {whole:.1?} in all, a push {median:.1?} at the median, {longest:.1?} at most ({ratio:.1} x)"
    );
    let stuck = results.iter().filter(|time| time.is_none()).count();
    println!(
        "  {stuck} of {} pushes need a person; {}",
        results.len(),
        missing(&world, writers, pushes)
    );
}

/// What the hub lacks or has twice, and whether its objects are sound.
fn missing(world: &World, writers: usize, pushes: usize) -> String {
    world.must(Path::new("."), "git", &["clone", "-q", "hub.git", "end"]);
    let end = world.folder.path().join("end");
    let read = |name: &str| fs::read_to_string(end.join(name)).unwrap_or_default();
    let (shared, index) = (read("shared.md"), read("MEMORY.md"));
    let (mut lost, mut doubled) = (0, 0);
    for name in (0..writers).flat_map(|w| (0..pushes).map(move |p| format!("w{w}-{p}"))) {
        let file = usize::from(end.join(format!("{name}.md")).is_file());
        let line = shared.matches(&format!("- Line {name}.\n")).count();
        let entry = index.matches(&format!("]({name}.md)")).count();
        for count in [file, line, entry] {
            lost += usize::from(count == 0);
            doubled += usize::from(count > 1);
        }
    }
    let fsck = world.run(Path::new("hub.git"), "git", &["fsck", "--strict", "--no-dangling"]);
    let sound = if fsck.status.success() { "clean" } else { "NOT clean" };
    format!("{lost} edits lost, {doubled} doubled, git fsck --strict {sound}")
}
