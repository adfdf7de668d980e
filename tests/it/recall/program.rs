//! `memsync recall` as people and agents meet it, and what it makes of bad input.
//! Border: how it speaks and what it reads; which memory matters is the measure beside it.
#![expect(
    clippy::disallowed_methods,
    reason = "this test starts the built program and writes samples"
)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const NOW: &str = "2026-03-04T05:06:07Z";
const PROOF: &str = "---\nname: Colour proofs\ndescription: Customers sign a colour proof before the run\ntype: project\nmodified: 2026-01-10\n---\nThe run starts only with a signed colour proof.\n";

struct Said {
    exit: i32,
    out: String,
    err: String,
}

/// Runs `memsync recall` on a memory directory.
fn recall(memdir: &Path, args: &[&str], stdin: &[u8]) -> Said {
    let mut child = Command::new(env!("CARGO_BIN_EXE_memsync"))
        .arg("--memdir")
        .arg(memdir)
        .arg("recall")
        .args(args)
        .env("MEMSYNC_TEST_CLOCK", NOW)
        .env_remove("HOME")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdin.take().unwrap().write_all(stdin));
    let output = child.wait_with_output().unwrap();
    let text = |raw: Vec<u8>| String::from_utf8(raw).unwrap();
    Said { exit: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

fn json(memdir: &Path, args: &[&str]) -> Value {
    let said = recall(memdir, &[args, &["--format", "json"]].concat(), b"");
    assert_eq!((said.exit, said.err.as_str()), (0, ""));
    serde_json::from_str(&said.out).unwrap()
}

fn paths(document: &Value) -> Vec<&str> {
    let memories = document["memories"].as_array().unwrap().iter();
    memories.map(|memory| memory["path"].as_str().unwrap()).collect()
}

/// A memory directory with the proof in the team's layer and a habit in the private one.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("team/.git")).unwrap();
    fs::write(dir.path().join("team/colour-proofs.md"), PROOF).unwrap();
    fs::write(dir.path().join("user_tone.md"), "---\ntype: user\n---\nShort answers.\n").unwrap();
    fs::write(dir.path().join("MEMORY.md"), "- [colour proof](team/colour-proofs.md)\n").unwrap();
    dir
}

#[test]
fn a_memory_comes_with_path_layer_age_and_advice() {
    let dir = folder();
    let said = recall(dir.path(), &["who signs the colour proof"], b"");
    assert_eq!((said.exit, said.err.as_str()), (0, ""));
    assert_eq!(
        said.out,
        format!(
            "team/colour-proofs.md (team, project, 53 days old; verify it against the code before \
             relying on it)\n{PROOF}\n"
        )
    );
    let document = json(dir.path(), &["-"]);
    assert_eq!(document["format"], "memsync.recall/1");
    assert_eq!(document["memories"], serde_json::json!([]), "stdin was empty");

    let said = recall(dir.path(), &["-", "--format", "json"], b"who signs the colour proof\n");
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let memory = &document["memories"][0];
    assert_eq!(memory["path"], "team/colour-proofs.md");
    assert_eq!(memory["layer"], "team");
    assert_eq!(memory["kind"], "project");
    assert_eq!(memory["age_days"], 53);
    assert_eq!(memory["text"], PROOF);
    assert!(memory["score"].as_f64().unwrap() > 0.25);
    assert_eq!(document.get("explained"), None);
}

#[test]
fn nothing_certain_is_said_and_is_no_error() {
    let dir = folder();
    let said = recall(dir.path(), &["what is the capital of Peru"], b"");
    assert_eq!((said.exit, said.out.as_str()), (0, "No memory is certain to help.\n"));
}

#[test]
fn options_take_several_values_and_come_several_times() {
    let dir = folder();
    let query = "who signs the colour proof";
    for shown in ["team/colour-proofs.md", "colour-proofs", "Colour proofs"] {
        let document =
            json(dir.path(), &[query, "--surfaced", "x.md", shown, "--surfaced", "y.md"]);
        assert_eq!(paths(&document), Vec::<&str>::new(), "{shown}");
    }
    assert_eq!(recall(dir.path(), &[query, "--limit", "0"], b"").exit, 2);
}

#[test]
fn why_is_said_on_request() {
    let dir = folder();
    let query = "who signs the colour proof";
    let said = recall(dir.path(), &[query, "--explain"], b"");
    assert!(said.out.contains("The best one had to reach 0.12"), "{}", said.out);
    assert!(said.out.contains("proof (name+description+body)"), "{}", said.out);
    let document = json(dir.path(), &[query, "--explain", "--surfaced", "colour-proofs"]);
    let candidates = document["explained"]["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 2);
    let proof = candidates.iter().find(|one| one["path"] == "team/colour-proofs.md").unwrap();
    assert_eq!(proof["chosen"], false);
    assert_eq!(proof["notes"], serde_json::json!(["left out: already shown"]));
}

#[test]
fn a_long_memory_is_cut_and_a_sealed_one_is_clear_to_its_frontmatter() {
    let dir = folder();
    let long = format!("{PROOF}\n{}", "More about the colour proof.\n\n".repeat(400));
    fs::write(dir.path().join("team/colour-proofs.md"), &long).unwrap();
    let document = json(dir.path(), &["who signs the colour proof"]);
    let memory = &document["memories"][0];
    let text = memory["text"].as_str().unwrap();
    assert!(text.len() <= 4_096 && long.starts_with(text));
    assert_eq!(text.len() as u64 + memory["cut_bytes"].as_u64().unwrap(), long.len() as u64);

    let head = "---\nname: Colour proofs\ndescription: Customers sign a colour proof before the run\ntype: project\nsealed: [ada]\n---\n";
    let sealed = format!(
        "{head}-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n-----END AGE ENCRYPTED FILE-----\n"
    );
    fs::write(dir.path().join("team/colour-proofs.md"), sealed).unwrap();
    let document = json(dir.path(), &["who signs the colour proof"]);
    let memory = &document["memories"][0];
    assert_eq!((memory["sealed"].as_bool(), memory["text"].as_str()), (Some(true), Some(head)));
}

#[test]
fn bad_queries_get_an_answer_in_bounded_time() {
    let dir = folder();
    let megabyte = "why ].{ ошибка 颜色 0x1f ".repeat(40_000);
    let nothing = ["", "🔥🔥🔥", "the of and to", "ไม่มีอะไร", "\u{0}\u{1b}[2J"];
    for query in nothing.into_iter().chain([megabyte.as_str()]) {
        let start = Instant::now();
        let said = recall(dir.path(), &["-", "--format", "json"], query.as_bytes());
        assert_eq!((said.exit, said.err.as_str()), (0, ""));
        let document: Value = serde_json::from_str(&said.out).unwrap();
        assert!(query.len() > 100 || paths(&document).is_empty(), "{query}");
        assert!(start.elapsed() < Duration::from_secs(20));
    }
    let said = recall(dir.path(), &["чья подпись нужна"], b"");
    assert!(said.out.starts_with("team/colour-proofs.md"), "another script: {}", said.out);
    let said = recall(dir.path(), &["-"], b"colour \xff proof \xfe");
    assert_eq!(said.exit, 0);
    assert!(said.out.starts_with("team/colour-proofs.md"), "{}", said.out);
}

#[test]
fn a_folder_that_holds_nothing_recalls_nothing() {
    let dir = tempfile::tempdir().unwrap();
    for memdir in [dir.path().join("nowhere"), dir.path().to_owned()] {
        let said = recall(&memdir, &["colour proof"], b"");
        assert_eq!((said.exit, said.out.as_str()), (0, "No memory is certain to help.\n"));
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing was made");
}

#[cfg(unix)]
#[test]
fn hostile_folders_are_read_within_limits_and_never_changed() {
    use std::os::unix::fs::PermissionsExt;

    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    assert!(Command::new("mkfifo").arg(at("colour-pipe.md")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", at("colour-zero.md")).unwrap();
    let sparse = fs::File::create(at("colour-sparse.md")).unwrap();
    sparse.set_len(200_000_000).unwrap();
    fs::write(at("invalid.md"), b"---\nname: \xff\n---\ncolour \xfe proof").unwrap();
    fs::write(at("team/CON.md"), PROOF).unwrap();
    fs::write(at("team/bell\u{7}.md"), PROOF).unwrap();
    fs::write(at("unreadable.md"), PROOF).unwrap();
    fs::set_permissions(at("unreadable.md"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::create_dir_all(at("logs/2026/03")).unwrap();
    fs::write(at("logs/2026/03/2026-03-04.md"), PROOF).unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();

    let start = Instant::now();
    let said = recall(dir.path(), &["who signs the colour proof", "--format", "json"], b"");
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(said.exit, 0, "{}", said.err);
    assert!(start.elapsed() < Duration::from_secs(20));
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let found = paths(&document);
    assert_eq!(found[0], "team/colour-proofs.md");
    assert!(
        found
            .iter()
            .all(|path| !path.contains("CON") && !path.contains("bell") && !path.contains("logs"))
    );
}

#[test]
fn of_five_thousand_memories_the_newest_are_looked_at() {
    let dir = folder();
    let old = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for number in 0..5_000 {
        let file = fs::File::create(dir.path().join(format!("note-{number}.md"))).unwrap();
        file.set_modified(old).unwrap();
    }
    let document = json(dir.path(), &["who signs the colour proof", "--explain"]);
    assert_eq!(paths(&document), ["team/colour-proofs.md"]);
    assert_eq!(document["explained"]["candidates"].as_array().unwrap().len(), 200);
    assert_eq!(document["explained"]["older"], 4_802);
}
