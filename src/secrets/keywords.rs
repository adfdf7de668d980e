//! The one pass over a text that finds every place where a rule might match.
//! Border: says where a keyword stands and what it starts; judges nothing.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// What stands behind a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// A rule with a pattern, by its place in the rule set.
    Rule(usize),
    /// A rule whose value stands near a vendor's word.
    Near(usize),
    /// A word that may be part of a name for a credential.
    Name,
    /// A Kubernetes `Secret`.
    Kubernetes,
}

/// The automaton over all keywords.
#[derive(Debug)]
pub(crate) struct Keywords {
    automaton: AhoCorasick,
    triggers: Vec<Vec<Trigger>>,
}

impl Keywords {
    /// Builds the automaton; letters match in either case, the patterns are exact.
    pub(crate) fn new(entries: impl IntoIterator<Item = (String, Trigger)>) -> Self {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut words: Vec<String> = Vec::new();
        let mut triggers: Vec<Vec<Trigger>> = Vec::new();
        for (word, trigger) in entries {
            let word = word.to_ascii_lowercase();
            let place = *places.entry(word.clone()).or_insert_with(|| {
                words.push(word);
                triggers.push(Vec::new());
                triggers.len() - 1
            });
            if !triggers[place].contains(&trigger) {
                triggers[place].push(trigger);
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&words)
            .expect("because keyword lists are far below the automaton's limits");
        Self { automaton, triggers }
    }

    /// Every keyword occurrence with what it starts, overlapping ones too.
    pub(crate) fn hits<'a>(
        &'a self,
        text: &'a [u8],
    ) -> impl Iterator<Item = (std::ops::Range<usize>, Trigger)> + 'a {
        self.automaton.find_overlapping_iter(text).flat_map(|hit| {
            self.triggers[hit.pattern().as_usize()].iter().map(move |t| (hit.range(), *t))
        })
    }
}
