//! `memsync scan` on bad input: what is no file, what is enormous, what is broken.
//! Border: each ends in bounded time with a clear answer; ordinary files are `scan`.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "this test builds folders and starts the program")]

use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::scan::{folder_with_a_token, git, scan, token};

#[test]
fn what_is_no_file_is_passed_by_in_a_folder_and_named_when_it_is_asked_for() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    std::fs::write(path.join("clean.md"), "nothing here\n").unwrap();
    let socket = std::os::unix::net::UnixListener::bind(path.join("socket")).unwrap();
    symlink(path.join("loop"), path.join("loop")).unwrap();
    symlink(path, path.join("up")).unwrap();
    let (exit, _, err) = scan(path, &["."]);
    assert!(exit == 0 && err.contains("in 1 files"), "{err}");
    for name in ["socket", "loop", "up", "/dev/zero", "/dev/tty"] {
        let (exit, _, err) = scan(path, &["clean.md", name]);
        assert!(exit == 3 && err.contains(name), "{name}: {exit} {err}");
    }
    drop(socket);
}

#[test]
fn a_file_or_folder_that_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder_with_a_token();
    let path = folder.path();
    std::fs::create_dir(path.join("closed")).unwrap();
    for name in ["closed", "notes.md"] {
        let none = PermissionsExt::from_mode(0o000);
        std::fs::set_permissions(path.join(name), none).unwrap();
    }
    if std::fs::read(path.join("notes.md")).is_ok() {
        // Root reads everything; there is nothing to see then.
        return;
    }
    let (exit, _, err) = scan(path, &["."]);
    assert!(exit == 3 && err.contains("closed") && err.contains("notes.md"), "{exit} {err}");
    let open = PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(path.join("closed"), open).unwrap();
}

#[test]
fn folders_inside_folders_and_names_that_are_no_text_are_scanned() {
    use std::os::unix::ffi::OsStrExt;
    let folder = TempDir::new().unwrap();
    let mut deep = folder.path().to_owned();
    for _ in 0..300 {
        deep.push("d");
    }
    std::fs::create_dir_all(&deep).unwrap();
    let name = std::ffi::OsStr::from_bytes(b"a\xFF\x1B[2J.md");
    std::fs::write(deep.join(name), format!("token: {}\n", token())).unwrap();
    let (exit, out, err) = scan(folder.path(), &[]);
    assert_eq!(exit, 1, "{err}");
    assert!(!out.contains('\u{1B}'), "{out:?}");
}

#[test]
fn binary_files_are_counted_and_utf_16_is_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    std::fs::write(path.join("a.bin"), [b"\x7FELF\0\0".as_slice(), token().as_bytes()].concat())
        .unwrap();
    let (exit, out, _) = scan(path, &["--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &document["summary"]["binary"]), (0, &serde_json::json!(1)));
    let wide: Vec<u8> =
        format!("\u{FEFF}token: {}\n", token()).encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(path.join("wide.txt"), wide).unwrap();
    assert_eq!(scan(path, &["."]).0, 1);
}

#[test]
fn one_line_of_many_megabytes_is_scanned_window_by_window() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let filler = "lorem ipsum dolor sit amet ".repeat(800_000);
    let text = format!("{filler}{} {filler}", token());
    std::fs::write(path.join("line.txt"), &text).unwrap();
    let (exit, out, _) = scan(path, &["--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, document["findings"].as_array().unwrap().len()), (1, 1));
    assert_eq!(document["findings"][0]["line"], 1);
    assert_eq!(document["findings"][0]["column"], filler.len() + 1);
    assert_eq!(document["summary"]["bytes"], text.len());
}

#[test]
fn standard_input_may_be_of_any_length_and_empty_input_is_no_file() {
    let run = |input: &[u8]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_memsync"))
            .args(["scan", "--stdin"])
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait().unwrap().code().unwrap()
    };
    let long = format!("{}{}\n", "words and words\n".repeat(600_000), token());
    assert_eq!(run(long.as_bytes()), 1);
    assert_eq!(run(b"only words\n"), 0);
}

#[test]
fn broken_objects_are_named_and_the_rest_is_scanned() {
    let folder = folder_with_a_token();
    let path = folder.path();
    git(path, &["init", "-q", "-b", "main"]);
    git(path, &["add", "."]);
    git(path, &["commit", "-qm", "all"]);
    let (_, id, _) = super::scan::run("git", path, &["rev-parse", "HEAD:clean.md"]);
    let object = path.join(".git/objects").join(&id[..2]).join(id[2..].trim());
    std::fs::remove_file(&object).unwrap();
    std::fs::write(&object, b"no zlib stream").unwrap();
    let (exit, out, err) = scan(path, &["--history"]);
    assert!(
        exit == 1 && out.contains("notes.md") && err.contains("clean.md"),
        "{exit} {out} {err}"
    );
    // Named each time: what could not be read is never remembered as clean.
    let (_, _, err) = scan(path, &["--history"]);
    assert!(err.contains("clean.md"), "{err}");
    let (_, tree, _) = super::scan::run("git", path, &["rev-parse", "HEAD^{tree}"]);
    let object = path.join(".git/objects").join(&tree[..2]).join(tree[2..].trim());
    std::fs::remove_file(&object).unwrap();
    std::fs::write(&object, b"no zlib stream").unwrap();
    let (exit, _, err) = scan(path, &["--history"]);
    assert!(exit != 0 && exit != 70 && !err.is_empty(), "{exit} {err}");
}
