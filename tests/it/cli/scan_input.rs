//! `memsync scan` on bad input: what is no file, what is enormous, what is broken.
//! Border: each ends in bounded time with a clear answer; ordinary files are `scan`.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "this test builds folders and starts the program")]

use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::scan::{folder_with_a_token, git, scan, token};
use crate::secrets::{ALNUM, drawn};

#[test]
fn what_is_no_file_is_passed_by_in_a_folder_and_named_when_it_is_asked_for() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    std::fs::write(path.join("clean.md"), "nothing here\n").unwrap();
    let socket = std::os::unix::net::UnixListener::bind(path.join("socket")).unwrap();
    symlink(path.join("loop"), path.join("loop")).unwrap();
    symlink(path, path.join("up")).unwrap();
    let (exit, _, err) = scan(path, &["."]);
    assert!(exit == 0 && err.contains("in 1 file"), "{err}");
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
fn folders_deeper_than_a_path_can_name_are_said_and_the_rest_is_scanned() {
    use rustix::fs::{Mode, OFlags, mkdirat, openat};
    let folder = folder_with_a_token();
    let path = folder.path();
    let mut at = std::os::fd::OwnedFd::from(std::fs::File::open(path).unwrap());
    for _ in 0..3_000 {
        mkdirat(&at, "dd", Mode::RWXU).unwrap();
        at = openat(&at, "dd", OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    }
    let started = std::time::Instant::now();
    let (exit, out, err) = scan(path, &[]);
    assert!(exit == 1 && out.contains("notes.md"), "{exit} {out}");
    assert!(err.contains("`dd/dd/") && err.contains("could not be scanned"), "{err}");
    assert!(err.len() < 2_000, "the path is not shown whole: {}", err.len());
    std::fs::write(path.join("notes.md"), "nothing here\n").unwrap();
    assert_eq!(scan(path, &[]).0, 3);
    assert_eq!(scan(path, &["--skip-unreadable"]).0, 0);
    assert!(started.elapsed().as_secs() < 20);
    // Removing it the usual way would open all folders at once.
    assert!(Command::new("rm").arg("-rf").arg(path.join("dd")).status().unwrap().success());
}

#[test]
fn an_archive_is_no_text_and_said_not_to_be_opened() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    // The beginning of a zip file whose member is stored as it is.
    let member = format!("token: {}\n", token());
    let zip = [b"PK\x03\x04\x0a\0\0\0\0\0".as_slice(), &[0; 20], member.as_bytes()].concat();
    std::fs::write(path.join("backup.zip"), zip).unwrap();
    let (exit, _, err) = scan(path, &[]);
    assert!(exit == 0 && err.contains("1 more hold no text; archives are not opened"), "{err}");
}

#[test]
fn invalid_utf_8_is_scanned_like_any_text() {
    let folder = TempDir::new().unwrap();
    let text = [b"\xFF\xFE\x80 caf\xE9: ".as_slice(), token().as_bytes(), b" \xC3\x28\n"].concat();
    std::fs::write(folder.path().join("latin.txt"), &text[2..]).unwrap();
    let (exit, out, _) = scan(folder.path(), &["--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, document["findings"].as_array().unwrap().len()), (1, 1));
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
    let (exit, out) = scan_within(path, 60 * 1024);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, document["findings"].as_array().unwrap().len()), (1, 1));
    assert_eq!(document["findings"][0]["line"], 1);
    assert_eq!(document["findings"][0]["column"], filler.len() + 1);
    assert_eq!(document["summary"]["bytes"], text.len());
}

/// Scans a folder; at no time may it have more memory than so many KiB, as far as the system tells.
fn scan_within(path: &std::path::Path, kib: u64) -> (i32, String) {
    let child = Command::new(env!("CARGO_BIN_EXE_memsync"))
        .args(["scan", "--format", "json"])
        .current_dir(path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let watcher = std::thread::spawn(move || {
        let mut peak = 0;
        while let Ok(text) = std::fs::read_to_string(&status) {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            // A process that has ended has no such line any more.
            let Some(line) = line else { break };
            peak = line.trim().trim_end_matches(" kB").parse().unwrap_or(peak).max(peak);
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        peak
    });
    let output = child.wait_with_output().unwrap();
    let peak: u64 = watcher.join().unwrap();
    assert!(peak <= kib, "{peak} KiB");
    assert!(peak > 1_000 || !cfg!(target_os = "linux"), "nothing was measured");
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
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
    assert_eq!(run(b""), 2, "nothing scanned is never a pass");
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
    assert!(exit == 3 && err.contains("git fsck") && !err.contains("team"), "{exit} {err}");
}

#[test]
fn a_ref_whose_commit_is_gone_is_named_and_the_rest_is_scanned() {
    let folder = folder_with_a_token();
    let path = folder.path();
    git(path, &["init", "-q", "-b", "main"]);
    git(path, &["add", "clean.md"]);
    git(path, &["commit", "-qm", "clean"]);
    assert_eq!(scan(path, &["--history"]).0, 0);
    std::fs::write(path.join(".git/refs/heads/gone"), format!("{}\n", "12".repeat(20))).unwrap();
    let (exit, _, err) = scan(path, &["--history"]);
    assert!(exit == 3 && err.contains("refs/heads/gone") && err.contains("in 1 file"), "{err}");
    assert_eq!(scan(path, &["--history", "--skip-unreadable"]).0, 0);
    std::fs::write(path.join(".git/refs/heads/gone"), "no id\n").unwrap();
    assert_eq!(scan(path, &["--history"]).0, 3);
    std::fs::remove_file(path.join(".git/refs/heads/gone")).unwrap();
    git(path, &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    assert_eq!(scan(path, &["--history"]).0, 0, "a symbolic ref to nothing holds nothing");
    // Without the index of its pack git itself finds no object any more.
    git(path, &["gc", "-q"]);
    for entry in std::fs::read_dir(path.join(".git/objects/pack")).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|extension| extension == "idx") {
            std::fs::remove_file(file).unwrap();
        }
    }
    let (exit, _, err) = scan(path, &["--history", "--no-cache"]);
    assert!(exit == 3 && err.contains("refs/heads/main"), "{exit} {err}");
    std::fs::write(path.join(".git/index"), "no index").unwrap();
    let (exit, _, err) = scan(path, &["--staged"]);
    assert!(exit == 3 && err.contains("git fsck"), "{exit} {err}");
    let (exit, _, err) = scan(&std::env::temp_dir(), &["--staged"]);
    assert!(exit == 2 && err.contains("in no git repository"), "{exit} {err}");
}

#[test]
fn a_repository_without_commits_is_no_pass() {
    let folder = folder_with_a_token();
    git(folder.path(), &["init", "-q"]);
    let (exit, _, err) = scan(folder.path(), &["--history"]);
    assert!(exit == 2 && err.contains("no ref leads to a commit"), "{exit} {err}");
}

#[test]
fn thousands_of_values_in_one_file_take_time_for_each_and_not_for_each_pair() {
    let folder = TempDir::new().unwrap();
    let mark = token()[..4].to_owned();
    let line = |n: u64| format!("x {mark}{} y\n", drawn(ALNUM, 36, n));
    let text: String = (0..20_000).map(line).collect();
    std::fs::write(folder.path().join("many.txt"), text).unwrap();
    let started = std::time::Instant::now();
    assert_eq!(scan(folder.path(), &["--format", "csv"]).0, 1);
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}

#[test]
fn the_beginning_of_a_file_says_what_all_of_it_is() {
    const LINES: usize = 400_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let filler = "a plain line\n".repeat(LINES);
    let wide = format!("\u{FEFF}{filler}The token is {}.\n", token());
    let wide: Vec<u8> = wide.encode_utf16().flat_map(u16::to_be_bytes).collect();
    std::fs::write(path.join("wide.txt"), wide).unwrap();
    let mut nul = filler.clone().into_bytes();
    // Early in the second window, where it would make a file of its own binary.
    nul[4 * 1024 * 1024 - 60_000] = 0;
    nul.extend_from_slice(format!("The token is {}.\n", token()).as_bytes());
    std::fs::write(path.join("nul.txt"), nul).unwrap();
    let (exit, out, err) = scan(path, &[]);
    let line = LINES + 1;
    assert_eq!(exit, 1, "{err}");
    for name in ["wide.txt", "nul.txt"] {
        assert!(out.contains(&format!("{name}:{line}:14")), "{name}: {out}");
    }
    assert!(err.contains("2 findings in 2 files"), "{err}");
}
