//! Undoes hexadecimal digits with something between the bytes: `67 68`, `67:68`, `0x67, 0x68`.
//! Border: digits of printable text only; digits in one piece are `decode`.

use std::ops::Range;

use super::percent::number;
use super::stretch::stretches;

/// Fewer bytes hold no credential worth the name.
const BYTES_MIN: usize = 16;
/// What lies beyond in one run is a run of its own.
const BYTES_MAX: usize = 64 * 1024;
/// The shortest run: groups of eight digits with one byte between them.
const RUN_BYTES_MIN: usize = BYTES_MIN * 2 + BYTES_MIN / 4 - 1;
/// Longer groups are digits in one piece.
const DIGITS_MAX: usize = 8;

/// Every run of spaced digits that are text, with the text.
pub(super) fn runs(text: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    let mut found = Vec::new();
    for stretch in stretches(text, RUN_BYTES_MIN, is_part) {
        let mut bytes = Vec::new();
        let mut start = stretch.start;
        let mut end = stretch.start;
        let mut at = stretch.start;
        while at < stretch.end {
            let rest = &text[at..stretch.end];
            if is_gap(rest[0]) {
                at += 1;
                continue;
            }
            let length = rest.iter().position(|b| is_gap(*b)).unwrap_or(rest.len());
            let group = group(&rest[..length]);
            if group.is_none() || bytes.len() >= BYTES_MAX {
                keep(&mut found, start..end, &mut bytes);
            }
            if let Some(group) = group {
                start = if bytes.is_empty() { at } else { start };
                end = at + length;
                bytes.extend(group);
            }
            at += length;
        }
        keep(&mut found, start..end, &mut bytes);
    }
    found
}

fn keep(found: &mut Vec<(Range<usize>, Vec<u8>)>, run: Range<usize>, bytes: &mut Vec<u8>) {
    let bytes = std::mem::take(bytes);
    if bytes.len() >= BYTES_MIN {
        found.push((run, bytes));
    }
}

/// The printable bytes of a group of digits.
fn group(group: &[u8]) -> Option<Vec<u8>> {
    let marks: [&[u8]; 3] = [b"0x", b"0X", b"\\x"];
    let digits = marks.iter().find_map(|mark| group.strip_prefix(*mark)).unwrap_or(group);
    if digits.len() > DIGITS_MAX || !digits.len().is_multiple_of(2) {
        return None;
    }
    let byte = |pair: &[u8]| {
        let hex = pair.iter().all(u8::is_ascii_hexdigit);
        number(pair, 16).filter(|_| hex).and_then(|code| u8::try_from(code).ok())
    };
    let printable = |b: &u8| b.is_ascii_graphic() || matches!(b, b' ' | b'\n' | b'\r' | b'\t');
    digits.chunks(2).map(|pair| byte(pair).filter(printable)).collect()
}

fn is_part(byte: u8) -> bool {
    const PARTS: [bool; 256] = {
        let mut parts = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            let b = byte as u8;
            parts[byte] = b.is_ascii_hexdigit() || is_gap(b) || matches!(b, b'x' | b'X' | b'\\');
            byte += 1;
        }
        parts
    };
    PARTS[usize::from(byte)]
}

/// What may stand between the bytes.
const fn is_gap(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' | b';' | b'-' | b'"' | b'\'' | b'>')
}
