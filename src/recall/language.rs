//! Which language a text is in, which of its words say nothing, and the stems of the rest.
//! Border: a guess by common words, good enough to choose a stemmer; never a claim about a person.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::keys::WordMap;
use super::words::{Token, TokenKind};

/// The languages told apart. Text in CJK characters is taken by pairs of characters, its Latin
/// words as English ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// English, and whatever is not recognised.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Portuguese.
    Portuguese,
    /// Italian.
    Italian,
    /// Dutch.
    Dutch,
    /// Russian.
    Russian,
    /// Chinese, Japanese or Korean.
    Cjk,
}

const TAGS: [(&str, Language); 11] = [
    ("en", Language::English),
    ("de", Language::German),
    ("fr", Language::French),
    ("es", Language::Spanish),
    ("pt", Language::Portuguese),
    ("it", Language::Italian),
    ("nl", Language::Dutch),
    ("ru", Language::Russian),
    ("zh", Language::Cjk),
    ("ja", Language::Cjk),
    ("ko", Language::Cjk),
];
/// The languages that are told apart by their stop words.
const SPELLED: usize = 8;

impl Language {
    /// By the tag that the data files use.
    pub fn of_tag(tag: &str) -> Option<Self> {
        TAGS.iter().find(|known| known.0 == tag).map(|known| known.1)
    }

    /// Cuts the ending off a lower-case word.
    pub fn stem(self, word: &str) -> Cow<'_, str> {
        let algorithm = match self {
            Self::English | Self::Cjk => Algorithm::English,
            Self::German => Algorithm::German,
            Self::French => Algorithm::French,
            Self::Spanish => Algorithm::Spanish,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Italian => Algorithm::Italian,
            Self::Dutch => Algorithm::Dutch,
            Self::Russian => Algorithm::Russian,
        };
        Cow::Owned(Stemmer::create(algorithm).stem(word).into_owned())
    }
}

struct StopWords {
    /// A bit for each language of [`TAGS`] that has the word.
    spelled: WordMap<&'static str, u8>,
    characters: HashSet<&'static str>,
}

static STOP_WORDS: LazyLock<StopWords> = LazyLock::new(|| {
    let mut stop = StopWords { spelled: WordMap::default(), characters: HashSet::new() };
    for line in include_str!("data/stop.txt").lines() {
        let mut words = line.split_whitespace();
        let place = words.next().and_then(|tag| TAGS.iter().position(|known| known.0 == tag));
        match place {
            Some(place) if place < SPELLED => {
                words.for_each(|word| *stop.spelled.entry(word).or_default() |= 1 << place);
            }
            _ => stop.characters.extend(words),
        }
    }
    stop
});

/// Whether a lower-case word says nothing by itself in a language. English ones never do.
pub fn is_stop_word(word: &str, language: Language) -> bool {
    let place = TAGS.iter().position(|known| known.1 == language).unwrap_or(0).min(7);
    let languages = STOP_WORDS.spelled.get(word).copied().unwrap_or(0);
    languages & (1 | 1 << place) != 0
}

/// Whether CJK characters say nothing by themselves.
pub fn is_stop_run(characters: &str) -> bool {
    STOP_WORDS.characters.contains(characters)
}

/// Guesses the language of a text by its stop words and its script.
pub fn detect<'a>(tokens: impl IntoIterator<Item = &'a Token<'a>>) -> Language {
    let mut counts = [0_u32; SPELLED];
    let (mut latin, mut cyrillic, mut characters) = (0_usize, 0_usize, 0_usize);
    for token in tokens {
        match token.kind {
            TokenKind::Run => characters += token.text.chars().count(),
            TokenKind::Word => {
                let is_cyrillic = token.text.starts_with(|c| ('\u{400}'..='\u{4ff}').contains(&c));
                if is_cyrillic {
                    cyrillic += 1;
                } else {
                    latin += 1;
                }
                count_stop_word(&token.text, &mut counts);
            }
            _ => {}
        }
    }
    if characters > 2 * (latin + cyrillic) || characters > 40 {
        return Language::Cjk;
    }
    if cyrillic * 2 > latin && cyrillic > 0 {
        return Language::Russian;
    }
    let best = (0..SPELLED).rev().max_by_key(|place| counts[*place]).unwrap_or(0);
    // English wins unless another language is clearly ahead: a word or two prove nothing.
    let ahead = 10 * counts[best] >= 13 * counts[0] + 10 * SHARE * 2 / 5;
    if best != 0 && ahead { TAGS[best].1 } else { Language::English }
}

/// A stop word's share is divided among its languages; divisible by all their numbers.
const SHARE: u32 = 840;

fn count_stop_word(word: &str, counts: &mut [u32; SPELLED]) {
    let stop = &STOP_WORDS.spelled;
    let elided = || word.find('\'').and_then(|at| stop.get(&word[..=at]));
    let Some(languages) = stop.get(word).or_else(elided) else { return };
    for (place, count) in counts.iter_mut().enumerate() {
        if languages & (1 << place) != 0 {
            *count += SHARE / languages.count_ones();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::words::tokens;

    #[test]
    fn languages_are_told_by_their_small_words() {
        for (text, language) in [
            ("the invoice is printed on the second tray", Language::English),
            ("restart", Language::English),
            ("die Rechnung wird im zweiten Fach gedruckt", Language::German),
            ("la facture est imprimée dans le deuxième bac", Language::French),
            (
                "la factura no se imprime por la segunda bandeja, ¿y ahora qué hago?",
                Language::Spanish,
            ),
            ("não posso imprimir a fatura porque ela não foi salva", Language::Portuguese),
            ("la fattura non è stampata perché manca il toner", Language::Italian),
            ("de factuur wordt niet op de tweede lade geprint", Language::Dutch),
            ("почему счёт не печатается", Language::Russian),
            ("请把发票打印出来", Language::Cjk),
            ("청구서를 인쇄하지 못했어요", Language::Cjk),
            ("請求書が印刷されない", Language::Cjk),
            ("🖨️ 🔥", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(detect(&tokens(text)), language, "{text}");
        }
    }

    #[test]
    fn stems_join_the_forms_of_a_word() {
        let same = |language: Language, a, b| language.stem(a) == language.stem(b);
        assert!(same(Language::English, "migrations", "migration"));
        assert!(same(Language::German, "rechnungen", "rechnung"));
        assert!(same(Language::French, "remboursements", "remboursement"));
        assert!(same(Language::Russian, "ошибки", "ошибка"));
    }
}
