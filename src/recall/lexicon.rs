//! Which words of software work mean the same, in ten languages: data in `data/concepts.txt`.
//! Border: general vocabulary written by hand; no names of projects, products or people.
//!
//! A line is one meaning: English words first, then other languages behind `|` and their tag. A
//! phrase is written with `_`.

use std::collections::HashSet;
use std::sync::{LazyLock, OnceLock};

use super::keys::WordMap;
use super::language::Language;

/// A line of the data: one meaning.
pub type Meaning = u16;

/// Words and phrases of one language, by their stems.
#[derive(Debug, Default)]
pub struct Vocabulary {
    words: WordMap<String, Vec<Meaning>>,
    phrases: WordMap<String, Vec<Phrase>>,
}

/// The stems after the first one, and what they mean together.
#[derive(Debug)]
pub struct Phrase {
    /// What must follow.
    pub rest: Vec<String>,
    /// What it means.
    pub meaning: Meaning,
}

impl Vocabulary {
    /// What a stem means.
    pub fn word(&self, stem: &str) -> &[Meaning] {
        self.words.get(stem).map_or(&[], Vec::as_slice)
    }

    /// The phrases that begin with a stem.
    pub fn phrases(&self, stem: &str) -> &[Phrase] {
        self.phrases.get(stem).map_or(&[], Vec::as_slice)
    }
}

/// A column of a line: language and words.
type Column = (Language, Vec<&'static str>);

static LINES: LazyLock<Vec<Vec<Column>>> = LazyLock::new(|| {
    let lines = include_str!("data/concepts.txt").lines();
    lines.filter(|line| !line.starts_with('#') && !line.trim().is_empty()).map(columns).collect()
});

fn columns(line: &'static str) -> Vec<Column> {
    let mut columns = Vec::new();
    for (place, column) in line.split('|').enumerate() {
        let mut words = column.split_whitespace();
        let language = match place {
            0 => Some(Language::English),
            _ => words.next().and_then(Language::of_tag),
        };
        if let Some(language) = language {
            columns.push((language, words.collect()));
        }
    }
    columns
}

/// The words of a language; built when a text in it is first met.
pub fn vocabulary(language: Language) -> &'static Vocabulary {
    static BUILT: [OnceLock<Vocabulary>; 9] = [const { OnceLock::new() }; 9];
    BUILT[language as usize].get_or_init(|| {
        let mut vocabulary = Vocabulary::default();
        for (meaning, word) in words_of(language) {
            let mut stems = word.split('_').map(|part| language.stem(part).into_owned());
            let Some(first) = stems.next() else { continue };
            let rest: Vec<String> = stems.collect();
            if rest.is_empty() {
                push(vocabulary.words.entry(first).or_default(), meaning);
            } else {
                vocabulary.phrases.entry(first).or_default().push(Phrase { rest, meaning });
            }
        }
        vocabulary
    })
}

fn words_of(language: Language) -> impl Iterator<Item = (Meaning, &'static str)> {
    LINES.iter().enumerate().flat_map(move |(line, columns)| {
        let meaning = Meaning::try_from(line).unwrap_or(Meaning::MAX);
        let columns = columns.iter().filter(move |column| column.0 == language);
        columns.flat_map(move |column| column.1.iter().map(move |word| (meaning, *word)))
    })
}

fn push(meanings: &mut Vec<Meaning>, meaning: Meaning) {
    if !meanings.contains(&meaning) {
        meanings.push(meaning);
    }
}

/// The word that stands for a meaning where it is shown.
pub fn shown(meaning: Meaning) -> &'static str {
    LINES
        .get(usize::from(meaning))
        .and_then(|columns| columns.first()?.1.first().copied())
        .unwrap_or("")
}

/// What a word means that its own language does not know: loans and guesses gone wrong.
pub fn in_any_language(word: &str) -> &'static [Meaning] {
    static ANY: LazyLock<WordMap<&'static str, Vec<Meaning>>> = LazyLock::new(|| {
        let mut any: WordMap<&'static str, Vec<Meaning>> = WordMap::default();
        for (line, columns) in LINES.iter().enumerate() {
            let meaning = Meaning::try_from(line).unwrap_or(Meaning::MAX);
            for (language, words) in columns {
                if !matches!(language, Language::English | Language::Cjk) {
                    let long = words.iter().filter(|word| word.chars().nth(3).is_some());
                    long.for_each(|word| push(any.entry(word).or_default(), meaning));
                }
            }
        }
        any
    });
    ANY.get(word).map_or(&[], Vec::as_slice)
}

/// What a German compound means: the meanings of two parts that it falls into, with or without a
/// linking `s`.
pub fn in_compound(word: &str) -> Vec<Meaning> {
    const PART_CHARS_MIN: usize = 4;
    let mut meanings = Vec::new();
    let count = word.chars().count();
    if count < 2 * PART_CHARS_MIN {
        return meanings;
    }
    for (at, _) in word.char_indices().skip(PART_CHARS_MIN).take(count - 2 * PART_CHARS_MIN + 1) {
        let (head, tail) = word.split_at(at);
        for part in [Some(head), head.strip_suffix('s'), Some(tail)].into_iter().flatten() {
            if part.chars().nth(PART_CHARS_MIN - 1).is_some() {
                let known = vocabulary(Language::German).word(&Language::German.stem(part));
                known.iter().for_each(|meaning| push(&mut meanings, *meaning));
            }
        }
    }
    meanings
}

/// What a run of CJK characters means: its longest known words from left to right.
pub fn in_run(run: &str) -> Vec<Meaning> {
    const WORD_CHARS_MAX: usize = 8;
    static RUNS: LazyLock<WordMap<String, Vec<Meaning>>> = LazyLock::new(|| {
        let mut runs: WordMap<String, Vec<Meaning>> = WordMap::default();
        for (meaning, word) in words_of(Language::Cjk) {
            push(runs.entry(word.replace('_', "")).or_default(), meaning);
        }
        runs
    });
    let places: Vec<usize> = run.char_indices().map(|place| place.0).chain([run.len()]).collect();
    let mut meanings = Vec::new();
    let mut at = 0;
    while at + 1 < places.len() {
        let longest = (at + 2..=(at + WORD_CHARS_MAX).min(places.len() - 1)).rev();
        let known = longest
            .into_iter()
            .find_map(|end| Some((end, RUNS.get(&run[places[at]..places[end]])?)));
        at = known.map_or(at + 1, |(end, found)| {
            meanings.extend(found);
            end
        });
    }
    meanings
}

/// Whether an English stem is a word of any request, which tells little of its subject.
pub fn is_common(stem: &str) -> bool {
    static COMMON: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let lines = include_str!("data/common.txt").lines().filter(|line| !line.starts_with('#'));
        lines
            .flat_map(str::split_whitespace)
            .map(|word| Language::English.stem(word).into_owned())
            .collect()
    });
    COMMON.contains(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meanings(language: Language, word: &str) -> Vec<&'static str> {
        vocabulary(language)
            .word(&language.stem(word))
            .iter()
            .map(|meaning| shown(*meaning))
            .collect()
    }

    #[test]
    fn words_of_ten_languages_meet_in_one_meaning() {
        for (language, word) in [
            (Language::English, "reimbursed"),
            (Language::German, "erstattung"),
            (Language::French, "remboursements"),
            (Language::Spanish, "reembolso"),
            (Language::Portuguese, "estorno"),
            (Language::Italian, "rimborso"),
            (Language::Russian, "возврата"),
        ] {
            assert!(meanings(language, word).contains(&"refund"), "{word}");
        }
        for run in ["申请退款", "返金の期限", "환불은"] {
            assert!(in_run(run).iter().any(|meaning| shown(*meaning) == "refund"), "{run}");
        }
    }

    #[test]
    fn compounds_and_loans_are_understood() {
        let shown_all =
            |meanings: &[Meaning]| meanings.iter().map(|m| shown(*m)).collect::<Vec<_>>();
        assert!(shown_all(&in_compound("datenbankfehler")).contains(&"database"));
        assert!(in_compound("zebra").is_empty());
        assert!(shown_all(in_any_language("remboursement")).contains(&"refund"));
    }

    #[test]
    fn every_line_of_the_data_is_well_formed() {
        assert!(LINES.len() < usize::from(Meaning::MAX));
        for columns in LINES.iter() {
            assert!(columns.iter().all(|(_, words)| !words.is_empty()), "{columns:?}");
            assert_eq!(columns[0].0, Language::English);
        }
        let data = include_str!("data/concepts.txt");
        let tagged =
            data.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('|').count());
        assert_eq!(
            tagged.sum::<usize>(),
            LINES.iter().map(Vec::len).sum::<usize>(),
            "an unknown tag"
        );
    }
}
