//! What a change of a file brings in that the gate refuses, beside what the file held before.
//! Border: others' faults in a file do not hold up ours; whoever wrote them is told elsewhere.

use std::collections::HashSet;

use super::Gate;
use super::verdict::Reason;
use crate::base::path::MemoryPath;

impl Gate<'_> {
    /// The reasons that hold back a new content and did not hold for the old one.
    ///
    /// A line that is new is judged by itself as well: a fault like one that was there already is
    /// still a new one.
    pub fn introduced(&self, path: &MemoryPath, new: &[u8], old: Option<&[u8]>) -> Vec<Reason> {
        if old == Some(new) {
            return Vec::new();
        }
        let judge = |content: &[u8]| {
            let mut reasons = self.content(path, content);
            reasons.retain(Reason::holds_back);
            reasons
        };
        let reasons = judge(new);
        let Some(old) = old.filter(|_| !reasons.is_empty()) else { return reasons };
        let known = judge(old);
        let is_known = |reason: &Reason| known.iter().any(|other| other.is_like(reason));
        let added = added_lines(old, new);
        let in_added = judge(&added);
        let is_added = |reason: &Reason| in_added.iter().any(|other| other.is_like(reason));
        reasons.into_iter().filter(|reason| !is_known(reason) || is_added(reason)).collect()
    }
}

/// The lines of a text that another does not hold.
fn added_lines(old: &[u8], new: &[u8]) -> Vec<u8> {
    let known: HashSet<&[u8]> = old.split_inclusive(|b| *b == b'\n').collect();
    new.split_inclusive(|b| *b == b'\n')
        .filter(|line| !known.contains(line))
        .flatten()
        .copied()
        .collect()
}
