//! Verifying signed commits: memsync in-process against `git log --show-signature`.
//! Border: one ratio on one machine; run with `cargo bench --bench verify -- [COMMITS] [whole]`.
//! With `whole`, git verifies every commit as well, which takes minutes.
#![expect(clippy::disallowed_methods, reason = "starts git in a throw-away repository")]
#![expect(clippy::print_stdout, reason = "a bench says its figures")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed bench")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use memsync::git::repo::Repo;
use memsync::trust::allowed_signers;
use memsync::trust::key::SigningKey;
use memsync::trust::roster::{Member, MemberId, MemberKey, Role, Roster};
use memsync::trust::signature::{sign_commit, verify_commit};
use memsync::trust::trailers::Trailers;
use zeroize::Zeroizing;

/// Commits memsync verifies unless told otherwise.
const COMMITS: usize = 10_000;
/// Commits git verifies; it takes tens of milliseconds for each, and linearly so.
const GIT_COMMITS: usize = 100;

fn main() {
    let count = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(COMMITS);
    let git_count =
        if std::env::args().any(|a| a == "whole") { count } else { GIT_COMMITS.min(count) };
    let folder = tempfile::tempdir().unwrap();
    let key = SigningKey::from_seed(&Zeroizing::new([1; 32]));
    git(folder.path(), &["init", "-q", "."]);
    write_signers(folder.path(), &key);
    let tree = git(folder.path(), &["write-tree"]);
    let repository = Repo::open(folder.path()).unwrap();
    let mut parent = String::new();
    let mut commits = Vec::new();
    for n in 0..count {
        let raw = signed(&key, &tree, &parent, n);
        parent = repository.write_commit(&raw).unwrap().to_string();
        if n + 1 == git_count {
            git(folder.path(), &["update-ref", "refs/heads/bench", &parent]);
        }
        commits.push(raw);
    }
    let ours = time(|| assert!(commits.iter().all(|raw| verify_commit(raw).is_ok())));
    println!("memory   {} kB at most", peak_kilobytes());
    let theirs = time(|| {
        let said = git(folder.path(), &["log", "--show-signature", "bench"]);
        assert_eq!(said.matches("Good \"git\" signature").count(), git_count);
    });
    let each = |time: Duration, count: usize| time.as_secs_f64() * 1e6 / count as f64;
    let (ours_each, theirs_each) = (each(ours, count), each(theirs, git_count));
    println!("memsync  {count} commits in {ours:.2?}, {ours_each:.0} us each");
    println!("git      {git_count} commits in {theirs:.2?}, {theirs_each:.0} us each");
    println!("ratio    {:.0} x", theirs_each / ours_each);
}

fn signed(key: &SigningKey, tree: &str, parent: &str, n: usize) -> Vec<u8> {
    let parent = if parent.is_empty() { String::new() } else { format!("parent {parent}\n") };
    let who = format!("Ann <ann@example.org> {} +0100", 1_700_000_000 + n);
    let trailers = Trailers {
        store: Some("cd".repeat(20).parse().unwrap()),
        reference: Some("refs/heads/main".to_owned()),
        member: Some(MemberId::parse("ann").unwrap()),
        ..Trailers::default()
    };
    let message = trailers.compose(&format!("note-{n}: update"));
    let raw = format!("tree {tree}\n{parent}author {who}\ncommitter {who}\n\n{message}");
    sign_commit(key, raw.as_bytes()).unwrap()
}

fn write_signers(folder: &Path, key: &SigningKey) {
    let keys = vec![MemberKey { key: key.public_key(), device: None, added: None, revoked: None }];
    let id = MemberId::parse("ann").unwrap();
    let member = Member { id, name: "Ann".to_owned(), role: Role::Admin, keys, age: None };
    let roster = Roster::from_members(vec![member]).unwrap();
    let file = folder.join("signers");
    fs::write(&file, allowed_signers::render(&roster, &[], "here")).unwrap();
    git(folder, &["config", "gpg.ssh.allowedSignersFile", file.to_str().unwrap()]);
}

/// The most memory this process has held, as Linux counts it; 0 elsewhere.
fn peak_kilobytes() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|text| text.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(folder).env("HOME", folder);
    command.env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
