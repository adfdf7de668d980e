//! Reconciliation: an index and its memories agree afterwards, and nothing else has moved.
//! Border: on values; the command that does it to a folder is `cli::index`.

use std::fs;
use std::sync::Arc;

use memsync::base::path::MemoryPath;
use memsync::memory::document::Document;
use memsync::memory::index::Index;
use memsync::memory::kind::Kind;
use memsync::memory::reconcile::{IndexChange, Reconciliation, reconcile};
use memsync::memory::snapshot::Snapshot;
use proptest::prelude::*;

use crate::index::real_indexes;

/// A folder of memories: path, kind and description; the name is the file stem.
fn folder(memories: &[(&str, Kind, &str)]) -> Snapshot {
    let memory = |(path, kind, description): &(&str, Kind, &str)| {
        let path = MemoryPath::parse(path).unwrap();
        let text = Document::compose(path.stem(), *kind, description, "Body\n");
        (path, Arc::from(text.into_bytes()))
    };
    memories.iter().map(memory).collect()
}

/// Reconciles and checks that doing it again changes nothing.
fn done(text: &str, files: &Snapshot) -> Reconciliation {
    let once = reconcile(&Index::parse(text), files);
    let again = reconcile(&Index::parse(&once.text), files);
    assert_eq!(again.text, once.text, "not idempotent for {text:?}");
    assert_eq!(again.changes, [], "not idempotent for {text:?}");
    assert_eq!(again.notes, once.notes);
    if once.changes.is_empty() {
        assert_eq!(once.text, text);
    }
    once
}

/// Changes as `+target`, `-target` and `=target`, each with its line.
fn shown(done: &Reconciliation) -> Vec<String> {
    let sign = |change: &IndexChange| match change {
        IndexChange::Added(_) => '+',
        IndexChange::Dropped(_) => '-',
        IndexChange::Folded(_) => '=',
    };
    let entry = |c: &IndexChange| format!("{}{}:{}", sign(c), c.entry().target, c.entry().line);
    done.changes.iter().map(entry).collect()
}

const A: (&str, Kind, &str) = ("a.md", Kind::Project, "first");
const B: (&str, Kind, &str) = ("b.md", Kind::Reference, "second");

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
fn an_entry_whose_file_is_gone_is_dropped_and_every_other_line_stays() {
    let table = [
        (
            "- [a](a.md)\n- [gone](gone.md) — x\n  - its child\n\n- [b](b.md)\nEnd",
            "- [a](a.md)\n\n- [b](b.md)\nEnd",
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
        (
            "## [gone](g.md)\ntext\n\n## [a](a.md)\ntext\n- [b](b.md)\n",
            "\n## [a](a.md)\ntext\n- [b](b.md)\n",
        ),
        ("- [A](A.md) — case\n- [a](a.md)\n- [b](b.md)\n", "- [a](a.md)\n- [b](b.md)\n"),
        ("- [a](a.md)\n- [old](old/)\n- [b](b.md)\n", "- [a](a.md)\n- [b](b.md)\n"),
    ];
    let files = folder(&[A, B]);
    for (text, expected) in table {
        let done = done(text, &files);
        assert_eq!(done.text, expected, "{text:?}");
        assert!(!done.changes.is_empty());
        assert!(done.changes.iter().all(|change| matches!(change, IndexChange::Dropped(_))));
    }
}

#[test]
fn what_cannot_be_cut_is_kept_and_noted() {
    let text = "- [gone](gone.md) — x\n  - [a](a.md) — nested\n  - [b](b.md)\n";
    let done = done(text, &folder(&[A, B]));
    assert_eq!(done.text, text);
    assert_eq!(done.notes[0].rule, "index-entry-kept");
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

#[test]
fn every_real_index_is_reconciled_with_all_other_lines_in_place() {
    let Some(cases) = real_indexes() else { return };
    for case in fs::read_dir(cases).unwrap() {
        let case = case.unwrap().path();
        let Ok(text) = fs::read_to_string(case.join("MEMORY.md")) else { continue };
        let index = Index::parse(&text);
        // With a file for every entry, and with none at all.
        let inside = |target: &&str| MemoryPath::parse(target).is_ok();
        let targets: Vec<&str> =
            index.entries().map(|e| e.target.as_str()).filter(inside).collect();
        let all: Vec<_> = targets.iter().map(|target| (*target, Kind::Project, "x")).collect();
        let unchanged = done(&text, &folder(&all));
        let added = unchanged.changes.iter().filter(|c| matches!(c, IndexChange::Added(_))).count();
        assert_eq!(added, 0, "{case:?}: {:?}", unchanged.changes);
        let emptied = done(&text, &Snapshot::default());
        assert_eq!(Index::parse(&emptied.text).other_lines(), index.other_lines(), "{case:?}");
    }
}

#[test]
fn twenty_thousand_entries_take_no_time() {
    let paths: Vec<String> = (0..20_000).map(|n| format!("note_{n:05}.md")).collect();
    let all: Vec<_> = paths.iter().map(|path| (path.as_str(), Kind::Project, "x")).collect();
    let files = folder(&all);
    let text = done("", &files).text;
    assert_eq!(Index::parse(&text).entries().count(), 20_000);
    assert_eq!(done(&text, &Snapshot::default()).text, "");
}

/// A line of an index, of any kind, over a few memories so that they meet.
fn line() -> impl Strategy<Value = String> {
    let target = prop::sample::select(vec![
        "a.md",
        "b.md",
        "c.md",
        "sub/d.md",
        "sub/",
        "gone.md",
        "gone/e.md",
        "../x.md",
        "<a b.md>",
        "a%20b.md",
        "MEMORY.md",
    ]);
    let shape = prop::sample::select(vec![
        "- [T](@) — hook",
        "* [T](@): hook",
        "  - [T](@)",
        "    - [T](@) — deep",
        "- [ ] [T](@)",
        "[T](@) — bare",
        "### [T](@)",
        "| [T](@) | x |",
        "- [T](@) · [U](a.md) — u",
        "- [T](@), [U](gone.md)",
        "- `@` — name",
        "1. [T](@)",
        "- [T](@) — wrapped",
        "- **[T](@)** — bold",
        "- [[T]] and @",
        "> - [T](@)",
        "-[T](@)",
        " - [T](@)",
        "\t- [T](@)",
        "• [T](@)",
    ]);
    let plain = prop::sample::select(vec![
        "",
        "",
        "# Index",
        "## Project",
        "## Reference",
        "text",
        "  indented",
        "- note",
        "  - child",
        "```",
        "~~~",
        "<!-- open",
        "close -->",
        "<!-- x -->",
        "---",
        "|F|W|",
        "|-|-|",
        "| x | y |",
        "    code",
        "key: value",
    ]);
    let eol = prop::sample::select(vec!["\n", "\n", "\n", "\r\n"]);
    let text = prop_oneof![3 => (shape, target).prop_map(|(s, t)| s.replace('@', t)), 2 => plain.prop_map(str::to_owned)];
    (text, eol).prop_map(|(text, eol)| text + eol)
}

fn generated() -> impl Strategy<Value = String> {
    (prop::collection::vec(line(), 0..14), any::<bool>()).prop_map(|(lines, cut)| {
        let text = lines.concat();
        if cut { text.trim_end().to_owned() } else { text }
    })
}

fn some_files() -> impl Strategy<Value = Snapshot> {
    let all = vec!["a.md", "b.md", "c.md", "sub/d.md", "a b.md", "é (1).md"];
    let description =
        prop_oneof!["\\PC{0,30}", Just("x · [b](b.md)".to_owned()), Just(": `--> |".to_owned())];
    (prop::sample::subsequence(all, 0..=6), description, any::<bool>()).prop_map(
        |(paths, description, project)| {
            let kind = if project { Kind::Project } else { Kind::User };
            folder(
                &paths.iter().map(|path| (*path, kind, description.as_str())).collect::<Vec<_>>(),
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn reconciling_twice_is_reconciling_once(text in prop_oneof![3 => generated(), 1 => any::<String>()], files in some_files()) {
        let done = done(&text, &files);
        let index = Index::parse(&done.text);
        let covers = |entry: &str, path: &str| entry == path || entry.strip_suffix('/').is_some_and(|f| path.starts_with(f));
        for (path, _) in files.memories() {
            prop_assert!(index.entries().any(|entry| covers(&entry.target, path.as_str())), "{} has no entry in {:?}", path, done.text);
        }
    }

    #[test]
    fn lines_that_need_no_change_keep_their_bytes_and_order(text in generated(), files in some_files()) {
        let before: Vec<String> = Index::parse(&text).blocks().iter()
            .filter(|block| block.entries.is_empty())
            .flat_map(|block| block.raw.lines().map(str::to_owned).collect::<Vec<_>>())
            .filter(|line| !line.trim().is_empty())
            .collect();
        let done = done(&text, &files);
        let mut after = done.text.lines();
        for line in before {
            prop_assert!(after.any(|kept| kept == line), "{:?} is lost in {:?}", line, done.text);
        }
    }

    #[test]
    fn any_text_is_read_and_given_back(text in prop_oneof![any::<String>(), generated()], bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for text in [text, String::from_utf8_lossy(&bytes).into_owned()] {
            let index = Index::parse(&text);
            prop_assert_eq!(index.render(), text.as_str());
            let lines = text.lines().count();
            let mut next = 1;
            for block in index.blocks() {
                prop_assert_eq!(block.line, next);
                next += block.raw.split_inclusive('\n').count();
                prop_assert!(block.entries.iter().all(|e| e.line >= block.line && e.line < next && e.line <= lines));
            }
        }
    }
}
