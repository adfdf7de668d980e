//! `memsync scan`: exit codes, formats, lists of accepted findings, git, and bad input.
//! Border: how it speaks; what is found is `secrets`.
#![expect(
    clippy::disallowed_methods,
    reason = "this test builds folders and starts the built program"
)]

use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

pub(crate) fn run(program: &str, folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(program)
        .args(args)
        .current_dir(folder)
        .env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@b.example")])
        .envs([("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@b.example")])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |raw: Vec<u8>| String::from_utf8(raw).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

pub(crate) fn scan(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let args: Vec<&str> = [&["scan"], args].concat();
    run(env!("CARGO_BIN_EXE_memsync"), folder, &args)
}

pub(crate) fn git(folder: &Path, args: &[&str]) {
    let (exit, _, err) = run("git", folder, args);
    assert_eq!(exit, 0, "git {args:?}: {err}");
}

/// A token that stands in no file of this repository.
pub(crate) fn token() -> String {
    let body: String =
        (0..36_u32).map(|n| char::from_digit(n * n % 35 + n % 2, 36).unwrap()).collect();
    format!("{}_{body}", "ghp")
}

pub(crate) fn folder_with_a_token() -> TempDir {
    let folder = TempDir::new().unwrap();
    let text = format!("# Notes\n\nThe staging token is {}.\n", token());
    std::fs::write(folder.path().join("notes.md"), text).unwrap();
    std::fs::write(folder.path().join("clean.md"), "nothing here\n").unwrap();
    folder
}

pub(crate) fn fingerprint(out: &str) -> String {
    let document: serde_json::Value = serde_json::from_str(out).unwrap();
    document["findings"][0]["fingerprint"].as_str().unwrap().to_owned()
}

#[test]
fn a_finding_exits_1_and_names_rule_file_and_line_but_no_part_of_the_value() {
    let folder = folder_with_a_token();
    let (exit, out, err) = scan(folder.path(), &[]);
    assert_eq!(exit, 1);
    assert!(out.contains("notes.md:3:22") && out.contains("github-personal-token"), "{out}");
    assert!(!out.contains(&token()[4..10]) && !err.contains(&token()[4..10]));
    assert_eq!(scan(folder.path(), &["--exit-zero"]).0, 0);
    assert_eq!(scan(folder.path(), &["clean.md"]).0, 0);
}

#[test]
fn every_format_is_well_formed() {
    let folder = folder_with_a_token();
    for format in ["json", "sarif", "gitlab"] {
        let (exit, out, _) = scan(folder.path(), &["--format", format]);
        assert_eq!(exit, 1);
        let document: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert!(document.is_object() || document.is_array());
    }
    let (_, json, _) = scan(folder.path(), &["--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["format"], "memsync.scan/1");
    assert_eq!(document["findings"][0]["line"], 3);
    assert_eq!(document["summary"]["findings"], 1);
    assert!(scan(folder.path(), &["--format", "csv"]).1.lines().count() == 2);
    assert!(scan(folder.path(), &["--format", "junit"]).1.contains("failures=\"1\""));
    assert!(
        scan(folder.path(), &["--format", "github"]).1.starts_with("::error file=notes.md,line=3")
    );
}

#[test]
fn a_finding_can_be_accepted_by_list_baseline_ignore_file_and_comment() {
    let folder = folder_with_a_token();
    let path = folder.path();
    let (_, out, _) = scan(path, &["--format", "json"]);
    let print = fingerprint(&out);

    assert_eq!(scan(path, &["--write-baseline", "known.json"]).0, 0);
    assert_eq!(scan(path, &["--baseline", "known.json"]).0, 0);

    std::fs::write(path.join(".gitleaksignore"), "notes.md:github-personal-token:3\n").unwrap();
    assert_eq!(scan(path, &[]).0, 0);
    std::fs::remove_file(path.join(".gitleaksignore")).unwrap();

    let (exit, _, err) =
        scan(path, &["allow", &print, "--reason", "a sample", "--expires", "2001-01-01"]);
    assert_eq!(exit, 0, "{err}");
    assert_eq!(scan(path, &[]).0, 1, "an expired entry accepts nothing");
    assert_eq!(scan(path, &["allow", &print, "--reason", "a sample"]).0, 0);
    assert_eq!(scan(path, &[]).0, 0);
    std::fs::remove_dir_all(path.join(".memsync")).unwrap();
    assert_eq!(scan(path, &["allow", "nonsense", "--reason", "x"]).0, 2);

    std::fs::write(path.join("notes.md"), format!("{} <!-- memsync:allow -->\n", token())).unwrap();
    assert_eq!(scan(path, &[]).0, 0);
}

#[test]
fn a_list_that_is_not_understood_refuses_instead_of_accepting() {
    let folder = folder_with_a_token();
    std::fs::create_dir_all(folder.path().join(".memsync")).unwrap();
    std::fs::write(folder.path().join(".memsync/allow.yaml"), "- fingerprint: [\n").unwrap();
    let (exit, _, err) = scan(folder.path(), &[]);
    assert_eq!(exit, 2);
    assert!(err.contains("allow.yaml"), "{err}");
}

#[test]
fn staged_files_ranges_and_histories_are_scanned_also_what_was_removed_again() {
    let folder = folder_with_a_token();
    let path = folder.path();
    git(path, &["init", "-q", "-b", "main"]);
    git(path, &["add", "clean.md"]);
    git(path, &["commit", "-qm", "clean"]);
    assert_eq!(scan(path, &["--staged"]).0, 0);
    assert_eq!(scan(path, &["--history"]).0, 0);
    git(path, &["add", "notes.md"]);
    assert_eq!(scan(path, &["--staged"]).0, 1);
    git(path, &["commit", "-qm", "oops"]);
    git(path, &["rm", "-q", "notes.md"]);
    git(path, &["commit", "-qm", "remove"]);
    assert_eq!(scan(path, &["."]).0, 0);
    let (exit, out, err) = scan(path, &["--history", "--format", "json"]);
    assert_eq!(exit, 1, "{err}");
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["findings"][0]["commit"].as_str().unwrap().len(), 40);
    assert!(err.contains("Revoke"), "{err}");
    assert_eq!(scan(path, &["--range", "HEAD~2..HEAD"]).0, 1);
    assert_eq!(scan(path, &["--range", "HEAD~1..HEAD"]).0, 0);
    assert_eq!(scan(path, &["--range", "nonsense"]).0, 2);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_named_and_exits_3_unless_skipped() {
    let folder = folder_with_a_token();
    let path = folder.path();
    std::fs::remove_file(path.join("notes.md")).unwrap();
    assert_eq!(run("mkfifo", path, &["pipe"]).0, 0);
    std::os::unix::fs::symlink(path.join("clean.md"), path.join("link")).unwrap();
    assert_eq!(scan(path, &["."]).0, 0, "a FIFO or symlink in a folder is passed by");
    for name in ["pipe", "link", "missing"] {
        let (exit, _, err) = scan(path, &["clean.md", name]);
        assert_eq!(exit, 3, "{err}");
        assert!(err.contains(name), "{err}");
        assert_eq!(scan(path, &["clean.md", name, "--skip-unreadable"]).0, 0);
    }
    let empty = TempDir::new().unwrap();
    assert_eq!(scan(empty.path(), &[]).0, 2, "nothing scanned is never a pass");
}

#[test]
fn a_value_in_a_file_of_many_windows_is_found_once_at_its_place() {
    let folder = TempDir::new().unwrap();
    let line = "ordinary words and more of them\n";
    // The value lies across the end of the first window of 4 MiB.
    let before = line.repeat(4 * 1024 * 1024 / line.len());
    let text = format!("{before}x: {}\n{}", token(), line.repeat(70_000));
    std::fs::write(folder.path().join("big.log"), text).unwrap();
    let (exit, out, _) = scan(folder.path(), &["--format", "json"]);
    assert_eq!(exit, 1);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["findings"].as_array().unwrap().len(), 1);
    assert_eq!(document["findings"][0]["line"], before.lines().count() + 1);
    assert_eq!(document["findings"][0]["column"], 4);
}

#[test]
fn a_gitleaks_configuration_is_read_as_it_is() {
    let folder = folder_with_a_token();
    let path = folder.path();
    let config = |text: &str| std::fs::write(path.join(".gitleaks.toml"), text).unwrap();

    config(
        "title = 'x'\n[extend]\nuseDefault = true\n[[rules]]\nid = 'acme'\ndescription = 'Acme ticket'\n\
         regex = '''acme-([0-9]{6})'''\nsecretGroup = 1\nkeywords = ['acme-']\n\
         [[rules.allowlists]]\nregexes = ['''^000000$''']\n",
    );
    std::fs::write(path.join("clean.md"), "acme-000000\nacme-424242\n").unwrap();
    let (exit, out, err) = scan(path, &["--format", "json"]);
    assert_eq!(exit, 1, "{err}");
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    let rules: Vec<&str> = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["rule"].as_str().unwrap())
        .collect();
    assert_eq!(rules, ["acme", "github-personal-token"]);
    assert!(!out.contains("424242"));

    config("[extend]\nuseDefault = true\n[[allowlists]]\npaths = ['''notes\\.md$''']\n");
    assert_eq!(scan(path, &[]).0, 0);
    config(
        "[[allowlists]]\ncondition = 'AND'\npaths = ['''notes\\.md$''']\nregexes = ['''nothing''']\n",
    );
    assert_eq!(scan(path, &[]).0, 1);
    config("[[rules]]\nid = 'x'\nregex = '''(unclosed'''\n");
    let (exit, _, err) = scan(path, &[]);
    assert_eq!(exit, 2);
    assert!(err.contains(".gitleaks.toml") && err.contains('x'), "{err}");
}
