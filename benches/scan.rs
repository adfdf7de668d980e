//! `memsync scan` against whatever dedicated scanners are installed: one file, many files, a history.
//! Border: ratios of medians in one run on one machine; `cargo bench --bench scan -- [TREE]` scans TREE too.
//!
//! Peers are used when they are on the PATH: `gitleaks`, `betterleaks`, `kingfisher`, `ripsecrets`; as a floor `rg`.
#![expect(clippy::disallowed_methods, reason = "starts programs on throw-away folders")]
#![expect(clippy::print_stdout, reason = "a bench says its figures")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed bench")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs of each program; the median counts.
const RUNS: usize = 5;
/// Files of the middle tree, 2 KB each.
const FILES: usize = 5_000;
/// Commits of the history; each adds a file and changes another.
const COMMITS: usize = 2_000;

/// A program and how it scans a folder, a history and what is staged; `None` where it cannot.
struct Program {
    name: &'static str,
    folder: &'static [&'static str],
    history: Option<&'static [&'static str]>,
    staged: Option<&'static [&'static str]>,
}

const PROGRAMS: [Program; 6] = [
    Program {
        name: env!("CARGO_BIN_EXE_memsync"),
        folder: &["scan", "."],
        history: Some(&["scan", "--history", "--no-cache"]),
        staged: Some(&["scan", "--staged"]),
    },
    Program {
        name: "gitleaks",
        folder: &["dir", "--no-banner", "."],
        history: Some(&["git", "--no-banner", "."]),
        staged: Some(&["git", "--no-banner", "--staged", "."]),
    },
    Program {
        name: "betterleaks",
        folder: &["auto", "--no-banner", "."],
        history: Some(&["git", "--no-banner", "."]),
        staged: Some(&["git", "--no-banner", "--staged", "."]),
    },
    Program {
        name: "kingfisher",
        folder: &["scan", ".", "--no-validate"],
        history: Some(&["scan", ".", "--no-validate", "--git-history", "full"]),
        staged: None,
    },
    Program { name: "ripsecrets", folder: &["."], history: None, staged: None },
    Program { name: "rg", folder: &["-c", "password", "."], history: None, staged: None },
];

fn main() {
    let tree = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let folder = tempfile::tempdir().unwrap();
    let (one, many, history) =
        (folder.path().join("one"), folder.path().join("many"), folder.path().join("history"));
    write_files(&one, 1);
    write_files(&many, FILES);
    write_history(&history);
    compare("one file of 2 KB", &one, |p| Some(p.folder));
    compare("5,000 files of 2 KB", &many, |p| Some(p.folder));
    compare("one staged file, after 2,000 commits", &history, |p| p.staged);
    compare("history of 2,000 commits", &history, |p| p.history);
    let known: &[&str] = &["scan", "--history"];
    compare("the same, known", &history, |p| (p.name == PROGRAMS[0].name).then_some(known));
    if let Some(tree) = tree {
        compare("the tree that was named", Path::new(&tree), |p| Some(p.folder));
    }
}

/// Times every program that is there.
fn compare(
    what: &str,
    folder: &Path,
    arguments: impl Fn(&Program) -> Option<&'static [&'static str]>,
) {
    println!("{what}");
    let mut ours = Duration::ZERO;
    for program in &PROGRAMS {
        let Some(arguments) = arguments(program) else { continue };
        let Some(time) = median(program.name, arguments, folder) else { continue };
        if ours.is_zero() {
            ours = time;
        }
        let name = Path::new(program.name).file_name().unwrap().to_string_lossy();
        let ratio = time.as_secs_f64() / ours.as_secs_f64();
        println!("  {name:<12} {:>9.1} ms  {ratio:>6.1} x", time.as_secs_f64() * 1e3);
    }
}

/// The median of some runs after one to warm up; `None` where the program is not installed.
fn median(program: &str, arguments: &[&str], folder: &Path) -> Option<Duration> {
    let run = || {
        let start = Instant::now();
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
        Some(start.elapsed())
    };
    run()?;
    let mut times: Vec<Duration> = (0..RUNS).filter_map(|_| run()).collect();
    times.sort();
    times.get(times.len() / 2).copied()
}

/// Prose about deployments with names such as memories have, no two files alike.
fn memory(number: usize) -> String {
    let mut text = format!(
        "---\nname: note-{number}\ndescription: How service {number} is deployed\ntype: project\n---\n"
    );
    let mut line = number;
    while text.len() < 2_000 {
        line = line.wrapping_mul(6_364_136_223).wrapping_add(1_442_695);
        text.push_str(&format!(
            "- The token of service {} is rotated every {} days; ask the key owner for access, never paste the \
             password here.\n",
            line % 977,
            line % 89 + 1
        ));
    }
    text
}

fn write_files(folder: &Path, count: usize) {
    for number in 0..count {
        let place = folder.join(format!("part-{}", number % 50));
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join(format!("note-{number}.md")), memory(number)).unwrap();
    }
}

/// A history written as one stream, as `git fast-import` reads it.
fn write_history(folder: &Path) {
    use std::io::Write as _;
    fs::create_dir_all(folder).unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    assert!(git(&["init", "-q", "-b", "main"]).status().unwrap().success());
    let mut import = git(&["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stream = std::io::BufWriter::new(import.stdin.take().unwrap());
    for number in 0..COMMITS {
        let time = 1_700_000_000 + number;
        write!(
            stream,
            "commit refs/heads/main\ncommitter a <a@b.example> {time} +0000\ndata 1\nx\n"
        )
        .unwrap();
        for (file, text) in [(number, memory(number)), (number / 2, memory(number + COMMITS))] {
            let name = format!("part-{}/note-{file}.md", file % 50);
            writeln!(stream, "M 644 inline {name}\ndata {}\n{text}", text.len()).unwrap();
        }
    }
    stream.flush().unwrap();
    drop(stream);
    assert!(import.wait().unwrap().success());
    assert!(git(&["reset", "-q"]).status().unwrap().success());
    fs::create_dir_all(folder.join("part-0")).unwrap();
    fs::write(folder.join("part-0/staged.md"), memory(7 * COMMITS)).unwrap();
    assert!(git(&["add", "part-0/staged.md"]).status().unwrap().success());
}
