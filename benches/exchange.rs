//! `memsync push`, `pull` and `status` as whole processes against the git commands a team would use.
//! Border: ratios of medians in one run on one machine; run with `cargo bench --bench exchange [ROUNDS]`.
#![expect(clippy::disallowed_methods, reason = "starts git and memsync in throw-away folders")]
#![expect(clippy::print_stdout, reason = "a bench says its figures")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed bench")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Counted rounds unless told otherwise; the two sides take turns.
const ROUNDS: usize = 15;
/// Memories of the team for pushing and pulling.
const MEMORIES: usize = 200;
/// Memories of the team for `status`, as the design's budget says.
const MEMORIES_STATUS: usize = 2_000;

fn main() {
    let rounds = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(ROUNDS);
    let world = World::new(MEMORIES);
    world.compare(
        "push of one edit",
        rounds,
        &|n| world.edit_ours(n),
        &["push"],
        &|n| world.edit_git(n),
        SCRIPT,
    );
    world.compare("pull, nothing new", rounds, &|_| (), &["pull"], &|_| (), "git pull -q");
    let large = World::new(MEMORIES_STATUS);
    let what = format!("status, {MEMORIES_STATUS} memories");
    large.compare(&what, rounds, &|_| (), &["status"], &|_| (), "git status --porcelain");
}

/// What a team writes by hand.
const SCRIPT: &str =
    "git pull -q --rebase --autostash && git add -A && git commit -qm edit && git push -q";

/// Two hubs with the same memories: one shared by memsync, one by plain git.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new(memories: usize) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        for hub in ["ours.git", "git.git"] {
            world.run(Path::new("."), "git", &["init", "-q", "--bare", "-b", "main", hub]);
        }
        world.memsync(&["init", "--remote", "ours.git", "--yes"]);
        for n in 0..memories {
            let text = format!(
                "---\nname: memory-{n}\ndescription: What number {n} says\ntype: project\n---\nBody of {n}.\n"
            );
            fs::write(world.ours().join(format!("memory-{n}.md")), text).unwrap();
        }
        world.memsync(&["push", "--yes"]);
        world.run(Path::new("."), "git", &["clone", "-q", "git.git", "git"]);
        for entry in fs::read_dir(world.ours()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::copy(&path, world.git().join(path.file_name().unwrap())).unwrap();
            }
        }
        let first = "git add -A && git commit -qm first && git push -q -u origin HEAD";
        world.run(&world.git(), "sh", &["-c", first]);
        world
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn ours(&self) -> PathBuf {
        self.root().join("memory/team")
    }

    fn git(&self) -> PathBuf {
        self.root().join("git")
    }

    fn edit_ours(&self, n: usize) {
        edit(&self.ours(), n);
    }

    fn edit_git(&self, n: usize) {
        edit(&self.git(), n);
    }

    fn memsync(&self, arguments: &[&str]) -> Output {
        let all = [&["--memdir", "memory"], arguments].concat();
        self.run(Path::new("."), env!("CARGO_BIN_EXE_memsync"), &all)
    }

    fn run(&self, folder: &Path, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.current_dir(self.root().join(folder)).args(arguments).env("HOME", self.root());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "Ada")
                .env(format!("GIT_{who}_EMAIL"), "ada@example.org");
        }
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{program} {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }

    /// Runs both sides in turn and prints medians and their ratio.
    fn compare(
        &self,
        what: &str,
        rounds: usize,
        prepare_ours: &dyn Fn(usize),
        ours: &[&str],
        prepare_git: &dyn Fn(usize),
        git: &str,
    ) {
        let (mut our_times, mut git_times) = (Vec::new(), Vec::new());
        for n in 0..=rounds {
            prepare_ours(n);
            let our_time = time(|| drop(self.memsync(ours)));
            prepare_git(n);
            let git_time = time(|| drop(self.run(&self.git(), "sh", &["-c", git])));
            // The first round warms caches and is not counted.
            if n > 0 {
                our_times.push(our_time);
                git_times.push(git_time);
            }
        }
        let (ours, git) = (median(our_times), median(git_times));
        let ratio = ours.as_secs_f64() / git.as_secs_f64();
        println!("{what:24} memsync {ours:>8.1?}   git {git:>8.1?}   ratio {ratio:.2}");
    }
}

fn edit(folder: &Path, n: usize) {
    let path = folder.join(format!("memory-{n}.md"));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, format!("{text}Edit {n}.\n")).unwrap();
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
