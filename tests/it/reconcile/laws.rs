//! Laws over generated and real indexes: idempotent, nothing else goes or moves, no time lost.
//! Border: tables are `rule` and `follow`.

use std::fs;

use memsync::base::path::MemoryPath;
use memsync::memory::index::Index;
use memsync::memory::kind::Kind;
use memsync::memory::reconcile::{IndexChange, is_quiet_edit};
use memsync::memory::snapshot::Snapshot;
use proptest::prelude::*;

use super::{assert_no_other_line_moved, between, done, done_since, folder};
use crate::index::real_indexes;

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
        assert_eq!(
            done(&text, &Snapshot::default()).text,
            text,
            "{case:?}: nothing was ever there"
        );
        let all = folder(&all);
        let since = between(&all, &Snapshot::default(), &[]);
        let emptied = done_since(&text, &since, &Snapshot::default());
        assert_no_other_line_moved(&text, &emptied.text);
    }
}

#[test]
fn twenty_thousand_entries_take_no_time() {
    let paths: Vec<String> = (0..20_000).map(|n| format!("note_{n:05}.md")).collect();
    let all: Vec<_> = paths.iter().map(|path| (path.as_str(), Kind::Project, "x")).collect();
    let files = folder(&all);
    let text = done("", &files).text;
    assert_eq!(Index::parse(&text).entries().count(), 20_000);
    let none = Snapshot::default();
    assert_eq!(done_since(&text, &between(&files, &none, &[]), &none).text, "");
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

/// A memory whose body names some of the others.
fn linking(path: &str, description: &str, body: &str) -> Vec<u8> {
    let stem = MemoryPath::parse(path).unwrap().stem().to_owned();
    let text = format!("---\nname: {stem}\ndescription: {description}\n---\n{body}");
    text.into_bytes()
}

fn body() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        3 => Just("Words.\n"),
        1 => Just("See [b](b.md).\n"),
        1 => Just("And [[c]].\n"),
        1 => Just("```\n[d](sub/d.md)\n```\n"),
    ];
    prop::collection::vec(line, 0..4).prop_map(|lines| lines.concat())
}

#[test]
fn an_edit_is_quiet_only_when_no_index_could_say_it() {
    let was = linking("a.md", "What a says", "Words, and [b](b.md).\n");
    for (description, body, is_quiet) in [
        ("What a says", "Other words, and [the b](./b.md).\n", true),
        ("What a says", "Words.\n", false),
        ("What a says", "Words, and [b](b.md), [[c]].\n", false),
        ("What a says now", "Words, and [b](b.md).\n", false),
    ] {
        let now = linking("a.md", description, body);
        assert_eq!(is_quiet_edit(&was, &now), is_quiet, "{description} {body}");
    }
    let renamed = linking("b.md", "What a says", "Words, and [b](b.md).\n");
    assert!(!is_quiet_edit(&was, &renamed), "a wiki link means a memory by its name");
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
    fn every_memory_is_reached_and_a_second_run_changes_nothing(
        text in prop_oneof![3 => generated(), 1 => any::<String>()], before in some_files(), files in some_files()
    ) {
        let done = done_since(&text, &between(&before, &files, &[]), &files);
        let named = memsync::memory::index::mentions(&done.text);
        let index = Index::parse(&done.text);
        let named: Vec<&str> = named.iter().map(|m| m.target.as_str()).chain(index.entries().map(|e| e.target.as_str())).collect();
        let covers = |target: &str, path: &str| target == path || target.strip_suffix('/').is_some_and(|f| path.starts_with(f));
        // No memory of these links another.
        for (path, _) in files.memories() {
            prop_assert!(named.iter().any(|target| covers(target, path.as_str())), "{} is not named in {:?}", path, done.text);
        }
    }

    #[test]
    fn an_entry_goes_only_with_its_memory_and_nothing_else_goes_or_moves(
        text in generated(), before in some_files(), files in some_files()
    ) {
        let done = done_since(&text, &between(&before, &files, &[]), &files);
        let is_in = |files: &Snapshot, target: &str| {
            files.iter().any(|(path, _)| path.as_str() == target || target.strip_suffix('/').is_some_and(|f| path.as_str().starts_with(f)))
        };
        for change in &done.changes {
            if let IndexChange::Dropped(entry) = change {
                prop_assert!(is_in(&before, &entry.target) && !is_in(&files, &entry.target), "{:?}", change);
            }
        }
        assert_no_other_line_moved(&text, &done.text);
        // Without history nothing goes but what stands twice.
        let kept = self::done(&text, &files);
        prop_assert!(kept.changes.iter().all(|c| matches!(c, IndexChange::Added(_) | IndexChange::Folded(_))));
    }

    #[test]
    fn a_quiet_edit_leaves_an_index_that_was_in_line_as_it_is(
        text in generated(), before in body(), after in body(), beside in body(), description in "[a-z ]{0,5}", now in "[a-z ]{0,2}",
    ) {
        let all = |body: &str, description: &str| -> Snapshot {
            let file = |path: &str, body: &str| (MemoryPath::parse(path).unwrap(), linking(path, description, body).into());
            [file("a.md", body), file("b.md", &beside), file("c.md", ""), file("sub/d.md", "")].into_iter().collect()
        };
        let files = all(&before, &description);
        let index = done(&text, &files).text;
        let description = if now.is_empty() { description } else { now };
        let edited = all(&after, &description);
        let path = MemoryPath::parse("a.md").unwrap();
        let mut only = files.clone();
        only.insert(path.clone(), edited.get(&path).unwrap().clone());
        if is_quiet_edit(files.get(&path).unwrap(), only.get(&path).unwrap()) {
            prop_assert_eq!(done_since(&index, &between(&files, &only, &[]), &only).text, index);
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
