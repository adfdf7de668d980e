//! Runs of bytes of one kind in a text, found in one walk.
//! Border: where they are; what they say is `decode`.

use std::ops::Range;

/// Every stretch of at least so many bytes of a kind. Most bytes of other text are stepped over.
pub(super) fn stretches(
    text: &[u8],
    least: usize,
    is_part: impl Fn(u8) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        // A stretch covers the last byte of the shortest one that starts at `at`, or starts behind it.
        while let Some(last) = text.get(at + least - 1) {
            if !is_part(*last) {
                at += least;
                continue;
            }
            let short = &text[at..at + least - 1];
            if let Some(gap) = short.iter().rposition(|b| !is_part(*b)) {
                at += gap + 1;
                continue;
            }
            let length = text[at..].iter().position(|b| !is_part(*b)).unwrap_or(text.len() - at);
            at += length;
            return Some(at - length..at);
        }
        None
    })
}

/// Letters of either alphabet of base64, and its padding.
pub(super) fn is_letter(byte: u8) -> bool {
    const LETTERS: [bool; 256] = {
        let mut letters = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            let b = byte as u8;
            letters[byte] =
                b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'_' | b'-');
            byte += 1;
        }
        letters
    };
    LETTERS[usize::from(byte)]
}
