//! Names that call a value a credential, in identifiers and in prose of several languages.
//! Border: the name only; what is tied to it is found by the `value_…` files.

use std::ops::Range;

use crate::secrets::value::identifiers;

use super::lists::{
    ABOUT, ARTICLES, ENDINGS, FOREIGN_PASSWORDS, FOREIGN_SECRETS, KEY_QUALIFIERS, NAMELESS,
    OTHER_KEYS, OTHER_TOKENS, PASSWORDS, SECRETS, WEAK,
};

/// What a name calls its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Something a person chose: may hold words.
    Password,
    /// Something a machine drew.
    Secret,
}

/// A name in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) kind: Kind,
    pub(crate) span: Range<usize>,
    /// Only the word `token`, `auth` or the like, with nothing that narrows it down.
    pub(crate) plain: bool,
    /// Says whose credential it is: `acme_token`, `acme TOKEN`.
    pub(crate) named: bool,
    /// Names a credential only if a drawn value follows at once.
    pub(crate) weak: bool,
    /// Written in capitals, as names of settings are.
    pub(crate) shouted: bool,
    /// A passphrase: may be words alone.
    pub(crate) phrase: bool,
    /// The word for the credential is the last one: `client_secrets`, not `secretTemplates`.
    pub(crate) last: bool,
    /// Several keys, which only a sign ties to values.
    pub(crate) plural: bool,
    /// A credential as other programs keep them, with a name and an id.
    pub(crate) entry: bool,
}

/// How far a name is followed to either side.
const NAME_BYTES_MAX: usize = 80;

/// The name around a keyword, if it calls something a credential.
pub(crate) fn name_at(text: &[u8], keyword: Range<usize>) -> Option<Name> {
    if !text[keyword.clone()].is_ascii() {
        return Some(foreign(text, keyword));
    }
    let mut span = identifier(text, &keyword);
    let words = Words::of(&text[span.clone()]);
    let (at, mut kind) = words.credential()?;
    if at + 1 < words.len() && identifiers::is_file_name(&text[span.clone()]) {
        return None;
    }
    if words.before(at).any(|w| PASSWORDS.has(w)) {
        kind = Kind::Password;
    }
    let word = words.get(at);
    let after = span.start + words.end(at);
    if FOREIGN_PASSWORDS.has(word) {
        // Identifiers are ASCII; a word of a language goes on (`contrase|ña`).
        span.end += text[span.end..]
            .iter()
            .take(8)
            .take_while(|b| b.is_ascii_alphabetic() || **b >= 0x80)
            .count();
    }
    if joins_value(&text[after..span.end]) {
        span.end = after;
    } else if (at + 1..words.len()).any(|next| ABOUT.has(words.get(next))) {
        return None;
    }
    let spoken = words_before(text, span.start);
    let spoken = || spoken.iter().copied().filter(|w| !w.is_empty());
    let shouted = !text[span.clone()].iter().any(u8::is_ascii_lowercase);
    let previous = words.before(at).next_back().or(spoken().next()).unwrap_or_default();
    let squashed = word.len() > 6 && !SECRETS.has(word) && !PASSWORDS.has(word);
    // `acme SECRET KEY`: the name stands before the words that only say what it is.
    let owner = || spoken().find(|w| !NAMELESS.has(w));
    let named = squashed
        || words.before(at).any(|w| !NAMELESS.has(w))
        || owner().is_some_and(|w| !ARTICLES.has(w));
    let phrase = word.starts_with(b"passphrase");
    let entry = word.starts_with(b"cred");
    let plural = word == b"keys";
    let last = at + 1 == words.len();
    let mut name =
        Name { kind, span, plain: false, named, weak: false, shouted, phrase, last, plural, entry };
    if word == b"key" || word == b"keys" {
        let other = if at > 0 {
            words.before(at).any(|w| OTHER_KEYS.has(w))
        } else {
            OTHER_KEYS.has(previous)
        };
        let qualified = at > 0 || spoken().take(2).any(|w| KEY_QUALIFIERS.has(w));
        name.weak = !qualified;
        return (!other && (qualified || named)).then_some(name);
    }
    if kind == Kind::Secret && OTHER_TOKENS.has(previous) {
        return None;
    }
    name.weak = WEAK.has(word);
    name.plain = at == 0 && !KEY_QUALIFIERS.has(previous) && word.len() <= 6;
    Some(name)
}

/// Tells that what is joined to a name by a dash is its value (`ACME-SECRET-1a2b…`).
fn joins_value(rest: &[u8]) -> bool {
    rest.first() == Some(&b'-')
        && rest.len() > 16
        && rest[1..].iter().filter(|b| b.is_ascii_digit()).count() >= 4
        && crate::secrets::value::randomness::is_key_shaped(&rest[1..])
}

/// A keyword of another script or with accents stands for itself.
fn foreign(text: &[u8], keyword: Range<usize>) -> Name {
    let word = text[keyword.clone()].to_ascii_lowercase();
    let secret = FOREIGN_SECRETS.any(|s| s.as_bytes().to_ascii_lowercase() == word);
    let mut end = keyword.end;
    // Case endings: пароль, пароля; lösenordet; jelszó.
    while end < text.len()
        && end - keyword.end < 12
        && (text[end] >= 0xC3 && text[end] < 0xD4 || text[end] & 0xC0 == 0x80 && end > keyword.end)
    {
        end += 1;
    }
    let kind = if secret { Kind::Secret } else { Kind::Password };
    let span = keyword.start..end;
    let (plain, named, weak, shouted) = (false, false, false, false);
    let (phrase, last, plural, entry) = (false, true, false, false);
    Name { kind, span, plain, named, weak, shouted, phrase, last, plural, entry }
}

/// Extends a keyword over the identifier it is part of.
fn identifier(text: &[u8], keyword: &Range<usize>) -> Range<usize> {
    let part = |at: usize| {
        let inner = |i: Option<&u8>| i.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        match text[at] {
            b'_' => true,
            b'-' | b'.' => at > 0 && inner(text.get(at - 1)) && inner(text.get(at + 1)),
            b => b.is_ascii_alphanumeric(),
        }
    };
    let mut start = keyword.start;
    while start > 0 && keyword.start - start < NAME_BYTES_MAX && part(start - 1) {
        start -= 1;
    }
    let mut end = keyword.end;
    while end < text.len() && end - keyword.end < NAME_BYTES_MAX && part(end) {
        end += 1;
    }
    start..end
}

/// The words of an identifier, split at joints and humps.
struct Words {
    /// All words in lower case, one behind the other.
    letters: Vec<u8>,
    words: Vec<Word>,
}

/// Where a word begins in the letters, and where it ends in the identifier.
struct Word {
    start: usize,
    end: usize,
}

impl Words {
    fn of(identifier: &[u8]) -> Self {
        let mut letters = Vec::with_capacity(identifier.len());
        let mut words: Vec<Word> = Vec::with_capacity(8);
        let mut start = 0;
        for (at, byte) in identifier.iter().enumerate() {
            let hump = byte.is_ascii_uppercase()
                && at > 0
                && (identifier[at - 1].is_ascii_lowercase()
                    || identifier[at - 1].is_ascii_digit()
                    || identifier[at - 1].is_ascii_uppercase()
                        && identifier.get(at + 1).is_some_and(u8::is_ascii_lowercase));
            if (!byte.is_ascii_alphanumeric() || hump) && letters.len() > start {
                words.push(Word { start, end: at });
                start = letters.len();
            }
            if byte.is_ascii_alphanumeric() {
                letters.push(byte.to_ascii_lowercase());
            }
        }
        if letters.len() > start {
            words.push(Word { start, end: identifier.len() });
        }
        let mut words = Self { letters, words };
        for at in 1..words.len() {
            // `acmePRIVATEkey` splits before the last capital; it belongs to the word before.
            let rest = words.get(at).get(1..).unwrap_or_default();
            if [b"key".as_slice(), b"token", b"secret", b"password"].contains(&rest) {
                words.words[at].start += 1;
            }
        }
        words
    }

    fn len(&self) -> usize {
        self.words.len()
    }

    fn get(&self, at: usize) -> &[u8] {
        let end = self.words.get(at + 1).map_or(self.letters.len(), |next| next.start);
        &self.letters[self.words[at].start..end]
    }

    /// Where a word ends in the identifier.
    fn end(&self, at: usize) -> usize {
        self.words[at].end
    }

    /// The words before one of them.
    fn before(&self, at: usize) -> impl DoubleEndedIterator<Item = &[u8]> {
        (0..at).map(|before| self.get(before))
    }

    /// The last word that names a credential, and what it names.
    fn credential(&self) -> Option<(usize, Kind)> {
        let named = |at: usize| {
            let full = self.get(at);
            let digits = full.iter().rev().take_while(|b| b.is_ascii_digit()).count();
            let word = &full[..full.len() - digits];
            if PASSWORDS.has(word) {
                // `pass` alone is a verb as often as a noun.
                return Some((at, Kind::Password));
            }
            // `OAuth2` names a protocol; what stands behind it is an id or a name.
            let protocol = word == b"auth" && at > 0 && self.get(at - 1) == b"o";
            if !protocol && (SECRETS.has(word) || WEAK.has(word)) {
                return Some((at, Kind::Secret));
            }
            let ending = ENDINGS.find(|ending| word.ends_with(ending.as_bytes()))?;
            let kind = if ending.starts_with("pass") { Kind::Password } else { Kind::Secret };
            Some((at, kind))
        };
        (0..self.len()).rev().find_map(named).or_else(|| {
            let foreign = |at: &usize| FOREIGN_PASSWORDS.has(self.get(*at));
            (0..self.len()).find(foreign).map(|at| (at, Kind::Password))
        })
    }
}

/// Up to three words before a place, on its line, the nearest first; empty where there are fewer.
fn words_before(text: &[u8], at: usize) -> [&[u8]; 3] {
    let floor = at.saturating_sub(40);
    let line = &text[floor..at];
    let line = line.iter().rposition(|b| *b == b'\n').map_or(line, |end| &line[end + 1..]);
    let mut words = line.rsplit(|b| !b.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    std::array::from_fn(|_| words.next().unwrap_or_default())
}
