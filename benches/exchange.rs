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
/// Sizes of a team between which growth is measured.
const MEMORIES_GROWTH: [usize; 3] = [1_000, 4_000, 16_000];
/// Memories that one memory leads to, so that the index names few of them.
const LEAVES: usize = 200;

fn main() {
    let rounds = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(ROUNDS);
    let world = World::new(MEMORIES);
    world.compare("push of one edit", rounds, &world.our_push(), &world.git_push());
    let pull = Side::new(|_| (), || drop(world.memsync("memory", &["pull"])));
    world.compare("pull, nothing new", rounds, &pull, &world.git_alone("git pull -q"));
    let large = World::new(MEMORIES_STATUS);
    let what = format!("status, {MEMORIES_STATUS} memories");
    large.compare(&what, rounds, &large.our_status(), &large.git_alone("git status --porcelain"));
    growth(rounds);
}

/// What a memory more costs each command, beside what it costs git.
fn growth(rounds: usize) {
    let measured = MEMORIES_GROWTH.map(|memories| {
        let world = World::new(memories);
        world.join();
        let status = world.git_alone("git status --porcelain");
        [
            ("status", world.compare("status", rounds, &world.our_status(), &status)),
            (
                "push",
                world.compare("push of one edit", rounds, &world.our_push(), &world.git_push()),
            ),
            (
                "pull",
                world.compare("pull of one edit", rounds, &world.our_pull(), &world.git_pull()),
            ),
        ]
    });
    let [small, _, large] = MEMORIES_GROWTH;
    for ((what, first), (_, last)) in measured[0].iter().zip(&measured[2]) {
        let each = |first: Duration, last: Duration| {
            (last.as_secs_f64() - first.as_secs_f64()) / (large - small) as f64 * 1e6
        };
        let (ours, git) = (each(first.0, last.0), each(first.1, last.1));
        println!("{what:24} a memory costs memsync {ours:.1} µs, git {git:.1} µs");
    }
}

/// One side of a comparison: what goes before, and what is timed.
struct Side<'a> {
    prepare: Box<dyn Fn(usize) + 'a>,
    run: Box<dyn Fn() + 'a>,
}

impl<'a> Side<'a> {
    fn new(prepare: impl Fn(usize) + 'a, run: impl Fn() + 'a) -> Self {
        Self { prepare: Box::new(prepare), run: Box::new(run) }
    }
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
        world.memsync("memory", &["init", "--remote", "ours.git", "--yes"]);
        let mut index = "# Team memory\n\n".to_owned();
        for hub in 0..memories.div_ceil(LEAVES) {
            let leaves = (hub * LEAVES)..memories.min((hub + 1) * LEAVES);
            let links: String = leaves.map(|n| format!("- [{n}](memory-{n}.md)\n")).collect();
            let name = format!("hub-{hub}");
            let text =
                format!("---\nname: {name}\ndescription: Part {hub}\ntype: project\n---\n{links}");
            fs::write(world.ours().join(format!("{name}.md")), text).unwrap();
            index.push_str(&format!("- [{name}]({name}.md) — Part {hub}\n"));
        }
        fs::write(world.ours().join("MEMORY.md"), index).unwrap();
        for n in 0..memories {
            let text = format!(
                "---\nname: memory-{n}\ndescription: What number {n} says\ntype: project\n---\nBody of {n}.\n"
            );
            fs::write(world.ours().join(format!("memory-{n}.md")), text).unwrap();
        }
        world.memsync("memory", &["push", "--yes"]);
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

    /// A second member on each side.
    fn join(&self) {
        self.memsync("other", &["join", "ours.git", "--yes"]);
        self.run(Path::new("."), "git", &["clone", "-q", "git.git", "other-git"]);
    }

    fn our_status(&self) -> Side<'_> {
        Side::new(|_| (), || drop(self.memsync("memory", &["status"])))
    }

    fn our_push(&self) -> Side<'_> {
        Side::new(|n| edit(&self.ours(), n), || drop(self.memsync("memory", &["push"])))
    }

    fn our_pull(&self) -> Side<'_> {
        let prepare = |n| {
            edit(&self.ours(), n);
            self.memsync("memory", &["push"]);
        };
        Side::new(prepare, || drop(self.memsync("other", &["pull"])))
    }

    fn git_alone(&self, script: &'static str) -> Side<'_> {
        Side::new(|_| (), move || drop(self.run(&self.git(), "sh", &["-c", script])))
    }

    fn git_push(&self) -> Side<'_> {
        let run = || drop(self.run(&self.git(), "sh", &["-c", SCRIPT]));
        Side::new(|n| edit(&self.git(), n), run)
    }

    fn git_pull(&self) -> Side<'_> {
        let prepare = |n| {
            edit(&self.git(), n);
            self.run(&self.git(), "sh", &["-c", SCRIPT]);
        };
        let run = || drop(self.run(Path::new("other-git"), "git", &["pull", "-q"]));
        Side::new(prepare, run)
    }

    fn memsync(&self, memdir: &str, arguments: &[&str]) -> Output {
        let all = [&["--memdir", memdir], arguments].concat();
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

    /// Runs both sides in turn, and prints and gives their medians.
    fn compare(
        &self,
        what: &str,
        rounds: usize,
        ours: &Side<'_>,
        git: &Side<'_>,
    ) -> (Duration, Duration) {
        let (mut our_times, mut git_times) = (Vec::new(), Vec::new());
        for n in 0..=rounds {
            (ours.prepare)(n);
            let our_time = time(|| (ours.run)());
            (git.prepare)(n);
            let git_time = time(|| (git.run)());
            // The first round warms caches and is not counted.
            if n > 0 {
                our_times.push(our_time);
                git_times.push(git_time);
            }
        }
        let (ours, git) = (median(our_times), median(git_times));
        let ratio = ours.as_secs_f64() / git.as_secs_f64();
        println!("{what:24} memsync {ours:>8.1?}   git {git:>8.1?}   ratio {ratio:.2}");
        (ours, git)
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
