//! Makes an index and the memories beside it agree, and says each change.
//! Border: on values; deterministic and idempotent; a line that needs no change keeps every byte.
//! A folder entry stands for all memories in that folder, and a folder with an index of its own lists
//! its memories there.

mod compose;
mod duplicate;
mod known;
mod place;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use self::compose::Style;
use self::duplicate::Duplicates;
use self::known::{Known, Meaning};
use super::index::{Block, Entry, Index};
use super::problem::{Problem, Severity};
use super::snapshot::Files;
use crate::base::display::Escaped;
use crate::base::text::{Position, dominant_eol};

/// Passes until nothing changes. A second one is needed only where a dropped line changes how the
/// next is read; more than three have not been met.
const PASSES_MAX: usize = 8;

/// An index that agrees with its files, and what was done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconciliation {
    /// The reconciled text; the same bytes where nothing had to change.
    pub text: String,
    /// What was done, in the order of the lines.
    pub changes: Vec<IndexChange>,
    /// What a person should look at, by the lines of the new text.
    pub notes: Vec<Problem>,
    /// What a person should look at, by the lines of the old text.
    pub notes_before: Vec<Problem>,
}

/// One change of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "change", content = "entry", rename_all = "lowercase")]
pub enum IndexChange {
    /// A memory had no entry; the line is that of the new text.
    Added(Entry),
    /// The file of an entry is gone; the line is that of the old text.
    Dropped(Entry),
    /// An entry stood twice in the same words; the line is that of the one that went.
    Folded(Entry),
}

impl IndexChange {
    /// The entry that came or went.
    pub fn entry(&self) -> &Entry {
        match self {
            Self::Added(entry) | Self::Dropped(entry) | Self::Folded(entry) => entry,
        }
    }
}

/// Reconciles an index with the files of its folder.
pub fn reconcile(index: &Index, files: &dyn Files) -> Reconciliation {
    reconcile_beside(index, files, &[])
}

/// Reconciles like [`reconcile`] in a folder that holds more than memories: an entry may also mean
/// one of `others`, for example `images/` or a file whose name no team memory may have.
pub fn reconcile_beside(index: &Index, files: &dyn Files, others: &[String]) -> Reconciliation {
    let known = Known::new(files, others);
    let mut current = index.clone();
    let mut changes = Vec::new();
    let mut notes = Vec::new();
    let mut notes_before = None;
    for _ in 0..PASSES_MAX {
        let pass = pass(&current, &known);
        notes = pass.notes;
        notes_before.get_or_insert_with(|| notes.clone());
        if pass.changes.is_empty() {
            break;
        }
        changes.extend(pass.changes);
        current = Index::parse(&pass.text);
    }
    number_added(&mut changes, &current);
    let notes_before = notes_before.unwrap_or_default();
    Reconciliation { text: current.render(), changes, notes, notes_before }
}

/// What one pass did.
struct Pass {
    text: String,
    changes: Vec<IndexChange>,
    notes: Vec<Problem>,
}

/// One pass over all blocks.
fn pass(index: &Index, known: &Known<'_>) -> Pass {
    let mut changes = Vec::new();
    let mut notes = Vec::new();
    let mut duplicates = Duplicates::default();
    let mut kept = Vec::with_capacity(index.blocks().len());
    let mut pointed = Vec::new();
    for block in index.blocks() {
        let meanings: Vec<Meaning<'_>> =
            block.entries.iter().map(|entry| known.meaning(block, entry)).collect();
        kept.push(trimmed(block, &meanings, &mut duplicates, &mut changes, &mut notes));
        pointed.extend(meanings);
    }
    notes.extend(duplicates.notes());
    let orphans = known.orphans(&pointed);
    let style = Style::of(index);
    let mut added: BTreeMap<Option<usize>, String> = BTreeMap::new();
    let eol = dominant_eol(&index.render());
    let places = place::Places::of(index, &kept);
    for orphan in orphans {
        let place = places.place(orphan.kind);
        let entry = compose::entry(&orphan);
        let line = compose::line(&entry, &style);
        let lines = added.entry(place).or_default();
        lines.push_str(&format!("{}{line}{eol}", places.indentation(place)));
        changes.push(IndexChange::Added(entry));
    }
    let text = places.assemble(&kept, &added, eol);
    Pass { text, changes, notes }
}

/// The text of a block without the entries that must go; its own where nothing went.
fn trimmed<'a>(
    block: &'a Block,
    meanings: &[Meaning<'_>],
    duplicates: &mut Duplicates,
    changes: &mut Vec<IndexChange>,
    notes: &mut Vec<Problem>,
) -> Cow<'a, str> {
    let gone: Vec<bool> = meanings.iter().map(|meaning| *meaning == Meaning::Gone).collect();
    let must_go = |at: usize| gone[at] || duplicates.is_repeated(block, at);
    let drop: Vec<bool> = (0..gone.len()).map(must_go).collect();
    if !drop.contains(&true) {
        return Cow::Borrowed(&block.raw);
    }
    let Some(text) = block.without(&drop).filter(|text| leaves(text, block, &drop)) else {
        let kept = block.entries.iter().zip(&gone).filter(|(_, gone)| **gone);
        notes.extend(kept.map(|(entry, _)| cannot_cut(entry)));
        return Cow::Borrowed(&block.raw);
    };
    for (at, entry) in block.entries.iter().enumerate().filter(|(at, _)| drop[*at]) {
        let entry = entry.clone();
        changes.push(if gone[at] {
            IndexChange::Dropped(entry)
        } else {
            IndexChange::Folded(entry)
        });
    }
    Cow::Owned(text)
}

/// Tells whether the entries that stay read the same after the cut.
fn leaves(text: &str, block: &Block, drop: &[bool]) -> bool {
    let shown = |entry: &Entry| (entry.target.clone(), entry.title.clone(), entry.hook.clone());
    let stay =
        block.entries.iter().zip(drop).filter(|(_, drop)| !**drop).map(|(entry, _)| shown(entry));
    let stay: Vec<_> = stay.collect();
    stay.is_empty() || Index::parse(text).entries().map(shown).eq(stay)
}

fn cannot_cut(entry: &Entry) -> Problem {
    Problem {
        position: Some(Position { line: entry.line, column: 1 }),
        rule: "index-entry-kept",
        severity: Severity::Warning,
        message: format!(
            "`{}` is gone, but its entry shares these lines with others",
            Escaped(&entry.target)
        ),
        next_step: "Take the entry out by hand.".to_owned(),
    }
}

/// Gives added entries the line they have in the final text.
fn number_added(changes: &mut [IndexChange], index: &Index) {
    let lines: BTreeMap<&str, usize> =
        index.entries().map(|entry| (entry.target.as_str(), entry.line)).collect();
    for change in changes {
        if let IndexChange::Added(entry) = change {
            entry.line = lines.get(entry.target.as_str()).copied().unwrap_or_default();
        }
    }
}
