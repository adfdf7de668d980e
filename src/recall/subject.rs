//! Which memory replaces an older one on the same subject: the one that says so, else one that is
//! alike and clearly younger. Border: pairs of memories; the prompt is not looked at.

use super::candidate::Candidate;
use super::score::Collection;
use super::weights::{
    REPLACES_AFTER_DAYS, SAME_SUBJECT, SAYS_IT_REPLACES, UNSEEN_WITH_WORD, rarity,
};

/// Why a memory counts as outdated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// The newer one names it in `supersedes`.
    BySaying,
    /// The newer one is on the same subject.
    ByLikeness,
}

const SECONDS_A_DAY: i64 = 86_400;

/// Words of a memory that reports a change, in several languages.
const CHANGES: [&str; 33] = [
    "since",
    "no longer",
    "replaced",
    "replaces",
    "is gone",
    "are gone",
    "was removed",
    "were removed",
    "has been removed",
    "deleted from",
    "moved to",
    "moved from",
    "migrated",
    "switched",
    "instead of",
    "from now on",
    "as of",
    "used to",
    "formerly",
    "the old",
    "deprecated",
    "retired",
    "seit",
    "nicht mehr",
    "depuis",
    "ne plus",
    "desde",
    "ya no",
    "a partir",
    "не используется",
    "不再",
    "改为",
    "이제",
];

/// For each memory the one that replaces it, found when asked for.
#[derive(Debug)]
pub struct Successors<'a> {
    candidates: &'a [Candidate],
    collection: &'a Collection,
    /// The rarity of a term that is in so many memories.
    rarities: Vec<f64>,
    norms: Vec<f64>,
}

impl<'a> Successors<'a> {
    /// Over a collection.
    pub fn of(candidates: &'a [Candidate], collection: &'a Collection) -> Self {
        let all = candidates.len();
        let rarities = (0..=all).map(|found| rarity(all, found, UNSEEN_WITH_WORD)).collect();
        let mut this = Self { candidates, collection, rarities, norms: Vec::new() };
        this.norms = (0..all).map(|place| this.likeness(place, place).sqrt()).collect();
        this
    }

    /// What replaces a memory, if anything does.
    pub fn find(&self, old: usize) -> Option<(usize, Replaced)> {
        let says = |new: &usize| {
            *new != old && {
                let names = &self.candidates[*new].supersedes;
                names.iter().any(|name| self.candidates[old].is_called(name))
            }
        };
        if let Some(new) = (0..self.candidates.len()).find(says) {
            return Some((new, Replaced::BySaying));
        }
        let mut best: Option<(f64, usize)> = None;
        for new in 0..self.candidates.len() {
            let (before, after) = (&self.candidates[old], &self.candidates[new]);
            let days = (after.modified - before.modified) / SECONDS_A_DAY;
            if before.kind != after.kind || days <= REPLACES_AFTER_DAYS {
                continue;
            }
            let alike =
                self.likeness(old, new) / (self.norms[old] * self.norms[new]).max(f64::EPSILON);
            if alike + SAYS_IT_REPLACES < SAME_SUBJECT {
                continue;
            }
            let alike = alike + if reports_a_change(after) { SAYS_IT_REPLACES } else { 0.0 };
            if alike >= SAME_SUBJECT && best.is_none_or(|best| alike > best.0) {
                best = Some((alike, new));
            }
        }
        best.map(|best| (best.1, Replaced::ByLikeness))
    }

    /// The product of two memories as vectors: the root of the frequency times the rarity.
    fn likeness(&self, one: usize, other: usize) -> f64 {
        let [mut one, mut other] =
            [one, other].map(|place| self.collection.indexed[place].terms.as_slice());
        let mut sum = 0.0;
        while let ([first, one_rest @ ..], [second, other_rest @ ..]) = (one, other) {
            if first.0 == second.0 {
                let found = self.collection.found.get(&first.0).map_or(0, |found| *found as usize);
                let rarity = self.rarities[found];
                sum += (first.1.weight * second.1.weight).sqrt() * rarity * rarity;
            }
            if first.0 <= second.0 {
                one = one_rest;
            }
            if second.0 <= first.0 {
                other = other_rest;
            }
        }
        sum
    }
}

fn reports_a_change(candidate: &Candidate) -> bool {
    let text = format!("{} {}", candidate.description, candidate.body).to_lowercase();
    CHANGES.iter().any(|words| text.contains(words))
}
