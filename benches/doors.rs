//! What an agent waits for: hooks, recall and the protocol as whole processes, against `git status` in the
//! same folder; and what a thousand calls leave behind.
//! Border: ratios of medians in one run on one machine; run with `cargo bench --bench doors [ROUNDS]`.
#![expect(clippy::disallowed_methods, reason = "starts git and memsync in throw-away folders")]
#![expect(clippy::print_stdout, reason = "a bench says its figures")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed bench")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Counted rounds unless told otherwise; the two sides take turns.
const ROUNDS: usize = 31;
/// Calls in a row, of which nothing may be left.
const CALLS: usize = 1_000;

fn main() {
    let rounds = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(ROUNDS);
    let world = World::new(200);
    for (event, more) in [
        ("SessionStart", r#","source":"startup""#),
        ("UserPromptSubmit", r#","prompt":"what does number seventeen say about the harbour?""#),
        (
            "PreToolUse",
            r#","tool_name":"Write","tool_input":{"file_path":"memory/team/new.md","content":"---\nname: n\ndescription: d\ntype: project\n---\n\nx\n"}"#,
        ),
        ("PreToolUse", r#","tool_name":"Bash","tool_input":{"command":"ls -la src"}"#),
        (
            "PostToolUse",
            r#","tool_name":"Write","tool_input":{"file_path":"memory/team/memory-1.md"}"#,
        ),
        ("Stop", ""),
    ] {
        world.compare(&format!("hook {event}"), rounds, &|n| world.hook(event, more, n));
    }
    world.memsync(&["agent", "stop"]);
    for memories in [200, 2_000] {
        let world = World::new(memories);
        let query = "what does number seventeen say about the harbour?";
        world.compare(&format!("recall, {memories} memories"), rounds, &|_| {
            world.memsync(&["recall", query]);
        });
    }
    mcp(&world, rounds);
    calls(&world);
}

/// From the start of the server to its first answer, and one call after it.
fn mcp(world: &World, rounds: usize) {
    let (mut starts, mut calls) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let began = Instant::now();
        let mut command = world.command();
        let mut child =
            command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut ask = |text: &str| {
            writeln!(input, "{text}").unwrap();
            output.read_line(&mut String::new()).unwrap();
        };
        ask(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#,
        );
        starts.push(began.elapsed());
        ask(
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_list","arguments":{}}}"#,
        );
        let began = Instant::now();
        ask(
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory_read","arguments":{"memory":"memory-7"}}}"#,
        );
        calls.push(began.elapsed());
        drop(input);
        child.wait().unwrap();
    }
    println!("{:32} {:>8.1?}", "mcp, to the first answer", median(starts));
    println!("{:32} {:>8.1?}", "mcp, one memory_read", median(calls));
}

/// Nothing is left of many calls: no process, no request, no growing folder.
fn calls(world: &World) {
    let began = Instant::now();
    for n in 0..CALLS {
        world.hook("UserPromptSubmit", r#","prompt":"good morning""#, n);
    }
    world.hook("SessionStart", r#","source":"startup""#, 0);
    let each = began.elapsed() / u32::try_from(CALLS).unwrap();
    world.memsync(&["agent", "stop"]);
    let agents = world.root().join(".local/state/memsync/agents");
    let files: usize = fs::read_dir(&agents)
        .unwrap()
        .map(|folder| fs::read_dir(folder.unwrap().path()).unwrap().count())
        .sum();
    println!("{CALLS} calls: {each:.1?} each, {files} files of records");
    assert!(files < CALLS / 5, "a file for each call");
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// A hub and a memory directory.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new(memories: usize) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        let hub = Command::new("git")
            .args(["init", "-q", "--bare", "-b", "main", "hub.git"])
            .current_dir(world.root())
            .status();
        assert!(hub.unwrap().success());
        world.memsync(&["init", "--remote", "hub.git", "--yes"]);
        for n in 0..memories {
            let text = format!(
                "---\nname: memory-{n}\ndescription: What number {n} says of the pier\ntype: project\n---\n\nShip {n} lands at pier {}.\n",
                n % 17
            );
            fs::write(world.team().join(format!("memory-{n}.md")), text).unwrap();
        }
        world.memsync(&["push", "--yes"]);
        world
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn team(&self) -> PathBuf {
        self.root().join("memory/team")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_memsync"));
        command.current_dir(self.root()).args(["--memdir", "memory"]).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.root());
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("MEMSYNC_NAME", "Ada")
            .env("MEMSYNC_EMAIL", "ada@example.org");
        command
    }

    fn memsync(&self, arguments: &[&str]) {
        let output = self.command().args(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    fn hook(&self, event: &str, more: &str, n: usize) {
        let text = format!(
            r#"{{"hook_event_name":"{event}","session_id":"s{n}","cwd":"{}"{more}}}"#,
            self.root().display()
        );
        let mut child = self
            .command()
            .args(["agent", "hook", event])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(child.wait_with_output().unwrap().status.success());
    }

    /// Runs ours and `git status` in turn, and prints their medians.
    fn compare(&self, what: &str, rounds: usize, run: &dyn Fn(usize)) {
        let (mut ours, mut git) = (Vec::new(), Vec::new());
        for n in 0..rounds {
            let began = Instant::now();
            run(n);
            ours.push(began.elapsed());
            let mut peer = Command::new("git");
            let began = Instant::now();
            peer.args(["status", "--porcelain"]).current_dir(self.team()).output().unwrap();
            git.push(began.elapsed());
        }
        let (ours, git) = (median(ours), median(git));
        println!(
            "{what:32} {ours:>8.1?}   git status {git:>8.1?}   {:.1} ×",
            ours.as_secs_f64() / git.as_secs_f64()
        );
    }
}
