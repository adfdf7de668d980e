//! Whatever the program says, in any format and any way to be asked, holds no part of a value.
//! Border: the values are made here, at run time; whether each is found is `secrets`.
#![expect(clippy::disallowed_methods, reason = "builds folders and starts the program")]

mod samples;

use std::collections::HashSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use samples::{Sample, samples};

use crate::hooks::{Scene, said};
use crate::servers::git;
use crate::support::{World, memory};

/// As many bytes of a value in a row may be shown nowhere.
const WINDOW: usize = 6;

/// Kinds of values are drawn anew so often in one run.
const ROUNDS: u64 = 3;

/// Every window of every value.
struct Forbidden {
    windows: HashSet<Vec<u8>>,
    heard: usize,
}

impl Forbidden {
    fn of(samples: &[Sample]) -> Self {
        let windows = |value: &String| {
            value.as_bytes().windows(WINDOW).map(<[u8]>::to_vec).collect::<Vec<_>>()
        };
        let values = samples.iter().flat_map(|sample| &sample.values);
        Self { windows: values.flat_map(windows).collect(), heard: 0 }
    }

    #[track_caller]
    fn check(&mut self, what: &str, (code, text): (i32, String)) {
        assert_ne!(code, 70, "{what}: {text}");
        for (at, window) in text.as_bytes().windows(WINDOW).enumerate() {
            if self.windows.contains(window) {
                let from = text[..at].rfind('\n').map_or(0, |line| line + 1);
                let line = text[from..].lines().next().unwrap_or_default();
                panic!("{what} shows {:?} in {line}", String::from_utf8_lossy(window));
            }
        }
        self.heard += text.len();
    }
}

fn program(folder: &Path, args: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_memsync"));
    command.args(args).current_dir(folder).env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1");
    said(&command.stdin(Stdio::null()).output().unwrap())
}

/// A repository with every sample in a file of its own, staged, and the samples.
fn leaky() -> (Scene, Vec<Sample>) {
    let scene = Scene::new();
    let all: Vec<Sample> = (0..ROUNDS).flat_map(samples).collect();
    for (at, sample) in all.iter().enumerate() {
        let path = scene.repo().join(sample.name.clone().unwrap_or(format!("{at}.md")));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &sample.text).unwrap();
    }
    git(&scene.repo(), &["add", "-A"]);
    (scene, all)
}

#[test]
fn no_scan_in_any_format_shows_six_bytes_of_a_value() {
    let (scene, all) = leaky();
    let repo = scene.repo();
    let mut forbidden = Forbidden::of(&all);
    let scan = |more: &[&str]| program(&repo, &[&["scan", "-vv"], more].concat());
    for format in ["human", "json", "jsonl", "sarif", "csv", "junit", "github", "gitlab"] {
        forbidden.check(format, scan(&["--format", format]));
    }
    let (code, found) = program(&repo, &["scan", "--format", "json", "-q"]);
    let mut documents = serde_json::Deserializer::from_str(&found).into_iter();
    let found: serde_json::Value = documents.next().unwrap().unwrap();
    let files: HashSet<&str> =
        found["findings"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    assert!(code == 1 && files.len() * 10 >= all.len() * 9, "{} of {}", files.len(), all.len());
    for format in ["human", "json"] {
        forbidden.check("staged", scan(&["--staged", "--format", format]));
    }
    let mut whole: Vec<&str> = all.iter().map(|sample| sample.text.as_str()).collect();
    for format in ["human", "sarif"] {
        whole.reverse();
        let mut command = Command::new(env!("CARGO_BIN_EXE_memsync"));
        command.args(["scan", "-vv", "--stdin", "--format", format]).current_dir(&repo);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let text = whole.concat();
        let mut input = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
        forbidden.check("stdin", said(&child.wait_with_output().unwrap()));
        writer.join().unwrap();
    }
    // Names of files that are not there, an argument that was meant for something else.
    let value = format!("ghp_{}", all[0].values[0]);
    forbidden.check("missing", scan(&[&value, &format!("{value}.md")]));
    forbidden.check("baseline", scan(&["--baseline", &value]));
    forbidden.check("rules", scan(&["--rules", &value]));
    forbidden.check("range", scan(&["--range", &format!("{value}..HEAD")]));
    forbidden.check("allow", program(&repo, &["scan", "allow", &value, "--reason", "x"]));
    assert!(forbidden.heard > 100_000, "{}", forbidden.heard);
}

#[test]
fn no_hook_and_no_history_shows_six_bytes_of_a_value() {
    let (scene, all) = leaky();
    let mut forbidden = Forbidden::of(&all);
    let hub = scene.folder.path().join("hub.git");
    fs::create_dir(&hub).unwrap();
    git(&hub, &["init", "-q", "--bare", "-b", "main", "."]);
    git(&scene.repo(), &["remote", "add", "origin", hub.to_str().unwrap()]);
    assert_eq!(scene.hooks(&["install"]).0, 0);
    assert_eq!(scene.hooks(&["install", "--repo", hub.to_str().unwrap()]).0, 0);
    let refused = scene.git(&["commit", "-m", "x"]);
    assert!(refused.0 != 0 && refused.1.contains("refused this commit"), "{}", refused.1);
    forbidden.check("pre-commit", refused);
    let message: String = all.iter().map(|sample| sample.text.as_str()).collect();
    fs::write(scene.folder.path().join("message"), message).unwrap();
    let message = scene.folder.path().join("message");
    git(&scene.repo(), &["commit", "-q", "--no-verify", "-F", message.to_str().unwrap()]);
    for skip in [&[][..], &["--no-verify"]] {
        let refused = scene.git(&[&["push"], skip, &["origin", "main"]].concat());
        assert!(refused.0 != 0 && refused.1.contains("refused this push"), "{}", refused.1);
        forbidden.check("push", refused);
    }
    // What an exemption lets pass is said, masked as well.
    fs::write(scene.repo().join(".gitleaks.toml"), "[[allowlists]]\npaths = ['''.*''']\n").unwrap();
    git(&scene.repo(), &["add", "-A"]);
    git(&scene.repo(), &["commit", "-q", "--no-verify", "-m", "exempt"]);
    let passed = scene.git(&["push", "origin", "main"]);
    assert!(passed.0 == 0 && passed.1.contains("let pass only because"), "{}", passed.1);
    forbidden.check("exempted push", passed);
    fs::remove_file(scene.repo().join(".gitleaks.toml")).unwrap();
    for format in ["human", "json", "gitlab"] {
        let args = ["scan", "-vv", "--history", "--format", format];
        forbidden.check("history", program(&scene.repo(), &args));
    }
}

#[test]
fn no_refusal_and_no_audit_of_a_team_memory_shows_six_bytes_of_a_value() {
    let all: Vec<Sample> = (7..7 + ROUNDS).flat_map(samples).collect();
    let mut forbidden = Forbidden::of(&all);
    let world = World::new();
    let ada = world.founder("ada");
    for (at, sample) in all.iter().enumerate() {
        let name = sample.name.clone().unwrap_or(format!("{at}.md"));
        ada.write(&name, memory(&format!("m{at}"), &sample.text));
    }
    let run = |args: &[&str]| {
        let said = ada.run(&[&["-v"], args].concat());
        (said.exit, said.out + &said.err)
    };
    for format in ["human", "json"] {
        for verb in ["status", "check", "push", "sync"] {
            forbidden.check(verb, run(&["--format", format, verb]));
        }
    }
    assert!(!world.hub_files().keys().any(|name| name.contains("ghp_")), "a name was shared");
    assert_eq!(run(&["hooks", "install", "--repo", ada.team().to_str().unwrap()]).0, 0);
    ada.git(&["add", "-A"]);
    let team = ada.team();
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    let commit = [&who[..], &["-C", team.to_str().unwrap(), "commit", "-m"]].concat();
    let text: String = all.iter().map(|sample| sample.text.as_str()).collect();
    let hook = said(&ada.command("git").args(&commit).arg("x").output().unwrap());
    assert!(hook.0 != 0 && hook.1.contains("refused this commit"), "{}", hook.1);
    forbidden.check("hook", hook);
    let forced = ada.command("git").args(&commit).arg(&text).arg("--no-verify").output().unwrap();
    assert_eq!(said(&forced).0, 0);
    for verb in ["push", "status", "check"] {
        forbidden.check(verb, run(&[verb]));
    }
    for format in ["human", "json", "jsonl", "csv", "sarif", "html"] {
        let audit = run(&["--format", format, "audit"]);
        assert!(audit.1.len() > 1_000, "{format}: {}", audit.1);
        forbidden.check(&format!("audit {format}"), audit);
    }
}
