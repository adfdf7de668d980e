//! `memsync instructions check`: what does not do what it seems to, with its place, for people and CI.
//! Border: the built program over files on disk.
#![expect(clippy::disallowed_methods, reason = "writes instruction files and starts the program")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::instructions::Place;
use crate::support::token;

/// `file:line:column rule` of every problem, the project's folder left out.
fn problems(place: &Place) -> Vec<String> {
    let document = place.json(&["instructions", "check"]);
    assert_eq!(document["format"], "memsync.instructions-check/1");
    let problems = document["problems"].as_array().unwrap();
    assert_eq!(document["passes"], problems.is_empty());
    let line = |problem: &serde_json::Value| {
        let path = Path::new(problem["path"].as_str().unwrap());
        let path = path.strip_prefix(place.project()).unwrap_or(path).display().to_string();
        let place = match (problem["line"].as_u64(), problem["column"].as_u64()) {
            (Some(line), Some(column)) => format!(":{line}:{column}"),
            _ => String::new(),
        };
        format!("{path}{place} {}", problem["rule"].as_str().unwrap())
    };
    problems.iter().map(line).collect()
}

fn check(files: &[(&str, &str)], expected: &[&str]) {
    let place = Place::new(files);
    assert_eq!(problems(&place), expected, "{files:?}");
    let exit = if expected.is_empty() { 0 } else { 1 };
    assert_eq!(place.run(&["instructions", "check"]).exit, exit, "{files:?}");
}

#[test]
fn what_is_sound_passes() {
    check(
        &[
            (
                "CLAUDE.md",
                "# Project\n\nSee @docs/a.md and @types/node, ask @ada or ada@example.com.\n",
            ),
            ("docs/a.md", "A, uses `@param x`.\n\n```\n@media print\n```\n"),
            (".claude/rules/r.md", "---\npaths:\n  - \"src/**/*.rs\"\n---\nRust.\n"),
            ("src/a/b.rs", "x\n"),
            ("src/CLAUDE.md", "Nested.\n"),
        ],
        &[],
    );
}

#[test]
fn every_import_that_fails_in_silence_is_named_with_its_place() {
    let rows: [(&str, &str); 15] = [
        ("x @f.md.", "CLAUDE.md:1:3 import-trailing"),
        ("x @f.md:", "CLAUDE.md:1:3 import-trailing"),
        ("x @f.md,", "CLAUDE.md:1:3 import-trailing"),
        ("x @f.md)", "CLAUDE.md:1:3 import-trailing"),
        ("(@f.md)", "CLAUDE.md:1:2 import-not-read"),
        ("a `@f.md` b", "CLAUDE.md:1:4 import-not-read"),
        ("```\n@f.md\n```", "CLAUDE.md:2:1 import-not-read"),
        ("a <!-- @f.md -->", "CLAUDE.md:1:8 import-not-read"),
        ("me@f.md", "CLAUDE.md:1:3 import-not-read"),
        ("![x](@f.md)", "CLAUDE.md:1:6 import-not-read"),
        ("x @\"f.md\"", "CLAUDE.md:1:3 import-not-read"),
        ("x @gone.md", "CLAUDE.md:1:3 import-missing"),
        ("x @../out.md", "CLAUDE.md:1:3 import-outside"),
        ("x @a.mdx", "CLAUDE.md:1:3 import-not-text"),
        ("x @./dir", "CLAUDE.md:1:3 import-no-file"),
    ];
    for (text, expected) in rows {
        let files = [
            ("CLAUDE.md", text),
            ("f.md", "F"),
            ("a.mdx", "A"),
            ("../out.md", "O"),
            ("dir/x", "x"),
        ];
        check(&files, &[expected]);
    }
    check(
        &[
            ("CLAUDE.md", "@a.md"),
            ("a.md", "A\n@b.md"),
            ("b.md", "@c.md"),
            ("c.md", "@d.md"),
            ("d.md", "D\n\nsee @e.md"),
            ("e.md", "E"),
        ],
        &["d.md:3:5 import-too-deep"],
    );
    check(
        &[("CLAUDE.md", "@a.md"), ("a.md", "@b.md"), ("b.md", "b\n@a.md")],
        &["b.md:2:1 import-cycle"],
    );
}

#[test]
fn rules_that_mislead_are_named() {
    let rows: [(&str, &[&str]); 9] = [
        ("---\npaths: nowhere/**\n---\nR", &["2:1 rule-matches-nothing"]),
        ("---\nglobs: src/**\n---\nR", &["2:1 rule-globs"]),
        ("---\nPaths: src/**\n---\nR", &["2:1 rule-key"]),
        ("---\npaths: []\n---\nR", &["2:1 rule-key"]),
        ("---\nname: r\npaths: *.rs\n---\nR", &["3:1 frontmatter-yaml"]),
        ("---\npaths:\n  - *.rs\n---\nR", &["3:1 frontmatter-yaml"]),
        ("---\npaths: src/**\nx: a---b\n---\nR", &["3:5 frontmatter-cut"]),
        ("---\npaths: ./src/**\n---\nR", &["2:1 pattern-never", "2:1 rule-matches-nothing"]),
        ("---\npaths: src/**\n---\nR", &[]),
    ];
    for (text, expected) in rows {
        let expected: Vec<String> =
            expected.iter().map(|problem| format!(".claude/rules/r.md:{problem}")).collect();
        let place = Place::new(&[(".claude/rules/r.md", text), ("src/a.rs", "x")]);
        assert_eq!(problems(&place), expected, "{text}");
    }
    let million = format!("---\npaths: \"{}\"\n---\nR", "{a,b,c,d,e,f,g,h,i,j}".repeat(6));
    check(
        &[(".claude/rules/r.md", &million)],
        &[".claude/rules/r.md:2:1 pattern-braces", ".claude/rules/r.md:2:1 rule-matches-nothing"],
    );
    // Below the folder, too, and by the nested folder's own start.
    check(
        &[
            ("s/CLAUDE.md", "x @gone.md"),
            ("s/.claude/rules/r.md", "---\npaths: s/f\n---\nR"),
            ("s/f", "x"),
        ],
        &["s/.claude/rules/r.md:2:1 rule-matches-nothing", "s/CLAUDE.md:1:3 import-missing"],
    );
}

#[test]
fn what_is_not_told_or_must_not_be_told_is_named() {
    let secret = format!("one\n\nkey {}\n", token());
    let large = "x".repeat(4 * 1024 * 1024 + 1);
    let sentence = "Run make test before every commit and never push to main without a review.";
    let place = Place::new(&[
        ("CLAUDE.md", sentence),
        ("AGENTS.md", "Others."),
        ("CLAUDE.local.md", &secret),
        (".claude/rules/big.md", &large),
        (".claude/rules/hidden.md", "a\u{202e}b"),
    ]);
    let memory = place.run(&["where"]).out.lines().next().unwrap().to_owned();
    let team = Path::new(&memory).join("team");
    fs::create_dir_all(&team).unwrap();
    let copy = format!("---\nname: tests\ndescription: d\ntype: project\n---\n{sentence}\n");
    fs::write(team.join("tests.md"), copy).unwrap();
    fs::write(Path::new(&memory).join("MEMORY.md"), "- x\n".repeat(201)).unwrap();
    let found = problems(&place);
    let names: Vec<&str> = found.iter().map(|line| line.rsplit(' ').next().unwrap()).collect();
    for rule in ["file-cut", "memory-repeats", "file-too-large", "hidden-text", "agents-shadowed"] {
        assert!(names.contains(&rule), "{rule}: {found:?}");
    }
    assert_eq!(
        found.iter().filter(|line| line.starts_with("CLAUDE.local.md:3:5 ")).count(),
        1,
        "{found:?}"
    );
    for format in ["human", "json", "sarif", "github"] {
        let said = place.run(&["instructions", "check", "--format", format]);
        assert_eq!(said.exit, 1, "{format}");
        assert!(!said.out.contains(&token()[..12]) && said.out.contains("hidden-text"), "{format}");
        assert!(!said.out.contains('\u{202e}'), "{format}");
    }
    let github = place.run(&["instructions", "check", "--format", "github"]).out;
    assert!(
        github.contains("::error file=.claude/rules/hidden.md,line=1,col=2,title=hidden-text::")
    );
    let sarif = place.json(&["instructions", "check"]);
    assert!(sarif["problems"].is_array());
}

#[test]
fn a_project_of_many_files_is_walked_once_and_ends() {
    let place = Place::new(&[
        ("CLAUDE.md", "x"),
        (".claude/rules/a.md", "---\npaths: d7/f3.rs\n---\nR"),
        (".claude/rules/b.md", "---\npaths: never.rs\n---\nR"),
        (".gitignore", "ignored\n"),
        ("ignored/never.rs", "x"),
    ]);
    for folder in 0..20 {
        for file in 0..50 {
            place.write(&format!("d{folder}/f{file}.rs"), "x");
        }
    }
    std::os::unix::fs::symlink(".", place.at("d1/loop")).unwrap();
    let began = Instant::now();
    assert_eq!(problems(&place), [".claude/rules/b.md:2:1 rule-matches-nothing"]);
    assert!(began.elapsed() < Duration::from_secs(20));
}
