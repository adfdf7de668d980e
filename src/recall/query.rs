//! What a prompt asks for: its terms with their weight, what was pasted, whether it needs memories
//! at all. Border: one prompt; no memory is looked at.

use std::collections::{HashMap, HashSet};

use super::keys::Key;
use super::language::{Language, detect};
use super::lexicon::Meaning;
use super::terms::{Reader, Term, TermKind};
use super::weights;
use super::words::{TokenKind, tokens};

/// A prompt and what is known around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The prompt.
    pub text: String,
    /// Tools used in the last turns, as command names or an agent's tool names.
    pub tools: Vec<String>,
    /// Memories that were already shown.
    pub surfaced: Vec<String>,
}

/// What makes two asks the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A term.
    Term(Key),
    /// Two neighbours.
    Pair(Key, Key),
    /// Only meanings.
    Meant(Vec<Meaning>),
}

/// One thing that the prompt asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// What.
    pub subject: Subject,
    /// The word as written.
    pub word: String,
    /// What the term is.
    pub kind: TermKind,
    /// How much it weighs.
    pub weight: f64,
    /// Other ways to say it.
    pub meanings: Vec<Meaning>,
    /// Whether it was written rather than pasted.
    pub is_written: bool,
}

impl Ask {
    /// Whether it is two neighbours, which count beside their words.
    pub fn is_pair(&self) -> bool {
        matches!(self.subject, Subject::Pair(..))
    }
}

/// A prompt, taken apart.
#[derive(Clone, Debug)]
pub struct Request {
    /// Each thing once.
    pub asks: Vec<Ask>,
    /// The language of most of it.
    pub language: Language,
    /// How often it says that it carries all it needs, up to two.
    pub asides: u8,
    /// How many of the asks were written, and how many pasted; pairs are not counted.
    pub written: usize,
    /// See [`Self::written`].
    pub pasted: usize,
}

/// Of a longer prompt, this much of its beginning and of its end is looked at.
const HEAD_BYTES_MAX: usize = 24_576;
const TAIL_BYTES_MAX: usize = 8_192;
/// So many different things are asked for at most.
const ASKS_MAX: usize = 600;
/// A prompt of no more lines has nothing pasted in it.
const WRITTEN_LINES: usize = 3;

impl Request {
    /// Takes a prompt apart.
    pub fn of(reader: &mut Reader, query: &Query) -> Self {
        let text = bounded(&query.text);
        let language = language_of(&text);
        let lines: Vec<&str> = text.lines().collect();
        let mut asks = Asks::default();
        for line in &lines {
            let is_written = lines.len() <= WRITTEN_LINES || !is_pasted(line);
            reader.read(&tokens(line), language, |term| asks.take(term, is_written));
        }
        let count = |is_written: bool| {
            asks.list.iter().filter(|ask| !ask.is_pair() && ask.is_written == is_written).count()
        };
        let (written, pasted) = (count(true), count(false));
        Self { asides: asides(&text), language, written, pasted, asks: asks.list }
    }

    /// The neighbours it asks for.
    pub fn pairs(&self) -> HashSet<(Key, Key)> {
        let pair = |ask: &Ask| match ask.subject {
            Subject::Pair(first, second) => Some((first, second)),
            _ => None,
        };
        self.asks.iter().filter_map(pair).collect()
    }

    /// Whether it is only a few words, and none of them says that it needs nothing.
    pub fn is_short(&self) -> bool {
        self.written <= weights::SHORT_WORDS && self.asides == 0
    }

    /// Whether more of it was pasted than written.
    pub fn is_mostly_pasted(&self) -> bool {
        self.pasted > self.written
    }
}

#[derive(Default)]
struct Asks {
    list: Vec<Ask>,
    places: HashMap<Subject, usize>,
}

impl Asks {
    fn take(&mut self, term: &Term<'_>, is_written: bool) {
        if let (Some(before), Some(key)) = (term.before, term.key) {
            self.add(Subject::Pair(before, key), term, weights::SIDE_BY_SIDE, is_written);
        }
        let subject =
            term.key.map_or_else(|| Subject::Meant(term.meanings.to_vec()), Subject::Term);
        self.add(subject, term, weight(term.kind), is_written);
    }

    fn add(&mut self, subject: Subject, term: &Term<'_>, weight: f64, is_written: bool) {
        let weight = if is_written { weight } else { weight * weights::PASTED };
        if let Some(place) = self.places.get(&subject) {
            let ask = &mut self.list[*place];
            ask.weight = ask.weight.max(weight);
            ask.is_written |= is_written;
        } else if self.list.len() < ASKS_MAX {
            self.places.insert(subject.clone(), self.list.len());
            let is_pair = matches!(subject, Subject::Pair(..));
            let meanings = if is_pair { Vec::new() } else { term.meanings.to_vec() };
            let (word, kind) = (term.word.to_owned(), term.kind);
            self.list.push(Ask { subject, word, kind, weight, meanings, is_written });
        }
    }
}

fn weight(kind: TermKind) -> f64 {
    match kind {
        TermKind::Word | TermKind::Meant => 1.0,
        TermKind::Common => weights::COMMON,
        TermKind::Part => weights::PART,
        TermKind::Whole => weights::WHOLE,
        TermKind::Number => weights::NUMBER,
        TermKind::Characters => weights::CHARACTERS,
    }
}

/// The beginning and the end of a long prompt: what is asked stands before or after what was pasted.
fn bounded(text: &str) -> String {
    if text.len() <= HEAD_BYTES_MAX + TAIL_BYTES_MAX {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(HEAD_BYTES_MAX);
    let tail = text.ceil_char_boundary(text.len() - TAIL_BYTES_MAX);
    format!("{}\n{}", &text[..head], &text[tail..])
}

fn language_of(text: &str) -> Language {
    let tokens = tokens(text);
    let characters = tokens.iter().filter(|token| token.kind == TokenKind::Run);
    let characters: usize = characters.map(|token| token.text.chars().count()).sum();
    if characters * 4 > text.chars().count() { Language::Cjk } else { detect(&tokens) }
}

/// Whether a line looks like code or a log: indented, or one character in seven is a sign.
fn is_pasted(line: &str) -> bool {
    const CHARS_MIN: usize = 12;
    let all = line.chars().count();
    let is_sign = |c: &char| !c.is_alphabetic() && !c.is_whitespace() && !",.?!'-".contains(*c);
    let signs = line.chars().filter(is_sign).count();
    all >= CHARS_MIN
        && (signs * 100 / all >= 14 || line.starts_with("    ") || line.starts_with('\t'))
}

/// How often a prompt says that it carries all it needs: a small edit, general knowledge, something
/// private. The phrases are in `data/aside.txt`.
fn asides(text: &str) -> u8 {
    let lower = text.to_lowercase();
    let words =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let joined = words.fold("_".to_owned(), |joined, word| joined + word + "_");
    let lines = include_str!("data/aside.txt").lines().filter(|line| !line.starts_with('#'));
    let phrases = lines.flat_map(str::split_whitespace);
    let said = phrases.filter(|phrase| joined.contains(&format!("_{phrase}_"))).take(2).count();
    u8::try_from(said).unwrap_or(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Request {
        let query = Query { text: text.to_owned(), ..Query::default() };
        Request::of(&mut Reader::default(), &query)
    }

    #[test]
    fn each_thing_is_asked_for_once() {
        let request = request("tray tray Tray");
        let words: Vec<&str> = request.asks.iter().map(|ask| ask.word.as_str()).collect();
        assert_eq!(words, ["tray", "tray"], "the word and the pair of it");
        assert_eq!(request.written, 1);
        assert!(request.is_short());
    }

    #[test]
    fn a_log_is_told_from_what_was_written() {
        let log = "why does the tray jam?\n\n[12:03:11] E tray[2]: jam (code=0x1f)\n[12:03:12] E tray[2]: stop";
        let request = request(log);
        let written =
            |word: &str| request.asks.iter().find(|ask| ask.word == word).map(|ask| ask.is_written);
        assert_eq!(written("tray"), Some(true));
        assert_eq!(written("code"), Some(false));
        assert!(request.is_mostly_pasted());
    }

    #[test]
    fn a_megabyte_is_bounded_and_its_ends_are_seen() {
        let request = request(&format!("alpha\n{}\nomega", "ä=ö; ".repeat(200_000)));
        for word in ["alpha", "omega"] {
            assert!(request.asks.iter().any(|ask| ask.word == word), "{word}");
        }
        assert!(request.asks.len() <= ASKS_MAX);
    }

    #[test]
    fn a_request_may_say_that_it_needs_nothing() {
        assert_eq!(request("rename the loop variable").asides, 1);
        assert_eq!(request("a poem for my brother").asides, 2);
        assert_eq!(request("the tray jams").asides, 0);
    }
}
