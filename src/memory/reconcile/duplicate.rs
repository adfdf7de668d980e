//! Entries that point at the same memory: the same words once more, or different ones.
//! Border: tells them apart; nothing is removed here.

use std::collections::HashMap;

use super::known::Meaning;
use crate::base::display::Escaped;
use crate::base::text::Position;
use crate::memory::index::Block;
use crate::memory::problem::{Problem, Severity};

/// What was seen so far, by what it means.
#[derive(Default)]
pub(super) struct Duplicates<'a> {
    seen: HashMap<&'a str, Vec<Seen>>,
}

/// One entry: its words as they stand in the text, and its line.
struct Seen {
    words: Option<String>,
    line: usize,
}

impl<'a> Duplicates<'a> {
    /// Tells whether an entry of a memory stands earlier in exactly the same words. Remembers it if not.
    pub(super) fn is_repeated(&mut self, block: &Block, at: usize, meaning: &Meaning<'a>) -> bool {
        let (Meaning::File(path) | Meaning::Folder(path)) = meaning else { return false };
        let words = block.words(at);
        let seen = self.seen.entry(path).or_default();
        if words.is_some() && seen.iter().any(|earlier| earlier.words == words) {
            return true;
        }
        seen.push(Seen { words, line: block.entries[at].line });
        false
    }

    /// A note for each memory with several different entries, in the order of their lines.
    pub(super) fn notes(self) -> Vec<Problem> {
        let several = self.seen.into_iter().filter(|(_, seen)| seen.len() > 1);
        let mut notes: Vec<Problem> = several.map(|(path, seen)| note(path, &seen)).collect();
        notes.sort_by(|a, b| (a.position, &a.message).cmp(&(b.position, &b.message)));
        notes
    }
}

fn note(path: &str, seen: &[Seen]) -> Problem {
    let lines: Vec<String> = seen.iter().map(|seen| seen.line.to_string()).collect();
    let lines = lines.join(", ");
    Problem {
        position: Some(Position { line: seen[1].line, column: 1 }),
        rule: "index-duplicate",
        severity: Severity::Warning,
        message: format!(
            "`{}` has {} different entries, in lines {lines}",
            Escaped(path),
            seen.len()
        ),
        next_step: "Keep the better one and remove the others.".to_owned(),
    }
}
