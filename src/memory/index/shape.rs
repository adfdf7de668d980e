//! What a single line looks like: indentation, bullets, headings, fences, rules.
//! Border: one line at a time; context is `scan`'s business.

use std::ops::Range;

/// Columns a tab reaches to.
const TAB: usize = 4;

/// One line of an index.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    /// Where its bytes are in the text, ending included.
    pub(super) range: Range<usize>,
    /// Its text without indentation, ending and byte order mark.
    pub(super) text: &'a str,
    /// Where `text` starts in the whole text.
    pub(super) start: usize,
    /// Columns of indentation.
    pub(super) indent: usize,
}

/// Splits a text into lines.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    let mut lines = Vec::new();
    for raw in text.split_inclusive('\n') {
        let range = at..at + raw.len();
        at = range.end;
        let from =
            if range.start == 0 && raw.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        let content = raw[from..].trim_end();
        let inner = content.trim_start_matches([' ', '\t']);
        let start = range.start + from + content.len() - inner.len();
        let indent = columns(&content[..content.len() - inner.len()]);
        lines.push(Line { range, text: inner, start, indent });
    }
    lines
}

fn columns(white: &str) -> usize {
    white.chars().fold(0, |column, c| if c == '\t' { (column / TAB + 1) * TAB } else { column + 1 })
}

impl Line<'_> {
    /// Whether it holds nothing but white space.
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The length of its bullet or number with the white space and check box after it; `None` when
    /// it is no list item.
    pub(super) fn bullet(&self) -> Option<usize> {
        let marker = match self.text.chars().next()? {
            c @ ('-' | '*' | '+' | '•') => c.len_utf8(),
            '0'..='9' => {
                let digits = self.text.bytes().take_while(u8::is_ascii_digit).count();
                let close = self.text[digits..].starts_with(['.', ')']);
                (close && digits <= 9).then_some(digits + 1)?
            }
            _ => return None,
        };
        let rest = &self.text[marker..];
        let white = rest.len() - rest.trim_start().len();
        if white == 0 || self.is_rule() {
            return None;
        }
        Some(marker + white + check_box(&rest[white..]))
    }

    /// The length of `#…` with the white space after it; `None` when it is no heading.
    pub(super) fn heading(&self) -> Option<usize> {
        let hashes = self.text.bytes().take_while(|b| *b == b'#').count();
        let rest = &self.text[hashes..];
        let is_heading = (1..=6).contains(&hashes) && self.indent < TAB;
        let parted = rest.is_empty() || rest.starts_with(char::is_whitespace);
        (is_heading && parted).then(|| hashes + rest.len() - rest.trim_start().len())
    }

    /// The fence it opens or closes: its character, its length, and whether anything follows.
    pub(super) fn fence(&self) -> Option<(char, usize, bool)> {
        let c = self.text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let len = self.text.chars().take_while(|other| *other == c).count();
        let rest = &self.text[len..];
        let is_fence = len >= 3 && !(c == '`' && rest.contains('`'));
        is_fence.then_some((c, len, !rest.trim().is_empty()))
    }

    /// Whether a block comment starts here.
    pub(super) fn opens_comment(&self) -> bool {
        self.text.starts_with("<!--")
    }

    /// Whether it is a thematic break.
    pub(super) fn is_rule(&self) -> bool {
        ['-', '*', '_'].iter().any(|rule| {
            let only = self.text.chars().all(|c| c == *rule || c.is_whitespace());
            only && self.text.chars().filter(|c| c == rule).take(3).count() == 3
        })
    }

    /// Whether a paragraph above cannot go on with this line.
    pub(super) fn ends_paragraph(&self) -> bool {
        // `-[Title](path.md)` is no bullet, and surely not the end of the sentence above it.
        let broken = self.text.strip_prefix(['-', '+', '•']).is_some_and(|t| t.starts_with('['));
        let opens = self.opens_comment() || broken || self.text.starts_with(['>', '|']);
        self.is_blank()
            || opens
            || self.bullet().is_some()
            || self.heading().is_some()
            || self.fence().is_some()
            || self.is_rule()
    }
}

/// The length of a check box with the white space after it, or nothing.
fn check_box(text: &str) -> usize {
    let is_box = ["[ ] ", "[x] ", "[X] "].iter().any(|mark| text.starts_with(mark));
    if is_box { 3 + text[3..].len() - text[3..].trim_start().len() } else { 0 }
}
