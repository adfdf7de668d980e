//! Texts that say what another text says already.
//! Border: texts in, names out; likeness is counted in runs of words.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Words of a run.
const RUN_WORDS: usize = 5;
/// A text with fewer runs says too little to be called a copy.
const RUNS_MIN: usize = 6;
/// Runs of a text, in a hundred, that one other must hold.
const SHARE_MIN: usize = 80;

/// Texts that are known, by name, as runs of words.
#[derive(Clone, Debug, Default)]
pub struct Known {
    names: Vec<String>,
    at: HashMap<u64, Vec<usize>>,
}

impl Known {
    /// Adds a text under a name.
    pub fn add(&mut self, name: String, text: &str) {
        let number = self.names.len();
        self.names.push(name);
        for run in runs(text) {
            let numbers = self.at.entry(run).or_default();
            if numbers.last() != Some(&number) {
                numbers.push(number);
            }
        }
    }

    /// The name of the text that holds nearly all of another one; `own` is left out.
    pub fn holding(&self, text: &str, own: Option<&str>) -> Option<&str> {
        let runs = runs(text);
        let mut hits: HashMap<usize, usize> = HashMap::new();
        for number in runs.iter().filter_map(|run| self.at.get(run)).flatten() {
            *hits.entry(*number).or_default() += 1;
        }
        hits.retain(|number, _| own != Some(self.names[*number].as_str()));
        let best =
            hits.into_iter().max_by_key(|(number, hits)| (*hits, std::cmp::Reverse(*number)));
        let (number, hits) = best?;
        (runs.len() >= RUNS_MIN && hits * 100 >= runs.len() * SHARE_MIN)
            .then(|| self.names[number].as_str())
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
        let mut known = Known::default();
        let add = |known: &mut Known, name: &str, text| known.add(name.to_owned(), text);
        add(
            &mut known,
            "a",
            "# Tests\n\nRun `make test` before every commit, and never push to main without review.",
        );
        add(
            &mut known,
            "b",
            "Deploys happen on Tuesday after the stand-up, from the release branch only.",
        );
        let copy = "Run make test before every commit and never push to main without review!";
        assert_eq!(known.holding(copy, None), Some("a"));
        assert_eq!(known.holding(copy, Some("a")), None, "itself");
        let other = "Before a commit, tests are run with make; pushing to main needs a review by somebody else.";
        assert_eq!(known.holding(other, None), None);
        assert_eq!(known.holding("Run make test before every commit", None), None, "too short");
    }
}
