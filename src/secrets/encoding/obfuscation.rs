//! Undoes what a reader does not see: zero-width characters, look-alike letters, wrapped tokens,
//! the backslashes of Markdown.
//! Border: gives plainer text with the way back to the original places; scans nothing.

use std::ops::Range;

use crate::base::display::{is_emoji_glue, is_invisible};

/// Plainer text and, for each of its bytes, where it stands in the original.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Plain {
    pub(crate) text: Vec<u8>,
    places: Vec<usize>,
}

impl Plain {
    fn push(&mut self, byte: u8, place: usize) {
        self.text.push(byte);
        self.places.push(place);
    }

    /// The original range of a range of the plain text.
    pub(crate) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.places.get(range.start).copied().unwrap_or_default();
        let last = self.places.get(range.end.saturating_sub(1)).copied().unwrap_or(start);
        start..last + 1
    }
}

/// Letters of other scripts that look like ASCII ones.
#[rustfmt::skip]
const LOOK_ALIKES: &[(char, char)] = &[
    ('а', 'a'), ('с', 'c'), ('е', 'e'), ('һ', 'h'), ('і', 'i'), ('ј', 'j'), ('о', 'o'), ('р', 'p'), ('ѕ', 's'),
    ('х', 'x'), ('у', 'y'), ('ԁ', 'd'), ('ɡ', 'g'), ('ո', 'n'), ('ѵ', 'v'), ('ԝ', 'w'), ('к', 'k'), ('т', 't'),
    ('А', 'A'), ('В', 'B'), ('С', 'C'), ('Е', 'E'), ('Н', 'H'), ('І', 'I'), ('Ј', 'J'), ('К', 'K'), ('М', 'M'),
    ('О', 'O'), ('Р', 'P'), ('Ѕ', 'S'), ('Т', 'T'), ('Х', 'X'), ('У', 'Y'), ('α', 'a'), ('ο', 'o'), ('ρ', 'p'),
    ('ν', 'v'), ('κ', 'k'), ('ι', 'i'), ('τ', 't'), ('Α', 'A'), ('Β', 'B'), ('Ε', 'E'), ('Η', 'H'), ('Ι', 'I'),
    ('Κ', 'K'), ('Μ', 'M'), ('Ν', 'N'), ('Ο', 'O'), ('Ρ', 'P'), ('Τ', 'T'), ('Χ', 'X'), ('Υ', 'Y'), ('Ζ', 'Z'),
    ('‐', '-'), ('‑', '-'), ('‒', '-'), ('−', '-'), ('﹣', '-'), ('ˍ', '_'), ('﹍', '_'),
];

/// The ASCII character a character looks like.
fn look_alike(c: char) -> Option<char> {
    match c {
        // Full-width forms lie at a fixed distance; mathematical letters in rows of 52.
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0),
        '\u{1D400}'..='\u{1D6A3}' => {
            let place = (u32::from(c) - 0x1D400) % 52;
            char::from_u32(if place < 26 { 65 + place } else { 71 + place })
        }
        '\u{1D7CE}'..='\u{1D7FF}' => char::from_u32(48 + (u32::from(c) - 0x1D7CE) % 10),
        _ => LOOK_ALIKES.iter().find(|(other, _)| *other == c).map(|(_, ascii)| *ascii),
    }
}

/// Letters that are ASCII ones in another style, never those of another script.
fn is_styled(c: char) -> bool {
    matches!(c, '\u{FF10}'..='\u{FF5A}' | '\u{1D400}'..='\u{1D7FF}')
}

/// Characters that are blank or unassigned by design, and show nothing of what they part.
fn is_filler(c: char) -> bool {
    let nobody = u32::from(c) & 0xFFFE == 0xFFFE;
    nobody
        || matches!(c,
            '\u{2800}' | '\u{FFFC}' | '\u{FDD0}'..='\u{FDEF}' | '\u{E000}'..='\u{F8FF}'
            | '\u{F0000}'..='\u{10FFFF}')
}

/// A mark that stands on the character before it.
fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}')
}

/// The ASCII character that a tag character spells.
fn spelled(c: char) -> Option<u8> {
    let code = u32::from(c).checked_sub(0xE0000)?;
    u8::try_from(code).ok().filter(|byte| (0x20..0x7F).contains(byte))
}

/// What the tag characters of a line spell; `None` where they are too few for a credential.
fn spelled_line(line: &str, start: usize) -> Option<Plain> {
    let mut plain = Plain::default();
    for (at, c) in line.char_indices() {
        if let Some(byte) = spelled(c) {
            plain.push(byte, start + at);
        }
    }
    (plain.text.len() >= SPELLED_BYTES_MIN).then_some(plain)
}

/// Tag characters that may be a credential.
const SPELLED_BYTES_MIN: usize = 8;

/// Each line that hides something, made plain.
pub(crate) fn plain_lines(text: &[u8]) -> Vec<Plain> {
    if text.is_ascii() && !text.contains(&b'\\') {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text).map(|at| at + 1).chain([text.len()]);
    for end in ends {
        let line = &text[start..end];
        if (!line.is_ascii() || holds_escape(line))
            && let Ok(line) = std::str::from_utf8(line)
        {
            lines.extend(plain_line(line, start));
            lines.extend(spelled_line(line, start));
        }
        start += line.len();
    }
    lines
}

/// Tells that a backslash of Markdown stands within a word (`ghp\_1a2b`).
fn holds_escape(line: &[u8]) -> bool {
    memchr::memchr_iter(b'\\', line).any(|at| match line.get(at.wrapping_sub(1)..at + 2) {
        Some(around) => around[0].is_ascii_alphanumeric() && is_escaped(around[2]),
        None => false,
    })
}

/// The marks of tokens that Markdown writers put a backslash before.
fn is_escaped(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.' | b'~' | b'+' | b'=' | b'*' | b'!' | b'#' | b'$')
}

/// A line without invisible characters, look-alikes and backslashes before marks; `None` where
/// there are none.
fn plain_line(line: &str, start: usize) -> Option<Plain> {
    let hidden = |c: char| is_invisible(c) || is_emoji_glue(c) || is_filler(c) || is_combining(c);
    // Most such lines hold a dash or a name, and nothing of this.
    let suspect = |c: char| !c.is_ascii() && (look_alike(c).is_some() || hidden(c));
    if !line.chars().any(suspect) && !holds_escape(line.as_bytes()) {
        return None;
    }
    let mut plain = Plain::default();
    let mut changed = false;
    let mut place = start;
    for word in line.split_inclusive(char::is_whitespace) {
        // A word of another script is no disguise; one that mixes it with ASCII may be.
        let mixed = word.bytes().any(|b| b.is_ascii_alphanumeric());
        for (offset, c) in word.char_indices() {
            let at = place;
            place += c.len_utf8();
            let next = word.as_bytes().get(offset + 1);
            if c == '\\' && offset > 0 && next.is_some_and(|next| is_escaped(*next)) {
                changed = true;
                continue;
            }
            if !c.is_ascii() && hidden(c) {
                changed = true;
                continue;
            }
            match look_alike(c).filter(|_| !c.is_ascii() && (mixed || is_styled(c))) {
                Some(ascii) => {
                    changed = true;
                    plain.push(ascii as u8, at);
                }
                None => {
                    for (offset, byte) in c.encode_utf8(&mut [0; 4]).bytes().enumerate() {
                        plain.push(byte, at + offset);
                    }
                }
            }
        }
    }
    changed.then_some(plain)
}

/// A token is followed this far over line ends and marks.
const JOINED_BYTES_MAX: usize = 700;
/// At most this many breaks are joined.
const BREAKS_MAX: usize = 12;

/// The token that starts at a place, joined over line ends, emphasis and string concatenation.
/// `None` where nothing interrupts it.
pub(crate) fn joined(text: &[u8], from: usize) -> Option<Plain> {
    let limit = text.len().min(from + JOINED_BYTES_MAX);
    let mut plain = Plain::default();
    let mut at = from;
    let mut breaks = 0;
    while at < limit {
        if is_token(text[at]) {
            plain.push(text[at], at);
            at += 1;
            continue;
        }
        let next = break_end(&text[at..limit]).map(|length| at + length)?;
        let goes_on = next < limit && is_token(text[next]);
        if !goes_on || plain.text.len() < 6 || breaks == BREAKS_MAX {
            break;
        }
        breaks += 1;
        at = next;
    }
    (breaks > 0).then_some(plain)
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b'~' | b':')
}

/// The length of what may interrupt a token without ending it. Zero length means it ends here.
fn break_end(rest: &[u8]) -> Option<usize> {
    let spaces = |from: usize| {
        rest[from..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'>' | b'#')).count()
    };
    let line = |from: usize| match rest.get(from..)? {
        [b'\r', b'\n', ..] => Some(from + 2),
        [b'\n', ..] => Some(from + 1),
        _ => None,
    };
    match rest {
        [b'\\', ..] if line(1).is_some() => line(1).map(|end| end + spaces(end)),
        [b'\n' | b'\r', ..] => line(0).map(|end| end + spaces(end)),
        [b'*', b'*', ..] => Some(2),
        [b'*' | b'`', ..] => Some(1),
        [b'"' | b'\'', after @ ..] => {
            let gap = after
                .iter()
                .take_while(|b| matches!(b, b' ' | b'+' | b'.' | b'\n' | b'\\' | b'\t' | b'&'))
                .count();
            matches!(after.get(gap), Some(b'"' | b'\'')).then_some(gap + 2)
        }
        _ => None,
    }
    .or(Some(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_and_look_alike_characters_are_undone() {
        let text = "x\npa\u{200B}ssw\u{043E}rd\n";
        let lines = plain_lines(text.as_bytes());
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].text, b"password\n");
        assert_eq!(lines[0].original(&(0..8)), 2..14);
        assert!(plain_lines("пароль и текст\n".as_bytes()).is_empty());
    }

    #[test]
    fn what_shows_nothing_parts_no_value() {
        for filler in
            ['\u{2800}', '\u{E001}', '\u{F0041}', '\u{100041}', '\u{E0041}', '\u{FFFC}', '\u{301}']
        {
            let text = format!("ghp_{filler}abcd{filler}ef");
            let lines = plain_lines(text.as_bytes());
            assert_eq!(lines[0].text, b"ghp_abcdef", "{filler:?}");
        }
        let tags: String =
            "ghp_abcdef".chars().filter_map(|c| char::from_u32(0xE0000 + u32::from(c))).collect();
        let lines = plain_lines(format!("see {tags}").as_bytes());
        assert!(lines.iter().any(|line| line.text == b"ghp_abcdef"));
    }

    #[test]
    fn backslashes_before_marks_are_undone_within_words_only() {
        let lines = plain_lines(br"ghp\_ab\-cd\.e and \* x");
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].text, br"ghp_ab-cd.e and \* x");
        assert_eq!(lines[0].original(&(0..6)), 0..7);
        for text in [r"C:\_temp \*", r"a\n\tb", r"\- item", "plain_text"] {
            assert_eq!(plain_lines(text.as_bytes()), [], "{text}");
        }
    }

    #[test]
    fn a_wrapped_token_is_joined() {
        let check =
            |text: &str| joined(text.as_bytes(), 0).map(|p| String::from_utf8(p.text).unwrap());
        assert_eq!(check("ghp_abcd\n  efgh then").as_deref(), Some("ghp_abcdefgh"));
        assert_eq!(check("ghp_abcd**ef**gh").as_deref(), Some("ghp_abcdefgh"));
        assert_eq!(check("ghp_abcd\" + \"efgh\"").as_deref(), Some("ghp_abcdefgh"));
        assert_eq!(check("ghp_abcd efgh"), None);
    }
}
