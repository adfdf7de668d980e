//! Joins what an encoder wrapped: lines of the same width that are nothing but letters of base64.
//! Border: joins; whether the result decodes to anything is for `decode`.

use std::ops::Range;

use memchr::memchr;

use super::stretch::is_letter;

/// Every block of at least two lines, in one piece. The first line may follow a name and the last
/// one may be followed by something.
pub(super) fn blocks(
    text: &[u8],
    width_min: usize,
    bytes_max: usize,
) -> Vec<(Range<usize>, Vec<u8>)> {
    let mut found = Vec::new();
    let mut line = 0;
    while let Some(length) = memchr(b'\n', &text[line..]) {
        if length < width_min {
            line += length + 1;
            continue;
        }
        let tail = tail(text, line..line + length);
        let width = tail.len();
        let first = line;
        line += length + 1;
        if width < width_min || width > bytes_max {
            continue;
        }
        let mut joined = text[tail.clone()].to_vec();
        let mut end = tail.end;
        let mut next = line;
        while next < text.len() && joined.len() < bytes_max {
            let stop = memchr(b'\n', &text[next..]);
            let stop = stop.map_or(text.len(), |length| next + length);
            let head = head(text, next..stop, width);
            if head.is_empty() || head.len() > width {
                break;
            }
            let is_full = head.len() == width && trimmed_end(text, next..stop) == head.end;
            // A shorter line is the last one, or the text behind the block.
            if !is_full && end > tail.end {
                found.push((tail.start..end, joined.clone()));
            }
            let is_padded = text[head.end - 1] == b'=';
            joined.extend_from_slice(&text[head.clone()]);
            end = head.end;
            line = next;
            next = stop + 1;
            if !is_full || is_padded {
                break;
            }
        }
        if end > tail.end {
            found.push((tail.start..end, joined));
        }
        debug_assert!(line > first, "each block takes a line");
    }
    found
}

/// The letters a line ends with.
fn tail(text: &[u8], line: Range<usize>) -> Range<usize> {
    let end = trimmed_end(text, line.clone());
    let letters = |b: &u8| is_letter(*b) && *b != b'=';
    let count = text[line.start..end].iter().rev().take_while(|b| letters(b)).count();
    end - count..end
}

/// The letters a line begins with; of more than the width, one more.
fn head(text: &[u8], line: Range<usize>, width: usize) -> Range<usize> {
    let mark = |b: &u8| matches!(b, b' ' | b'\t' | b'>' | b'#' | b'*' | b'|' | b'"' | b'\'');
    let start = line.start + text[line.clone()].iter().take_while(|b| mark(b)).count();
    let letters = text[start..line.end].iter().take(width + 1).take_while(|b| is_letter(**b));
    start..start + letters.count()
}

/// The end of a line without blanks, quotes and the mark that it goes on.
fn trimmed_end(text: &[u8], line: Range<usize>) -> usize {
    let mark = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\\' | b'"' | b'\'' | b',');
    line.end - text[line.clone()].iter().rev().take_while(|b| mark(b)).count()
}
