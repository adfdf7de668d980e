//! Names that call a value a credential, in identifiers and in prose of several languages.
//! Border: the name only; what is tied to it is `link`.

use std::ops::Range;

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
}

/// How far a name is followed to either side.
const NAME_BYTES_MAX: usize = 80;

/// The name around a keyword, if it calls something a credential.
pub(crate) fn name_at(text: &[u8], keyword: Range<usize>) -> Option<Name> {
    if !text[keyword.clone()].is_ascii() {
        return Some(foreign(text, keyword));
    }
    let mut span = identifier(text, &keyword);
    let words = split(&text[span.clone()]);
    let (at, mut kind) = credential(&words)?;
    if words[..at].iter().any(|w| PASSWORDS.contains(&w.text.as_str())) {
        kind = Kind::Password;
    }
    let word = words[at].text.as_str();
    let after = span.start + words[at].end;
    if FOREIGN_PASSWORDS.contains(&word) {
        // Identifiers are ASCII; a word of a language goes on (`contrase|ña`).
        span.end += text[span.end..]
            .iter()
            .take(8)
            .take_while(|b| b.is_ascii_alphabetic() || **b >= 0x80)
            .count();
    }
    if joins_value(&text[after..span.end]) {
        span.end = after;
    } else if words[at + 1..].iter().any(|w| ABOUT.contains(&w.text.as_str())) {
        return None;
    }
    let before = words_before(text, span.start);
    let shouted = !text[span.clone()].iter().any(u8::is_ascii_lowercase);
    let own = words[..at].iter().map(|w| w.text.as_str());
    let previous =
        own.clone().next_back().or(before.last().map(String::as_str)).unwrap_or_default();
    let squashed = word.len() > 6 && !SECRETS.contains(&word) && !PASSWORDS.contains(&word);
    // `acme SECRET KEY`: the name stands before the words that only say what it is.
    let spoken = before.iter().rev().map(String::as_str).find(|w| !NAMELESS.contains(w));
    let named = squashed
        || own.clone().any(|w| !NAMELESS.contains(&w))
        || at == 0 && spoken.is_some_and(|w| !ARTICLES.contains(&w));
    let mut name = Name { kind, span, plain: false, named, weak: false, shouted };
    if word == "key" {
        let other = if at > 0 {
            own.clone().any(|w| OTHER_KEYS.contains(&w))
        } else {
            OTHER_KEYS.contains(&previous)
        };
        let qualified =
            at > 0 || before.iter().rev().take(2).any(|w| KEY_QUALIFIERS.contains(&w.as_str()));
        name.weak = !qualified;
        return (!other && (qualified || named)).then_some(name);
    }
    if kind == Kind::Secret && OTHER_TOKENS.contains(&previous) {
        return None;
    }
    name.weak = WEAK.contains(&word);
    name.plain = at == 0 && !KEY_QUALIFIERS.contains(&previous) && word.len() <= 6;
    Some(name)
}

/// Tells that what is joined to a name by a dash is its value (`ACME-SECRET-1a2b…`).
fn joins_value(rest: &[u8]) -> bool {
    rest.first() == Some(&b'-')
        && rest.len() > 16
        && rest[1..].iter().filter(|b| b.is_ascii_digit()).count() >= 4
        && crate::secrets::evidence::is_key_shaped(&rest[1..])
}

/// A keyword of another script or with accents stands for itself.
fn foreign(text: &[u8], keyword: Range<usize>) -> Name {
    let word = text[keyword.clone()].to_ascii_lowercase();
    let secret = FOREIGN_SECRETS.iter().any(|s| s.as_bytes().to_ascii_lowercase() == word);
    let mut end = keyword.end;
    // Case endings: пароль, пароля; lösenordet; jelszó.
    while end < text.len()
        && end - keyword.end < 12
        && (text[end] >= 0xC3 && text[end] < 0xD4 || text[end] & 0xC0 == 0x80 && end > keyword.end)
    {
        end += 1;
    }
    let kind = if secret { Kind::Secret } else { Kind::Password };
    Name { kind, span: keyword.start..end, plain: false, named: false, weak: false, shouted: false }
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

/// A word of an identifier, in lower case, and where it ends.
struct Word {
    text: String,
    end: usize,
}

/// Splits an identifier at joints and humps.
fn split(identifier: &[u8]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut text = String::new();
    for (at, byte) in identifier.iter().enumerate() {
        let hump = byte.is_ascii_uppercase()
            && at > 0
            && (identifier[at - 1].is_ascii_lowercase()
                || identifier[at - 1].is_ascii_digit()
                || identifier[at - 1].is_ascii_uppercase()
                    && identifier.get(at + 1).is_some_and(u8::is_ascii_lowercase));
        if (!byte.is_ascii_alphanumeric() || hump) && !text.is_empty() {
            words.push(Word { text: std::mem::take(&mut text), end: at });
        }
        if byte.is_ascii_alphanumeric() {
            text.push(byte.to_ascii_lowercase() as char);
        }
    }
    if !text.is_empty() {
        words.push(Word { text, end: identifier.len() });
    }
    for at in 1..words.len() {
        // `acmePRIVATEkey` splits before the last capital; it belongs to the word before.
        if ["key", "token", "secret", "password"]
            .contains(&words[at].text.get(1..).unwrap_or_default())
        {
            let capital = words[at].text.remove(0);
            words[at - 1].text.push(capital);
        }
    }
    words
}

/// The last word that names a credential, and what it names.
fn credential(words: &[Word]) -> Option<(usize, Kind)> {
    words
        .iter()
        .enumerate()
        .rev()
        .find_map(|(at, full)| {
            let word = full.text.trim_end_matches(|c: char| c.is_ascii_digit());
            if PASSWORDS.contains(&word) {
                // `pass` alone is a verb as often as a noun.
                return Some((at, Kind::Password));
            }
            if SECRETS.contains(&word) || WEAK.contains(&word) {
                return Some((at, Kind::Secret));
            }
            let ending = ENDINGS.iter().find(|ending| word.ends_with(*ending))?;
            let kind = if ending.starts_with("pass") { Kind::Password } else { Kind::Secret };
            Some((at, kind))
        })
        .or_else(|| {
            let foreign = |w: &Word| FOREIGN_PASSWORDS.contains(&w.text.as_str());
            words.iter().position(foreign).map(|at| (at, Kind::Password))
        })
}

/// Up to three words before a place, on its line, in lower case, the nearest last.
fn words_before(text: &[u8], at: usize) -> Vec<String> {
    let floor = at.saturating_sub(40);
    let line = &text[floor..at];
    let line = line.iter().rposition(|b| *b == b'\n').map_or(line, |end| &line[end + 1..]);
    let words = line.split(|b| !b.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    let words: Vec<String> =
        words.map(|w| String::from_utf8_lossy(w).to_ascii_lowercase()).collect();
    words[words.len().saturating_sub(3)..].to_vec()
}
