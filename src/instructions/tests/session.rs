//! What a session is told, one test per layout that was measured: order, imports, links, agents' files.
//! Border: tests of `session`, over files that are a table.

use super::*;
use crate::instructions::exclude::Excludes;
use crate::instructions::table::{Table, around, at, check, left, loaded};

#[test]
fn the_order_is_the_clients() {
    check(
        &[
            ("/etc/cc/CLAUDE.md", "M"),
            ("/etc/cc/.claude/rules/r.md", "MR"),
            ("~/.claude/CLAUDE.md", "U @i.md"),
            ("~/.claude/i.md", "UI"),
            ("~/.claude/rules/b.md", "UR"),
            ("/w/CLAUDE.md", "PA"),
            ("/w/.claude/CLAUDE.md", "PD"),
            ("/w/.claude/rules/r.md", "PR"),
            ("/w/CLAUDE.local.md", "PL"),
            ("CLAUDE.md", "A @a.md and @b.md"),
            ("a.md", "a @sub/c.md"),
            ("b.md", "b"),
            ("sub/c.md", "c"),
            (".claude/CLAUDE.md", "D @x.md"),
            (".claude/x.md", "x"),
            (".claude/rules/z.md", "R"),
            ("CLAUDE.local.md", "L @l.md"),
            ("l.md", "l"),
            ("~/m/MEMORY.md", "- [x](x.md) @a.md"),
            ("AGENTS.md", "G"),
            ("sub/CLAUDE.md", "S"),
        ],
        &[
            "/etc/cc/CLAUDE.md",
            "/etc/cc/.claude/rules/r.md",
            "~/.claude/CLAUDE.md",
            "~/.claude/i.md",
            "~/.claude/rules/b.md",
            "/w/CLAUDE.md",
            "/w/.claude/CLAUDE.md",
            "/w/.claude/rules/r.md",
            "/w/CLAUDE.local.md",
            "CLAUDE.md",
            "a.md",
            "sub/c.md",
            "b.md",
            ".claude/CLAUDE.md",
            ".claude/x.md",
            ".claude/rules/z.md",
            "CLAUDE.local.md",
            "l.md",
            "~/m/MEMORY.md",
        ],
    );
}

#[test]
fn four_hops_load_and_the_fifth_does_not() {
    let chain = [
        ("CLAUDE.md", "@a.md\n@d.md"),
        ("a.md", "A @b.md"),
        ("b.md", "B @c.md"),
        ("c.md", "C @d.md"),
        ("d.md", "D @e.md"),
        ("e.md", "E"),
    ];
    check(&chain, &["CLAUDE.md", "a.md", "b.md", "c.md", "d.md"]);
    assert_eq!(left(&chain, &around()), [("e.md".to_owned(), State::TooDeep(4))]);
}

#[test]
fn a_file_is_told_once_and_cycles_end() {
    check(
        &[("CLAUDE.md", "@a.md"), ("a.md", "@b.md @CLAUDE.md"), ("b.md", "@a.md @b.md")],
        &["CLAUDE.md", "a.md", "b.md"],
    );
    check(
        &[("CLAUDE.md", "@b.md @a.md @./b.md @x/../a.md"), ("a.md", "A @b.md"), ("b.md", "B")],
        &["CLAUDE.md", "b.md", "a.md"],
    );
    check(
        &[("CLAUDE.md", "@CLAUDE.local.md"), ("CLAUDE.local.md", "L"), (".claude/CLAUDE.md", "D")],
        &["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"],
    );
}

#[test]
fn a_circle_of_a_thousand_files_ends() {
    let names: Vec<String> = (0..1_000).map(|n| format!("f{n}.md")).collect();
    let texts: Vec<String> = (0..1_000)
        .map(|n| format!("@f{}.md @f{}.md x", (n + 1) % 1_000, (n * 7 + 3) % 1_000))
        .collect();
    let mut files: Vec<(&str, &str)> =
        names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let all: String = (0..1_000).map(|n| format!("@f{n}.md\n")).collect();
    files.push(("CLAUDE.md", &all));
    assert_eq!(loaded(&Table::of(&files), &around(), &[]).len(), 1_001);
}

#[test]
fn imports_stay_below_the_folder_unless_they_are_the_persons_own() {
    let files = [
        ("CLAUDE.md", "@../o.md @~/h.md @in.md @/w/p/abs.md"),
        ("in.md", "I"),
        ("abs.md", "A"),
        ("/w/o.md", "O @../o2.md"),
        ("/o2.md", "O2"),
        ("~/h.md", "H"),
        ("~/.claude/CLAUDE.md", "U @~/h2.md @../h3.md"),
        ("~/h2.md", "H2"),
        ("~/h3.md", "H3"),
        ("/etc/cc/CLAUDE.md", "M @m.md"),
        ("/etc/cc/m.md", "MI"),
    ];
    let mine = ["~/.claude/CLAUDE.md", "~/h2.md", "~/h3.md"];
    let inside = ["CLAUDE.md", "in.md", "abs.md"];
    check(&files, &[&["/etc/cc/CLAUDE.md"], &mine[..], &inside].concat());
    let approved = Surroundings { may_reach_outside: true, ..around() };
    let expected = [
        &["/etc/cc/CLAUDE.md", "/etc/cc/m.md"],
        &mine[..],
        &["CLAUDE.md", "/w/o.md", "/o2.md", "~/h.md", "in.md", "abs.md"],
    ];
    assert_eq!(loaded(&Table::of(&files), &approved, &[]), expected.concat());
    check(
        &[("/w/CLAUDE.md", "@o.md @p/in.md"), ("/w/o.md", "O"), ("in.md", "I")],
        &["/w/CLAUDE.md", "in.md"],
    );
    // The folder counts, not the repository around it.
    let below = Surroundings { folder: PathBuf::from("/w/p/s"), ..around() };
    let files =
        [("CLAUDE.md", "@s/z.md"), ("s/z.md", "Z"), ("s/CLAUDE.md", "@../o.md"), ("o.md", "O")];
    assert_eq!(loaded(&Table::of(&files), &below, &[]), ["CLAUDE.md", "s/z.md", "s/CLAUDE.md"]);
    assert_eq!(left(&files, &below), [("o.md".to_owned(), State::Outside)]);
}

#[test]
fn links_are_followed_as_far_as_the_client_follows_them() {
    check(&[("CLAUDE.md", "@l.md x"), ("l.md", "-> ../o.md"), ("/w/o.md", "O")], &["CLAUDE.md"]);
    check(
        &[("CLAUDE.md", "@l.md @t.md"), ("l.md", "-> t.md"), ("t.md", "T")],
        &["CLAUDE.md", "l.md"],
    );
    check(&[("CLAUDE.md", "-> ../o.md"), ("/w/o.md", "O")], &["CLAUDE.md"]);
    // Relative imports start where the link leads.
    check(
        &[
            ("CLAUDE.md", "-> docs/c.md"),
            ("docs/c.md", "@d.md"),
            ("docs/d.md", "D"),
            ("d.md", "no"),
        ],
        &["CLAUDE.md", "docs/d.md"],
    );
    check(&[(".claude/rules", "-> r"), ("r/a.md", "A")], &["r/a.md"]);
    check(&[(".claude/rules", "-> ../r"), ("/w/r/a.md", "A")], &[]);
    check(&[(".claude/rules/a.md", "-> ../r/a.md"), ("/w/r/a.md", "A")], &[]);
    check(
        &[(".claude/rules/l", "-> .claude"), (".claude/rules/a.md", "A")],
        &[".claude/rules/a.md"],
    );
    check(
        &[(".claude", "-> dot"), ("dot/CLAUDE.md", "C"), ("dot/rules/r.md", "R")],
        &[".claude/CLAUDE.md", "dot/rules/r.md"],
    );
    check(
        &[
            ("~/.claude/rules/none.txt", "x"),
            ("~/.claude/rules/l.md", "-> ~/dot/r.md"),
            ("~/dot/r.md", "R"),
            ("~/.claude/rules/d", "-> ~/dot2"),
            ("~/dot2/q.md", "Q @w.md"),
            ("~/dot2/w.md", "W"),
        ],
        &["~/dot2/q.md", "~/dot2/w.md", "~/dot/r.md"],
    );
}

#[test]
fn agents_files_load_where_there_is_nothing_of_the_clients_own() {
    check(&[("AGENTS.md", "A @x.md"), ("x.md", "X")], &["AGENTS.md", "x.md"]);
    check(&[("AGENTS.md", "A"), (".claude/AGENTS.md", "B")], &["AGENTS.md", ".claude/AGENTS.md"]);
    check(&[("AGENTS.md", "A"), ("CLAUDE.md", "C")], &["CLAUDE.md"]);
    check(&[("AGENTS.md", "A"), (".claude/CLAUDE.md", "C")], &[".claude/CLAUDE.md"]);
    check(&[("AGENTS.md", "A"), ("CLAUDE.local.md", "L")], &["CLAUDE.local.md"]);
    check(&[("AGENTS.md", "A"), ("/w/CLAUDE.md", "C")], &["/w/CLAUDE.md"]);
    check(&[("CLAUDE.md", "A"), ("/w/AGENTS.md", "C")], &["CLAUDE.md"]);
    check(&[("AGENTS.md", "A"), ("CLAUDE.md", "")], &["AGENTS.md"]);
    check(&[("AGENTS.md", "A"), ("CLAUDE.md", "<!-- x -->")], &["AGENTS.md"]);
    check(&[("AGENTS.md", "A"), ("CLAUDE.md", "-> AGENTS.md")], &["CLAUDE.md"]);
    check(&[("AGENTS.md", "A"), ("CLAUDE.md", "@AGENTS.md")], &["CLAUDE.md", "AGENTS.md"]);
    check(
        &[("AGENTS.md", "A"), ("~/.claude/CLAUDE.md", "U"), ("~/.claude/AGENTS.md", "UA")],
        &["~/.claude/CLAUDE.md", "AGENTS.md"],
    );
    check(
        &[("AGENTS.md", "A"), ("AGENTS.local.md", "B"), ("AGENTS.override.md", "C")],
        &["AGENTS.md"],
    );
    check(
        &[
            ("/w/.claude/rules/r.md", "R"),
            ("/w/AGENTS.md", "A"),
            (".claude/rules/q.md", "Q"),
            ("AGENTS.md", "B"),
            ("~/m/MEMORY.md", "m"),
        ],
        &[
            "/w/.claude/rules/r.md",
            "/w/AGENTS.md",
            ".claude/rules/q.md",
            "AGENTS.md",
            "~/m/MEMORY.md",
        ],
    );
    let shadowed = State::Shadowed(at("CLAUDE.md"));
    let files = [("AGENTS.md", "A"), ("CLAUDE.md", "C")];
    assert_eq!(left(&files, &around()), [("AGENTS.md".to_owned(), shadowed)]);
}

#[test]
fn the_setting_for_project_instructions_is_followed() {
    let files = [
        ("CLAUDE.md", "A"),
        ("AGENTS.md", "B"),
        (".claude/AGENTS.md", "DB"),
        ("CLAUDE.local.md", "L"),
        (".claude/rules/r.md", "R"),
        ("/w/CLAUDE.md", "PA"),
        ("/w/AGENTS.md", "PB"),
        ("~/.claude/CLAUDE.md", "U"),
    ];
    let with = |foreign| loaded(&Table::of(&files), &Surroundings { foreign, ..around() }, &[]);
    let own = [
        "~/.claude/CLAUDE.md",
        "/w/CLAUDE.md",
        "CLAUDE.md",
        ".claude/rules/r.md",
        "CLAUDE.local.md",
    ];
    assert_eq!(with(Foreign::WhereNone), own);
    assert_eq!(with(Foreign::Never), own);
    assert_eq!(with(Foreign::ManagedOnly), [""; 0]);
    let beside =
        [&own[..2], &["/w/AGENTS.md"], &own[2..], &["AGENTS.md", ".claude/AGENTS.md"]].concat();
    assert_eq!(with(Foreign::Beside), beside);
}

#[test]
fn excludes_are_about_names_and_never_about_the_organisation() {
    let files = [
        ("/etc/cc/CLAUDE.md", "M"),
        ("~/.claude/CLAUDE.md", "U"),
        ("CLAUDE.md", "A @i.md"),
        ("i.md", "I @k.md"),
        ("k.md", "K"),
        (".claude/rules/r.md", "R"),
        ("~/m/MEMORY.md", "m"),
    ];
    let with = |patterns: &[&str]| {
        let excludes = Excludes::of(patterns.iter().copied());
        loaded(&Table::of(&files), &Surroundings { excludes, ..around() }, &[])
    };
    assert_eq!(with(&["**/*"]), ["/etc/cc/CLAUDE.md", "~/m/MEMORY.md"]);
    let expected = ["/etc/cc/CLAUDE.md", "~/.claude/CLAUDE.md", "CLAUDE.md", "~/m/MEMORY.md"];
    assert_eq!(with(&["**/i.md", "/w/p/.claude/rules/**"]), expected);
}
