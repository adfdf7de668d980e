//! Ways to a memory, and entries that follow it.
//! Border: tables; laws are `laws`.

use memsync::base::path::MemoryPath;
use memsync::memory::document::Document;
use memsync::memory::index::Index;
use memsync::memory::kind::Kind;
use memsync::memory::reconcile::{Setting, Since, reconcile};

use super::{A, B, between, done, done_since, folder, shown};

#[test]
fn a_memory_that_anything_leads_to_needs_no_entry() {
    let hub = "---\nname: hub\ndescription: d\ntype: project\n---\nSee [b](b.md) and [[named]].\n";
    let beside =
        "---\nname: beside\ndescription: d\ntype: project\n---\n[c](./c.md), [up](../a.md)\n";
    let mut files =
        folder(&[A, B, ("sub/c.md", Kind::Project, "x"), ("other.md", Kind::Project, "x")]);
    let named = Document::compose("named", Kind::Project, "by its name", "");
    for (path, text) in [("hub.md", hub), ("sub/beside.md", beside), ("project_named.md", &named)] {
        files.insert(MemoryPath::parse(path).unwrap(), text.as_bytes().to_vec());
    }
    for text in [
        "Read [the hub](hub.md) and `sub/beside.md`, then [o](other.md).\n",
        "| a | [[hub]] |\n\n> [x](team/sub/beside.md) or [y][o]\n\n[o]: other.md\n",
        "- note about [hub](hub.md), [beside](sub/beside.md)\n  - child [o](./other.md#part)\n",
    ] {
        let done = done(text, &files);
        assert_eq!(done.text, text, "{:?}", done.changes);
    }
    // A fence and a comment lead nowhere.
    let text = "```\n[hub](hub.md)\n```\n<!-- [o](other.md) -->\n[c](sub/beside.md)\n";
    assert_eq!(
        shown(&done(text, &files)),
        ["+b.md:6", "+hub.md:7", "+other.md:8", "+project_named.md:9"]
    );
}

#[test]
fn two_hundred_memories_behind_a_hub_get_no_entries() {
    let paths: Vec<String> = (0..240).map(|n| format!("d{n}.md")).collect();
    let links: String = paths.iter().map(|path| format!("- [D]({path}) — deploy\n")).collect();
    let all: Vec<_> = paths.iter().map(|path| (path.as_str(), Kind::Project, "x")).collect();
    let mut files = folder(&all);
    let hub = Document::compose("Deploys", Kind::Reference, "hub", &links);
    files.insert(MemoryPath::parse("deploys.md").unwrap(), hub.into_bytes());
    let text = "# Memory\n\n- [Deploys](deploys.md) — hub of all\n";
    assert_eq!(done(text, &files).text, text);
}

#[test]
fn targets_written_from_above_the_folder_mean_its_files() {
    let files =
        folder(&[("modules/serial.md", Kind::Project, "s"), ("rules.md", Kind::Project, "r")]);
    let since = Since::default();
    let table = [
        (".memory", "| Serial | `.memory/modules/serial.md` | x |\n\n- `.memory/rules.md` — 12\n"),
        ("", "- [s](memory/modules/serial.md)\n- [r](team/rules.md)\n"),
        ("home/kb/notes", "- [s](notes/modules/serial.md)\n- [r](kb/notes/rules.md)\n"),
    ];
    for (own, text) in table {
        let setting = Setting { own, ..Setting::of(&files, &since) };
        assert_eq!(reconcile(&Index::parse(text), &setting).changes, [], "{text:?}");
    }
    let other = "- [s](other/modules/serial.md)\n- [r](rules.md)\n";
    assert_eq!(shown(&done(other, &files)), ["+modules/serial.md:3"]);
}

#[test]
fn a_hook_follows_the_description_until_somebody_writes_it_over() {
    let before = folder(&[("a.md", Kind::Project, "port is 5432"), B]);
    let after = folder(&[("a.md", Kind::Project, "port is 5433"), B]);
    let since = between(&before, &after, &[]);
    let table = [
        ("- [a](a.md) — port is 5432\n- [b](b.md)\n", "- [a](a.md) — port is 5433\n- [b](b.md)\n"),
        (
            "- [b](b.md)\n* **[Mine](a.md): port is 5432**\n",
            "- [b](b.md)\n* **[Mine](a.md): port is 5433**\n",
        ),
        (
            "| [a](a.md) | port is 5432 |\n- [b](b.md)\n",
            "| [a](a.md) | port is 5433 |\n- [b](b.md)\n",
        ),
        (
            "- [b](b.md) · [a](a.md) — port is 5432\n  - port is 5432\n",
            "- [b](b.md) · [a](a.md) — port is 5433\n  - port is 5432\n",
        ),
        ("- [a](a.md) — the port\n- [b](b.md)\n", "- [a](a.md) — the port\n- [b](b.md)\n"),
    ];
    for (text, expected) in table {
        assert_eq!(done_since(text, &since, &after).text, expected, "{text:?}");
    }
    let renamed = Document::compose("Alpha", Kind::Project, "first", "");
    let mut after = folder(&[B]);
    after.insert(MemoryPath::parse("a.md").unwrap(), renamed.into_bytes());
    let since = between(&folder(&[A, B]), &after, &[]);
    let done = done_since("- [a](a.md) — my words\n- [b](b.md)\n", &since, &after);
    assert_eq!(done.text, "- [Alpha](a.md) — my words\n- [b](b.md)\n");
    assert_eq!(shown(&done), ["~a.md:1"]);
}

#[test]
fn a_renamed_file_keeps_its_entry_in_place() {
    let (before, after) = (folder(&[A, B]), folder(&[("sub/n (2).md", Kind::Project, "first"), B]));
    let since = between(&before, &after, &[("a.md", "sub/n (2).md")]);
    let table = [
        (
            "## One\n- [Mine](a.md) — curated\n\n## Two\n- [b](b.md)\n",
            "## One\n- [Mine](<sub/n (2).md>) — curated\n\n## Two\n- [b](b.md)\n",
        ),
        (
            "- [a.md](a.md) — x\n- [b](b.md)\n",
            "- [sub/n (2).md](<sub/n (2).md>) — x\n- [b](b.md)\n",
        ),
        (
            "### [Mine](./a.md)\ntext\n- [b](b.md)\n",
            "### [Mine](<sub/n (2).md>)\ntext\n- [b](b.md)\n",
        ),
        ("- [[a|Mine]] — x\n- [b](b.md)\n", "- [[sub/n (2)|Mine]] — x\n- [b](b.md)\n"),
        (
            "- [old](a.md)\n- [new](<sub/n (2).md>)\n- [b](b.md)\n",
            "- [new](<sub/n (2).md>)\n- [b](b.md)\n",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(done_since(text, &since, &after).text, expected, "{text:?}");
    }
}

#[test]
fn an_index_grows_by_entries_up_to_its_limit_and_says_what_is_left() {
    let paths: Vec<String> = (0..50).map(|n| format!("n{n:02}.md")).collect();
    let all: Vec<_> = paths.iter().map(|path| (path.as_str(), Kind::Project, "x")).collect();
    let (files, since) = (folder(&all), Since::default());
    let setting = Setting { bytes_max: 300, ..Setting::of(&files, &since) };
    let once = reconcile(&Index::parse("# M\n"), &setting);
    assert!(once.text.len() <= 300 && once.changes.len() > 5, "{once:?}");
    assert_eq!(once.notes.last().unwrap().rule, "index-full");
    let again = reconcile(&Index::parse(&once.text), &setting);
    assert_eq!((again.text, again.changes.len()), (once.text, 0));
}
