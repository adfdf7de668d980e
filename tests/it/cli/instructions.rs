//! `memsync instructions`: what an agent is told in a folder, as a list, as a document and as text.
//! Border: the built program over files on disk; the rules have their own tests.
#![expect(clippy::disallowed_methods, reason = "writes instruction files and starts the program")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Said, say};

/// A home and a project.
pub(super) struct Place {
    folder: TempDir,
}

impl Place {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(place.home().join(".claude")).unwrap();
        fs::create_dir_all(place.project().join(".git")).unwrap();
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root().join("w/p")
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        match name.strip_prefix("~/") {
            Some(name) => self.home().join(name),
            None => self.project().join(name),
        }
    }

    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_memsync"));
        command.env_clear().env("HOME", self.home()).env("NO_COLOR", "1");
        command.current_dir(self.project()).args(arguments);
        command
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Said {
        say(&mut self.command(arguments))
    }

    pub(super) fn json(&self, arguments: &[&str]) -> Value {
        let said = self.run(&[&["--format", "json"], arguments].concat());
        serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {said:?}"))
    }

    fn short(&self, path: &str) -> String {
        let path = Path::new(path);
        let home = path.strip_prefix(self.home()).map(|path| format!("~/{}", path.display()));
        let inside = path.strip_prefix(self.project()).map(|path| path.display().to_string());
        home.or(inside).unwrap_or_else(|_| path.display().to_string())
    }
}

fn lines(place: &Place, document: &Value) -> Vec<String> {
    let files = document["files"].as_array().unwrap();
    let line = |file: &Value| {
        let text = |key: &str| file[key].as_str().unwrap_or("-").to_owned();
        let by = file["imported_by"].as_str().map_or("-".to_owned(), |path| place.short(path));
        format!("{} {} {} {by}", place.short(&text("path")), text("kind"), file["loaded"])
    };
    files.iter().map(line).collect()
}

#[test]
fn the_document_names_each_file_its_kind_and_who_imports_it() {
    let place = Place::new(&[
        ("~/.claude/CLAUDE.md", "User.\n"),
        ("CLAUDE.md", "Project. @a.md @gone.md\n"),
        ("a.md", "Imported.\n"),
        (".claude/rules/py.md", "---\npaths: \"*.py\"\n---\nPython.\n"),
        ("CLAUDE.local.md", "Mine.\n"),
        ("AGENTS.md", "Others.\n"),
        ("src/CLAUDE.md", "Nested.\n"),
        ("src/x.py", "x\n"),
    ]);
    let memory = place.run(&["where"]).out.lines().next().unwrap().to_owned();
    fs::create_dir_all(&memory).unwrap();
    fs::write(Path::new(&memory).join("MEMORY.md"), "- [x](x.md)\n").unwrap();
    let document = place.json(&["instructions"]);
    assert_eq!(document["format"], "memsync.instructions/1");
    let start = [
        "~/.claude/CLAUDE.md user true -",
        "CLAUDE.md project true -",
        "a.md import true CLAUDE.md",
        "gone.md import false CLAUDE.md",
    ];
    let found = lines(&place, &document);
    assert_eq!(found[..4], start);
    assert_eq!(found[4], ".claude/rules/py.md rule false -");
    assert_eq!(found[5], "CLAUDE.local.md local true -");
    assert_eq!(found[6], "AGENTS.md project false -");
    assert!(found[7].ends_with("MEMORY.md memory true -"), "{found:?}");
    assert_eq!(document["files"][2]["imported_at"], 1);
    assert_eq!(document["files"][1]["bytes"], 24);
    assert!(document["files"][4]["reason"].as_str().unwrap().contains("`*.py`"));
    let touched = place.json(&["instructions", "--for", "src/x.py"]);
    let found = lines(&place, &touched);
    assert_eq!(found[found.len() - 2], "src/CLAUDE.md project true -");
    assert_eq!(found[found.len() - 1], ".claude/rules/py.md rule true -");
    let last = touched["files"].as_array().unwrap().last().unwrap();
    assert_eq!(last["triggered_by"], place.at("src/x.py").to_str().unwrap());
}

#[test]
fn print_writes_the_text_and_nothing_else() {
    let place = Place::new(&[
        ("CLAUDE.md", "---\na: b\n---\n<!-- mine -->\nOne. @a.md\n\n"),
        ("a.md", "Two. <!-- kept -->\n"),
    ]);
    let said = place.run(&["instructions", "--print"]);
    let [first, second] = ["CLAUDE.md", "a.md"].map(|name| place.at(name).display().to_string());
    let expected = format!(
        "Contents of {first} (project):\n\nOne. @a.md\n\nContents of {second} (import):\n\nTwo. <!-- kept -->\n\n"
    );
    assert_eq!((said.out, said.err, said.exit), (expected, String::new(), 0));
}

#[test]
fn people_see_why_each_file_is_told_or_not() {
    let place = Place::new(&[
        ("CLAUDE.md", "One. @a.png @../out.md\n"),
        ("a.png", "x"),
        ("../out.md", "out"),
        (".claude/rules/r.md", "---\npaths: src/**\n---\nR\n"),
        ("AGENTS.md", "x\u{1b}[2J"),
    ]);
    let said = place.run(&["instructions"]);
    for text in [
        "project        23  CLAUDE.md  loaded in every session",
        "a.png  import: its extension is not one of the text files that are imported; imported by CLAUDE.md:1",
        "outside the project, which has to be approved in the client; imported by CLAUDE.md:1",
        "rule: waits for a file that matches `src`",
        "AGENTS.md  project: is not read where CLAUDE.md is",
    ] {
        assert!(said.out.contains(text), "{text}: {}", said.out);
    }
    assert!(said.err.contains("1 file is told"), "{}", said.err);
}

#[test]
fn codex_reads_its_own_files() {
    let place = Place::new(&[
        ("~/.codex/AGENTS.md", "Global.\n"),
        ("~/.codex/config.toml", "project_doc_fallback_filenames = [\"CLAUDE.md\"]\n"),
        ("AGENTS.md", "Project.\n"),
        ("CLAUDE.md", "Not me.\n"),
    ]);
    let document = place.json(&["instructions", "--agent", "codex"]);
    let expected =
        ["~/.codex/AGENTS.md user true -", "AGENTS.md project true -", "CLAUDE.md project false -"];
    assert_eq!(lines(&place, &document), expected);
    place.write("~/.codex/config.toml", "broken = [");
    let said = place.run(&["instructions", "--agent", "codex"]);
    assert!(said.exit == 0 && said.err.contains("it is no TOML"), "{said:?}");
}

#[test]
fn settings_decide_and_broken_ones_are_named() {
    let place = Place::new(&[
        ("CLAUDE.md", "One. @../o.md\n"),
        ("../o.md", "Outside.\n"),
        (".claude/rules/r.md", "Rule.\n"),
        ("~/.claude/settings.json", "{\"claudeMdExcludes\": [\"**/rules/**\"]}"),
    ]);
    let key = place.project().display().to_string();
    let state =
        serde_json::json!({"projects": {key: {"hasClaudeMdExternalIncludesApproved": true}}});
    place.write("~/.claude.json", state.to_string());
    let found = lines(&place, &place.json(&["instructions"]));
    assert_eq!(found[0], "CLAUDE.md project true -");
    assert!(found[1].ends_with("o.md import true CLAUDE.md"), "{found:?}");
    assert_eq!(found[2], ".claude/rules/r.md rule false -");
    place.write("~/.claude/settings.json", "{");
    let said = place.run(&["instructions"]);
    assert!(said.exit == 0 && said.err.contains("settings.json` is left out"), "{said:?}");
    let mut off = place.command(&["instructions", "--print"]);
    assert_eq!(say(off.env("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "1")).out, "");
}

#[test]
fn what_never_ends_or_is_no_file_stops_nothing() {
    let place =
        Place::new(&[("CLAUDE.md", "@pipe.md @/dev/zero @zero.md @loop.md @bad.md @dir\n")]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place.at("pipe.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    std::os::unix::fs::symlink("/dev/zero", place.at("zero.md")).unwrap();
    std::os::unix::fs::symlink("loop.md", place.at("loop.md")).unwrap();
    place.write("bad.md", b"caf\xe9\n");
    place.write("dir/x.md", "x");
    place.write(".claude/rules/big.md", vec![b'x'; 4 * 1024 * 1024 + 1]);
    place.write(
        ".claude/rules/braces.md",
        format!("---\npaths: \"{}\"\n---\nB\n", "{a,b,c,d,e,f,g,h,i,j}".repeat(6)),
    );
    std::os::unix::fs::symlink(".", place.at(".claude/rules/self")).unwrap();
    for n in 0..1_000 {
        place.write(
            &format!("c/{n}.md"),
            format!("@{}.md @{}.md\n", (n + 1) % 1_000, (n + 500) % 1_000),
        );
    }
    place.write(
        ".claude/CLAUDE.md",
        (0..1_000).map(|n| format!("@../c/{n}.md\n")).collect::<String>(),
    );
    let began = Instant::now();
    let mut command = place.command(&["instructions", "--format", "json", "--for", "a/b"]);
    let said = say(command.env_remove("HOME"));
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(said.exit, 0, "{}", said.err);
    assert!(said.err.contains("there is no home folder"), "{}", said.err);
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let files = document["files"].as_array().unwrap();
    let file = |name: &str| {
        files.iter().find(|file| file["path"].as_str().unwrap().ends_with(name)).unwrap()
    };
    assert_eq!(file("/pipe.md")["reason"], "is no regular file");
    assert_eq!(file("/dev/zero")["loaded"], false);
    assert_eq!(file("/zero.md")["loaded"], false);
    assert_eq!(file("/bad.md")["loaded"], true);
    assert!(file("/rules/big.md")["reason"].as_str().unwrap().contains("more than 4194304 bytes"));
    assert_eq!(file("/rules/braces.md")["loaded"], false);
    let circle =
        |file: &&Value| file["loaded"] == true && file["path"].as_str().unwrap().contains("/c/");
    assert_eq!(files.iter().filter(circle).count(), 1_000);
}

#[test]
fn no_terminal_is_steered_by_a_name_or_a_text() {
    let place = Place::new(&[("CLAUDE.md", "One. @./a\u{1b}[31m.md\n"), ("a\u{1b}[31m.md", "x")]);
    let said = place.run(&["instructions"]);
    assert!(!said.out.contains('\u{1b}') && said.out.contains("a\\u{1b}[31m.md"), "{said:?}");
}
