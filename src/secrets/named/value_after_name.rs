//! Reads on from a name to the value tied to it: operators, verbs, table cells, quotes.
//! Border: grammar only; the value is judged in `value`.

use crate::secrets::entries::Entries;
use std::sync::LazyLock;

use super::candidate::{Candidate, Link, Phrases};
use super::names::Name;

/// A value is at most this long; private keys have rules of their own.
const VALUE_BYTES_MAX: usize = 2_048;
/// A sentence may put this many bytes between a name and its verb.
const DESCRIPTION_BYTES_MAX: usize = 60;

/// Signs that tie a value to a name, longest first.
pub(super) static OPERATORS: Entries<&str> =
    Entries::of(&["||=", "??=", ".=", "→", "⇒", "＝", "=", ":", "::", "<<<"]);

/// Verbs and phrases that tie a value to a name, with the spaces they need. Longest first where
/// one starts another.
pub(super) static VERBS: [&str; 54] = [
    " is set to ",
    " was set to ",
    " is still ",
    " is currently ",
    " is: ",
    " is ",
    " was changed to ",
    " changed to ",
    " will be ",
    " should be ",
    " equals ",
    " to ",
    " becomes ",
    " reads ",
    " ist jetzt ",
    " ist ",
    " lautet ",
    " wurde auf ",
    " es ahora ",
    " es ",
    " será ",
    " est maintenant ",
    " est ",
    " é ",
    " è ",
    " ora è ",
    " to jest ",
    " jest ",
    " to: ",
    " je ",
    " är ",
    " er ",
    " это ",
    " — это ",
    " – ",
    " теперь ",
    " равен ",
    "是：",
    "是:",
    "是",
    "为：",
    "为:",
    "为",
    "為",
    "は、",
    "は",
    "が",
    "는 ",
    "은 ",
    "를 ",
    "이 ",
    " là ",
    " şu: ",
    " هي ",
];

static VERBS_INDEX: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&VERBS));

/// Words that begin a description between a name and its verb.
pub(super) static PREPOSITIONS: Entries<&str> = Entries::of(&[
    "for", "on", "für", "zum", "zur", "vom", "von", "de", "del", "para", "do", "da", "di", "pour",
    "du", "la", "для", "от", "к",
]);

/// Words that may stand between a sign or verb and the value.
pub(super) static FILLERS: Entries<&str> = Entries::of(&[
    "now ",
    "still ",
    "currently ",
    "simply ",
    "set to ",
    "changed to ",
    "probably ",
    "as follows: ",
    "the string ",
    "literally ",
]);

/// The value a text ties to a name by what follows the name.
pub(crate) fn after(text: &[u8], name: &Name) -> Option<Candidate> {
    let limit = text.len().min(name.span.end + 220);
    let mut at = name.span.end;
    let (closed, tag) = skip_closers(text, &mut at, limit);
    skip_parenthesis(text, &mut at);
    if tag || (text.get(at) == Some(&b'-') && at == name.span.end) {
        return value(text, at + usize::from(!tag), Link::Operator);
    }
    if let Some(end) = operator(text, at, limit) {
        return after_operator(text, end, limit);
    }
    if let Some(end) = verb(text, at, limit) {
        return value(text, end, Link::Verb);
    }
    if let Some(end) = description(text, at, limit) {
        return match operator(text, end, limit) {
            Some(end) => after_operator(text, end, limit),
            None => value(text, verb(text, end, limit)?, Link::Verb),
        };
    }
    let spaces = skip_spaces(text, at, limit);
    match text.get(spaces) {
        Some(b'|') => value(text, spaces + 1, Link::Table),
        Some(b',') => value(text, spaces + 1, Link::Beside),
        Some(b'(') if !closed => match text.get(spaces + 1) {
            Some(b'"' | b'\'' | b'`') => value(text, spaces + 1, Link::Beside),
            _ => None,
        },
        Some(b'\n' | b'\r') => paired(text, spaces, limit),
        _ if spaces > at => {
            let flag = name.span.start >= 1 && text[name.span.start - 1] == b'-';
            value(text, spaces, if flag { Link::Operator } else { Link::Space })
        }
        _ => None,
    }
}

/// Skips quotes, emphasis and brackets that close around a name. The flag says it was a tag.
fn skip_closers(text: &[u8], at: &mut usize, limit: usize) -> (bool, bool) {
    let start = *at;
    while *at < limit && *at - start < 6 {
        match text[*at] {
            b'"' | b'\'' | b'`' | b'*' | b'_' | b'\\' | b']' | b')' | b'}' => *at += 1,
            b'>' => {
                *at += 1;
                return (true, true);
            }
            _ => break,
        }
    }
    (*at > start, false)
}

/// Skips `(staging)` between a name and what follows.
fn skip_parenthesis(text: &[u8], at: &mut usize) {
    let rest = &text[*at..text.len().min(*at + 42)];
    if let Some(open) = rest.strip_prefix(b" (")
        && let Some(close) = open.iter().position(|b| matches!(b, b')' | b'\n'))
        && open[close] == b')'
    {
        let end = *at + 2 + close + 1;
        let next = text.get(end);
        if matches!(next, Some(b':' | b'='))
            || text[end..].starts_with(b" is ")
            || text[end..].starts_with(b" =")
        {
            *at = end;
        }
    }
}

fn skip_spaces(text: &[u8], mut at: usize, limit: usize) -> usize {
    while at < limit && matches!(text[at], b' ' | b'\t') {
        at += 1;
    }
    at
}

/// The end of a sign at a place, spaces before it skipped.
fn operator(text: &[u8], at: usize, limit: usize) -> Option<usize> {
    let at = skip_spaces(text, at, limit);
    let rest = &text[at..];
    // Nearly every place is refused here.
    let may =
        |b: &u8| matches!(b, b'!' | b'+' | b'-' | b'.' | b':' | b'<'..=b'?' | b'|' | 0xE2 | 0xEF);
    if !rest.first().is_some_and(may) {
        return None;
    }
    if rest.starts_with(b"===") || rest.starts_with(b"!=") {
        return None;
    }
    let sign = OPERATORS.find(|sign| rest.starts_with(sign.as_bytes()))?;
    Some(at + sign.len())
}

/// The end of a verb at a place.
fn verb(text: &[u8], at: usize, limit: usize) -> Option<usize> {
    let rest = &text[at..limit];
    Some(at + VERBS_INDEX.length_at(rest)?)
}

/// The end of `for the staging admin`, where a sign or verb follows it.
fn description(text: &[u8], at: usize, limit: usize) -> Option<usize> {
    let rest = text.get(at..limit.min(at + DESCRIPTION_BYTES_MAX))?.strip_prefix(b" ")?;
    let first = rest.split(|b| *b == b' ').next()?;
    let known = PREPOSITIONS.any(|word| word.as_bytes() == first)
        || (first.iter().all(u8::is_ascii_alphabetic) && rest[first.len()..].starts_with(b" = "));
    if !known {
        return None;
    }
    let mut place = at + 1 + first.len();
    while place < limit && place - at < DESCRIPTION_BYTES_MAX {
        if operator(text, place, limit).is_some()
            || (text[place] == b' ' && verb(text, place, limit).is_some())
        {
            return Some(place);
        }
        match text[place] {
            b'\n' | b'.' | b';' | b'|' | b'"' => return None,
            _ => place += 1,
        }
    }
    None
}

/// `name: DB_PASSWORD` on one line, `value: …` on the next; also `"name": …, "value": …`.
fn paired(text: &[u8], at: usize, limit: usize) -> Option<Candidate> {
    let rest = &text[at..limit];
    let skip =
        rest.iter().position(|b| !matches!(b, b'\r' | b'\n' | b' ' | b'\t' | b'"' | b'\''))?;
    let word = ["value", "Value", "VALUE"]
        .iter()
        .find(|word| rest[skip..].starts_with(word.as_bytes()))?;
    let mut end = at + skip + word.len();
    skip_closers(text, &mut end, limit);
    value(text, operator(text, end, limit)?, Link::Operator)
}

/// The value after a sign; a type between two signs (`password: str = "…"`) is skipped.
fn after_operator(text: &[u8], at: usize, limit: usize) -> Option<Candidate> {
    let from = skip_spaces(text, at, limit);
    let word = text[from..limit]
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || b"<>&'[]".contains(b))
        .count();
    let typed = word > 0 && word < 24 && text[from + word..].starts_with(b" = ");
    value(text, if typed { from + word + 3 } else { at }, Link::Operator)
}

/// Reads one value: what opens it, the value, what ends it.
fn value(text: &[u8], mut at: usize, mut link: Link) -> Option<Candidate> {
    let limit = text.len().min(at + 120);
    let mut lines = 0;
    let mut quote = None;
    let mut emphasis = false;
    loop {
        match text.get(at..limit)? {
            [b' ' | b'\t' | b'\r', ..] => at += 1,
            // A value may stand alone on the next line, in a fence too.
            [b'\n', ..] if link <= Link::Table && lines < 2 && quote.is_none() => {
                lines += 1;
                at += 1;
            }
            [b'`', b'`', b'`', rest @ ..] if lines > 0 => {
                at += 3 + rest.iter().position(|b| *b == b'\n')?;
            }
            [b'*', ..] | [b'_', b'_', ..] => {
                emphasis = true;
                at += 1;
            }
            [b'|', ..] if link == Link::Operator && !emphasis && lines == 0 && quote.is_none() => {
                link = Link::Table;
                at += 1;
            }
            [b'\\', b'"' | b'\'', ..] => at += 1,
            [b @ (b'"' | b'\'' | b'`'), ..] if quote.is_none_or(|open| open != *b) => {
                quote = Some(*b);
                at += 1;
            }
            rest => match filler(rest, quote) {
                Some(length) => at += length,
                None => break,
            },
        }
    }
    let end = end_of(text, at, quote, link);
    let alone = lines == 0
        || text.get(end).is_none_or(|b| matches!(b, b'\n' | b'\r' | b'`' | b'"' | b'<' | b'\''));
    (end > at && alone).then_some(Candidate {
        value: at..end,
        link,
        quoted: quote.is_some() || emphasis,
        quote,
    })
}

/// The length of a word that only fills, or of the letters of a string (`b"…"`, `r"…"`).
fn filler(rest: &[u8], quote: Option<u8>) -> Option<usize> {
    if quote.is_some() {
        return None;
    }
    if let [b'b' | b'r' | b'u' | b'f' | b'L', b'"' | b'\'', ..] = rest {
        return Some(1);
    }
    if let [b'=' | b':' | b'>', ..] = rest {
        return Some(1);
    }
    FILLERS.find(|word| rest.starts_with(word.as_bytes())).map(|word| word.len())
}

/// Where a value ends. A quote ends where it closes, anything else at a space or a mark of the text.
fn end_of(text: &[u8], at: usize, quote: Option<u8>, link: Link) -> usize {
    let limit = text.len().min(at + VALUE_BYTES_MAX);
    let rest = &text[at..limit];
    if let Some(quote) = quote {
        let closes = rest.iter().position(|b| *b == quote || *b == b'\n').unwrap_or(rest.len());
        let inner = &rest[..closes];
        return at + inner.len() - usize::from(inner.last() == Some(&b'\\'));
    }
    let stop = |b: &u8| {
        b.is_ascii_whitespace()
            || matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>' | b';' | b',' | b'|')
    };
    let mut end = rest.iter().position(stop).unwrap_or(rest.len());
    // A line end written as an escape, in a file that stands in a string.
    if let Some(cut) = rest[..end].windows(2).position(|w| w == b"\\n" || w == b"\\r") {
        end = cut;
    }
    if link == Link::Operator
        && let Some(cut) = rest[..end].iter().position(|b| *b == b'&')
    {
        // A query string goes on after `&`; a password may hold one, but never before `name=`.
        if rest[cut..end].contains(&b'=') {
            end = cut;
        }
    }
    // Marks of the sentence do not belong to the value.
    while end > 0
        && matches!(
            rest[end - 1],
            b'.' | b',' | b':' | b')' | b']' | b'}' | b'*' | b'!' | b'?' | b'\\'
        )
    {
        let opened = rest[end - 1] == b')' && rest[..end].contains(&b'(');
        if opened {
            break;
        }
        end -= 1;
    }
    if rest[..end].ends_with("。".as_bytes()) || rest[..end].ends_with("，".as_bytes()) {
        end -= 3;
    }
    at + end
}
