//! Values in a Kubernetes `Secret`: base64 under `data`, plain under `stringData`.
//! Border: reads the lines of one YAML document; no YAML parser, because memories hold fragments.

use std::ops::Range;

use crate::secrets::encoding::base64;
use crate::secrets::value::placeholder;
use crate::secrets::value::randomness;

/// How far around `kind: Secret` its document is looked at.
const DOCUMENT_BYTES_MAX: usize = 4_000;
/// A shorter value under `data` says nothing (`e30=`).
const VALUE_BYTES_MIN: usize = 12;

/// Where the scanner looks: the ways `kind: Secret` is written.
pub(crate) static KEYWORDS: &[&str] =
    &["kind: secret", "kind: \"secret\"", "kind: 'secret'", "\"kind\": \"secret\"", "kind:secret"];

/// The first value in the secret around a keyword.
pub(crate) fn value(text: &[u8], keyword: &Range<usize>) -> Option<Range<usize>> {
    let ends = |b: &u8| b.is_ascii_whitespace() || matches!(b, b',' | b'}' | b'`');
    if !text.get(keyword.end).is_none_or(ends) {
        return None;
    }
    let document = document(text, keyword);
    let mut at = document.start;
    let mut inside: Option<usize> = None;
    let mut block = false;
    for line in text[document].split_inclusive(|b| *b == b'\n') {
        let start = at;
        at += line.len();
        let content = line.trim_ascii();
        let indent = line.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        if content.is_empty() || content.starts_with(b"#") {
            continue;
        }
        let bare: Vec<u8> =
            content.iter().copied().filter(|b| !matches!(b, b'"' | b'\'' | b' ' | b'{')).collect();
        if bare == b"data:" || bare == b"stringData:" {
            inside = Some(indent);
            continue;
        }
        let Some(outer) = inside else { continue };
        if indent <= outer {
            inside = None;
            block = false;
            continue;
        }
        let range = if block {
            Some(start + indent..start + line.trim_ascii_end().len())
        } else {
            entry(start, line)
        };
        block = false;
        match range.map(|range| trim(text, range)) {
            Some(range) if range.is_empty() => block = true,
            Some(range) if is_value(&text[range.clone()]) => return Some(range),
            _ => {}
        }
    }
    None
}

/// The YAML document around a place.
fn document(text: &[u8], keyword: &Range<usize>) -> Range<usize> {
    let floor = keyword.start.saturating_sub(DOCUMENT_BYTES_MAX);
    let ceiling = text.len().min(keyword.end + DOCUMENT_BYTES_MAX);
    let breaks = |part: &[u8]| part == b"\n---" || part == b"\n```" || part == b"\n...";
    let before = text[floor..keyword.start].windows(4).rposition(breaks);
    let after = text[keyword.end..ceiling].windows(4).position(breaks);
    let start = before.map_or(floor, |at| floor + at + 4);
    start..after.map_or(ceiling, |at| keyword.end + at + 1)
}

/// What stands behind `key:` on a line; empty for a block (`>`, `|`).
fn entry(start: usize, line: &[u8]) -> Option<Range<usize>> {
    let colon = line.windows(2).position(|w| w[0] == b':' && w[1].is_ascii_whitespace())?;
    let value = line[colon + 1..].trim_ascii();
    if matches!(value, [b'|' | b'>', ..]) {
        return Some(start..start);
    }
    let from = start
        + colon
        + 1
        + line[colon + 1..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    (!value.is_empty()).then(|| from..from + value.len())
}

fn trim(text: &[u8], range: Range<usize>) -> Range<usize> {
    let mark = |b: &u8| matches!(b, b'"' | b'\'' | b',');
    let word = &text[range.clone()];
    let left = word.iter().take_while(|b| mark(b)).count();
    let right = word[left..].iter().rev().take_while(|b| mark(b)).count();
    range.start + left..range.end - right
}

/// Base64 of something.
fn is_value(value: &[u8]) -> bool {
    value.len() >= VALUE_BYTES_MIN
        && value.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
        && value.len().is_multiple_of(4)
        && !randomness::is_worded(value)
        && (!value.iter().all(u8::is_ascii_lowercase) || randomness::is_gibberish(value))
        && base64::decode(value).is_some_and(|plain| !is_public(&plain))
}

/// Tells that a decoded value is a certificate, a configuration, or a text that stands for a value.
fn is_public(plain: &[u8]) -> bool {
    let text = plain.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace());
    let words = plain.iter().all(|b| b.is_ascii_lowercase() || b"-_ ".contains(b));
    plain.starts_with(b"-----BEGIN CERT")
        || text
            && (words
                || plain.contains(&b' ')
                || !plain.starts_with(b"{") && placeholder::is_placeholder(plain))
}
