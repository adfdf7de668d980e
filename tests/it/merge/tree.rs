//! Whole team memories: deletions, renames, names that meet, policy, records, hostile sizes.
//! Border: what several files mean to each other; inside one file is the corpus.

use std::sync::Arc;

use memsync::base::path::MemoryPath;
use memsync::memory::snapshot::Snapshot;
use memsync::merge::conflict::{Conflict, Part, Reason};
use memsync::merge::{Input, Merged, Side, file, merge};

use crate::merge::origin;

const INDEX: &str = "- [One](one.md) — about one\n";

fn memory(name: &str, more: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: about {name}\ntype: project\n{more}---\n{body}\n")
}

fn snapshot(files: &[(&str, &str)]) -> Snapshot {
    let file = |(path, text): &(&str, &str)| {
        (MemoryPath::parse(path).unwrap(), Arc::from(text.as_bytes()))
    };
    files.iter().map(file).collect()
}

/// Merges both ways, checks that they agree, and gives the files and what is recorded.
fn check(
    base: &[(&str, &str)],
    ours: &[(&str, &str)],
    theirs: &[(&str, &str)],
    expected: &[(&str, &str)],
    records: &[(&str, Part, Reason)],
) -> Merged {
    let (ours, theirs) =
        (Side::of_one(snapshot(ours), origin(1)), Side::of_one(snapshot(theirs), origin(2)));
    let merged = merge(&snapshot(base), &ours, &theirs, &Snapshot::default());
    assert_eq!(merged, merge(&snapshot(base), &theirs, &ours, &Snapshot::default()));
    let files: Vec<(&str, &str)> = merged
        .snapshot
        .iter()
        .filter(|(path, _)| !path.as_str().starts_with(".memsync/conflicts/"))
        .map(|(path, content)| (path.as_str(), std::str::from_utf8(content).unwrap()))
        .collect();
    assert_eq!(files, expected);
    let found: Vec<(&str, Part, Reason)> =
        merged.conflicts.iter().map(|c| (c.path.as_str(), c.part.clone(), c.reason)).collect();
    assert_eq!(found, records);
    for conflict in &merged.conflicts {
        let record = merged.snapshot.get(&conflict.record_path()).unwrap();
        let read = Conflict::parse(conflict.record_path().as_str(), record).unwrap();
        assert_eq!(&read, conflict);
    }
    merged
}

#[test]
fn a_deletion_holds_against_no_change() {
    let (one, two) = (memory("one", "", "1"), memory("two", "", "2"));
    let index = "- [One](one.md) — about one\n- [Two](two.md) — about two\n";
    let edited = memory("two", "", "2!");
    check(
        &[("MEMORY.md", index), ("one.md", &one), ("two.md", &two)],
        &[("MEMORY.md", "- [Two](two.md) — about two\n"), ("two.md", &two)],
        &[("MEMORY.md", index), ("one.md", &one), ("two.md", &edited)],
        &[("MEMORY.md", "- [Two](two.md) — about two\n"), ("two.md", &edited)],
        &[],
    );
}

#[test]
fn a_reworded_pointer_is_no_edit_of_a_deleted_memory() {
    let (one, two) = (memory("one", "", "1"), memory("two", "", "2"));
    let index = "- [One](one.md) — about one\n- [Two](two.md) — about two\n";
    let left = "- [Two](two.md) — about two\n";
    check(
        &[("MEMORY.md", index), ("one.md", &one), ("two.md", &two)],
        &[
            ("MEMORY.md", &index.replace("about one", "all of it")),
            ("one.md", &one),
            ("two.md", &two),
        ],
        &[("MEMORY.md", left), ("two.md", &two)],
        &[("MEMORY.md", left), ("two.md", &two)],
        &[],
    );
}

#[test]
fn an_edit_survives_a_deletion_with_its_entry_and_one_record() {
    let (one, edited) = (memory("one", "", "1"), memory("one", "", "one"));
    check(
        &[("MEMORY.md", INDEX), ("one.md", &one)],
        &[("MEMORY.md", "")],
        &[("MEMORY.md", INDEX), ("one.md", &edited)],
        &[("MEMORY.md", INDEX), ("one.md", &edited)],
        &[("one.md", Part::File, Reason::EditedAndDeleted)],
    );
}

#[test]
fn an_edit_never_lands_in_an_unrelated_file_that_looks_alike() {
    // git: one.md deleted, two.md added with the same boilerplate, one.md edited: lands in two.md.
    let boilerplate = "**Why:** the crew is small.\n\n**How to apply:** ask Ada first.\n";
    let (one, two) = (
        memory("one", "", &format!("Freeze.\n\n{boilerplate}")),
        memory("two", "", &format!("Pager.\n\n{boilerplate}")),
    );
    let edited = one.replace("Ada", "Grace");
    check(
        &[("one.md", &one)],
        &[("two.md", &two)],
        &[("one.md", &edited)],
        &[("one.md", &edited), ("two.md", &two)],
        &[("one.md", Part::File, Reason::EditedAndDeleted)],
    );
}

#[test]
fn an_edit_follows_a_rename_of_identical_content() {
    let (one, edited) = (memory("one", "", "1"), memory("one", "", "one"));
    check(
        &[("MEMORY.md", INDEX), ("one.md", &one)],
        &[("MEMORY.md", "- [One](uno.md) — about one\n"), ("uno.md", &one)],
        &[("MEMORY.md", INDEX), ("one.md", &edited)],
        &[("MEMORY.md", "- [One](uno.md) — about one\n"), ("uno.md", &edited)],
        &[],
    );
}

#[test]
fn a_rename_with_edits_is_known_by_name_and_session() {
    let session = "originSessionId: s1\n";
    let one = memory("one", session, "First.\n\nSecond.\n\nThird.");
    let (ours, theirs) = (one.replace("First", "1st"), one.replace("Third", "3rd"));
    let both = ours.replace("Third", "3rd");
    check(
        &[("one.md", &one)],
        &[("uno.md", &ours)],
        &[("one.md", &theirs)],
        &[("uno.md", &both)],
        &[],
    );
    // The name alone is no key.
    let plain = memory("one", "", "First.\n\nSecond.\n\nThird.");
    let (ours, theirs) = (plain.replace("First", "1st"), plain.replace("Third", "3rd"));
    check(
        &[("one.md", &plain)],
        &[("uno.md", &ours)],
        &[("one.md", &theirs)],
        &[("one.md", &theirs), ("uno.md", &ours)],
        &[("one.md", Part::File, Reason::EditedAndDeleted)],
    );
}

#[test]
fn two_renames_and_a_rename_against_a_deletion_keep_one_file() {
    let one = memory("one", "", "1");
    check(
        &[("one.md", &one)],
        &[("eins.md", &one)],
        &[("uno.md", &one)],
        &[("uno.md", &one)],
        &[("uno.md", Part::File, Reason::RenamedTwice)],
    );
    check(
        &[("one.md", &one)],
        &[("uno.md", &one)],
        &[],
        &[("uno.md", &one)],
        &[("uno.md", Part::File, Reason::EditedAndDeleted)],
    );
    check(&[("one.md", &one)], &[("uno.md", &one)], &[("uno.md", &one)], &[("uno.md", &one)], &[]);
}

#[test]
fn a_new_name_the_other_side_took_is_no_rename() {
    let (one, other) = (memory("one", "", "1"), memory("other", "", "other"));
    let edited = memory("one", "", "one");
    let merged = check(
        &[("one.md", &one)],
        &[("new.md", &one)],
        &[("new.md", &other), ("one.md", &edited)],
        &[
            (
                "new.md",
                "---\nname: other\ndescription: about other\ntype: project\n---\n1\n\nother\n",
            ),
            ("one.md", &edited),
        ],
        &[
            ("new.md", Part::Field("description".to_owned()), Reason::AddedTwice),
            ("new.md", Part::Field("name".to_owned()), Reason::AddedTwice),
            ("one.md", Part::File, Reason::EditedAndDeleted),
        ],
    );
    assert_eq!(merged.conflicts.len(), 3);
}

#[test]
fn names_that_meet_on_some_systems_become_one_file() {
    let (one, two) = (memory("plan", "", "ours"), memory("plan", "", "theirs"));
    check(
        &[],
        &[("Plan.md", &one)],
        &[("plan.md", &two)],
        &[(
            "plan.md",
            "---\nname: plan\ndescription: about plan\ntype: project\n---\nours\n\ntheirs\n",
        )],
        &[],
    );
}

#[test]
fn a_resolved_record_stays_resolved_and_new_ones_add_up() {
    let one = memory("one", "", "Retry in 5 minutes.");
    let made = check(
        &[("one.md", &one)],
        &[("one.md", &one.replace("5 minutes", "10 minutes"))],
        &[("one.md", &one.replace("5 minutes", "5 hours"))],
        &[("one.md", &one.replace("5 minutes", "5 hours"))],
        &[("one.md", Part::Body(String::new()), Reason::BothEdited)],
    );
    let record = made.conflicts[0].render();
    let path = made.conflicts[0].record_path();
    let path = path.as_str();
    let touched = format!("{record}\n");
    // Deleted here, untouched or edited by hand there: resolved.
    for there in [&record, &touched] {
        let side = |files: &[(&str, &str)], number| Side::of_one(snapshot(files), origin(number));
        let merged = merge(
            &snapshot(&[(path, &record)]),
            &side(&[], 1),
            &side(&[(path, there)], 2),
            &Snapshot::default(),
        );
        assert!(merged.snapshot.is_empty() && merged.conflicts.is_empty());
    }
}

#[test]
fn what_is_no_text_or_too_large_keeps_one_side_and_a_record() {
    let path = MemoryPath::parse("one.md").unwrap();
    let (one, two) = (origin(1), origin(2));
    let large = "word and word\n".repeat(400_000);
    let other = format!("{large}more\n");
    let sides: [(&[u8], &[u8]); 2] =
        [(b"\xff\x00bin", b"text\n"), (large.as_bytes(), other.as_bytes())];
    for (ours, theirs) in sides {
        let merged = file(
            &path,
            Some(b"base\n"),
            Input { content: ours, origin: &one },
            Input { content: theirs, origin: &two },
        );
        assert!(merged.content == theirs);
        assert_eq!(merged.conflicts[0].reason, Reason::NotMergeable);
        assert_eq!(merged.conflicts[0].other.content.as_ref().unwrap().as_bytes(), ours);
    }
}
