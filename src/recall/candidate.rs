//! A memory as recall sees it, and what is counted in it. Border: values; nothing is read here.

use std::collections::HashSet;

use super::keys::Key;
use super::language::{Language, detect};
use super::lexicon::Meaning;
use super::terms::Reader;
use super::weights::FIELD_WEIGHTS;
use super::words::{Token, tokens};
use crate::memory::kind::Kind;

/// A memory that could be recalled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// Below the memory directory: `x.md`, `team/x.md`.
    pub path: String,
    /// The `name` of the frontmatter; empty where there is none.
    pub name: String,
    /// The `description`; empty where there is none.
    pub description: String,
    /// The `type`, if it is one of the four.
    pub kind: Option<Kind>,
    /// The text that ranking sees; empty for a sealed memory.
    pub body: String,
    /// When it was last changed, in seconds since the epoch.
    pub modified: i64,
    /// Names of the memories it says it replaces.
    pub supersedes: Vec<String>,
}

impl Candidate {
    /// The file name without folder and ending.
    pub fn stem(&self) -> &str {
        let file = self.path.rsplit('/').next().unwrap_or(&self.path);
        file.strip_suffix(".md").unwrap_or(file)
    }

    /// Whether a person or an agent means it by a name: its path, file, stem or `name`.
    pub fn is_called(&self, name: &str) -> bool {
        let file = self.path.rsplit('/').next().unwrap_or(&self.path);
        let name = name.strip_prefix("./").unwrap_or(name);
        !name.is_empty()
            && [self.path.as_str(), file, self.stem(), self.name.as_str()].contains(&name)
    }
}

/// Where a term stands in a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// In its name or file name.
    Name,
    /// In its description.
    Description,
    /// In its text.
    Body,
}

impl Field {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Name, Self::Description, Self::Body];

    /// As it is shown.
    pub fn name(self) -> &'static str {
        ["name", "description", "body"][self as usize]
    }
}

/// How often, weighted by field, and in which fields.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count {
    /// The weighted frequency.
    pub weight: f64,
    /// A bit for each of [`Field::ALL`].
    pub fields: u8,
}

impl Count {
    /// Whether it stands in the name or the description.
    pub fn is_in_head(self) -> bool {
        self.fields & 0b11 != 0
    }

    /// The fields it stands in.
    pub fn fields(self) -> impl Iterator<Item = Field> {
        Field::ALL.into_iter().filter(move |field| self.fields & (1 << *field as u8) != 0)
    }
}

/// Counts by what they count, in its order: sums come out the same on every run.
#[derive(Clone, Debug)]
pub struct Counts<K>(Vec<(K, Count)>);

impl<K> Default for Counts<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord + Copy> Counts<K> {
    /// The count of one.
    pub fn get(&self, key: &K) -> Option<Count> {
        let place = self.0.binary_search_by(|held| held.0.cmp(key)).ok()?;
        Some(self.0[place].1)
    }

    /// All of them in order.
    pub fn as_slice(&self) -> &[(K, Count)] {
        &self.0
    }

    fn push(&mut self, key: K, weight: f64, field: Field) {
        self.0.push((key, Count { weight, fields: 1 << field as u8 }));
    }

    /// Brings equal ones together, from `start` on, by adding their weights or keeping the larger.
    fn settle(&mut self, start: usize, together: impl Fn(f64, f64) -> f64) {
        self.0[start..].sort_by_key(|held| held.0);
        let mut settled: Vec<(K, Count)> = Vec::with_capacity(self.0.len() - start);
        for (key, count) in self.0.drain(start..) {
            match settled.last_mut().filter(|last| last.0 == key) {
                Some((_, held)) => {
                    held.weight = together(held.weight, count.weight);
                    held.fields |= count.fields;
                }
                None => settled.push((key, count)),
            }
        }
        self.0.append(&mut settled);
    }
}

/// What is counted in a memory.
#[derive(Clone, Debug, Default)]
pub struct Indexed {
    /// Terms.
    pub terms: Counts<Key>,
    /// Those pairs of neighbours that the query has too.
    pub pairs: Counts<(Key, Key)>,
    /// Meanings.
    pub meanings: Counts<Meaning>,
    /// The sum of all weighted frequencies.
    pub length: f64,
    /// The language of most of it.
    pub language: Option<Language>,
}

/// A pair of neighbours counts no more than this at once.
const PAIR_WEIGHT_MAX: f64 = 2.0;

/// Counts a memory.
pub fn index(reader: &mut Reader, candidate: &Candidate, pairs: &HashSet<(Key, Key)>) -> Indexed {
    let stem = candidate.stem().replace(['-', '_'], " ");
    let file = tokens(&stem);
    let [name, description, body] =
        [&candidate.name, &candidate.description, &candidate.body].map(|text| tokens(text));
    let language = detect([&name, &description, &body].into_iter().flatten());
    // A file name, and often the name, of a memory in another language is English.
    let language_of = |tokens: &[Token<'_>]| {
        if detect(tokens) == Language::English { Language::English } else { language }
    };

    let mut indexed = Indexed { language: Some(language), ..Indexed::default() };
    for tokens in [&file, &name] {
        let start = indexed.sizes();
        count(reader, tokens, language_of(tokens), Field::Name, pairs, &mut indexed);
        indexed.settle(start, |one, other| one + other);
    }
    // The file name repeats the name: the larger count holds, not the sum.
    indexed.settle([0; 3], f64::max);
    count(reader, &description, language, Field::Description, pairs, &mut indexed);
    count(reader, &body, language, Field::Body, pairs, &mut indexed);
    indexed.settle([0; 3], |one, other| one + other);
    indexed.length = indexed.terms.as_slice().iter().map(|held| held.1.weight).sum();
    indexed
}

impl Indexed {
    fn sizes(&self) -> [usize; 3] {
        [self.terms.0.len(), self.pairs.0.len(), self.meanings.0.len()]
    }

    fn settle(&mut self, start: [usize; 3], together: impl Fn(f64, f64) -> f64 + Copy) {
        self.terms.settle(start[0], together);
        self.pairs.settle(start[1], together);
        self.meanings.settle(start[2], together);
    }
}

fn count(
    reader: &mut Reader,
    tokens: &[Token<'_>],
    language: Language,
    field: Field,
    pairs: &HashSet<(Key, Key)>,
    into: &mut Indexed,
) {
    let weight = FIELD_WEIGHTS[field as usize];
    reader.read(tokens, language, |term| {
        if let Some(key) = term.key {
            into.terms.push(key, weight, field);
            let pair = term.before.map(|before| (before, key));
            if let Some(pair) = pair.filter(|pair| pairs.contains(pair)) {
                into.pairs.push(pair, weight.min(PAIR_WEIGHT_MAX), field);
            }
        }
        for meaning in term.meanings {
            into.meanings.push(*meaning, weight, field);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_called_by_path_file_stem_or_name() {
        let candidate = Candidate {
            path: "team/printer-trays.md".to_owned(),
            name: "Printer trays".to_owned(),
            ..Candidate::default()
        };
        for name in ["team/printer-trays.md", "printer-trays.md", "printer-trays", "Printer trays"]
        {
            assert!(candidate.is_called(name), "{name}");
        }
        for name in ["", "printer", "trays.md", "private/printer-trays.md"] {
            assert!(!candidate.is_called(name), "{name}");
        }
    }

    #[test]
    fn a_name_that_repeats_the_file_name_counts_once() {
        let named = |name: &str| {
            let path = "printer-trays.md".to_owned();
            let candidate = Candidate { path, name: name.to_owned(), ..Candidate::default() };
            index(&mut Reader::default(), &candidate, &HashSet::new()).length
        };
        assert_eq!(named("Printer trays"), named(""));
    }
}
