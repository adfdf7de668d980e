//! Indexes in the shapes that people and agents give them, each with its laws.
//! Border: invented words in found shapes; which rule does what is `rule` and `follow`.

use memsync::base::path::MemoryPath;
use memsync::memory::index::{Index, mentions};
use memsync::memory::kind::Kind;
use memsync::memory::reconcile::IndexChange;
use memsync::memory::snapshot::Snapshot;

use super::{assert_no_other_line_moved, between, done, done_since, folder};

const SHAPES: [&str; 22] = [
    "# Memory\n\n- [Quay](quay.md) — where ships wait\n- [Tide](tide.md) — when they may not\n",
    "# Memory\n\n## Project\n- [Quay](quay.md) — waits\n\n## Reference\n* [Tide table](tide.md): hours\n+ [Crane](crane.md) – lifts\n",
    "# Notes\n\nThe harbour opens at six. Read [the tide](tide.md) first.\n\n- two cranes, one crew\n- [Quay](quay.md) — waits\n  - only on weekdays\n  - ask the warden\n\nNothing else is here.\n",
    "Harbour notes without any list.\n\nAll of it is in [one file](all/in-one.md).\n",
    "<!-- Template:\n- [Title](file.md) — hook\n-->\n# Memory\n- [Quay](quay.md) — waits <!-- old -->\n",
    "# Memory\n\n```markdown\n- [Title](file.md) — how an entry looks\n```\n\n- [Quay](quay.md) — waits\n",
    "| Topic | File |\n|---|---|\n| Quay | [quay](quay.md) |\n| Tide | `tide.md` |\n\nKept by the warden.\n",
    "# Memory\n\n### [Quay](quay.md)\n**Type**: project\n\n- the north end floods\n\n### [Tide](tide.md)\n**Type**: reference\n",
    "- `quay.md` — where ships wait\n- `src/tide.rs` — computes the tide, no memory\n- tide.md: hours\n",
    "- [[quay]] waits\n- [[tide|The tide]] — hours\n- [[:alpha:]] in a pattern\n",
    "- Quay: [notes](quay.md)\n- **[Tide](tide.md)** — hours\n- 🚢 [Crane](crane.md) — lifts\n",
    "- [Quay](quay.md) — where ships wait,\n  in rain as in sun,\n  and at night\n- [Tide](tide.md) — hours\nA line right below.\n",
    "- [Quay](quay.md), [Tide](tide.md) · [Crane](crane.md) — all three\n- see [Quay](quay.md) and [the law](https://example.com/law.md)\n",
    "- [ ] [Quay](quay.md) — to dredge\n- [x] [Tide](tide.md) — measured\n1. [Crane](crane.md) — first\n2. [Mole](mole.md) — second\n",
    "- [Quay](./quay.md) — waits\n- [Here](.memory/sub/tide.md) — from above\n- [Self](MEMORY.md)\n- [Out](../README.md) — outside\n",
    "- [All of it](sub/) — a folder\n- [One](sub/tide.md) — and one by itself\n",
    "# Memory\r\n\r\n- [Quay](quay.md) — waits\r\n- [Tide](tide.md) — hours\n\r\nEnd.\r\n",
    "# Memory\n- [Quay](quay.md) — waits  \n- [Tide](tide.md) — hours",
    "# 記憶\n\n- [波止場](hatoba.md)：船が待つ\n- [潮](shio.md) — 時刻\n",
    "\u{FEFF}---\ntitle: Harbour\n---\n- [Quay](quay.md) — waits\n",
    "> Quoted: [Quay](quay.md)\n\n---\n\n- [Tide](tide.md \"hours\") — hours\n\n[crane]: crane.md\n",
    "\n\n- [Quay](quay.md) — waits\n\n\n- [Tide](tide.md) — hours\n\t- [Crane](crane.md) — nested\n\n",
];

/// A memory for every file of the folder that an index names.
fn named(text: &str) -> Snapshot {
    let index = Index::parse(text);
    let entries = index.entries().map(|entry| entry.target.clone());
    let all = entries.chain(mentions(text).into_iter().map(|mention| mention.target));
    let inside: Vec<String> = all
        .map(|target| target.trim_start_matches(".memory/").to_owned())
        .filter(|target| MemoryPath::parse(target).is_ok_and(|path| path.is_memory()))
        .collect();
    let memory = |target: &String| (target.clone(), Kind::Project, "x");
    let all: Vec<_> = inside.iter().map(memory).collect();
    folder(&all.iter().map(|(path, kind, d)| (path.as_str(), *kind, *d)).collect::<Vec<_>>())
}

#[test]
fn an_index_of_any_shape_that_names_its_memories_needs_no_change() {
    for text in SHAPES {
        let done = done(text, &named(text));
        assert_eq!((done.text.as_str(), &done.changes[..]), (text, &[][..]));
    }
}

#[test]
fn an_index_of_any_shape_keeps_every_line_where_no_memory_ever_was() {
    for text in SHAPES {
        assert_eq!(done(text, &Snapshot::default()).text, text);
    }
}

#[test]
fn from_an_index_of_any_shape_only_entries_go_and_only_with_their_memories() {
    for text in SHAPES {
        let all = named(text);
        for gone in all.iter().map(|(path, _)| path.clone()) {
            let mut left = all.clone();
            left.remove(&gone);
            let done = done_since(text, &between(&all, &left, &[]), &left);
            assert_no_other_line_moved(text, &done.text);
            let named = |target: &str| target.trim_start_matches(".memory/") == gone.as_str();
            for change in &done.changes {
                let target = change.entry().target.as_str();
                match change {
                    IndexChange::Dropped(_) => {
                        let is_folder = target.ends_with('/');
                        assert!(named(target) || is_folder || target == gone.stem(), "{change:?}");
                    }
                    // Only the hook of the entry that went led to it.
                    IndexChange::Added(_) => {
                        assert!(left.iter().any(|(path, _)| path.as_str() == target), "{change:?}");
                    }
                    other => panic!("{other:?} of {text:?}"),
                }
            }
        }
    }
}
