//! What was said in a team memory and not taken back: each fact is a word that stands nowhere else.
//! Border: knows words and files; who says what is `people`.

use std::collections::{BTreeMap, BTreeSet};

/// The facts that must be there, in a memory or in the record of a conflict.
#[derive(Default)]
pub(super) struct Facts {
    told: BTreeSet<String>,
    /// Facts that somebody took back while others may not have known.
    taken_back: BTreeSet<String>,
    count: usize,
}

impl Facts {
    /// A fact that nobody has said before.
    pub(super) fn tell(&mut self) -> String {
        self.count += 1;
        let fact = format!("fact{:04}", self.count);
        self.told.insert(fact.clone());
        fact
    }

    /// How many there were so far.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Somebody took away or wrote over a text.
    pub(super) fn take_back(&mut self, text: &str) {
        for fact in facts_of(text) {
            self.told.remove(&fact);
            self.taken_back.insert(fact);
        }
    }

    /// What was in the first text and is not in the second was decided against.
    pub(super) fn decide(&mut self, before: &str, after: &str) {
        let after = facts_of(after);
        for fact in facts_of(before).difference(&after) {
            self.told.remove(fact);
            self.taken_back.insert(fact.clone());
        }
    }

    /// Every fact stands in a memory, or in the record of an open conflict.
    pub(super) fn assert_kept(&self, files: &BTreeMap<String, String>) {
        let there: BTreeSet<String> = files.values().flat_map(|text| facts_of(text)).collect();
        let lost: Vec<&String> = self.told.difference(&there).collect();
        assert!(lost.is_empty(), "lost: {lost:?}");
        for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".md")) {
            let mut seen = BTreeSet::new();
            for fact in words(text) {
                assert!(seen.insert(fact), "{fact} stands twice in {path}:\n{text}");
            }
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_fact = |word: &&str| word.len() == 8 && word.starts_with("fact");
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_fact)
}

fn facts_of(text: &str) -> BTreeSet<String> {
    words(text).map(str::to_owned).collect()
}
