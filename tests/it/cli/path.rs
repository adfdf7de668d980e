//! `memsync path check`: answers per line, exit codes, and what a malformed question gets.
//! Border: how it speaks; which path gets which rule is `paths`.
#![expect(clippy::disallowed_methods, reason = "this test starts the built program")]

use std::io::Write;
use std::process::{Command, Stdio};

/// Runs `memsync` with arguments and stdin; gives exit code, stdout, stderr.
fn memsync(args: &[&str], stdin: &[u8]) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_memsync"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that stops at a bad line closes the pipe early.
    drop(child.stdin.take().unwrap().write_all(stdin));
    let output = child.wait_with_output().unwrap();
    let text = |raw: Vec<u8>| String::from_utf8(raw).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn accepted_paths_exit_0_and_a_refused_one_exits_1_with_its_rule_and_reason() {
    let (exit, out, err) = memsync(&["path", "check", "MEMORY.md", "topics/deploy.md"], b"");
    assert_eq!(
        (exit, out.as_str(), err.as_str()),
        (0, "accept MEMORY.md\naccept topics/deploy.md\n", "")
    );
    let (exit, out, _) = memsync(&["path", "check", "a.md", "../x.md", "--", "-x.md"], b"");
    assert_eq!(exit, 1);
    assert_eq!(
        out,
        "accept a.md\n\
         reject ../x.md: the path is not a plain relative path (relative)\n\
         reject -x.md: a leading dash reads as an option (option)\n"
    );
}

#[test]
fn json_answers_repeat_the_id_and_name_verdict_and_rule_one_per_line() {
    let questions = br#"{"id": 1, "path": "a.md"}
{"id": "two", "path": "a.md", "mode": "symlink"}

{"id": {"n": 3}, "path_hex": "626164ff2e6d64"}
{"id": 4, "path": "\ud800.md"}
{"id": 5, "paths": ["A.md", "a.md"], "mode": "set"}
{"id": 6, "paths": ["a.md", "b.md"]}
{"path": "\u001b[2J.md", "mode": "100644", "other": true}
{"id": 7, "path": "a.md", "mode": "100664"}
{"id": 8, "paths": ["../b.md", "a.md", "c.md"]}
"#;
    let (exit, out, err) =
        memsync(&["--format", "json", "path", "check", "--from", "-"], questions);
    assert_eq!((exit, err.as_str()), (1, ""));
    let answers: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let short: Vec<_> = answers
        .iter()
        .map(|a| format!("{} {} {}", a["id"], a["verdict"], a["rule"]).replace('"', ""))
        .collect();
    let expected = [
        "1 accept ok",
        "two reject symlink",
        "{n:3} reject utf8",
        "4 reject utf8",
        "5 reject collision",
        "6 accept ok",
        "null reject control",
        "7 reject mode",
        "8 reject relative",
    ];
    assert_eq!(short, expected);
    assert!(answers.iter().all(|answer| answer["format"] == "memsync.path/1"));
}

#[test]
fn raw_invalid_utf_8_in_a_question_gets_a_verdict() {
    let question = b"{\"id\": 1, \"path\": \"bad\xff.md\"}\n";
    let (exit, out, _) = memsync(&["--format", "json", "path", "check", "--from", "-"], question);
    assert_eq!(exit, 1);
    assert!(out.contains("\"utf8\""), "{out}");
}

#[test]
fn a_malformed_question_exits_2_and_names_file_and_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("q.jsonl");
    for bad in [
        "{",
        "[]",
        "{}",
        "{\"id\": 1}",
        "{\"path\": 5}",
        "{\"path\": \"a\", \"paths\": []}",
        "{\"path\": \"a\", \"mode\": \"folder\"}",
        "{\"path_hex\": \"abc\"}",
        "{\"path_hex\": \"+1\"}",
        "\"a.md\"",
        "{\"path\": \"a.md\"} x",
    ] {
        std::fs::write(&file, format!("{{\"path\": \"a.md\"}}\n\n{bad}\n")).unwrap();
        let (exit, out, err) = memsync(&["path", "check", "--from", file.to_str().unwrap()], b"");
        assert_eq!((exit, out.as_str()), (2, "accept a.md\n"), "{bad}");
        assert!(err.contains("q.jsonl` line 3: ") && err.contains("next:"), "{bad}: {err}");
    }
}

#[test]
fn no_question_and_no_file_are_usage_errors() {
    assert_eq!(memsync(&["path", "check"], b"").0, 2);
    let (exit, _, err) = memsync(&["path", "check", "--from", "no-such.jsonl"], b"");
    assert_eq!(exit, 2);
    assert!(err.contains("`no-such.jsonl`"), "{err}");
    assert_eq!(memsync(&["path", "check", "--from", "-"], b"").0, 0);
}

#[cfg(unix)]
#[test]
fn a_path_argument_that_is_not_utf_8_is_refused_not_a_crash() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let output = Command::new(env!("CARGO_BIN_EXE_memsync"))
        .args(["path", "check"])
        .arg(OsStr::from_bytes(b"a\xff.md"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("(utf8)"));
}
