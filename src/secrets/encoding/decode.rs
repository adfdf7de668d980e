//! Undoes what hides a value from a scanner: percent, base64, hex and character escapes.
//! Border: finds encoded runs and decodes them; where the result is scanned is for the scanner.

use std::ops::Range;

use super::base64;
use super::percent::{self, is_percent, number};

/// Encodings inside encodings are followed this far.
pub(crate) const DEPTH_MAX: usize = 3;
/// A shorter run holds no credential worth the name.
const RUN_BYTES_MIN: usize = 20;
/// What lies beyond in one run is not decoded.
const RUN_BYTES_MAX: usize = 64 * 1024;
/// This much is decoded first, to see whether the rest is text.
const PROBE_BYTES: usize = 24;

/// An encoded run and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) run: Range<usize>,
    pub(crate) text: Vec<u8>,
}

/// Every encoded run in a text that decodes to text.
pub(crate) fn runs(text: &[u8]) -> Vec<Decoded> {
    let mut found = Vec::new();
    let mut at = 0;
    // A run covers the last byte of the shortest one that starts at `at`, or starts behind it.
    while let Some(last) = text.get(at + RUN_BYTES_MIN - 1) {
        if !is_part(*last) {
            at += RUN_BYTES_MIN;
            continue;
        }
        let short = &text[at..at + RUN_BYTES_MIN - 1];
        if let Some(gap) = short.iter().rposition(|b| !is_part(*b)) {
            at += gap + 1;
            continue;
        }
        let length = text[at..].iter().position(|b| !is_part(*b)).unwrap_or(text.len() - at);
        let run = at..at + length.min(RUN_BYTES_MAX);
        at += length;
        found.extend(decode(&text[run.clone()]).map(|(part, text)| Decoded {
            run: run.start + part.start..run.start + part.end,
            text,
        }));
    }
    found
}

/// Bytes an encoded run is made of.
fn is_part(byte: u8) -> bool {
    const PARTS: [bool; 256] = {
        let mut parts = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            let b = byte as u8;
            parts[byte] = b.is_ascii_alphanumeric()
                || matches!(
                    b,
                    b'+' | b'/'
                        | b'='
                        | b'_'
                        | b'-'
                        | b'%'
                        | b'\\'
                        | b'&'
                        | b'#'
                        | b';'
                        | b'.'
                        | b':'
                        | b'?'
                );
            byte += 1;
        }
        parts
    };
    PARTS[usize::from(byte)]
}

/// Decodes a run as the first encoding that gives text.
fn decode(run: &[u8]) -> Option<(Range<usize>, Vec<u8>)> {
    let whole = 0..run.len();
    let count = |mark: &[u8]| run.windows(mark.len()).filter(|w| *w == mark).count();
    if run.contains(&b'%') && run.windows(3).filter(|w| is_percent(w)).count() >= 2 {
        return Some((whole, percent::decode(run)));
    }
    if run.contains(&b'\\') && count(b"\\u00") + count(b"\\x") >= 4 {
        return Some((whole, escapes(run)));
    }
    if run.contains(&b'&') && count(b"&#") >= 4 {
        return Some((whole, entities(run)));
    }
    // Only the part between marks that base64 does not have.
    let letter =
        |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'_' | b'-');
    let mut start = 0;
    for part in run.split(|b| !letter(b)) {
        let range = start..start + part.len();
        start = range.end + 1;
        if let Some(text) = hex(part).or_else(|| base64(part)) {
            return Some((range, text));
        }
    }
    None
}

/// Undoes `\u0067` and `\x67`.
fn escapes(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let (skip, digits) = match text[at..] {
            [b'\\', b'u', ..] => (2, 4),
            [b'\\', b'x', ..] => (2, 2),
            _ => (0, 0),
        };
        let code = text
            .get(at + skip..at + skip + digits)
            .filter(|_| digits > 0)
            .and_then(|d| number(d, 16));
        match code.and_then(char::from_u32) {
            Some(c) => {
                plain.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                at += skip + digits;
            }
            None => {
                plain.push(text[at]);
                at += 1;
            }
        }
    }
    plain
}

/// Undoes `&#103;` and `&#x67;`.
fn entities(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let body = text[at..].strip_prefix(b"&#").unwrap_or_default();
        let end = body.iter().take(8).position(|b| *b == b';');
        let code = end.and_then(|end| match &body[..end] {
            [b'x' | b'X', digits @ ..] => number(digits, 16),
            digits => number(digits, 10),
        });
        match code.and_then(char::from_u32) {
            Some(c) => {
                plain.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                at += 3 + end.unwrap_or(0);
            }
            None => {
                plain.push(text[at]);
                at += 1;
            }
        }
    }
    plain
}

fn hex(run: &[u8]) -> Option<Vec<u8>> {
    if run.len() < 32 || !run.len().is_multiple_of(2) || !run.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let pairs = || run.chunks(2).map(|pair| number(pair, 16).unwrap_or(0) as u8);
    is_text(&pairs().take(PROBE_BYTES).collect::<Vec<u8>>()).then(|| pairs().collect())
}

fn base64(run: &[u8]) -> Option<Vec<u8>> {
    if run.len() < RUN_BYTES_MIN {
        return None;
    }
    let probe = base64::decode(&run[..PROBE_BYTES.min(run.len() / 4 * 4)])?;
    if !is_text(&probe) {
        return None;
    }
    let text = base64::decode(&run[..run.len() - usize::from(run.len() % 4 == 1)])?;
    is_text(&text).then_some(text)
}

/// Tells that bytes are mostly printable ASCII.
fn is_text(bytes: &[u8]) -> bool {
    let printable =
        bytes.iter().filter(|b| b.is_ascii_graphic() || matches!(b, b' ' | b'\n' | b'\r' | b'\t'));
    !bytes.is_empty() && printable.count() * 20 >= bytes.len() * 19
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::base64::Engine as _;

    fn check(encoded: &str, plain: &str) {
        let text = format!("see {encoded} there");
        let found = runs(text.as_bytes());
        assert!(found.iter().any(|d| d.text == plain.as_bytes()), "{encoded} gave {found:?}");
    }

    #[test]
    fn every_encoding_is_undone() {
        let plain = "token=abcdefgh ijklmnop";
        check(&::base64::engine::general_purpose::STANDARD.encode(plain), plain);
        check(&plain.bytes().map(|b| format!("{b:02x}")).collect::<String>(), plain);
        check(&plain.bytes().map(|b| format!("%{b:02X}")).collect::<String>(), plain);
        check(&plain.bytes().map(|b| format!("\\u{b:04x}")).collect::<String>(), plain);
        check(&plain.bytes().map(|b| format!("&#{b};")).collect::<String>(), plain);
    }

    #[test]
    fn pictures_and_words_are_not_text_in_disguise() {
        assert!(runs(b"iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAA").is_empty());
        assert!(runs(b"internationalization/localization_of_messages").is_empty());
    }
}
