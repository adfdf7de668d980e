//! What the client tells a model, against what memsync says it tells.
//! Border: instruction files, ages, the caps of the index; each as the real client sends it.

use memsync::base::time::Timestamp;
use memsync::system::clock::Clock;
use memsync::system::env::Environment;
use serde_json::{Value, json};

use super::{Office, Step, put, sent};
use crate::support::memory;

#[test]
fn instruction_files_are_told_in_the_order_that_we_say() {
    let Some(office) = Office::open() else { return };
    let ada = office.person("ada");
    let files = [
        ("home/.claude/CLAUDE.md", "user-alpha\n"),
        ("home/.claude/rules/tone.md", "rule-user\n"),
        (
            "project/CLAUDE.md",
            "project-beta\n@docs/one.md\n`@docs/code.md`\n@docs/gone.md\n@docs/dot.md.\n",
        ),
        ("project/docs/one.md", "hop-one\n@two.md\n"),
        ("project/docs/two.md", "hop-two\n@three.md\n"),
        ("project/docs/three.md", "hop-three\n@four.md\n"),
        ("project/docs/four.md", "hop-four\n@five.md\n"),
        ("project/docs/five.md", "hop-five\n"),
        ("project/docs/code.md", "never-code\n"),
        ("project/docs/dot.md", "never-dot\n"),
        ("project/.claude/CLAUDE.md", "inner-gamma\n"),
        ("project/.claude/rules/always.md", "rule-always\n"),
        ("project/.claude/rules/rust.md", "---\npaths: [\"*.rs\"]\n---\nrule-rust\n"),
        ("project/CLAUDE.local.md", "local-delta\n"),
        ("project/AGENTS.md", "never-agents\n"),
    ];
    for (path, text) in files {
        put(&office.folder.path().join("ada").join(path), text);
    }
    put(&ada.memdir().join("MEMORY.md"), "<!-- hidden -->\n- [Mine](mine.md) — index-omega\n");
    let requests = ada.session("hello", &[Step::Say("hi")]);
    let told = sent(&requests[0]);
    let said = ada.memsync(&["--format", "json", "instructions"]);
    let document: Value = serde_json::from_str(&said.out).unwrap();
    let printed = ada.memsync(&["instructions", "--print"]).out;
    let (mut at, mut compared) = (0, 0);
    for file in document["files"].as_array().unwrap() {
        let path = file["path"].as_str().unwrap();
        let Ok(text) = std::fs::read_to_string(ada.project.join(path)) else { continue };
        // The line that stands in this file alone.
        let word =
            text.lines().find(|line| line.contains('-') && !line.starts_with(['@', '`', '-', '<']));
        let word = word.unwrap_or(if path.ends_with("MEMORY.md") { "index-omega" } else { "?" });
        if file["loaded"] == true {
            let found = told[at..].find(word);
            assert!(found.is_some(), "{path} ({word}) is not told behind the one before:\n{told}");
            at += found.unwrap_or_default();
            compared += 1;
            assert!(printed.contains(word) || path.ends_with("MEMORY.md"), "{path}: {printed}");
        } else {
            assert!(!told.contains(word), "{path} ({word}) is told:\n{told}");
        }
    }
    assert_eq!(compared, 11, "{document}");
    for never in ["never-code", "never-dot", "never-agents", "hop-five", "rule-rust", "hidden"] {
        assert!(!told.contains(never) && !printed.contains(never), "{never}");
    }
    for always in
        ["user-alpha", "hop-four", "inner-gamma", "rule-always", "local-delta", "index-omega"]
    {
        assert!(told.contains(always), "{always}");
    }
}

#[test]
fn a_pulled_memory_is_as_old_to_the_client_as_it_says() {
    let Some(office) = Office::open() else { return };
    let (ada, ben) = (office.person("ada"), office.person("ben"));
    ada.memsync(&["init", "--open", "--remote", office.hub().to_str().unwrap()]);
    let now = Clock::from_environment(&Environment::default()).unwrap().now();
    let then = Timestamp::utc(now.seconds - 47 * 86_400 - 3_600);
    let text = memory("old", "Port 5433.")
        .replace("type: project", &format!("type: project\nmodified: {then}"));
    put(&ada.memdir().join("team/old.md"), &text);
    ada.memsync(&["push"]);
    ben.memsync(&["join", office.hub().to_str().unwrap()]);
    let path = ben.memdir().join("team/old.md");
    let requests = ben
        .session("read it", &[Step::Tool("Read", json!({ "file_path": path })), Step::Say("ok")]);
    let told = sent(&requests[1]);
    assert!(told.contains("This memory is 47 days old"), "{told}");
}

#[test]
fn the_index_is_cut_where_we_say() {
    let Some(office) = Office::open() else { return };
    let ada = office.person("ada");
    let by_lines: String = (1..=260).map(|n| format!("- [M{n}](m{n}.md) — hook\n")).collect();
    // Two UTF-16 units each: the client counts those.
    let wide = "\u{1f9ed}".repeat(90);
    let by_characters: String =
        (1..=190).map(|n| format!("- [M{n}](m{n}.md) — {wide}\n")).collect();
    for index in [by_lines, by_characters] {
        put(&ada.memdir().join("MEMORY.md"), &index);
        let requests = ada.session("hello", &[Step::Say("hi")]);
        let told = sent(&requests[0]);
        let last = |text: &str| {
            (1..=260).filter(|n| text.contains(&format!("- [M{n}](m{n}.md) — "))).max()
        };
        let ours = ada.memsync(&["context", "--static"]).out;
        // The line that names what is cut repeats the first lost entry.
        let ours = ours.split("lines are not shown").next().unwrap();
        assert_eq!(last(ours), last(told.split("WARNING").next().unwrap()), "{told}");
    }
}
