//! Memories that say what an instruction file says already.
//! Border: texts in, texts out; likeness is counted in runs of words.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Words of a run.
const RUN_WORDS: usize = 5;
/// A memory with fewer runs says too little to be called a copy.
const RUNS_MIN: usize = 6;
/// Runs of a memory, in a hundred, that one file must hold.
const SHARE_MIN: usize = 80;

/// The runs of words of some files.
#[derive(Debug, Default)]
pub struct Runs {
    at: HashMap<u64, Vec<usize>>,
}

impl Runs {
    /// Adds a text under a number.
    pub fn add(&mut self, number: usize, text: &str) {
        for run in runs(text) {
            let numbers = self.at.entry(run).or_default();
            if numbers.last() != Some(&number) {
                numbers.push(number);
            }
        }
    }

    /// The number of the text that holds nearly all of another one.
    pub fn holding(&self, text: &str) -> Option<usize> {
        let runs = runs(text);
        let mut hits: HashMap<usize, usize> = HashMap::new();
        for number in runs.iter().filter_map(|run| self.at.get(run)).flatten() {
            *hits.entry(*number).or_default() += 1;
        }
        let best =
            hits.into_iter().max_by_key(|(number, hits)| (*hits, std::cmp::Reverse(*number)));
        let (number, hits) = best?;
        (runs.len() >= RUNS_MIN && hits * 100 >= runs.len() * SHARE_MIN).then_some(number)
    }
}

fn runs(text: &str) -> Vec<u64> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let hash = |run: &[String]| {
        let mut hasher = DefaultHasher::new();
        run.hash(&mut hasher);
        hasher.finish()
    };
    words.windows(RUN_WORDS).map(hash).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_known_and_a_text_on_the_same_subject_is_not() {
        let mut runs = Runs::default();
        runs.add(0, "# Tests\n\nRun `make test` before every commit, and never push to main without review.");
        runs.add(1, "Deploys happen on Tuesday after the stand-up, from the release branch only.");
        let copy = "Run make test before every commit and never push to main without review!";
        assert_eq!(runs.holding(copy), Some(0));
        let other = "Before a commit, tests are run with make; pushing to main needs a review by somebody else.";
        assert_eq!(runs.holding(other), None);
        assert_eq!(runs.holding("Run make test before every commit"), None, "too short");
    }
}
