//! Reconciliation: an index and its memories agree afterwards, and nothing else has moved.
//! Border: on values; the command that does it to a folder is `cli::index`.

mod follow;
mod laws;
mod rule;
mod shapes;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use memsync::base::path::MemoryPath;
use memsync::memory::document::Document;
use memsync::memory::index::Index;
use memsync::memory::kind::Kind;
use memsync::memory::reconcile::{IndexChange, Reconciliation, Setting, Since, reconcile};
use memsync::memory::snapshot::Snapshot;

/// A folder of memories: path, kind and description; the name is the file stem.
pub(super) fn folder(memories: &[(&str, Kind, &str)]) -> Snapshot {
    let memory = |(path, kind, description): &(&str, Kind, &str)| {
        let path = MemoryPath::parse(path).unwrap();
        let text = Document::compose(path.stem(), *kind, description, "Body\n");
        (path, Arc::from(text.into_bytes()))
    };
    memories.iter().map(memory).collect()
}

/// Reconciles a folder without history.
pub(super) fn done(text: &str, files: &Snapshot) -> Reconciliation {
    done_since(text, &Since::default(), files)
}

/// What became of the memories between two states of a folder.
pub(super) fn between(before: &Snapshot, after: &Snapshot, renamed: &[(&str, &str)]) -> Since {
    let path = |text: &str| MemoryPath::parse(text).unwrap();
    let renamed: BTreeMap<_, _> = renamed.iter().map(|(a, b)| (path(a), path(b))).collect();
    let content = |files: &Snapshot, path: &MemoryPath| files.get(path).cloned();
    Since::between(
        |path| content(before, path),
        |path| content(after, path),
        before.iter().map(|(path, _)| path),
        &renamed,
    )
}

/// Reconciles and checks that doing it again changes nothing.
pub(super) fn done_since(text: &str, since: &Since, files: &Snapshot) -> Reconciliation {
    let once = reconcile(&Index::parse(text), &Setting::of(files, since));
    let again = reconcile(&Index::parse(&once.text), &Setting::of(files, since));
    assert_eq!(again.text, once.text, "not idempotent for {text:?}");
    assert_eq!(again.changes, [], "not idempotent for {text:?}");
    assert_eq!(again.notes, once.notes);
    if once.changes.is_empty() {
        assert_eq!(once.text, text);
    }
    once
}

/// Changes as `+target`, `-target` and `=target`, each with its line.
pub(super) fn shown(done: &Reconciliation) -> Vec<String> {
    let sign = |change: &IndexChange| match change {
        IndexChange::Added(_) => '+',
        IndexChange::Dropped(_) => '-',
        IndexChange::Folded(_) => '=',
        IndexChange::Followed(_) => '~',
    };
    let entry = |c: &IndexChange| format!("{}{}:{}", sign(c), c.entry().target, c.entry().line);
    done.changes.iter().map(entry).collect()
}

pub(super) const A: (&str, Kind, &str) = ("a.md", Kind::Project, "first");
pub(super) const B: (&str, Kind, &str) = ("b.md", Kind::Reference, "second");

/// Lines that are no entry: all but the first line of each, and what hangs below it.
fn other_lines(text: &str) -> Vec<String> {
    let index = Index::parse(text);
    let entries: HashSet<usize> = index.entries().map(|entry| entry.line).collect();
    let lines = text.lines().enumerate().filter(|(at, _)| !entries.contains(&(at + 1)));
    lines.map(|(_, line)| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// Asserts that every line that is no entry is still there, in the same order. What hangs below an
/// entry that went may go with it.
pub(super) fn assert_no_other_line_moved(before: &str, after: &str) {
    let mut left = after.lines().map(str::trim_end);
    for line in other_lines(before) {
        let hangs = line.starts_with([' ', '\t']);
        let mut rest = left.clone();
        if rest.any(|kept| kept == line) {
            left = rest;
        } else {
            assert!(hangs, "{line:?} is lost or moved: {before:?} became {after:?}");
        }
    }
}
