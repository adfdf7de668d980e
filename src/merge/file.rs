//! Merges one file by what its path says it is. Also serves plain git as a merge driver.
//! Border: one path; renames, deletions and what files mean to each other are `plan`.

use crate::merge::inside::{FileMerge, Input, conflict, is_one_question, merge_text, whole};
use std::cmp::Ordering;

use crate::base::path::MemoryPath;
use crate::memory::limits::{MEMORY_BYTES_MAX, POLICY_BYTES_MAX};
use crate::merge::conflict::CONFLICTS_FOLDER;
use crate::merge::kinds::index::IndexContext;
use crate::merge::sealed::merge_sealed;
use crate::merge::unresolved::{MergedText, Reason};
use crate::seal::unlock::{NoKeys, Unlock};

/// Merges two changes of one file. Without a base, both added it.
///
/// Swapping the sides changes no byte. Never fails: what cannot be merged keeps the favoured side,
/// see [`Origin::compare`](crate::merge::conflict::Origin::compare), and comes with a conflict.
pub fn file(
    path: &MemoryPath,
    base: Option<&[u8]>,
    ours: Input<'_>,
    theirs: Input<'_>,
) -> FileMerge {
    file_unlocked(path, base, ours, theirs, &NoKeys)
}

/// [`file()`] that opens sealed memories where `unlock` can, and seals the result.
///
/// A result that had to be sealed anew has other bytes each time: age draws a fresh key.
pub fn file_unlocked(
    path: &MemoryPath,
    base: Option<&[u8]>,
    ours: Input<'_>,
    theirs: Input<'_>,
    unlock: &dyn Unlock,
) -> FileMerge {
    let order = ours.origin.compare(theirs.origin).then_with(|| ours.content.cmp(theirs.content));
    let (first, second) = if order == Ordering::Less { (theirs, ours) } else { (ours, theirs) };
    merge_file(path, base, first, second, &IndexContext::default(), unlock)
}

/// [`file()`] with the first side favoured and what the other files say about an index.
pub(crate) fn merge_file(
    path: &MemoryPath,
    base: Option<&[u8]>,
    first: Input<'_>,
    second: Input<'_>,
    around: &IndexContext,
    unlock: &dyn Unlock,
) -> FileMerge {
    // An index must also name what outlived its deletion: then both sides count.
    let one_changed = !path.is_index() || around.survived.is_empty();
    if first.content == second.content || (base == Some(second.content) && one_changed) {
        return FileMerge { content: first.content.to_vec(), conflicts: Vec::new() };
    }
    if base == Some(first.content) && one_changed {
        return FileMerge { content: second.content.to_vec(), conflicts: Vec::new() };
    }
    if let Some(merged) = merge_sealed(path, base, first, second, around, unlock) {
        return merged;
    }
    let merged = merge_text(path, base, first.content, second.content, around);
    finished(path, base, first, second, merged)
}

/// A merged text with its records; one side and a record where nothing inside could be merged.
pub(crate) fn finished(
    path: &MemoryPath,
    base: Option<&[u8]>,
    first: Input<'_>,
    second: Input<'_>,
    merged: Option<MergedText>,
) -> FileMerge {
    let reason = match merged {
        Some(merged) if is_one_question(path, &merged) => Reason::BothEdited,
        Some(merged) if has_outgrown(path, &merged.text, first.content, second.content) => {
            Reason::NotMergeable
        }
        Some(merged) => {
            let of = |clash| conflict(path, clash, first.origin, second.origin);
            let conflicts = merged.clashes.into_iter().map(of).collect();
            return FileMerge { content: merged.text.into_bytes(), conflicts };
        }
        None => Reason::NotMergeable,
    };
    if path.as_str().starts_with(CONFLICTS_FOLDER) {
        return FileMerge { content: first.content.to_vec(), conflicts: Vec::new() };
    }
    let reason = if base.is_some() { reason } else { Reason::AddedTwice };
    let (one, two) = ((first.origin, Some(first.content)), (second.origin, Some(second.content)));
    let conflicts = vec![whole(path, reason, base, one, two)];
    FileMerge { content: first.content.to_vec(), conflicts }
}

/// Whether two files that are small enough make one that is not: what passes the gate merges to what
/// passes it.
fn has_outgrown(path: &MemoryPath, merged: &str, first: &[u8], second: &[u8]) -> bool {
    let bytes_max = if path.is_policy() { POLICY_BYTES_MAX } else { MEMORY_BYTES_MAX };
    !path.is_index() && merged.len() > bytes_max && first.len().max(second.len()) <= bytes_max
}
