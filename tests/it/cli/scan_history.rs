//! `memsync scan --history`: what is remembered in the git directory, and when it is not believed.
//! Border: what is found is `secrets`; other ways to scan git are `scan`.
#![expect(clippy::disallowed_methods, reason = "this test builds repositories")]

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::scan::{folder_with_a_token, git, run, scan, token};

/// A repository of three commits; the second adds a token, the third removes it.
fn leaky() -> TempDir {
    let folder = folder_with_a_token();
    let path = folder.path();
    git(path, &["init", "-q", "-b", "main"]);
    git(path, &["add", "clean.md"]);
    git(path, &["commit", "-qm", "clean"]);
    git(path, &["add", "notes.md"]);
    git(path, &["commit", "-qm", "oops"]);
    git(path, &["rm", "-q", "notes.md"]);
    git(path, &["commit", "-qm", "remove"]);
    folder
}

fn cache(path: &Path) -> PathBuf {
    path.join(".git/memsync/scan-cache")
}

/// Exit code, findings, and texts that were known clean.
fn history(path: &Path) -> (i32, usize, u64) {
    let (exit, out, err) = scan(path, &["--history", "--format", "json"]);
    let document: serde_json::Value =
        serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
    let findings = document["findings"].as_array().unwrap();
    let commits: Vec<_> = findings.iter().map(|f| f["commit"].as_str().unwrap()).collect();
    assert!(commits.iter().all(|commit| commit.len() == 40));
    (exit, findings.len(), document["summary"]["known"].as_u64().unwrap())
}

#[test]
fn a_second_scan_reads_nothing_anew_and_says_the_same() {
    let folder = leaky();
    let path = folder.path();
    assert_eq!(history(path), (1, 1, 0));
    assert_eq!(history(path), (1, 1, 2));
    std::fs::write(path.join("more.md"), "something else\n").unwrap();
    git(path, &["add", "more.md"]);
    git(path, &["commit", "-qm", "more"]);
    assert_eq!(history(path), (1, 1, 2));
    assert_eq!(history(path), (1, 1, 3));
    let (exit, _, err) = scan(path, &["--history", "--no-cache"]);
    assert_eq!((exit, err.contains("known clean")), (1, false), "{err}");
}

#[test]
fn a_leak_that_is_accepted_later_passes_and_one_that_is_not_any_more_does_not() {
    let folder = leaky();
    let path = folder.path();
    let (_, out, _) = scan(path, &["--history", "--format", "json"]);
    let print = super::scan::fingerprint(&out);
    assert_eq!(scan(path, &["allow", &print, "--reason", "revoked"]).0, 0);
    assert_eq!(history(path), (0, 0, 2));
    std::fs::remove_dir_all(path.join(".memsync")).unwrap();
    assert_eq!(history(path), (1, 1, 2));
}

#[test]
fn a_leak_on_a_branch_that_is_gone_is_no_longer_reported() {
    let folder = leaky();
    let path = folder.path();
    assert_eq!(history(path).1, 1);
    git(path, &["reset", "-q", "--hard", "HEAD~2"]);
    assert_eq!(history(path), (0, 0, 1));
}

#[test]
fn other_rules_read_everything_anew() {
    let folder = leaky();
    let path = folder.path();
    assert_eq!(history(path).2, 0);
    let config = "[[rules]]\nid = \"own\"\nregex = 'nothing here'\nkeywords = [\"nothing\"]\n";
    std::fs::write(path.join(".gitleaks.toml"), config).unwrap();
    assert_eq!(history(path), (1, 2, 0));
}

#[cfg(unix)]
#[test]
fn a_record_that_others_could_have_written_is_not_believed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = leaky();
    let path = folder.path();
    assert_eq!(history(path).2, 0);
    let mode = |mode| std::fs::set_permissions(cache(path), PermissionsExt::from_mode(mode));
    mode(0o620).unwrap();
    // The scan writes it anew, with the right mode, because nothing was known.
    assert_eq!(history(path).2, 0);
    assert_eq!(history(path).2, 2);
    let elsewhere = path.join("elsewhere");
    std::fs::rename(cache(path), &elsewhere).unwrap();
    symlink(&elsewhere, cache(path)).unwrap();
    assert_eq!(history(path).2, 0);
    std::fs::write(cache(path), "memsync.scan-cache/1\nnonsense\n").unwrap();
    assert_eq!(history(path), (1, 1, 0));
}

#[test]
fn worktrees_and_bare_repositories_have_the_same_history() {
    let folder = leaky();
    let path = folder.path();
    git(path, &["worktree", "add", "-q", "beside"]);
    git(path, &["clone", "-q", "--bare", ".", "bare.git"]);
    for place in ["beside", "bare.git"] {
        let (exit, out, err) = scan(&path.join(place), &["--history"]);
        assert_eq!((exit, out.contains("first in commit")), (1, true), "{place}: {err}");
    }
}

#[test]
fn outside_a_repository_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    for what in [&["--history"][..], &["--staged"], &["--range", "A..B"]] {
        let (exit, _, err) = scan(folder.path(), what);
        assert_eq!((exit, err.contains("is in no git repository")), (2, true), "{what:?}: {err}");
    }
}

#[test]
fn several_threads_find_what_one_finds_and_name_what_they_cannot_read() {
    const FILES: usize = 700;
    let folder = leaky();
    let path = folder.path();
    for number in 0..FILES {
        let leak = if number % 100 == 50 { token() } else { String::new() };
        std::fs::write(path.join(format!("{number}.md")), format!("note {number} {leak}\n"))
            .unwrap();
    }
    git(path, &["add", "."]);
    git(path, &["commit", "-qm", "many"]);
    assert_eq!(history(path), (1, 1 + FILES / 100, 0));
    let (_, broken, _) = run("git", path, &["rev-parse", "HEAD:500.md"]);
    let object = path.join(".git/objects").join(&broken[..2]).join(broken[2..].trim());
    std::fs::remove_file(object).unwrap();
    let (exit, _, err) = scan(path, &["--history", "--no-cache"]);
    assert_eq!((exit, err.contains("`500.md` could not be scanned")), (1, true), "{err}");
}

#[test]
fn a_blob_that_is_too_large_is_named_and_the_rest_still_counts() {
    let folder = leaky();
    let path = folder.path();
    std::fs::write(path.join("huge.txt"), "a\n".repeat(33 * 1024 * 1024)).unwrap();
    git(path, &["add", "huge.txt"]);
    let (exit, _, err) = scan(path, &["--staged"]);
    assert_eq!((exit, err.contains("`huge.txt` could not be scanned")), (3, true), "{err}");
    git(path, &["commit", "-qm", "huge"]);
    let (exit, out, err) = scan(path, &["--history"]);
    assert_eq!((exit, err.contains("`huge.txt` could not be scanned")), (1, true), "{err}");
    assert!(out.contains("notes.md"), "{out}");
    assert_eq!(scan(path, &["--staged", "--skip-unreadable"]).0, 0);
}
