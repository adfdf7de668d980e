//! What installed hooks let through and refuse, when plain git starts them.
//! Border: installing and undoing is `hooks`; the rules themselves are the gate's and the scanner's.
#![expect(clippy::disallowed_methods, reason = "sets up repositories as plain git users do")]

use std::fs;
use std::path::{Path, PathBuf};

use memsync::config::policy::{Policy, Trust};

use crate::hooks::Scene;
use crate::servers::git;

/// A hook of a person that notes what it was given.
const OWN: &str = "#!/bin/sh\ncat > \"$HOME/own-input\"\necho \"$@\" > \"$HOME/own-arguments\"\n";

/// A made-up token, put together here so that no scanner trips on this file.
pub(crate) fn token() -> String {
    ["AKIA", "QYLPMN5H", "HFWX3RTK"].concat()
}

/// A member's repository with a bare hub as its `origin`.
pub(crate) fn with_hub() -> (Scene, PathBuf) {
    with_hub_of("sha1")
}

fn with_hub_of(format: &str) -> (Scene, PathBuf) {
    let scene = Scene::new();
    let hub = scene.folder.path().join("hub.git");
    fs::create_dir(&hub).unwrap();
    let format = format!("--object-format={format}");
    git(&hub, &["init", "--quiet", "--bare", "--initial-branch=main", &format, "."]);
    fs::remove_dir_all(scene.repo().join(".git")).unwrap();
    git(&scene.repo(), &["init", "--quiet", "--initial-branch=main", &format, "."]);
    git(&scene.repo(), &["remote", "add", "origin", hub.to_str().unwrap()]);
    (scene, hub)
}

pub(crate) fn write(scene: &Scene, path: &str, text: &str) {
    let path = scene.repo().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Commits everything without asking hooks; gives the id of the commit.
pub(crate) fn commit(scene: &Scene, message: &str) -> String {
    git(&scene.repo(), &["add", "-A"]);
    git(&scene.repo(), &["commit", "--quiet", "--no-verify", "-m", message]);
    git(&scene.repo(), &["rev-parse", "HEAD"])
}

fn make_team(scene: &Scene) {
    write(scene, ".memsync/policy.yaml", &Policy::new(Trust::Open, None).render());
    write(scene, "MEMORY.md", "");
    commit(scene, "start");
}

#[track_caller]
pub(crate) fn assert_refused((code, said): &(i32, String), rule: &str) {
    assert!(*code != 0, "{said}");
    assert!(said.contains(rule), "{said}");
    assert!(!said.contains(&token()), "shows the secret: {said}");
}

fn has_object(repository: &Path, id: &str) -> bool {
    let listed = git(repository, &["cat-file", "--batch-all-objects", "--batch-check"]);
    listed.contains(id)
}

#[test]
fn a_staged_secret_is_not_committed_and_a_clean_commit_reaches_the_persons_hook() {
    let scene = Scene::new();
    scene.write_hook("pre-commit", OWN, 0o755);
    assert_eq!(scene.hooks(&["install"]).0, 0);
    write(&scene, "src/config.py", &format!("\nkey = '{}'\n", token()));
    git(&scene.repo(), &["add", "-A"]);
    let said = scene.git(&["commit", "-m", "x"]);
    assert_refused(&said, "src/config.py:2:");
    assert!(!scene.folder.path().join("own-arguments").exists());
    // What is in the work tree but not staged does not count.
    git(&scene.repo(), &["reset", "--quiet"]);
    write(&scene, "readme.txt", "hello\n");
    git(&scene.repo(), &["add", "readme.txt"]);
    assert_eq!(scene.git(&["commit", "-m", "x"]).0, 0);
    assert!(scene.folder.path().join("own-arguments").exists());
    // `commit PATH` and `commit -a` commit another index than the usual one.
    write(&scene, "readme.txt", &format!("{}\n", token()));
    assert_refused(&scene.git(&["commit", "-a", "-m", "x"]), "readme.txt:1:");
    assert_refused(&scene.git(&["commit", "-m", "x", "--", "readme.txt"]), "readme.txt:1:");
}

#[test]
fn a_secret_added_and_removed_again_is_not_pushed() {
    let (scene, hub) = with_hub();
    scene.write_hook("pre-push", OWN, 0o755);
    write(&scene, "a.txt", "one\n");
    let first = commit(&scene, "one");
    assert_eq!(scene.hooks(&["install"]).0, 0);
    let (code, said) = scene.git(&["push", "-u", "origin", "main"]);
    assert_eq!(code, 0, "{said}");
    let zero = "0".repeat(40);
    let given = fs::read_to_string(scene.folder.path().join("own-input")).unwrap();
    assert_eq!(given, format!("refs/heads/main {first} refs/heads/main {zero}\n"));
    let arguments = fs::read_to_string(scene.folder.path().join("own-arguments")).unwrap();
    assert_eq!(arguments.trim_end(), format!("origin {}", hub.display()));

    write(&scene, "a.txt", &format!("one\n{}\n", token()));
    let leak = commit(&scene, "two");
    write(&scene, "a.txt", "one\n");
    let tip = commit(&scene, "three");
    let said = scene.git(&["push", "origin", "main"]);
    assert_refused(&said, &leak[..10]);
    assert!(!has_object(&hub, &tip));
    // The same in a new branch and in a message.
    assert_refused(&scene.git(&["push", "origin", "main:refs/heads/other"]), &leak[..10]);
    git(&scene.repo(), &["reset", "--quiet", "--hard", &first]);
    write(&scene, "b.txt", "b\n");
    commit(&scene, &format!("use {}", token()));
    assert_refused(&scene.git(&["push", "origin", "main"]), "commit message");
}

#[test]
fn a_server_refuses_in_quarantine_what_a_client_did_not_check() {
    for format in ["sha1", "sha256"] {
        let (scene, hub) = with_hub_of(format);
        let arguments = ["install", "--repo", hub.to_str().unwrap()];
        let (code, said) = scene.hooks(&arguments);
        assert!(code == 0 && said.contains("pre-receive"), "{said}");
        write(&scene, "a.txt", "one\n");
        let clean = commit(&scene, "one");
        let (code, said) = scene.git(&["push", "origin", "main"]);
        assert_eq!(code, 0, "{format}: {said}");
        assert!(has_object(&hub, &clean));
        write(&scene, "a.txt", &format!("{}\n", token()));
        let leak = commit(&scene, "two");
        let blob = git(&scene.repo(), &["rev-parse", "HEAD:a.txt"]);
        write(&scene, "a.txt", "one\n");
        commit(&scene, "three");
        git(&scene.repo(), &["tag", "-a", "-m", "x", "v1"]);
        for target in ["main", "main:refs/heads/new", "v1"] {
            assert_refused(&scene.git(&["push", "origin", target]), &leak[..10]);
        }
        assert!(!has_object(&hub, &blob) && !has_object(&hub, &leak));
        assert_eq!(git(&hub, &["rev-parse", "main"]), clean);
        // Deleting brings nothing in, and no view of the quarantine is left behind.
        for target in [&format!("{clean}:refs/heads/old"), ":old"] {
            let (code, said) = scene.git(&["push", "origin", target]);
            assert_eq!(code, 0, "{format}: {said}");
        }
        assert_eq!(fs::read_dir(scene.temp()).unwrap().count(), 0);
    }
}

#[test]
fn a_team_memory_gets_the_whole_gate() {
    let (scene, hub) = with_hub();
    make_team(&scene);
    assert_eq!(scene.hooks(&["install"]).0, 0);
    assert_eq!(scene.hooks(&["install", "--repo", hub.to_str().unwrap()]).0, 0);
    let (code, said) = scene.git(&["push", "origin", "main"]);
    assert_eq!(code, 0, "{said}");
    let base = git(&scene.repo(), &["rev-parse", "HEAD"]);
    let good = "---\nname: a\ndescription: d\ntype: project\n---\nBody.\n";
    let link = |scene: &Scene| {
        std::os::unix::fs::symlink("/etc/passwd", scene.repo().join("x.md")).unwrap();
    };
    let file = |path: &'static str, text: &'static str| {
        Box::new(move |scene: &Scene| write(scene, path, text)) as Box<dyn Fn(&Scene)>
    };
    let private = "---\nname: a\ndescription: d\ntype: user\n---\nx\n";
    let hidden = "---\nname: a\ndescription: d\ntype: project\n---\na\u{202E}b\n";
    let faults = [
        ("run.sh", file("run.sh", "echo\n")),
        ("symlink", Box::new(link)),
        ("kind", file("me.md", private)),
        ("hidden", file("h.md", hidden)),
    ];
    for (rule, fault) in faults {
        fault(&scene);
        git(&scene.repo(), &["add", "-A"]);
        assert_refused(&scene.git(&["commit", "-m", "x"]), rule);
        commit(&scene, "by force");
        assert_refused(&scene.git(&["push", "origin", "main"]), rule);
        assert_refused(&scene.git(&["push", "--no-verify", "origin", "main"]), rule);
        git(&scene.repo(), &["reset", "--quiet", "--hard", &base]);
    }
    write(&scene, "a.md", good);
    git(&scene.repo(), &["add", "-A"]);
    let (code, said) = scene.git(&["commit", "-m", "x"]);
    assert_eq!(code, 0, "{said}");
    fs::remove_file(scene.repo().join(".memsync/policy.yaml")).unwrap();
    commit(&scene, "no policy");
    assert_refused(&scene.git(&["push", "--no-verify", "origin", "main"]), "policy-removed");
}

#[test]
fn a_broken_policy_lets_nothing_through() {
    let (scene, _) = with_hub();
    make_team(&scene);
    write(&scene, ".memsync/policy.yaml", "trust: [\n");
    commit(&scene, "broken");
    assert_eq!(scene.hooks(&["install"]).0, 0);
    write(&scene, "a.md", "x");
    git(&scene.repo(), &["add", "-A"]);
    assert_refused(&scene.git(&["commit", "-m", "x"]), "policy.yaml");
}

#[test]
fn an_old_finding_does_not_block_new_work() {
    let scene = Scene::new();
    write(&scene, "old.txt", &format!("{}\n", token()));
    commit(&scene, "before the hook");
    assert_eq!(scene.hooks(&["install"]).0, 0);
    write(&scene, "old.txt", &format!("{}\nmore\n", token()));
    let (code, said) = scene.git(&["commit", "-a", "-m", "x"]);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn hooks_work_in_a_linked_work_tree() {
    let scene = Scene::new();
    write(&scene, "a.txt", "a\n");
    commit(&scene, "one");
    assert_eq!(scene.hooks(&["install"]).0, 0);
    git(&scene.repo(), &["worktree", "add", "--quiet", "../other"]);
    let other = scene.folder.path().join("other");
    fs::write(other.join("b.txt"), token()).unwrap();
    git(&other, &["add", "-A"]);
    assert_refused(&scene.git(&["-C", other.to_str().unwrap(), "commit", "-m", "x"]), "b.txt:1:");
}

#[test]
fn without_memsync_nothing_passes_unchecked() {
    let scene = Scene::new();
    assert_eq!(scene.hooks(&["install", "pre-commit"]).0, 0);
    let made = fs::read_to_string(scene.hook("pre-commit")).unwrap();
    let gone = made.replace(env!("CARGO_BIN_EXE_memsync"), "/nonexistent/memsync");
    scene.write_hook("pre-commit", &gone.replace("=memsync\n", "=memsync-absent\n"), 0o755);
    write(&scene, "a.txt", "a\n");
    git(&scene.repo(), &["add", "-A"]);
    assert_refused(&scene.git(&["commit", "-m", "x"]), "was not found");
}

#[test]
fn an_accepted_finding_passes_every_hook_and_an_unreadable_list_accepts_nothing() {
    let (scene, _hub) = with_hub();
    make_team(&scene);
    let memory = format!(
        "---\nname: sample\ndescription: a sample key\ntype: reference\n---\n{}\n",
        token()
    );
    write(&scene, "sample.md", &memory);
    write(&scene, "MEMORY.md", "- [sample](sample.md) — a sample key\n");
    git(&scene.repo(), &["add", "-A"]);
    let refused = scene.hooks(&["run", "pre-commit", "--repo", "."]);
    assert_refused(&refused, "aws-access-key-id");
    let print = refused.1.split("scan allow ").nth(1).unwrap()[..32].to_owned();
    let entry = format!("- fingerprint: {print}\n  reason: a sample\n");
    write(&scene, ".memsync/allow.yaml", &entry);
    git(&scene.repo(), &["add", "-A"]);
    let (code, said) = scene.hooks(&["run", "pre-commit", "--repo", "."]);
    assert_eq!(code, 0, "{said}");
    write(&scene, ".memsync/allow.yaml", "- fingerprint: [\n");
    git(&scene.repo(), &["add", "-A"]);
    assert_refused(&scene.hooks(&["run", "pre-commit", "--repo", "."]), "allow-list");
    write(&scene, ".memsync/allow.yaml", &format!("{entry}  expires: 2020-01-01\n"));
    git(&scene.repo(), &["add", "-A"]);
    assert_refused(&scene.hooks(&["run", "pre-commit", "--repo", "."]), "aws-access-key-id");
}
