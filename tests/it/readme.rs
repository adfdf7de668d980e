//! README's tour is run, in order, with the built program, in a world of its own, and every line it
//! shows is compared with what comes out.
//! Border: what the commands do is tested elsewhere; here the page is held to the truth.
#![expect(
    clippy::disallowed_methods,
    reason = "this test starts the built program through a shell"
)]

use std::path::Path;
use std::process::Command;

/// Stands before each block that is part of the tour.
const MARK: &str = "<!-- tour -->\n```console\n";

/// What differs each time: within a line any text, as a whole line any lines.
const ANY: &str = "…";

/// What the shell writes after each command.
const END: &str = "-- end of command --";

/// One `$` line and the lines shown below it.
struct Step {
    command: String,
    shown: Vec<String>,
}

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

fn tour() -> Vec<Step> {
    let readme = read("README.md");
    let blocks = readme.split(MARK).skip(1).map(|rest| rest.split("\n```").next().unwrap());
    let mut steps: Vec<Step> = Vec::new();
    for block in blocks {
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => steps.push(Step { command: command.into(), shown: Vec::new() }),
                None => steps.last_mut().unwrap().shown.push(line.to_owned()),
            }
        }
    }
    steps
}

/// Runs the commands in one shell; gives what each wrote, stdout and stderr together.
fn run(world: &Path, steps: &[Step]) -> Vec<String> {
    let script: String = steps
        .iter()
        .map(|step| format!("{{ {}\n}} 2>&1 </dev/null; echo '{END}'\n", step.command))
        .collect();
    let program = Path::new(env!("CARGO_BIN_EXE_memsync")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let folders = std::iter::once(program.to_owned()).chain(std::env::split_paths(&path));
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(world)
        .env_clear()
        .env("PATH", std::env::join_paths(folders).unwrap())
        .env("HOME", world.join("home"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    said.split(&format!("{END}\n")).map(str::to_owned).take(steps.len()).collect()
}

/// Whether a line is as shown, `…` standing for any text.
fn line_matches(shown: &str, line: &str) -> bool {
    let mut parts = shown.split(ANY);
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut ends_open = false;
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
        ends_open = part.is_empty();
    }
    ends_open || rest.is_empty()
}

/// Whether lines are as shown, a line `…` standing for any number of them.
fn matches(shown: &[String], lines: &[&str]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == ANY => {
            (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, more)| line_matches(first, line) && matches(rest, more)),
    }
}

#[cfg(unix)]
#[test]
fn every_command_of_the_tour_prints_what_the_page_shows() {
    let steps = tour();
    assert!(steps.len() > 15, "only {} commands were found", steps.len());
    let world = tempfile::tempdir().unwrap();
    for (Step { command, shown }, said) in steps.iter().zip(run(world.path(), &steps)) {
        let lines: Vec<&str> = said.lines().collect();
        assert!(
            matches(shown, &lines),
            "$ {command}\n{said}\nbut README shows:\n{}",
            shown.join("\n")
        );
    }
    assert!(!world.path().join("home").exists(), "the tour wrote into the home folder");
}

#[test]
fn the_first_command_is_the_demo_and_the_second_the_tests() {
    let readme = read("README.md");
    let block = readme.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(block, "cargo run --release -- demo\ncargo test\n");
}

#[test]
fn the_policy_on_the_page_is_one_that_loads() {
    let readme = read("README.md");
    let block = readme.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    memsync::config::policy::Policy::parse(block).unwrap();
}

#[test]
fn links_between_the_documents_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for page in ["README.md", "SECURITY.md", "ARCHITECTURE.md", "CHANGELOG.md"] {
        let text = read(page);
        // Every second part is outside of code blocks.
        let prose: String = text.split("```").step_by(2).collect();
        for target in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let is_outside = target.contains("://") || target.starts_with('#');
            assert!(is_outside || root.join(target).exists(), "{page}: {target}");
        }
    }
}

#[test]
fn what_differs_is_matched_and_nothing_else() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(matches(&lines("a …/b.\n…\nend"), &["a x/b.", "1", "2", "end"]));
    assert!(matches(&lines("…"), &[]));
    assert!(!matches(&lines("a …/b."), &["a x/b.c"]));
    assert!(!matches(&lines("a"), &["a", "b"]));
    assert!(!matches(&lines("a\n…\nend"), &["a", "b"]));
}
