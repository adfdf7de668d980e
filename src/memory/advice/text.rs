//! A memory line by line: what is prose, what is code, what is frontmatter.
//! Border: splits and masks; what a line means is for the rules beside it.

use crate::base::text::Position;
use crate::memory::document::Document;

/// The lines of a memory.
#[derive(Debug)]
pub struct Lines<'a> {
    /// All of them, in order.
    pub all: Vec<Line<'a>>,
}

/// One line.
#[derive(Debug)]
pub struct Line<'a> {
    /// From 1.
    pub number: usize,
    /// As it is written, without the ending.
    pub raw: &'a str,
    /// The same with code, quotations and addresses as spaces: byte for byte as long.
    pub prose: String,
    /// Where it stands.
    pub place: Place,
}

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The description in the frontmatter.
    Description,
    /// Another field, or a fence.
    Front,
    /// The text.
    Body,
    /// In a block of code.
    Code,
}

impl<'a> Lines<'a> {
    /// Splits a memory.
    pub fn of(text: &'a str, document: &Document) -> Self {
        let front = document.frontmatter().map_or(0, |front| front.render().lines().count());
        let mut fence: Option<&str> = None;
        let mut all = Vec::new();
        for (at, raw) in text.lines().enumerate() {
            let start = raw.trim_start();
            let place = if at < front {
                match start.strip_prefix("description:") {
                    Some(_) => Place::Description,
                    None => Place::Front,
                }
            } else if let Some(open) = fence {
                if start.starts_with(open) {
                    fence = None;
                }
                Place::Code
            } else if let Some(open) = ["```", "~~~"].into_iter().find(|f| start.starts_with(f)) {
                fence = Some(open);
                Place::Code
            } else {
                Place::Body
            };
            let prose = match place {
                Place::Description | Place::Body if !start.starts_with('>') => masked(raw),
                _ => " ".repeat(raw.len()),
            };
            all.push(Line { number: at + 1, raw, prose, place });
        }
        Self { all }
    }

    /// Lines of the text that say something: no headings, no blank ones, no code.
    pub fn content(&self) -> impl Iterator<Item = &Line<'a>> {
        let says = |line: &&Line<'a>| {
            let text = line.raw.trim();
            line.place == Place::Body && !text.is_empty() && !text.starts_with('#')
        };
        self.all.iter().filter(says)
    }

    /// Lines of prose, with the description.
    pub fn prose(&self) -> impl Iterator<Item = &Line<'a>> {
        self.all.iter().filter(|line| !line.prose.trim().is_empty())
    }
}

impl Line<'_> {
    /// The place of a byte of it.
    pub fn at(&self, byte: usize) -> Position {
        let end = self.raw.floor_char_boundary(byte);
        Position { line: self.number, column: self.raw[..end].chars().count() + 1 }
    }

    /// The first thing it says, after bullet, number, box and emphasis.
    pub fn beginning(&self) -> &str {
        let text = self.raw.trim_start();
        let text = text.trim_start_matches(['-', '*', '+', '|', '>']).trim_start();
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let text = match text[digits..].strip_prefix(['.', ')']) {
            Some(rest) if digits > 0 => rest.trim_start(),
            _ => text,
        };
        let text = ["[ ] ", "[x] "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text);
        text.trim_start_matches("**")
    }

    /// What stands between single backticks, each with where it begins.
    pub fn spans(&self) -> Vec<(usize, &str)> {
        let mut found = Vec::new();
        let mut rest = 0;
        while let Some(open) = self.raw[rest..].find('`').map(|at| rest + at + 1) {
            let Some(close) = self.raw[open..].find('`').map(|at| open + at) else { break };
            if close > open {
                found.push((open, &self.raw[open..close]));
            }
            rest = close + 1;
        }
        found
    }
}

/// Puts spaces in place of code spans, quotations and addresses.
fn masked(raw: &str) -> String {
    let mut bytes = raw.as_bytes().to_vec();
    let mut blank = |from: usize, to: usize| bytes[from..to].fill(b' ');
    for (open, close) in [("`", "`"), ("\"", "\""), ("“", "”"), ("«", "»"), ("「", "」")] {
        let mut rest = 0;
        while let Some(from) = raw[rest..].find(open).map(|at| rest + at) {
            let inner = from + open.len();
            let Some(to) = raw[inner..].find(close).map(|at| inner + at + close.len()) else {
                break;
            };
            // A quoted value of the frontmatter is no quotation.
            let is_value = open == "\"" && raw[..from].trim_end() == "description:";
            if !is_value {
                blank(from, to);
            }
            rest = if is_value { inner } else { to };
        }
    }
    for (at, _) in raw.match_indices("://") {
        let from = raw[..at].rfind(char::is_whitespace).map_or(0, |space| space + 1);
        let from = (from..=at).find(|at| raw.is_char_boundary(*at)).unwrap_or(at);
        let to = raw[at..].find(char::is_whitespace).map_or(raw.len(), |space| at + space);
        blank(from, to);
    }
    String::from_utf8(bytes).unwrap_or_else(|_| " ".repeat(raw.len()))
}
