//! What comes, what goes and what stays, line by line.
//! Border: tables; laws are `laws`.

use memsync::base::path::MemoryPath;
use memsync::memory::document::Document;
use memsync::memory::index::Index;
use memsync::memory::kind::Kind;
use memsync::memory::reconcile::IndexChange;
use memsync::memory::snapshot::Snapshot;

use super::{A, B, between, done, done_since, folder, shown};

#[test]
fn a_memory_without_entry_gets_one_in_the_style_of_the_index() {
    let table = [
        ("", "- [a](a.md) — first\n- [b](b.md) — second\n"),
        ("# Index", "# Index\n\n- [a](a.md) — first\n- [b](b.md) — second\n"),
        ("# Index\n* [b](b.md): x\n", "# Index\n* [b](b.md): x\n* [a](a.md): first\n"),
        ("+ [b](b.md) - x", "+ [b](b.md) - x\n+ [a](a.md) - first\n"),
        (
            "# I\r\n- [b](b.md) – x\r\n\r\nEnd\r\n",
            "# I\r\n- [b](b.md) – x\r\n- [a](a.md) – first\r\n\r\nEnd\r\n",
        ),
        (
            "- [b](b.md) — x\n  - child\n\n  more\nEnd\n",
            "- [b](b.md) — x\n  - child\n\n  more\n- [a](a.md) — first\nEnd\n",
        ),
        ("|F|W|\n|-|-|\n|b.md|x|\n", "|F|W|\n|-|-|\n|b.md|x|\n\n- [a](a.md) — first\n"),
        (
            "- Group\n  - [b](b.md) — x\n  - note\n",
            "- Group\n  - [b](b.md) — x\n  - [a](a.md) — first\n  - note\n",
        ),
        ("Only prose", "Only prose\n\n- [a](a.md) — first\n- [b](b.md) — second\n"),
        ("```\n- [a](a.md)\n", "```\n- [a](a.md)\n- [b](b.md) — second\n"),
        (
            "<!-- never closed\n- [a](a.md)\n",
            "<!-- never closed\n- [a](a.md)\n- [b](b.md) — second\n",
        ),
    ];
    let files = folder(&[A, B]);
    for (text, expected) in table {
        assert_eq!(done(text, &files).text, expected, "{text:?}");
    }
}

#[test]
fn a_new_entry_goes_to_the_section_of_its_kind() {
    let text = "# Memory\n\n## User\n_None yet._\n\n## Projects\n- [x](x.md) — x\n\nNote\n\n## Reference memories\n\n## Other\nEnd\n";
    let files = folder(&[
        A,
        B,
        ("u.md", Kind::User, "third"),
        ("f.md", Kind::Feedback, "fourth"),
        ("x.md", Kind::Project, "x"),
    ]);
    let expected = "# Memory\n\n## User\n_None yet._\n- [u](u.md) — third\n\n## Projects\n- [x](x.md) — x\n- [a](a.md) — first\n- [f](f.md) — fourth\n\nNote\n\n## Reference memories\n- [b](b.md) — second\n\n## Other\nEnd\n";
    let done = done(text, &files);
    assert_eq!(done.text, expected);
    assert_eq!(shown(&done), ["+a.md:9", "+b.md:15", "+f.md:10", "+u.md:5"]);
}

#[test]
fn an_entry_goes_with_its_deleted_memory_and_every_other_line_stays() {
    let table = [
        (
            "- [a](a.md)\n- [gone](gone.md) — x\n\n- [b](b.md)\nEnd",
            "- [a](a.md)\n\n- [b](b.md)\nEnd",
        ),
        (
            "- [gone](g.md) — x\n  that goes on\n- [a](a.md)\n- [b](b.md)\n",
            "- [a](a.md)\n- [b](b.md)\n",
        ),
        ("- [a](a.md) · [gone](gone.md) · [b](b.md)\n", "- [a](a.md) · [b](b.md)\n"),
        ("- [gone](gone.md) — g · [a](a.md) · [b](b.md) — b\n", "- [a](a.md) · [b](b.md) — b\n"),
        ("- [gone](g.md) · [a](a.md) · [gone](h.md) · [b](b.md)\n", "- [a](a.md) · [b](b.md)\n"),
        (
            "- [a](a.md)\n  - [gone](g.md) — x\n    deeper\n  - [b](b.md)\n",
            "- [a](a.md)\n  - [b](b.md)\n",
        ),
        (
            "|F|\n|-|\n|[a](a.md)|\n|[g](g.md)|\n|[b](b.md)|\n",
            "|F|\n|-|\n|[a](a.md)|\n|[b](b.md)|\n",
        ),
        ("- [a](a.md)\n- [old](old/)\n- [b](b.md)\n", "- [a](a.md)\n- [b](b.md)\n"),
        ("- [a](./a.md)\n- [g](team/g.md)\n- [b](b.md)\n", "- [a](./a.md)\n- [b](b.md)\n"),
        ("- `g.md` — x\n- [[g]]\n- [a](a.md)\n- [b](b.md)\n", "- [a](a.md)\n- [b](b.md)\n"),
    ];
    let gone = ["gone.md", "g.md", "h.md", "old/x.md"].map(|path| (path, Kind::Project, "gone"));
    let before = folder(&[&[A, B][..], &gone[..]].concat());
    let files = folder(&[A, B]);
    let since = between(&before, &files, &[]);
    for (text, expected) in table {
        let done = done_since(text, &since, &files);
        assert_eq!(done.text, expected, "{text:?}");
        assert!(!done.changes.is_empty());
        assert!(done.changes.iter().all(|change| matches!(change, IndexChange::Dropped(_))));
        assert_eq!(done.removed.len(), done.changes.len(), "what goes can be put back");
    }
}

#[test]
fn lines_that_are_somebodys_own_keep_the_entry_above_them_and_are_named() {
    let gone = ("gone.md", Kind::Project, "x");
    let before = folder(&[A, B, gone]);
    let files = folder(&[A, B]);
    let since = between(&before, &files, &[]);
    for text in [
        "- [gone](gone.md) — x\n  - its child\n- [a](a.md)\n- [b](b.md)\n",
        "- [gone](gone.md) — x\n\n  a paragraph of it\n- [a](a.md)\n- [b](b.md)\n",
        "- [gone](gone.md) — x\nNote: n.\n  - [a](a.md)\n- [b](b.md)\n",
        "## [gone](gone.md)\ntext\n\n- [a](a.md)\n- [b](b.md)\n",
        "## [gone](gone.md)\n- [a](a.md)\n- [b](b.md)\n",
        "- [gone](gone.md) — x\n  - [a](a.md) — nested\n  - [b](b.md)\n",
    ] {
        let done = done_since(text, &since, &files);
        assert_eq!(done.text, text);
        assert_eq!(done.notes[0].rule, "index-entry-kept", "{text:?}");
    }
}

#[test]
fn a_line_below_an_entry_without_indentation_stays_when_the_entry_goes() {
    let before = folder(&[A, B, ("gone.md", Kind::Project, "x")]);
    let files = folder(&[A, B]);
    let since = between(&before, &files, &[]);
    let table = [
        (
            "- [gone](gone.md) — x\nNote: n.\n\n- [a](a.md)\n- [b](b.md)\n",
            "Note: n.\n\n- [a](a.md)\n- [b](b.md)\n",
        ),
        (
            "- [a](a.md)\n- [gone](gone.md) — x\n  y\nNote: n.\n- [b](b.md)\n",
            "- [a](a.md)\n\nNote: n.\n- [b](b.md)\n",
        ),
        (
            "# M\n- [gone](gone.md) — x\r\nNote: n.\r\n- [a](a.md)\r\n- [b](b.md)\r\n",
            "# M\nNote: n.\r\n- [a](a.md)\r\n- [b](b.md)\r\n",
        ),
    ];
    for (text, expected) in table {
        let done = done_since(text, &since, &files);
        assert_eq!(done.text, expected);
        assert_eq!(done.removed.len(), 1);
        assert!(!done.removed[0].text.contains("Note"), "{:?}", done.removed);
    }
}

#[test]
fn what_never_was_there_stays_and_is_noted_where_it_is_a_link() {
    let text = "# M\n\n- [A](a.md) — da\n- [B](b.md)\n\n## Known drift\n\
        - `docs/state.md` — lists states\n- `CLAUDE.md` — short\n\n### [gone](gone.md)\n\
        **Type**: feedback\n\n- step one\n\n## Later\n1. [Later](later.md) — soon\n\
        - [ ] [Task](task.md) — to do\n- [Later](later.md) — soon\n- [Doc](docs/design.md) — in code\n\
        - [[:space:]] is a class\n- [[not written yet]]\n| [x](x.md) | row |\n- [none](none/)\n";
    let done = done(text, &folder(&[A, B]));
    assert_eq!(done.text, text);
    let [note] = &done.notes[..] else { panic!("{:?}", done.notes) };
    assert_eq!((note.rule, note.position.unwrap().line), ("index-dangling", 10));
    assert!(note.message.contains("`gone.md`, `later.md`, `task.md`"), "{}", note.message);
    assert!(note.message.ends_with("more") && !note.message.contains("CLAUDE"), "{}", note.message);
}

#[test]
fn links_that_are_no_memory_of_this_folder_are_kept() {
    let lines = [
        "../x.md",
        "~/x.md",
        "/srv/x.md",
        "C:\\x.md",
        "..\\x.md",
        "sub/../../x.md",
        "MEMORY.md",
        "README.md",
        "sub/",
        "../../loft/",
        "https://example.invalid/x.md",
    ];
    let text: String = lines.iter().map(|target| format!("- [x]({target}) — kept\n")).collect();
    let text = text + "- [in sub](sub/c.md)\n- [[named]]\n- [nfd](cafe\u{301}.md)\n";
    let mut files =
        folder(&[("sub/c.md", Kind::Project, "x"), ("caf\u{e9}.md", Kind::Project, "x")]);
    let named = Document::compose("named", Kind::Project, "by its name", "");
    files.insert(MemoryPath::parse("project_named.md").unwrap(), named.into_bytes());
    files.insert(MemoryPath::parse("README.md").unwrap(), b"For people".to_vec());
    files.insert(MemoryPath::parse(".memsync/policy.yaml").unwrap(), b"format: 1".to_vec());
    assert_eq!(shown(&done(&text, &files)), Vec::<String>::new());
}

#[test]
fn identical_duplicates_fold_and_different_ones_are_noted() {
    let files = folder(&[A, B]);
    let folded = done(
        "- [a](a.md) — x\n* [a](a.md) — x  \n- [b](b.md)\n- [b](b.md) · [a](a.md) — x\n",
        &files,
    );
    assert_eq!(folded.text, "- [a](a.md) — x\n- [b](b.md)\n");
    assert_eq!(shown(&folded), ["=a.md:2", "=b.md:4", "=a.md:4"]);
    let text = "- [a](a.md) — x\n- [a](a.md) — y\n- [x] [b](b.md)\n- [ ] [b](b.md)\n- [a](a.md) — x\n  - more\n";
    let noted = done(text, &files);
    assert_eq!(noted.text, text);
    let notes: Vec<&str> = noted.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(
        notes,
        [
            "`a.md` has 3 different entries, in lines 1, 2, 5",
            "`b.md` has 2 different entries, in lines 3, 4"
        ]
    );
}

#[test]
fn titles_hooks_and_targets_read_back_whatever_they_hold() {
    let long = "word ".repeat(60);
    let table = [
        (
            "a b (c).md",
            "[x] \\ `y",
            "- see · [b](b.md) --> end",
            "[\\[x\\] \\\\ \\`y](<a b (c).md>) — - see · \\[b](b.md) --&gt; end",
        ),
        ("a.md", "two\nlines\u{202E}", "tab\there", "[two lines](a.md) — tab here"),
        ("a.md", "t", &long, &format!("[t](a.md) — {}…", long[..150 - 1].trim_end())),
        ("a.md", "t", &"部".repeat(200), &format!("[t](a.md) — {}…", "部".repeat(149))),
    ];
    for (path, name, description, expected) in table {
        let mut files = Snapshot::default();
        let text = Document::compose(name, Kind::Project, description, "");
        files.insert(MemoryPath::parse(path).unwrap(), text.into_bytes());
        let done = done("", &files);
        assert_eq!(done.text, format!("- {expected}\n"));
        assert_eq!(Index::parse(&done.text).entries().next().unwrap(), done.changes[0].entry());
    }
}

#[test]
fn a_memory_that_cannot_be_read_still_gets_an_entry() {
    let mut files = Snapshot::default();
    files.insert(MemoryPath::parse("bad-yaml.md").unwrap(), b"---\nname: a: b\n---\n".to_vec());
    files.insert(MemoryPath::parse("no-utf8.md").unwrap(), vec![0xFF, 0xFE]);
    assert_eq!(done("", &files).text, "- [bad-yaml](bad-yaml.md)\n- [no-utf8](no-utf8.md)\n");
}
