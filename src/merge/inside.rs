//! Merges inside one file by its kind, and makes records of what stays open there.
//! Border: plain text; sealed memories and what a merge without a text means are above.

use std::collections::HashSet;

use crate::base::path::MemoryPath;
use crate::base::text::without_eol;
use crate::merge::conflict::{CONFLICTS_FOLDER, Conflict, ConflictSide, Content, Origin};
use crate::merge::kinds::index::{IndexContext, merge_entries};
use crate::merge::kinds::memory::merge_memory;
use crate::merge::kinds::policy::merge_policy;
use crate::merge::kinds::text_format::Envelope;
use crate::merge::kinds::words::merge_lines;
use crate::merge::unresolved::{Clash, MergedText, Part, Pick, Reason};
use crate::trust::roster::{ROSTER_PATH, Roster};

/// A larger text is not merged inside: four times the largest memory the gate lets through.
pub const MERGE_BYTES_MAX: usize = 1_000_000;

/// A larger index is not merged inside: 20,000 entries of 400 bytes.
pub const MERGE_INDEX_BYTES_MAX: usize = 8_000_000;

/// More open parts than this in one file are one question: which side.
const PARTS_MAX: usize = 8;

/// One side of one file's merge.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The file's bytes.
    pub content: &'a [u8],
    /// Who changed it and when.
    pub origin: &'a Origin,
}

/// A merged file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMerge {
    /// The file's bytes.
    pub content: Vec<u8>,
    /// What could not be reconciled in it.
    pub conflicts: Vec<Conflict>,
}

/// Merges inside the file; `None` where only a whole side will do.
pub(crate) fn merge_text(
    path: &MemoryPath,
    base: Option<&[u8]>,
    first: &[u8],
    second: &[u8],
    around: &IndexContext,
) -> Option<MergedText> {
    let bytes_max = if path.is_index() { MERGE_INDEX_BYTES_MAX } else { MERGE_BYTES_MAX };
    let base = base.unwrap_or_default();
    if [base, first, second].iter().any(|side| side.len() > bytes_max) {
        return None;
    }
    let text = |side| std::str::from_utf8(side).ok();
    let (base_envelope, base) = Envelope::open(text(base)?);
    let (first_envelope, first) = Envelope::open(text(first)?);
    let (second_envelope, second) = Envelope::open(text(second)?);
    let mut merged = match path.as_str() {
        _ if path.is_index() => merge_entries(&base, &first, &second, around),
        record if record.starts_with(CONFLICTS_FOLDER) => return None,
        _ if path.is_policy() => merge_policy(&[&base], &first, &second)?,
        markdown if markdown.ends_with(".md") => merge_memory(&base, &first, &second)?,
        _ => MergedText { text: merge_lines(&base, &first, &second)?, clashes: Vec::new() },
    };
    close_policy(path, &mut merged)?;
    if has_new_marker(&merged.text, &first, &second) {
        return None;
    }
    merged.text =
        Envelope::merge(base_envelope, first_envelope, second_envelope).close(merged.text);
    Some(merged)
}

/// Whether so much of a memory is open that a person is better asked once: which side.
pub(crate) fn is_one_question(path: &MemoryPath, merged: &MergedText) -> bool {
    merged.clashes.len() > PARTS_MAX && path.is_memory()
}

/// Gives a merged roster its one spelling; `None` where nobody could change it any more.
pub(crate) fn close_policy(path: &MemoryPath, merged: &mut MergedText) -> Option<()> {
    if path.as_str() == ROSTER_PATH {
        merged.text = Roster::parse(&merged.text).ok().filter(Roster::has_admin)?.render();
    }
    Some(())
}

/// Whether a line reads as a conflict marker and is a line of neither side.
fn has_new_marker(merged: &str, first: &str, second: &str) -> bool {
    let markers: Vec<&str> = merged.lines().filter(|line| is_marker(line)).collect();
    !markers.is_empty() && {
        let known: HashSet<&str> = first.lines().chain(second.lines()).map(without_eol).collect();
        markers.iter().any(|line| !known.contains(line))
    }
}

/// Whether a line is what git writes around two sides of a conflict.
pub(crate) fn is_marker(line: &str) -> bool {
    ["<<<<<<<", ">>>>>>>", "|||||||", "======="].iter().any(|marker| line.starts_with(marker))
}

/// The conflict about a file as a whole; the first side is the one that is kept.
pub(crate) fn whole(
    path: &MemoryPath,
    reason: Reason,
    base: Option<&[u8]>,
    kept: (&Origin, Option<&[u8]>),
    other: (&Origin, Option<&[u8]>),
) -> Conflict {
    let side = |(origin, content): (&Origin, Option<&[u8]>)| ConflictSide {
        origin: origin.clone(),
        content: content.map(Content::new),
    };
    Conflict {
        path: path.clone(),
        part: Part::File,
        reason,
        other_path: None,
        base: base.map(Content::new),
        kept: side(kept),
        other: side(other),
    }
}

/// Adds to a clash whose the sides are.
pub(crate) fn conflict(
    path: &MemoryPath,
    clash: Clash,
    first: &Origin,
    second: &Origin,
) -> Conflict {
    let side = |origin: &Origin, text: Option<String>| ConflictSide {
        origin: origin.clone(),
        content: text.map(Content::Text),
    };
    let (first, second) = (side(first, clash.first), side(second, clash.second));
    let (kept, other) = if clash.kept == Pick::First { (first, second) } else { (second, first) };
    Conflict {
        path: path.clone(),
        part: clash.part,
        reason: clash.reason,
        other_path: None,
        base: clash.base.map(Content::Text),
        kept,
        other,
    }
}
