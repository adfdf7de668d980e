//! Lines and positions in text, with every byte accounted for.
//! Border: no Markdown, no YAML; only where lines start and end.

use serde::Serialize;

/// A place in a text: 1-based line and 1-based column, the column counted in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
}

impl Position {
    /// The place of a byte offset; offsets inside a character or past the end are rounded down.
    pub fn of(text: &str, offset: usize) -> Self {
        let before = &text[..text.floor_char_boundary(offset)];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        Self { line, column: before[start..].chars().count() + 1 }
    }
}

/// `1 memory`, `2 memories`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The byte order mark some editors put before UTF-8 text.
pub const BOM: &str = "\u{FEFF}";

/// Splits text into lines that keep their endings, so that joining them gives the text back.
///
/// Only `\n` ends a line; a `\r` before it belongs to the ending. A last line without ending counts.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

/// The line without its ending (`\n` or `\r\n`).
pub fn without_eol(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// The ending most lines of a text have; `\n` where there is none.
pub fn dominant_eol(text: &str) -> &'static str {
    let crlf = text.matches("\r\n").count();
    if crlf * 2 > text.matches('\n').count() { "\r\n" } else { "\n" }
}

/// `file:line` of the first line that holds what is written there, else the file: for messages about
/// a value of a file that its parser gave without a place.
pub fn place_of(file: &str, text: &str, written: &str) -> String {
    let holds = |line: &str| !written.is_empty() && line.contains(written);
    match text.lines().position(holds) {
        Some(line) => format!("{file}:{}", line + 1),
        None => file.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        assert_eq!(Position::of("ab\ncé部x", 0), Position { line: 1, column: 1 });
        assert_eq!(Position::of("ab\ncé部x", 9), Position { line: 2, column: 4 });
        assert_eq!(Position::of("ab\n", 99), Position { line: 2, column: 1 });
    }

    #[test]
    fn lines_join_back_to_the_text() {
        for text in ["", "a", "a\n", "a\r\nb", "\n\n", "\r"] {
            assert_eq!(lines(text).collect::<String>(), text);
        }
        assert_eq!(dominant_eol("a\r\nb\r\nc\n"), "\r\n");
        assert_eq!(without_eol("a\r\n"), "a");
    }
}
