//! Judges a value by its own looks and by how firmly the text calls it a credential.
//! Border: no grammar; the candidate is given.

use super::candidate::{Candidate, Link};
use super::names::{Kind, Name};
use crate::secrets::encoding::base64;
use crate::secrets::entries::Entries;
use crate::secrets::finding::hit::Rejection;
use crate::secrets::value::{identifiers, passphrase, password, placeholder, randomness};

/// Words on the same line that say a drawn value is something else.
pub(super) static OTHER_VALUES: Entries<&[u8]> = Entries::of(&[
    b"sha1",
    b"sha-",
    b"sha2",
    b"sha5",
    b"md5",
    b"commit",
    b"digest",
    b"checksum",
    b"etag",
    b"fingerprint",
    b"revision",
    b"integrity",
    b"public key",
    b"public_key",
    b"publickey",
    b"cache key",
    b"blob",
    b"encrypteddata",
    b"sealedsecret",
    b"ciphertext",
    b"publishable",
]);

/// A longer value is a document.
const VALUE_BYTES_MAX: usize = 2_000;

/// Refuses a candidate that is no credential.
pub(crate) fn judge(text: &[u8], name: &Name, candidate: &Candidate) -> Result<(), Rejection> {
    let value = &text[candidate.value.clone()];
    let flag = text[..name.span.start].ends_with(b"-");
    let loose = name.plural && (flag || candidate.link > Link::Table);
    if loose || is_locator(text, name.span.start) {
        return Err(Rejection::Context);
    }
    if value.len() < 6 || value.len() > VALUE_BYTES_MAX {
        return Err(Rejection::Structure);
    }
    let cut = [b"...".as_slice(), "…".as_bytes()];
    if placeholder::is_placeholder(value)
        || cut.iter().any(|dots| text[candidate.value.end..].starts_with(dots))
    {
        return Err(Rejection::Placeholder);
    }
    if candidate.quoted && password::is_noise(value) {
        return Ok(());
    }
    if value.iter().any(|b| *b < 0x20) || identifiers::is_technical(value) {
        return Err(Rejection::Words);
    }
    if value.contains(&b' ') && candidate.quote.is_some() && candidate.link <= Link::Table {
        let fits = name.kind == Kind::Password && passphrase::is_passphrase(value, name.phrase);
        return if fits { Ok(()) } else { Err(Rejection::Words) };
    }
    let worn = name.kind == Kind::Password && password::is_leet(value);
    if value.contains(&b' ') || is_placeholder_text(value) || worn {
        return Err(Rejection::Words);
    }
    if is_random(value, name) {
        return check_random(text, name, candidate);
    }
    if name.kind != Kind::Password {
        return Err(Rejection::Words);
    }
    check_chosen(text, name, candidate)
}

/// Tells that a value is base64 of a sentence.
fn is_placeholder_text(value: &[u8]) -> bool {
    let Some(text) = base64::decode(value) else { return false };
    let words = text.iter().filter(|b| **b == b' ').count();
    let word = text.len() >= 8
        && text.iter().all(|b| b.is_ascii_lowercase() || b"-_".contains(b))
        && !randomness::is_gibberish(&text);
    word || words >= 2 && text.iter().all(|b| b.is_ascii_alphanumeric() || b" .,:;'!?-".contains(b))
}

/// Long, of several classes, no words. A name that says whose key it is makes up for a dull value.
fn is_random(value: &[u8], name: &Name) -> bool {
    // Letters with accents may be drawn too; whole sentences of other scripts are not.
    let accents = value.iter().filter(|b| !b.is_ascii()).count();
    let latin = value
        .windows(2)
        .all(|w| w[1].is_ascii() || matches!(w[0], 0xC2 | 0xC3) || matches!(w[1], 0xC2 | 0xC3));
    let token = accents * 3 <= value.len() * 2
        && latin
        && value
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || b"+/=_-.~%@!#$^*".contains(b) || !b.is_ascii());
    let classes = [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit]
        .iter()
        .filter(|test: &&fn(&u8) -> bool| value.iter().any(test))
        .count();
    let long = value.len() >= 20
        || (value.len() >= 16 && classes == 3)
        || (value.len() >= 18 && name.named);
    let random = randomness::is_random(value) && randomness::is_mixed(value);
    token && (random && long || name.named && value.len() >= 16 && randomness::is_key_shaped(value))
}

fn check_random(text: &[u8], name: &Name, candidate: &Candidate) -> Result<(), Rejection> {
    let value = &text[candidate.value.clone()];
    let loose = candidate.link >= Link::Beside && !name.shouted;
    if is_uuid(value) && (!name.named || loose || name.plain && !name.shouted) {
        return Err(Rejection::Structure);
    }
    let line = line_before(text, candidate.value.start);
    let sealed =
        text[candidate.value.start.saturating_sub(400)..candidate.value.start].to_ascii_lowercase();
    if sealed.windows(13).any(|w| w == b"encrypteddata" || w == b"sealedsecrets") {
        return Err(Rejection::Context);
    }
    if OTHER_VALUES.any(|word| line.windows(word.len()).any(|w| w.eq_ignore_ascii_case(word))) {
        return Err(Rejection::Context);
    }
    let hex = value.iter().all(u8::is_ascii_hexdigit);
    match candidate.link {
        // In a sentence a credential has a name or an id, and is not the value.
        Link::Beside | Link::Space if name.entry && value.len() < 20 => Err(Rejection::Context),
        _ if name.weak && (value.len() < 20 || !name.shouted && value.contains(&b'-')) => {
            Err(Rejection::Context)
        }
        Link::Space if name.plain && value.len() < 20 => Err(Rejection::Context),
        _ if hex && value.len() < 16 => Err(Rejection::Structure),
        _ => Ok(()),
    }
}

/// A value that a person may have chosen needs a firm tie to its name.
fn check_chosen(text: &[u8], name: &Name, candidate: &Candidate) -> Result<(), Rejection> {
    let value = &text[candidate.value.clone()];
    // `pass` alone is a verdict or a verb more often than a password.
    let verdict = text[name.span.clone()].eq_ignore_ascii_case(b"pass");
    let cases =
        value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase);
    let drawn = password::is_random(value);
    if verdict && candidate.link > Link::Operator && (name.shouted || !cases) {
        return Err(Rejection::Context);
    }
    let firm = match candidate.link {
        Link::Operator | Link::Table => true,
        Link::Verb => candidate.quoted || value.iter().any(u8::is_ascii_digit),
        Link::Beside => {
            candidate.quoted || (value.iter().any(u8::is_ascii_digit) && value.len() >= 8)
        }
        Link::Space => drawn || candidate.quoted && value.iter().any(u8::is_ascii_digit),
    };
    if !firm {
        return Err(Rejection::Context);
    }
    if !password::is_password(value) || is_uuid(value) && candidate.link > Link::Verb {
        return Err(Rejection::Words);
    }
    Ok(())
}

fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// The line up to a place, at most 120 bytes of it.
fn line_before(text: &[u8], at: usize) -> &[u8] {
    let floor = at.saturating_sub(120);
    let line = &text[floor..at];
    line.iter().rposition(|b| *b == b'\n').map_or(line, |end| &line[end + 1..])
}

/// Tells that the name is part of a locator: `arn:…:secret:…`, `op://…`, a URL's path.
fn is_locator(text: &[u8], at: usize) -> bool {
    let before = &text[at.saturating_sub(120)..at];
    let word = before
        .iter()
        .rposition(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b'('));
    let word = word.map_or(before, |end| &before[end + 1..]);
    let find = |part: &[u8]| word.windows(part.len()).position(|w| w == part);
    let has = |part: &[u8]| find(part).is_some();
    // Only a user's name before `@` makes a URL hold a password; `@` in its path is a handle.
    let user = find(b"://")
        .is_some_and(|at| word[at + 3..].iter().find(|b| matches!(b, b'/' | b'@')) == Some(&b'@'));
    has(b"arn:") || has(b"://") && !has(b"?") && !user || has(b"projects/")
}
