//! What a text says, as terms that can be compared: stems, identifiers, numbers, character pairs,
//! and meanings. Border: one text; how terms of two texts weigh is `score`'s business.

use std::rc::Rc;

use super::keys::{Key, WordMap, key};
use super::language::{Language, is_stop_run, is_stop_word};
use super::lexicon::{self, Meaning};
use super::words::{Token, TokenKind};

/// What a term is, which says how much it weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// A word.
    Word,
    /// A word of any request.
    Common,
    /// A word inside an identifier.
    Part,
    /// A whole identifier.
    Whole,
    /// A number.
    Number,
    /// Two CJK characters.
    Characters,
    /// Only a meaning: a phrase, or a word in characters.
    Meant,
}

/// A term where it was found.
#[derive(Debug)]
pub struct Term<'a> {
    /// Its number; `None` for [`TermKind::Meant`].
    pub key: Option<Key>,
    /// The number of the word directly before it.
    pub before: Option<Key>,
    /// What it is.
    pub kind: TermKind,
    /// The word as written, in lower case.
    pub word: &'a str,
    /// What it means.
    pub meanings: &'a [Meaning],
}

/// Reads texts into terms and remembers each word it met. Any number of them give the same terms.
#[derive(Debug, Default)]
pub struct Reader {
    words: [WordMap<String, Rc<Known>>; 9],
}

#[derive(Debug)]
struct Known {
    key: Key,
    stem: String,
    is_stop: bool,
    is_common: bool,
    starts_phrase: bool,
    meanings: Vec<Meaning>,
}

/// Longest phrase of the lexicon in words.
const PHRASE_WORDS_MAX: usize = 5;
/// A year says when something was written, not what about.
const YEARS: std::ops::Range<u32> = 1900..2100;

impl Reader {
    /// Reads a text that was taken apart.
    pub fn read(
        &mut self,
        tokens: &[Token<'_>],
        language: Language,
        mut take: impl FnMut(&Term<'_>),
    ) {
        let mut before = None;
        for (at, token) in tokens.iter().enumerate() {
            let word = token.text.as_ref();
            match token.kind {
                TokenKind::Run => {
                    read_run(word, &mut take);
                    before = None;
                }
                TokenKind::Number => {
                    let number = key(word);
                    if says_something(word) {
                        take(&Term {
                            key: Some(number),
                            before: None,
                            kind: TermKind::Number,
                            word,
                            meanings: &[],
                        });
                    }
                    before = Some(number);
                }
                TokenKind::Whole => {
                    let key = Some(key(word));
                    take(&Term { key, before: None, kind: TermKind::Whole, word, meanings: &[] });
                    before = None;
                }
                TokenKind::Word | TokenKind::Part => {
                    let known = self.known(word, language);
                    let phrase = self.phrase(&known, &tokens[at + 1..], language);
                    if !phrase.is_empty() {
                        take(&Term {
                            key: None,
                            before: None,
                            kind: TermKind::Meant,
                            word,
                            meanings: &phrase,
                        });
                    }
                    if known.is_stop {
                        continue;
                    }
                    let kind = match token.kind {
                        _ if known.is_common => TermKind::Common,
                        TokenKind::Part => TermKind::Part,
                        _ => TermKind::Word,
                    };
                    take(&Term {
                        key: Some(known.key),
                        before,
                        kind,
                        word,
                        meanings: &known.meanings,
                    });
                    before = Some(known.key);
                }
            }
        }
    }

    fn known(&mut self, word: &str, language: Language) -> Rc<Known> {
        if let Some(known) = self.words[language as usize].get(word) {
            return Rc::clone(known);
        }
        let bare = without_elision(word);
        let stem = language.stem(bare).into_owned();
        let known = Rc::new(Known {
            key: key(&stem),
            is_stop: is_stop_word(bare, language) || bare.chars().nth(1).is_none(),
            is_common: lexicon::is_common(&stem),
            starts_phrase: !lexicon::vocabulary(language).phrases(&stem).is_empty(),
            meanings: meanings(bare, &stem, language),
            stem,
        });
        self.words[language as usize].insert(word.to_owned(), Rc::clone(&known));
        known
    }

    /// What a word means together with those that follow it.
    fn phrase(
        &mut self,
        first: &Known,
        following: &[Token<'_>],
        language: Language,
    ) -> Vec<Meaning> {
        if !first.starts_phrase {
            return Vec::new();
        }
        let following = following.iter().take(PHRASE_WORDS_MAX - 1);
        let words =
            following.take_while(|token| matches!(token.kind, TokenKind::Word | TokenKind::Part));
        let stems: Vec<Rc<Known>> = words.map(|token| self.known(&token.text, language)).collect();
        let phrases = lexicon::vocabulary(language).phrases(&first.stem).iter();
        let said = phrases.filter(|phrase| {
            phrase.rest.len() <= stems.len()
                && phrase.rest.iter().zip(&stems).all(|(rest, known)| *rest == known.stem)
        });
        said.map(|phrase| phrase.meaning).collect()
    }
}

/// Pairs of characters, and the words that a run holds.
fn read_run(run: &str, take: &mut impl FnMut(&Term<'_>)) {
    let places: Vec<usize> = run.char_indices().map(|place| place.0).chain([run.len()]).collect();
    for pair in places.windows(3) {
        let word = &run[pair[0]..pair[2]];
        let (first, second) = (&run[pair[0]..pair[1]], &run[pair[1]..pair[2]]);
        let grammar = word.chars().all(|c| ('\u{3040}'..='\u{309f}').contains(&c));
        if !grammar && ![word, first, second].into_iter().any(is_stop_run) {
            let key = Some(key(word));
            take(&Term { key, before: None, kind: TermKind::Characters, word, meanings: &[] });
        }
    }
    for meaning in lexicon::in_run(run) {
        take(&Term {
            key: None,
            before: None,
            kind: TermKind::Meant,
            word: run,
            meanings: &[meaning],
        });
    }
}

/// What a word means in its language, else in English, else in any.
fn meanings(word: &str, stem: &str, language: Language) -> Vec<Meaning> {
    let own = lexicon::vocabulary(language).word(stem);
    if !own.is_empty() {
        return own.to_vec();
    }
    if !matches!(language, Language::English | Language::Cjk) || !word.is_ascii() {
        let english = lexicon::vocabulary(Language::English).word(&Language::English.stem(word));
        let found = if english.is_empty() { lexicon::in_any_language(word) } else { english };
        if !found.is_empty() {
            return found.to_vec();
        }
    } else if language == Language::Cjk {
        return lexicon::vocabulary(Language::English).word(stem).to_vec();
    }
    if language == Language::German { lexicon::in_compound(word) } else { Vec::new() }
}

/// Digits that say something: not a single one, and no year.
fn says_something(digits: &str) -> bool {
    digits.len() > 1 && !digits.parse().is_ok_and(|number| YEARS.contains(&number))
}

/// `l'adresse` and `agent's` without what is glued to them.
fn without_elision(word: &str) -> &str {
    let word = word.strip_suffix("'s").unwrap_or(word);
    match word.split_once('\'') {
        Some((head, tail)) if head.chars().nth(2).is_none() && tail.chars().nth(2).is_some() => {
            tail
        }
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::words::tokens;

    fn check(language: Language, text: &str) -> Vec<String> {
        let mut out = Vec::new();
        Reader::default().read(&tokens(text), language, |term| {
            let meanings: Vec<&str> =
                term.meanings.iter().map(|meaning| lexicon::shown(*meaning)).collect();
            out.push(format!("{:?} {} {}", term.kind, term.word, meanings.join(",")));
        });
        out
    }

    #[test]
    fn small_words_go_and_meanings_come() {
        assert_eq!(check(Language::English, "please do the rollback"), ["Word rollback rollback"]);
        let french = check(Language::French, "l'annulation du remboursement");
        assert!(french.contains(&"Word remboursement refund".to_owned()), "{french:?}");
    }

    #[test]
    fn a_phrase_means_more_than_its_words() {
        let said = check(Language::English, "we had to go back");
        assert_eq!(said, ["Meant go rollback"]);
    }

    #[test]
    fn years_and_digits_say_nothing() {
        assert_eq!(check(Language::English, "2024 7 502"), ["Number 502 "]);
    }
}
