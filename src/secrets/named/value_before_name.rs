//! Values that stand before their name: "use VALUE as the password", "VALUE is the password".
//! Border: grammar only; the value is judged in `value`.

use std::sync::LazyLock;

use super::candidate::{Candidate, Link, Phrases};
use super::names::Name;

/// How far before a name its value may stand.
const BEFORE_BYTES_MAX: usize = 220;
/// How much of a sentence may stand between the value and the name.
const BETWEEN_BYTES_MAX: usize = 50;

/// What ties a value before a name to it.
pub(super) static TIES: [&str; 12] = [
    " as the ",
    " as our ",
    " as your ",
    " as my ",
    " is the ",
    " is our ",
    " is your ",
    " is my ",
    " als ",
    " como ",
    " comme ",
    " как ",
];

static TIES_INDEX: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&TIES));

/// The value that a text ties to a name by what stands before the name.
pub(crate) fn before(text: &[u8], name: &Name) -> Option<Candidate> {
    let floor = name.span.start.saturating_sub(BEFORE_BYTES_MAX);
    let line = &text[floor..name.span.start];
    let from = line.iter().rposition(|b| *b == b'\n').map_or(floor, |at| floor + at + 1);
    let near = name.span.start.saturating_sub(BETWEEN_BYTES_MAX).max(from);
    let window = &text[near..name.span.start];
    let tie = last_tie(window)?;
    let end = near + tie;
    let start =
        text[from..end].iter().rposition(u8::is_ascii_whitespace).map_or(from, |at| from + at + 1);
    let quoted = text[start..end].iter().any(|b| matches!(b, b'`' | b'"' | b'\'' | b'*'));
    // `(ex: VALUE) as the …`: what is in a parenthesis says something about the word before it.
    if text[start..end].contains(&b')') && !text[start..end].contains(&b'(') {
        return None;
    }
    let mark = |b: &u8| matches!(b, b'`' | b'"' | b'\'' | b'*' | b'(' | b')' | b',' | b'_');
    let word = &text[start..end];
    let left = word.iter().take_while(|b| mark(b)).count();
    let right = word.iter().rev().take_while(|b| mark(b)).count();
    (left + right < word.len()).then_some(Candidate {
        value: start + left..end - right,
        link: Link::Verb,
        quoted,
        quote: None,
    })
}

/// Where the last tie of a sentence begins; none where a mark of the text parts it from the end.
fn last_tie(sentence: &[u8]) -> Option<usize> {
    for (at, byte) in sentence.iter().enumerate().rev() {
        match byte {
            b'.' | b';' | b'|' | b'"' => return None,
            b' ' if TIES_INDEX.length_at(&sentence[at..]).is_some() => return Some(at),
            _ => {}
        }
    }
    None
}
