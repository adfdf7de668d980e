//! `memsync audit` over a long signed history, as a whole process: every signature, every file, every
//! blob scanned once; and the page of it.
//! Border: seconds on one machine; run with `cargo bench --bench audit [COMMITS]`.
#![expect(clippy::disallowed_methods, reason = "starts memsync and git in throw-away folders")]
#![expect(clippy::print_stdout, reason = "a bench says its figures")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed bench")]

use std::fs;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Instant;

use memsync::base::path::MemoryPath;
use memsync::git::repo::Repo;
use memsync::git::write::Expected;
use memsync::trust::key::{Protection, SigningKey};
use memsync::trust::roster::MemberId;
use memsync::trust::signature::sign_commit;
use memsync::trust::trailers::Trailers;
use zeroize::Zeroizing;

/// Commits unless told otherwise.
const COMMITS: usize = 10_000;
/// Every so many commits one adds a memory, which changes the index, too.
const ADDS_EVERY: usize = 50;
/// Words of a memory's text; real memories have a few hundred.
const WORDS: usize = 150;
/// Runs of each command; the fastest counts, because others only wait for the machine.
const RUNS: usize = 3;

fn main() {
    let count = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(COMMITS);
    let world = World::new(count);
    for (what, format) in [("audit, JSON lines", "jsonl"), ("audit, page", "html")] {
        let seconds = (0..RUNS).map(|_| world.audit(format)).fold(f64::MAX, f64::min);
        let bytes = fs::metadata(world.output(format)).unwrap().len();
        println!("{what}: {count} commits in {seconds:.2} s, {bytes} bytes written");
    }
    let lines = fs::read_to_string(world.output("jsonl")).unwrap();
    assert!(lines.lines().count() > count && !lines.contains("\"refused\""));
    println!("memory: {} kB at most", world.peak());
}

/// A team memory with a long history by one member.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new(count: usize) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        let key = SigningKey::from_seed(&Zeroizing::new([5; 32]));
        let text = key.to_openssh("ada", &Protection::Plain);
        let mut options = fs::OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(world.path("key"));
        std::io::Write::write_all(&mut file.unwrap(), text.as_bytes()).unwrap();
        world.run(&["init", "--yes"]);
        world.write(&key, count);
        world.git(&["repack", "-adq"]);
        world.git(&["reset", "-q", "--hard"]);
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn output(&self, format: &str) -> PathBuf {
        self.path(&format!("out.{format}"))
    }

    fn team(&self) -> PathBuf {
        self.path("memory/team")
    }

    /// Writes the commits, each an edit of one memory.
    fn write(&self, key: &SigningKey, count: usize) {
        let repo = Repo::open(&self.team()).unwrap();
        let branch = "refs/heads/main";
        let mut tip = repo.find_ref(branch).unwrap().unwrap();
        let root = repo.range(None, tip).unwrap()[0];
        let mut tree = repo.commit(tip).unwrap().tree;
        let mut index = String::from("# Team memory\n");
        let mut memories = 0;
        for n in 0..count {
            let mut edits = Vec::new();
            let at = if n % ADDS_EVERY == 0 {
                memories += 1;
                index += &format!(
                    "- [Memory {0}](memory-{0}.md) — What number {0} says\n",
                    memories - 1
                );
                edits.push((path("MEMORY.md"), Some(repo.write_blob(index.as_bytes()).unwrap())));
                memories - 1
            } else {
                n % memories
            };
            let blob = repo.write_blob(memory(at, n).as_bytes()).unwrap();
            edits.push((path(&format!("memory-{at}.md")), Some(blob)));
            tree = repo.write_tree(Some(tree), &edits).unwrap();
            let who = format!("Ada <ada@example.org> {} +0100", 1_700_000_000 + n * 3_600);
            let trailers = Trailers {
                store: Some(root),
                reference: Some(branch.to_owned()),
                member: Some(MemberId::parse("ada").unwrap()),
                agent: Some("claude-code".to_owned()),
                session: Some(format!("session-{}", n / 10)),
                ..Trailers::default()
            };
            let message = trailers.compose(&format!("Edit memory-{at}"));
            let raw =
                format!("tree {tree}\nparent {tip}\nauthor {who}\ncommitter {who}\n\n{message}");
            tip = repo.write_commit(&sign_commit(key, raw.as_bytes()).unwrap()).unwrap();
        }
        repo.update_ref(branch, tip, Expected::Any, "bench").unwrap();
    }

    /// Runs an audit; gives its seconds.
    fn audit(&self, format: &str) -> f64 {
        let output = self.output(format);
        let start = Instant::now();
        self.run(&["audit", "--format", format, "--output", output.to_str().unwrap()]);
        start.elapsed().as_secs_f64()
    }

    /// The most memory an audit holds, as `time` measures it; 0 where there is no such program.
    fn peak(&self) -> u64 {
        let mut command = self.command("/usr/bin/time");
        command.args(["-f", "%M", env!("CARGO_BIN_EXE_memsync"), "--memdir", "memory"]);
        let output = command.args(["audit", "--format", "jsonl", "-q"]).output();
        let said = output.map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
        said.ok().and_then(|said| said.trim().lines().last()?.parse().ok()).unwrap_or(0)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_memsync"));
        command.args(["--memdir", "memory"]).args(arguments);
        done(&mut command)
    }

    fn git(&self, arguments: &[&str]) -> Output {
        let mut command = self.command("git");
        command.current_dir(self.team()).args(arguments);
        done(&mut command)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env("HOME", self.folder.path());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("MEMSYNC_NAME", "ada").env("MEMSYNC_EMAIL", "ada@example.org");
        command.env("MEMSYNC_KEY", self.path("key"));
        command
    }
}

fn done(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output
}

fn path(text: &str) -> MemoryPath {
    MemoryPath::parse(text).unwrap()
}

/// A memory whose words depend on which one it is, and one line on the edit.
fn memory(at: usize, edit: usize) -> String {
    let words = ["deploy", "freeze", "ports", "database", "release", "review", "token", "staging"];
    let text: Vec<&str> = (0..WORDS).map(|n| words[(n * 7 + at) % words.len()]).collect();
    let lines: Vec<String> = text.chunks(12).map(|line| line.join(" ")).collect();
    format!(
        "---\nname: memory-{at}\ndescription: What number {at} says\ntype: project\n---\nEdit {edit}.\n\n{}\n",
        lines.join("\n")
    )
}
