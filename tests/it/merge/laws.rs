//! The laws of a merge, each on generated team memories.
//! Border: what holds whatever the texts are; single outcomes are the corpus.

use std::collections::BTreeSet;

use memsync::base::path::{MemoryPath, collisions};
use memsync::memory::document::Document;
use memsync::memory::index::Index;
use memsync::memory::problem::Severity;
use memsync::memory::snapshot::Snapshot;
use memsync::merge::conflict::{CONFLICTS_FOLDER, Conflict, Content, Part};
use memsync::merge::{Input, Merged, Side, file, merge};
use proptest::prelude::*;

use crate::merge::generate::{Edit, changed, edits, path, team};
use crate::merge::origin;

fn side(snapshot: &Snapshot, number: u8) -> Side {
    Side::of_one(snapshot.clone(), origin(number))
}

fn merged(base: &Snapshot, ours: &Snapshot, theirs: &Snapshot) -> Merged {
    merge(base, &side(ours, 1), &side(theirs, 2), &Snapshot::default())
}

fn text(snapshot: &Snapshot, path: &MemoryPath) -> String {
    snapshot.get(path).map(|c| String::from_utf8(c.to_vec()).unwrap()).unwrap_or_default()
}

/// All text of a result, records included.
fn all_text(merged: &Merged) -> String {
    let mut all = String::new();
    for (path, content) in merged.snapshot.iter() {
        if !path.as_str().starts_with(CONFLICTS_FOLDER) {
            all.push_str(&String::from_utf8_lossy(content));
            all.push('\n');
        }
    }
    for conflict in &merged.conflicts {
        for content in
            [&conflict.base, &conflict.kept.content, &conflict.other.content].into_iter().flatten()
        {
            all.push_str(&String::from_utf8_lossy(content.as_bytes()));
            all.push('\n');
        }
    }
    all
}

/// A team memory and two changes of it; shown as text when a law fails.
#[derive(Clone)]
struct Changes {
    base: Snapshot,
    ours: Snapshot,
    theirs: Snapshot,
}

impl std::fmt::Debug for Changes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (name, side) in [("BASE", &self.base), ("OURS", &self.ours), ("THEIRS", &self.theirs)] {
            writeln!(f, "\n######## {name}")?;
            for (path, content) in side.iter() {
                writeln!(f, "#### {path}\n{}", String::from_utf8_lossy(content))?;
            }
        }
        Ok(())
    }
}

fn two_changes() -> impl Strategy<Value = Changes> {
    (team(), edits(), edits()).prop_map(|(base, ours, theirs)| {
        let (ours, theirs) = (changed(&base, &ours), changed(&base, &theirs));
        Changes { base, ours, theirs }
    })
}

proptest! {
    #![proptest_config(super::config())]

    #[test]
    fn a_change_against_none_and_against_itself_is_itself(Changes { base, ours, .. } in two_changes()) {
        for other in [&base, &ours] {
            let merged = merged(&base, &ours, other);
            prop_assert_eq!(&merged.snapshot, &ours);
            prop_assert!(merged.conflicts.is_empty());
        }
    }

    #[test]
    fn swapping_the_sides_changes_no_byte(Changes { base, ours, theirs } in two_changes()) {
        let (ours, theirs) = (side(&ours, 1), side(&theirs, 2));
        let none = Snapshot::default();
        prop_assert_eq!(merge(&base, &ours, &theirs, &none), merge(&base, &theirs, &ours, &none));
        let twin = Side { origin: origin(1), ..theirs };
        prop_assert_eq!(merge(&base, &ours, &twin, &none), merge(&base, &twin, &ours, &none));
    }

    #[test]
    fn no_line_is_lost(Changes { base, ours, theirs } in two_changes()) {
        let merged = merged(&base, &ours, &theirs);
        let all = all_text(&merged);
        let lines: BTreeSet<&str> = all.lines().map(str::trim).collect();
        let words: BTreeSet<&str> = all.split_whitespace().collect();
        for side in [&ours, &theirs] {
            for (path, content) in side.iter() {
                let before = text(&base, path);
                let before: BTreeSet<&str> = before.lines().collect();
                let content = String::from_utf8_lossy(content);
                for line in content.lines().filter(|line| !before.contains(line)) {
                    // Edits of one line by both, a list as a set, a later date: the words are there.
                    // The pointer to a memory that was deleted goes with it, however it was reworded.
                    let is_pointer = base.iter().any(|(file, _)| {
                        path.is_index()
                            && merged.snapshot.get(file).is_none()
                            && line.contains(&format!("({file})"))
                    });
                    let kept = is_pointer || lines.contains(line.trim())
                        || line.split_whitespace().all(|word| words.contains(word))
                        || line.contains("modified:");
                    prop_assert!(kept, "{path}: {line:?} is lost in\n{all}");
                }
            }
        }
    }

    #[test]
    fn nothing_deleted_comes_back(Changes { base, ours, theirs } in two_changes()) {
        let merged = merged(&base, &ours, &theirs);
        for (path, content) in base.iter() {
            let gone = |side: &Snapshot, other: &Snapshot| side.get(path).is_none() && other.get(path) == Some(content);
            if gone(&ours, &theirs) || gone(&theirs, &ours) {
                prop_assert!(merged.snapshot.get(path).is_none(), "{path} is back");
            }
            let whole = merged.conflicts.iter().any(|c| c.path == *path && c.part == Part::File);
            if path.is_index() || whole || merged.snapshot.get(path).is_none() {
                continue;
            }
            let (one, two, after) = (text(&ours, path), text(&theirs, path), text(&merged.snapshot, path));
            let before = text(&base, path);
            for line in before.lines().filter(|line| line.len() > 3 && !line.starts_with(['#', '-', '|'])) {
                // A side that says the line a second time has added it, and additions stay.
                let count = |text: &str| text.lines().filter(|other| *other == line).count();
                let once = count(&before) == 1 && count(&one) < 2 && count(&two) < 2;
                let has = |text: &str| text.lines().any(|other| other == line);
                // The header of nested fields comes with a field below it that the other side edited.
                let is_header = line.trim_end() == "metadata:" && after.contains("\n  modified:");
                // A paragraph of two lines is one unit: edited in the other line, it stays whole.
                let paragraph = merged.conflicts.iter().any(|conflict| record_has(conflict, line));
                if once && has(&one) != has(&two) && !paragraph && !is_header {
                    prop_assert!(!has(&after), "{path}: {line:?} is back in\n{after}");
                }
            }
        }
    }

    #[test]
    fn the_index_points_at_every_memory_once_and_keeps_its_notes(Changes { base, ours, theirs } in two_changes()) {
        let merged = merged(&base, &ours, &theirs);
        let index = text(&merged.snapshot, &path("MEMORY.md"));
        let targets: Vec<String> = Index::parse(&index).entries().map(|e| e.target.clone()).collect();
        let unique: BTreeSet<&String> = targets.iter().collect();
        prop_assert_eq!(targets.len(), unique.len(), "{}", index);
        prop_assert!(index.contains("Read me first.\n"));
        for side in [&ours, &theirs] {
            let notes = text(side, &path("MEMORY.md"));
            for note in notes.lines().filter(|line| line.starts_with("Note ")) {
                prop_assert!(all_text(&merged).contains(note));
            }
        }
    }

    #[test]
    fn line_ends_marks_and_the_last_newline_change_nothing_else(Changes { base, ours, theirs } in two_changes()) {
        let wrap: [fn(&str) -> String; 3] = [
            |text| text.replace('\n', "\r\n"),
            |text| format!("\u{FEFF}{text}"),
            |text| text.strip_suffix('\n').unwrap_or(text).to_owned(),
        ];
        for path in ours.iter().map(|(path, _)| path).filter(|path| theirs.get(path).is_some()) {
            let texts = [text(&base, path), text(&ours, path), text(&theirs, path)];
            let base_there = base.get(path).is_some();
            // Taking the last newline off a blank last line takes a blank line, not an ending.
            if texts.iter().any(|text| text.ends_with("\n\n")) {
                continue;
            }
            let run = |[base, ours, theirs]: [&str; 3]| {
                let input = |text, number: &'static Origins| Input { content: str::as_bytes(text), origin: &number.0 };
                let (one, two) = (Origins::leak(1), Origins::leak(2));
                let result = file(path, base_there.then_some(base.as_bytes()), input(ours, one), input(theirs, two));
                String::from_utf8(result.content).unwrap()
            };
            let plain = run([&texts[0], &texts[1], &texts[2]]);
            for wrap in wrap {
                let wrapped = texts.clone().map(|text| wrap(&text));
                let expected = if plain.is_empty() { String::new() } else { wrap(&plain) };
                let result = run([&wrapped[0], &wrapped[1], &wrapped[2]]);
                prop_assert_eq!(result, expected);
            }
        }
    }

    #[test]
    fn what_passes_the_gate_on_both_sides_passes_merged(Changes { base, ours, theirs } in two_changes()) {
        let merged = merged(&base, &ours, &theirs);
        let paths: Vec<&str> = merged.snapshot.iter().map(|(path, _)| path.as_str()).collect();
        prop_assert!(collisions(&paths).is_empty());
        for (path, content) in merged.snapshot.iter() {
            let content = std::str::from_utf8(content).unwrap();
            let marker = |line: &str| ["<<<<<<<", ">>>>>>>", "|||||||", "======="].iter().any(|m| line.starts_with(m));
            prop_assert!(!content.lines().any(marker));
            if path.as_str().starts_with(CONFLICTS_FOLDER) {
                let record = Conflict::parse(path.as_str(), content.as_bytes());
                prop_assert!(record.is_ok(), "{:?}\n{}", record, content);
            } else if path.is_memory() {
                let faults: Vec<_> = Document::parse(content).problems().iter().filter(|p| p.severity == Severity::Error).cloned().collect();
                prop_assert!(faults.is_empty(), "{:?}\n{}", faults, content);
            }
        }
    }

    #[test]
    fn clones_that_push_in_any_order_end_with_the_same_entries(
        Changes { base, .. } in two_changes(),
        members in proptest::collection::vec(edits(), 3),
    ) {
        let orders = [[0, 1, 2], [2, 1, 0], [1, 2, 0]];
        let ends: Vec<Snapshot> = orders.iter().map(|order| push_all(&base, &members, order)).collect();
        let targets = |snapshot: &Snapshot| -> BTreeSet<String> {
            Index::parse(&text(snapshot, &path("MEMORY.md"))).entries().map(|e| e.target.clone()).collect()
        };
        let files = |snapshot: &Snapshot| -> BTreeSet<String> {
            snapshot.memories().map(|(path, _)| path.as_str().to_owned()).collect()
        };
        for end in &ends[1..] {
            prop_assert_eq!(targets(end), targets(&ends[0]));
            prop_assert_eq!(files(end), files(&ends[0]));
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic_and_stay_symmetric(
        base in proptest::option::of(bytes()),
        ours in bytes(),
        theirs in bytes(),
    ) {
        let (one, two) = (origin(1), origin(2));
        for path in ["MEMORY.md", "m.md", ".memsync/roster.yaml", ".memsync/policy.yaml", ".gitattributes"] {
            let Ok(path) = MemoryPath::parse(path) else { continue };
            let (ours, theirs) = (Input { content: &ours, origin: &one }, Input { content: &theirs, origin: &two });
            let there = file(&path, base.as_deref(), ours, theirs);
            prop_assert_eq!(&there, &file(&path, base.as_deref(), theirs, ours));
            for conflict in there.conflicts {
                let record = Conflict::parse(conflict.record_path().as_str(), conflict.render().as_bytes());
                prop_assert_eq!(record.ok(), Some(conflict));
            }
        }
    }
}

/// Origins that live long enough for a closure.
struct Origins(memsync::merge::Origin);

impl Origins {
    fn leak(number: u8) -> &'static Self {
        Box::leak(Box::new(Self(origin(number))))
    }
}

fn record_has(conflict: &Conflict, line: &str) -> bool {
    let sides = [&conflict.base, &conflict.kept.content, &conflict.other.content];
    sides.into_iter().flatten().any(|content| match content {
        Content::Text(text) => text.contains(line),
        Content::Bytes(_) => false,
    })
}

/// Each member's change of `base` is merged onto the tip, in the given order.
fn push_all(base: &Snapshot, members: &[Vec<Edit>], order: &[usize]) -> Snapshot {
    let mut tip = base.clone();
    for member in order {
        let ours = side(&changed(base, &members[*member]), 10 + *member as u8);
        tip = merge(base, &ours, &side(&tip, 1), &Snapshot::default()).snapshot;
    }
    tip
}

/// Bytes that look like texts often enough to get deep.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("---\n"),
        Just("name: a\n"),
        Just("- [A](a.md) — x\n"),
        Just("- [B](b.md)\n"),
        Just("\n"),
        Just("# H\n"),
        Just("```\n"),
        Just("  - n\n"),
        Just("| a | b |\n|---|---|\n"),
        Just("\r\n"),
        Just("<!--"),
        Just("-->\n"),
        Just("word "),
        Just("\u{FEFF}"),
        Just("tags: [a, b]\n"),
        Just("  x: y\n"),
        Just("metadata:\n"),
        Just("> q\n"),
        Just("=======\n"),
        Just("members:\n- id: a\n"),
        Just("部署"),
    ];
    let pieces = proptest::collection::vec(piece, 0..16).prop_map(|p| p.concat().into_bytes());
    prop_oneof![4 => pieces, 1 => proptest::collection::vec(any::<u8>(), 0..60)]
}
