//! How well each memory answers a prompt: BM25 over fields, with meanings beside words, damped by
//! how much of the prompt it answers. Border: one memory at a time; what others make of it, and
//! where the line is, says `ranking`.

use std::collections::BTreeMap;

use super::candidate::{Count, Field, Indexed};
use super::keys::{Key, WordMap};
use super::language::Language;
use super::lexicon::{Meaning, shown};
use super::query::{Ask, Request, Subject};
use super::terms::TermKind;
use super::weights::{self, as_f64, rarity};

/// All candidates, counted.
#[derive(Debug, Default)]
pub struct Collection {
    /// In the order of the candidates.
    pub indexed: Vec<Indexed>,
    /// In how many memories each term is.
    pub found: WordMap<Key, u32>,
    pairs: BTreeMap<(Key, Key), usize>,
    meanings: BTreeMap<Meaning, usize>,
    length: f64,
}

/// A word of the prompt that a memory answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// The word of the prompt.
    pub word: String,
    /// The word that stands for the meaning they share, where the memory has another word.
    pub meaning: Option<&'static str>,
    /// Where it stands in the memory.
    pub fields: Vec<Field>,
    /// What it added.
    pub weight: f64,
}

/// How well a memory answers.
#[derive(Clone, Debug)]
pub struct Scored {
    /// The candidate's place.
    pub place: usize,
    /// The final score.
    pub score: f64,
    /// The sum over all matches.
    pub sum: f64,
    /// What share of the prompt it answers, from 0 to 1.
    pub share: f64,
    /// What it answers, the heaviest first.
    pub matches: Vec<Match>,
    /// What each ask added.
    pub answers: Vec<f64>,
}

/// What a memory's answers are measured against.
struct Asked {
    size: f64,
    with_pasted: bool,
}

/// A prompt is no smaller than this.
const ASKED_MIN: f64 = 0.3;

impl Collection {
    /// Brings counted candidates together.
    pub fn of(indexed: Vec<Indexed>) -> Self {
        let mut collection = Self { indexed, ..Self::default() };
        for indexed in &collection.indexed {
            for (key, _) in indexed.terms.as_slice() {
                *collection.found.entry(*key).or_default() += 1;
            }
            for (pair, _) in indexed.pairs.as_slice() {
                *collection.pairs.entry(*pair).or_default() += 1;
            }
            for (meaning, _) in indexed.meanings.as_slice() {
                *collection.meanings.entry(*meaning).or_default() += 1;
            }
        }
        let length: f64 = collection.indexed.iter().map(|indexed| indexed.length).sum();
        collection.length = (length / as_f64(collection.indexed.len().max(1))).max(1.0);
        collection
    }

    /// Scores every candidate.
    pub fn score(&self, request: &Request) -> Vec<Scored> {
        let size = |is_counted: &dyn Fn(&Ask) -> bool| {
            let counted = request.asks.iter().filter(|ask| is_counted(ask));
            counted.map(|ask| ask.weight * self.ask_rarity(ask)).sum::<f64>()
        };
        let written = size(&|ask| ask.is_written);
        // "What is this?" above a log says nothing: then the log is what is asked.
        let asked = if written < weights::WRITTEN_ENOUGH && request.pasted > 0 {
            Asked { size: size(&|_| true), with_pasted: true }
        } else {
            Asked { size: written, with_pasted: false }
        };
        (0..self.indexed.len()).map(|place| self.score_one(place, request, &asked)).collect()
    }

    /// How rare what is asked for is; neighbours and meanings alone add nothing to a prompt's size.
    fn ask_rarity(&self, ask: &Ask) -> f64 {
        match ask.subject {
            Subject::Term(key) => self.term_rarity(key, ask.kind),
            _ => 0.0,
        }
    }

    fn term_rarity(&self, key: Key, kind: TermKind) -> f64 {
        let found = self.found.get(&key).map_or(0, |found| *found as usize);
        rarity(self.indexed.len(), found, unseen(kind))
    }

    fn score_one(&self, place: usize, request: &Request, asked: &Asked) -> Scored {
        let indexed = &self.indexed[place];
        let mut scored = Scored {
            place,
            score: 0.0,
            sum: 0.0,
            share: 0.0,
            matches: Vec::new(),
            answers: Vec::new(),
        };
        let mut used: Vec<Meaning> = Vec::new();
        let (mut answered, mut hits) = (0.0, 0_usize);
        for ask in &request.asks {
            let Some((weight, count, meaning)) = self.answer(indexed, request.language, ask, &used)
            else {
                scored.answers.push(0.0);
                continue;
            };
            used.extend(meaning);
            scored.answers.push(weight);
            scored.sum += weight;
            answered += if ask.is_written || asked.with_pasted { weight } else { 0.0 };
            hits += usize::from(!ask.is_pair());
            let (word, fields) = (ask.word.clone(), count.fields().collect());
            scored.matches.push(Match { word, meaning: meaning.map(shown), fields, weight });
        }
        scored.matches.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        scored.share = (answered / asked.size.max(ASKED_MIN)).min(1.0);
        let agreed = (as_f64(hits) / as_f64(hits + 1)).sqrt();
        let alone = (0..request.asides).fold(1.0, |alone, _| alone * weights::SELF_CONTAINED);
        scored.score = scored.sum * weights::damped(scored.share) * agreed * alone;
        scored
    }

    /// What an ask finds in a memory: the word itself, or another one of the same meaning, which
    /// answers only once.
    fn answer(
        &self,
        indexed: &Indexed,
        language: Language,
        ask: &Ask,
        used: &[Meaning],
    ) -> Option<(f64, Count, Option<Meaning>)> {
        let norm = 1.0 - weights::LENGTH + weights::LENGTH * indexed.length / self.length;
        let saturated = |count: Count| count.weight / (count.weight + weights::SATURATION * norm);
        let all = self.indexed.len();
        let direct = match &ask.subject {
            Subject::Term(key) => indexed.terms.get(key).map(|count| {
                (ask.weight * saturated(count) * self.term_rarity(*key, ask.kind), count, None)
            }),
            Subject::Pair(first, second) => indexed.pairs.get(&(*first, *second)).map(|count| {
                let found = self.pairs.get(&(*first, *second)).copied().unwrap_or(0);
                let rarity = rarity(all, found, weights::UNSEEN_WITH_WORD);
                (ask.weight * saturated(count) * rarity, count, None)
            }),
            Subject::Meant(_) => None,
        };
        let kinship = if indexed.language == Some(language) { weights::SAME_MEANING } else { 1.0 };
        let mut best = direct;
        for meaning in ask.meanings.iter().filter(|meaning| !used.contains(meaning)) {
            let Some(count) = indexed.meanings.get(meaning) else { continue };
            let found = self.meanings.get(meaning).copied().unwrap_or(0);
            let rarity = rarity(all, found, weights::UNSEEN_WITH_MEANING);
            let weight = ask.weight * kinship * saturated(count) * rarity;
            if best.is_none_or(|best| weight > best.0) {
                best = Some((weight, count, Some(*meaning)));
            }
        }
        best
    }
}

fn unseen(kind: TermKind) -> f64 {
    if kind == TermKind::Common { weights::UNSEEN_WITH_COMMON } else { weights::UNSEEN_WITH_WORD }
}
