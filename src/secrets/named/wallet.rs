//! Words that restore a wallet (BIP 39), beside a word that announces them: in a row, counted, listed.
//! Border: finds them in a text; the list and its checksum are `mnemonic`.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::secrets::finding::Confidence;
use crate::secrets::value::mnemonic;

/// Words that announce a phrase, in any case.
pub(crate) static KEYWORDS: &[&str] =
    &["seed", "mnemonic", "phrase", "wallet", "bip39", "bip-39", "24 words", "12 words"];

/// How far behind the announcement a phrase may reach: 24 words on lines of their own.
const WINDOW_BYTES: usize = 700;
/// The fewest words of a phrase.
const WORDS_MIN: usize = 12;
/// Fewer different words are a sample: eleven times `test`.
const DIFFERENT_MIN: usize = 8;

/// The phrase behind an announcement, and how sure its checksum makes us.
pub(crate) fn phrase(text: &[u8], keyword: &Range<usize>) -> Option<(Range<usize>, Confidence)> {
    let limit = text.len().min(keyword.end + WINDOW_BYTES);
    let mut run = Run::default();
    let mut at = keyword.end;
    // The rest of the word that announces: `seed|s`, `phrase|:`.
    while at < limit && text[at].is_ascii_alphanumeric() {
        at += 1;
    }
    while at < limit {
        if text[at].is_ascii_alphabetic() {
            let length = text[at..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
            let word = at..at + length;
            at += length;
            match mnemonic::number(&text[word.clone()].to_ascii_lowercase()) {
                Some(number) => run.push(word, number),
                None => match run.close() {
                    Some(found) => return Some(found),
                    None => run = Run::default(),
                },
            }
            continue;
        }
        let gap = text[at..limit].iter().take_while(|b| !b.is_ascii_alphabetic()).count();
        if !parts_words(&text[at..at + gap]) {
            if let Some(found) = run.close() {
                return Some(found);
            }
            run = Run::default();
        }
        at += gap;
    }
    run.close()
}

/// Words of the list in a row.
#[derive(Default)]
struct Run {
    numbers: Vec<usize>,
    place: Range<usize>,
}

impl Run {
    fn push(&mut self, word: Range<usize>, number: usize) {
        if self.numbers.is_empty() {
            self.place.start = word.start;
        }
        self.place.end = word.end;
        self.numbers.push(number);
    }

    /// The phrase the words are, where they are one: sound as a whole or in part, or as many as
    /// a phrase has.
    fn close(&self) -> Option<(Range<usize>, Confidence)> {
        let numbers = &self.numbers;
        let different = numbers.iter().collect::<BTreeSet<_>>().len();
        if numbers.len() < WORDS_MIN || different < DIFFERENT_MIN {
            return None;
        }
        let counts = (WORDS_MIN..=numbers.len()).filter(|count| mnemonic::is_count(*count));
        let sound = counts.flat_map(|count| numbers.windows(count)).any(mnemonic::is_sound);
        let confidence = if sound { Confidence::Proven } else { Confidence::High };
        (sound || mnemonic::is_count(numbers.len())).then(|| (self.place.clone(), confidence))
    }
}

/// Tells that what stands between two words leaves them in one phrase: spaces, line ends, commas,
/// marks of lists, numbers.
fn parts_words(gap: &[u8]) -> bool {
    let digits = gap.iter().any(u8::is_ascii_digit);
    gap.iter().all(|b| {
        b.is_ascii_whitespace()
            || b.is_ascii_digit()
            || b",;|*-_>`\"'".contains(b)
            || digits && b".):".contains(b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::Scanner;
    use crate::secrets::rules::sample::expand;

    fn found(text: &str) -> Vec<(String, Confidence)> {
        let findings = Scanner::builtin().scan("note.md", text.as_bytes());
        findings.into_iter().map(|f| (text[f.bytes].to_owned(), f.confidence)).collect()
    }

    #[test]
    fn a_phrase_is_found_in_every_form_and_its_checksum_proves_it() {
        for count in [12, 15, 18, 21, 24] {
            let words = expand(&format!("{{seed:{count}}}")).unwrap();
            for text in [
                format!("Seed phrase: {words}\n"),
                format!("# Wallet\n\n{}\n", words.to_uppercase()),
                format!("MNEMONIC=\"{words}\"\n"),
                format!("the recovery phrase is `{}`.", words.replace(' ', ", ")),
            ] {
                let found = found(&text);
                assert_eq!(found.len(), 1, "{text}");
                assert_eq!(found[0].1, Confidence::Proven, "{text}");
            }
        }
        for form in ["{seed:12:numbered}", "{seed:24:list}"] {
            let text = format!("seed words\n\n{}\n\nNext words.", expand(form).unwrap());
            assert_eq!(found(&text).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_wrong_checksum_counts_less_and_sentences_and_samples_do_not() {
        let words = expand("{seed:12}").unwrap();
        let last = words.rsplit(' ').next().unwrap();
        let other = if last == "zoo" { "abandon" } else { "zoo" };
        let wrong = format!("{} {other}", words.strip_suffix(last).unwrap().trim_end());
        assert!(found(&format!("seed phrase: {wrong}")).iter().all(|f| f.1 >= Confidence::High));
        let rest = words.split(' ').take(11).collect::<Vec<_>>().join(" ");
        for text in [
            format!("seed phrase: {rest}"),
            format!("seed phrase {}", "test ".repeat(11) + "junk"),
            "The wallet seed script fills the table with one row for every account there is now"
                .to_owned(),
            format!("see {rest}. Then {rest}"),
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
    }
}
