//! Values without a mark of their own, recognised by their shape beside their vendor's name.
//! Border: the shapes are rules; sentences and assignments of any kind are `named`.

use std::ops::Range;

use crate::secrets::entries::Entries;
use crate::secrets::finding::Confidence;
use crate::secrets::finding::hit::{Hit, Rejection};
use crate::secrets::rules::prefixed::ends_word;
use crate::secrets::rules::spec::Rule;
use crate::secrets::value::identifiers;
use crate::secrets::value::placeholder;
use crate::secrets::value::randomness;
use crate::secrets::value::structure::Verdict;

/// How far behind a vendor's word its value may stand.
const NEAR_BYTES: usize = 120;
/// How far before a vendor's word a value may stand (`use VALUE as the Acme key`).
const BEFORE_BYTES: usize = 60;
/// How many line ends may lie between.
const NEAR_LINES: usize = 2;

/// Words one of which must stand between vendor and value.
pub(crate) static CREDENTIAL: Entries<&[u8]> = Entries::of(&[
    b"key",
    b"token",
    b"secret",
    b"pwd",
    b"auth",
    b"access",
    b"credential",
    b"cred",
    b"login",
    b"api",
    b"bearer",
    b"sid",
    b"hook",
]);

/// Words that say the value is something else.
pub(crate) static OTHER: Entries<&[u8]> = Entries::of(&[
    b"sha",
    b"md5",
    b"commit",
    b"digest",
    b"checksum",
    b"hash",
    b"etag",
    b"fingerprint",
    b"revision",
    b"integrity",
    b"public key",
    b"public_key",
    b"publickey",
    b"publishable",
    b"uuid",
    b"badge",
]);

impl Rule {
    /// The value this rule sees beside a vendor's word, if there is one.
    pub(crate) fn hit_near(&self, text: &[u8], word: Range<usize>) -> Result<Hit, Rejection> {
        if !starts_vendor(text, word.start) {
            return Err(Rejection::Boundary);
        }
        let mut worst = Rejection::Pattern;
        let reach = self.spec.bytes_after.max(NEAR_BYTES + 80);
        for window in [after(text, word.end, reach), before(text, word.start)] {
            match self.value_in(text, &word, window) {
                Ok(value) => return Ok(self.found(value, Confidence::High)),
                Err(refusal) => worst = worst.max(refusal),
            }
        }
        Err(worst)
    }

    fn value_in(
        &self,
        text: &[u8],
        word: &Range<usize>,
        window: Range<usize>,
    ) -> Result<Range<usize>, Rejection> {
        if !self.outline().may_hold(&text[window.clone()]) {
            return Err(Rejection::Pattern);
        }
        let Some(regex) = self.regex() else { return Ok(word.clone()) };
        let forward = window.start >= word.end;
        let mut worst = Rejection::Pattern;
        let mut from = 0;
        while let Some(found) = regex.find_at(&text[window.clone()], from) {
            let value = window.start + found.start()..window.start + found.end();
            from = found.start() + 1;
            if value.is_empty() || !starts_value(text, value.start) || !ends_word(text, value.end) {
                continue;
            }
            let between = if forward { word.start..value.start } else { value.end..word.end };
            if forward && !self.spec.id.ends_with("-id") && is_id(&text[word.end..value.start]) {
                worst = worst.max(Rejection::Context);
                continue;
            }
            if !self.spec.context_word_is_enough && !links(&text[between], word.len(), forward) {
                worst = worst.max(Rejection::Context);
                continue;
            }
            match self.shape(&text[value.clone()]) {
                Ok(()) => return Ok(value),
                Err(refusal) => worst = worst.max(refusal),
            }
        }
        Err(worst)
    }

    /// Checks of a value that has no mark of its own: it must vary, and be no word.
    fn shape(&self, value: &[u8]) -> Result<(), Rejection> {
        if self.checks.iter().any(|check| check.verdict(value) == Verdict::Reject) {
            return Err(Rejection::Structure);
        }
        if randomness::is_worded(value) || value.contains(&b'.') && identifiers::is_technical(value)
        {
            return Err(Rejection::Words);
        }
        if placeholder::is_placeholder(value) {
            return Err(Rejection::Placeholder);
        }
        let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
        let varied = randomness::is_varied(value) || randomness::is_key_shaped(value);
        if !varied || randomness::entropy(value) < self.spec.entropy.max(2.6) {
            return Err(Rejection::Entropy);
        }
        if digits == 0 && !randomness::is_gibberish(value) { Err(Rejection::Words) } else { Ok(()) }
    }
}

/// A vendor's word starts here: nothing before it that makes it part of another word.
fn starts_vendor(text: &[u8], at: usize) -> bool {
    match at.checked_sub(1).map(|before| text[before]) {
        Some(before) if before.is_ascii_lowercase() => text[at].is_ascii_uppercase(),
        Some(before) => !before.is_ascii_uppercase() || text[at].is_ascii_uppercase(),
        None => true,
    }
}

fn starts_value(text: &[u8], at: usize) -> bool {
    at.checked_sub(1)
        .is_none_or(|before| !text[before].is_ascii_alphanumeric() && text[before] != b'_')
}

/// The window behind a word: at most [`NEAR_BYTES`] and [`NEAR_LINES`] line ends.
fn after(text: &[u8], from: usize, reach: usize) -> Range<usize> {
    let limit = text.len().min(from + reach);
    let mut ends = text[from..limit].iter().enumerate().filter(|(_, b)| **b == b'\n');
    let to = ends.nth(NEAR_LINES).map_or(limit, |(at, _)| from + at);
    from..to
}

/// The window before a word, on its line, where `as` or `is` links it.
fn before(text: &[u8], to: usize) -> Range<usize> {
    let floor = to.saturating_sub(BEFORE_BYTES + 80);
    let from = text[floor..to].iter().rposition(|b| *b == b'\n').map_or(floor, |at| floor + at + 1);
    from..to
}

/// Tells that what stands before a value calls it an id (`client_id: VALUE`), not a secret id.
fn is_id(between: &[u8]) -> bool {
    let name = between.trim_ascii_end();
    let end = name.iter().rposition(u8::is_ascii_alphanumeric).map_or(0, |at| at + 1);
    let name = &name[..end];
    let Some((rest, b"id" | b"Id" | b"ID")) = name.split_at_checked(name.len().saturating_sub(2))
    else {
        return false;
    };
    let lower = rest.to_ascii_lowercase();
    let joined = rest.last().is_none_or(|b| !b.is_ascii_alphanumeric())
        || name.ends_with(b"Id")
        || lower.ends_with(b"client");
    let joint = lower.iter().rposition(u8::is_ascii_alphanumeric).map_or(0, |at| at + 1);
    let trimmed = &lower[..joint];
    joined && !trimmed.ends_with(b"secret") && !trimmed.ends_with(b"token")
}

/// Tells whether the text between vendor and value links the two.
fn links(between: &[u8], word: usize, forward: bool) -> bool {
    let lower = between.to_ascii_lowercase();
    let holds =
        |words: &Entries<&[u8]>| words.any(|w| lower.windows(w.len()).any(|part| part == *w));
    if holds(&OTHER) || lower.len() > NEAR_BYTES + word {
        return false;
    }
    if !forward {
        return lower.len() <= BEFORE_BYTES + word
            && [b" as the ".as_slice(), b" as our ", b" as your ", b" is the ", b" is our "]
                .iter()
                .any(|link| {
                    lower.starts_with(link) || lower.get(1..).is_some_and(|l| l.starts_with(link))
                });
    }
    let rest = lower.get(word..).unwrap_or_default();
    holds(&CREDENTIAL) || !rest.iter().any(u8::is_ascii_alphanumeric)
}
