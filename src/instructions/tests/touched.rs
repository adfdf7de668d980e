//! What a touched file adds, what is left and said, how far the index is read; as it was measured.
//! Border: tests of `session`, over files that are a table.

use std::path::PathBuf;

use crate::instructions::around::Surroundings;
use crate::instructions::entry::State;
use crate::instructions::profile::SAMPLE;
use crate::instructions::session::session;
use crate::instructions::table::{Table, around, at, check, check_touched, left, loaded};

#[test]
fn a_rule_waits_for_its_files_and_what_it_imports_does_not() {
    let files = [
        ("CLAUDE.md", "---\npaths: never/**\n---\nC"),
        (".claude/rules/a.md", "---\npaths: src/**\n---\nA @../../i.md"),
        ("i.md", "I @j.md"),
        ("j.md", "J"),
        ("src/b", "x"),
    ];
    check(&files, &["CLAUDE.md", "i.md", "j.md"]);
    check_touched(&files, &["src/b"], &["CLAUDE.md", "i.md", "j.md", ".claude/rules/a.md"]);
    check_touched(&files, &["docs/b"], &["CLAUDE.md", "i.md", "j.md"]);
}

#[test]
fn a_touched_file_brings_what_is_above_it_and_what_matches_it() {
    let files = [
        ("CLAUDE.md", "A"),
        ("s/CLAUDE.md", "B @i.md"),
        ("s/i.md", "I"),
        ("s/.claude/CLAUDE.md", "C"),
        ("s/CLAUDE.local.md", "D"),
        ("s/.claude/rules/a.md", "RU"),
        ("s/.claude/rules/c.md", "---\npaths: t/**\n---\nRC"),
        ("s/.claude/rules/c2.md", "---\npaths: s/t/**\n---\nRC2"),
        ("s/t/CLAUDE.md", "E"),
        ("s/t/AGENTS.md", "no"),
        ("~/.claude/rules/cu.md", "---\npaths: s/**\n---\nCU"),
        (".claude/rules/p.md", "---\npaths: s/**\n---\nP"),
        ("/w/.claude/rules/up.md", "---\npaths: p/s/**\n---\nUP"),
        ("/w/.claude/rules/up2.md", "---\npaths: s/**\n---\nUP2"),
        ("/etc/cc/.claude/rules/m.md", "---\npaths: s/**\n---\nM"),
        ("~/m/MEMORY.md", "m"),
    ];
    let expected = [
        "CLAUDE.md",
        "~/m/MEMORY.md",
        "/etc/cc/.claude/rules/m.md",
        "~/.claude/rules/cu.md",
        "s/CLAUDE.md",
        "s/i.md",
        "s/.claude/CLAUDE.md",
        "s/CLAUDE.local.md",
        "s/.claude/rules/a.md",
        "s/.claude/rules/c.md",
        "s/t/CLAUDE.md",
        "/w/.claude/rules/up.md",
        "/w/.claude/rules/up2.md",
        ".claude/rules/p.md",
    ];
    check_touched(&files, &["s/t/f", "s/t/g"], &expected);
    check_touched(&files, &["/w/other/f"], &["CLAUDE.md", "~/m/MEMORY.md"]);
    let once = [("CLAUDE.md", "@src/CLAUDE.md"), ("src/CLAUDE.md", "S")];
    check_touched(&once, &["src/f"], &["CLAUDE.md", "src/CLAUDE.md"]);
}

#[test]
fn a_work_tree_inside_the_main_one_does_not_read_the_main_one_too() {
    let files = [
        ("/w/CLAUDE.md", "W"),
        ("CLAUDE.md", "A"),
        ("CLAUDE.local.md", "L"),
        (".claude/rules/r.md", "R"),
        (".claude/worktrees/w/CLAUDE.md", "A"),
        (".claude/worktrees/w/.claude/rules/r.md", "R"),
    ];
    let folder = at(".claude/worktrees/w");
    let nested = Some((at("."), folder.clone()));
    let around = Surroundings { folder, nested, ..around() };
    let expected = [
        "/w/CLAUDE.md",
        "CLAUDE.local.md",
        ".claude/worktrees/w/CLAUDE.md",
        ".claude/worktrees/w/.claude/rules/r.md",
    ];
    assert_eq!(loaded(&Table::of(&files), &around, &[]), expected);
}

#[test]
fn home_above_the_project_is_read_once() {
    let around = Surroundings { folder: PathBuf::from("/h/p"), ..around() };
    let files = [
        ("~/CLAUDE.md", "HC"),
        ("~/.claude/CLAUDE.md", "U"),
        ("~/.claude/rules/r.md", "R"),
        ("~/p/CLAUDE.md", "P"),
    ];
    let expected = ["~/.claude/CLAUDE.md", "~/.claude/rules/r.md", "~/CLAUDE.md", "~/p/CLAUDE.md"];
    assert_eq!(loaded(&Table::of(&files), &around, &[]), expected);
    let nobody = Surroundings { user: None, home: None, ..around };
    assert_eq!(
        loaded(&Table::of(&files), &nobody, &[]),
        ["~/CLAUDE.md", "~/.claude/CLAUDE.md", "~/.claude/rules/r.md", "~/p/CLAUDE.md"]
    );
}

#[test]
fn what_is_no_text_or_too_large_is_left_and_said() {
    let large = "x".repeat(4 * 1024 * 1024 + 1);
    let files = [
        ("CLAUDE.md", "@a.png @b.json @Makefile @big.md @gone.md @param @c.MD @dir"),
        ("a.png", "P"),
        ("b.json", "{}"),
        ("Makefile", "m"),
        ("big.md", large.as_str()),
        ("c.MD", "C"),
        ("dir/x.md", "X"),
    ];
    check(&files, &["CLAUDE.md", "b.json", "Makefile", "c.MD"]);
    let expected = [
        ("a.png", State::NotText),
        ("big.md", State::TooLarge(4 * 1024 * 1024)),
        ("gone.md", State::Missing),
        ("dir", State::NoFile),
    ];
    assert_eq!(left(&files, &around()), expected.map(|(name, state)| (name.to_owned(), state)));
}

#[test]
fn the_memory_index_is_cut_at_whole_lines() {
    let lines = |count: usize, text: &str| -> String {
        (0..count).map(|n| format!("- e{n} {text}\n")).collect()
    };
    for (text, kept, is_cut) in [
        (lines(203, "x"), 200, true),
        (lines(200, "x"), 200, false),
        (lines(150, &"é".repeat(200)), 120, true),
        (lines(250, &"x".repeat(150)), 158, true),
        (format!("- a\n{}\n- b\n", "x".repeat(26_000)), 1, true),
        (format!("---\nx: y\n---\n<!-- c -->\n{}", lines(200, "<!-- i -->")), 200, false),
    ] {
        let entries = session(&Table::of(&[("~/m/MEMORY.md", &text)]), &SAMPLE, &around(), &[]);
        assert_eq!(entries[0].told.lines().count(), kept);
        assert_eq!(entries[0].cut.is_some(), is_cut, "{kept}");
    }
}
