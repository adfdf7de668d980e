//! Undoes characters that are written as escapes, be it one in a value or all: `&#103;`, `%67`,
//! `\u0067`, and the `=67` and soft line ends of quoted-printable mail.
//! Border: gives plainer text with the way back to the original places; scans nothing.

use std::ops::Range;

use memchr::{memchr, memchr3, memmem};

use super::percent::number;
use crate::base::display::is_invisible;

/// A block of text without escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unescaped {
    pub(crate) text: Vec<u8>,
    /// Places from which on the two texts run side by side: first in this one, then in the original.
    places: Vec<(usize, usize)>,
}

impl Unescaped {
    /// The original range of a range of the plainer text.
    pub(crate) fn original(&self, range: &Range<usize>) -> Range<usize> {
        self.place(range.start)..self.place(range.end)
    }

    fn place(&self, at: usize) -> usize {
        let behind = self.places.partition_point(|(plain, _)| *plain <= at);
        let last = behind.checked_sub(1).and_then(|last| self.places.get(last));
        last.map_or(at, |(plain, original)| original + (at - plain))
    }
}

/// What parts two paragraphs.
const BLANK: &[u8] = b"\n\n";

/// What an escape stands for and how long it is; nothing where it stands for what nobody sees.
type Escape = (Option<u8>, usize);

/// Every paragraph that holds an escape, without the escapes.
pub(crate) fn blocks(text: &[u8]) -> Vec<Unescaped> {
    let mut found = Vec::new();
    let mark = |text: &[u8]| memchr3(b'&', b'%', b'\\', text);
    add_blocks(text, mark, |text, at| character(&text[at..]), &mut found);
    // An equals sign and digits are more often something else, so that reading stands apart.
    add_blocks(text, |text| memchr(b'=', text), quoted_printable, &mut found);
    found
}

fn add_blocks(
    text: &[u8],
    mark: impl Fn(&[u8]) -> Option<usize>,
    escape: impl Fn(&[u8], usize) -> Option<Escape>,
    found: &mut Vec<Unescaped>,
) {
    let next = |mut from: usize, end: usize| {
        while let Some(at) = mark(&text[from..end]).map(|at| from + at) {
            if let Some(escape) = escape(text, at) {
                return Some((at, escape));
            }
            from = at + 1;
        }
        None
    };
    let mut done = 0;
    while let Some((first, _)) = next(done, text.len()) {
        let start = memmem::rfind(&text[done..first], BLANK).map_or(done, |at| done + at + 2);
        let end = memmem::find(&text[first..], BLANK).map_or(text.len(), |at| first + at + 1);
        let mut plain = Unescaped { text: Vec::new(), places: vec![(0, start)] };
        let mut at = start;
        while let Some((place, (byte, length))) = next(at, end) {
            plain.text.extend_from_slice(&text[at..place]);
            plain.text.extend(byte);
            at = place + length;
            plain.places.push((plain.text.len(), at));
            if at >= end {
                break;
            }
        }
        plain.text.extend_from_slice(&text[at.min(end)..end]);
        found.push(plain);
        done = at.max(end);
    }
}

/// A character as HTML, addresses and programming languages write it.
fn character(text: &[u8]) -> Option<Escape> {
    match text {
        [b'%', digits @ ..] => fixed(digits, 2, 16, 1),
        [b'\\', b'n', ..] => Some((Some(b'\n'), 2)),
        [b'\\', b'r', ..] => Some((Some(b'\r'), 2)),
        [b'\\', b'/', ..] => Some((Some(b'/'), 2)),
        [b'\\', b'x', digits @ ..] => fixed(digits, 2, 16, 2),
        [b'\\', b'u', b'{', digits @ ..] => ended(digits, b'}', 16, 3),
        [b'\\', b'u', digits @ ..] => fixed(digits, 4, 16, 2),
        [b'\\', b'U', digits @ ..] => fixed(digits, 8, 16, 2),
        [b'\\', digits @ ..] => fixed(digits, 3, 8, 1),
        [b'&', b'#', b'x' | b'X', digits @ ..] => ended(digits, b';', 16, 3),
        [b'&', b'#', digits @ ..] => ended(digits, b';', 10, 2),
        [b'&', name @ ..] => {
            let name = &name[..name.iter().take(NAME_BYTES_MAX + 1).position(|b| *b == b';')?];
            let (_, byte) = NAMES.iter().find(|(known, _)| known.as_bytes() == name)?;
            Some((byte.is_ascii().then_some(*byte), name.len() + 2))
        }
        _ => None,
    }
}

/// No name of a character is longer.
const NAME_BYTES_MAX: usize = 14;

/// Names of HTML for the characters of values; `0xFF` is what nobody sees.
#[rustfmt::skip]
const NAMES: &[(&str, u8)] = &[
    ("lowbar", b'_'), ("UnderBar", b'_'), ("hyphen", b'-'), ("dash", b'-'), ("minus", b'-'), ("plus", b'+'),
    ("sol", b'/'), ("bsol", b'\\'), ("equals", b'='), ("period", b'.'), ("colon", b':'), ("semi", b';'),
    ("comma", b','), ("commat", b'@'), ("excl", b'!'), ("num", b'#'), ("dollar", b'$'), ("percnt", b'%'),
    ("amp", b'&'), ("lt", b'<'), ("gt", b'>'), ("quot", b'"'), ("apos", b'\''), ("grave", b'`'),
    ("ast", b'*'), ("quest", b'?'), ("Hat", b'^'), ("vert", b'|'), ("verbar", b'|'), ("lpar", b'('),
    ("rpar", b')'), ("lsqb", b'['), ("rsqb", b']'), ("lcub", b'{'), ("rcub", b'}'), ("nbsp", b' '),
    ("NewLine", b'\n'), ("Tab", b'\t'), ("shy", 0xFF), ("zwj", 0xFF), ("zwnj", 0xFF), ("ZeroWidthSpace", 0xFF),
];

/// A byte of quoted-printable mail, or a line end that is none.
fn quoted_printable(text: &[u8], at: usize) -> Option<Escape> {
    let rest = &text[at + 1..];
    let line_end = match rest {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => return fixed(rest, 2, 16, 1),
    };
    // A line of equals signs is under a title, and padding ends a line of base64.
    let before = at.checked_sub(1).map(|before| text[before]);
    before.filter(|b| !matches!(b, b'=' | b'\n')).map(|_| (None, line_end + 1))
}

/// A character of so many digits.
fn fixed(digits: &[u8], count: usize, radix: u32, mark: usize) -> Option<Escape> {
    Some((shown(digits.get(..count)?, radix)?, mark + count))
}

/// A character of digits up to an end.
fn ended(digits: &[u8], end: u8, radix: u32, mark: usize) -> Option<Escape> {
    let count = digits.iter().take(8).position(|b| *b == end)?;
    Some((shown(&digits[..count], radix)?, mark + count + 1))
}

/// The ASCII character of a number that a value may hold.
fn shown(digits: &[u8], radix: u32) -> Option<Option<u8>> {
    let first = digits.first().filter(|first| first.is_ascii_hexdigit());
    let c = char::from_u32(first.and_then(|_| number(digits, radix))?)?;
    if is_invisible(c) && !c.is_ascii() {
        return Some(None);
    }
    let fits = matches!(c, ' '..='~' | '\n' | '\r' | '\t');
    fits.then_some(Some(c as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_is_undone() {
        let plain = "token=abcdefgh ijklmnop";
        let all = |each: &dyn Fn(u8) -> String| plain.bytes().map(each).collect::<String>();
        for encoded in [
            all(&|b| format!("%{b:02X}")),
            all(&|b| format!("\\u{b:04x}")),
            all(&|b| format!("\\x{b:02x}")),
            all(&|b| format!("\\u{{{b:x}}}")),
            all(&|b| format!("\\{b:03o}")),
            all(&|b| format!("&#{b};")),
            all(&|b| format!("&#x{b:X};")),
            all(&|b| format!("={b:02X}")),
        ] {
            let text = format!("other\n\nsee {encoded} there\n\nother");
            let found = blocks(text.as_bytes());
            assert_eq!(found.len(), 1, "{encoded}");
            assert_eq!(found[0].text, format!("see {plain} there\n").as_bytes());
            let original = found[0].original(&(4..4 + plain.len()));
            assert_eq!(text[original], encoded);
        }
    }

    #[test]
    fn one_escape_in_a_value_is_undone() {
        let check = |text: &str, plain: &str| {
            let found = blocks(text.as_bytes());
            assert!(found.iter().any(|b| b.text == plain.as_bytes()), "{text} gave {found:?}");
        };
        for escape in
            ["&#95;", "&#x5f;", "&lowbar;", "%5F", "\\u005f", "\\x5f", "\\u{5f}", "\\137", "=5F"]
        {
            check(&format!("ab{escape}cd"), "ab_cd");
        }
        check("ab=\ncd=\r\nef", "abcdef");
        check("ab&shy;cd&#8203;ef\\u200bgh", "abcdefgh");
        check("ab\\/cd", "ab/cd");
    }

    #[test]
    fn plain_text_holds_no_escape() {
        for text in
            ["Title\n===\n", "R&D is 50% of a\\b", "x = 1", "&unknown; %zz \\u12", "a=\u{e9}"]
        {
            assert_eq!(blocks(text.as_bytes()), [], "{text}");
        }
    }
}
