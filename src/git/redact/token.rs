//! Tokens of the common git hosts and clouds, known by how they begin.
//! Border: shapes only, matched by hand: an address is read by every command, and none of them waits
//! for a pattern to be compiled.

use std::ops::Range;

/// A kind of token.
struct Shape {
    /// How it begins; one of these.
    starts: &'static [&'static str],
    /// What may follow.
    holds: fn(char) -> bool,
    /// So many characters follow at least.
    least: usize,
}

const SHAPES_COUNT: usize = 12;

/// Every kind but `eyJ…`, which has parts.
static SHAPES: [Shape; SHAPES_COUNT] = [
    shape(&["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], alphanumeric, 16),
    shape(&["github_pat_"], word, 20),
    shape(
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-"],
        |c| word(c) || ".-".contains(c),
        16,
    ),
    shape(&["ATBB", "ATCTT3", "ATATT3"], |c| word(c) || "=+/-".contains(c), 16),
    shape(&["AKIA", "ASIA"], upper, 16),
    shape(&["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"], dashed, 10),
    shape(&["sk-", "pypi-"], dashed, 20),
    shape(&["hf_"], alphanumeric, 20),
    shape(&["npm_"], alphanumeric, 20),
    shape(&["AIza"], dashed, 30),
    shape(&["dop_v1_"], |c| matches!(c, 'a'..='f' | '0'..='9'), 32),
    shape(&["AGE-SECRET-KEY-1"], upper, 1),
];

/// How the parts of a signed web token begin, and the characters each of the first two has at least.
const JWT: (&str, usize) = ("eyJ", 8);

const fn shape(starts: &'static [&'static str], holds: fn(char) -> bool, least: usize) -> Shape {
    Shape { starts, holds, least }
}

fn alphanumeric(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

fn upper(c: char) -> bool {
    matches!(c, 'A'..='Z' | '0'..='9')
}

/// A letter of any script counts, so that no strange one in the middle shows the rest.
fn word(c: char) -> bool {
    alphanumeric(c) || c == '_' || !c.is_ascii()
}

fn dashed(c: char) -> bool {
    word(c) || c == '-'
}

/// Finds tokens in a text; each run of characters is gone through once per shape, however many
/// beginnings of tokens it holds.
struct Finder<'a> {
    text: &'a str,
    /// The run that was met last: one for each shape, then one for each part of a web token.
    runs: [Range<usize>; SHAPES_COUNT + 3],
}

impl<'a> Finder<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, runs: [const { 0..0 }; SHAPES_COUNT + 3] }
    }

    /// Where a token ends that begins at a place; the longest where it could be several.
    fn token_at(&mut self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let mut found = self.jwt_at(at);
        for (slot, shape) in SHAPES.iter().enumerate() {
            let Some(start) = shape.starts.iter().find(|start| rest.starts_with(**start)) else {
                continue;
            };
            found = found.max(self.run(slot, at + start.len(), shape.holds, shape.least));
        }
        found
    }

    /// Where the characters end that a token may hold, if they are enough.
    fn run(
        &mut self,
        slot: usize,
        at: usize,
        holds: fn(char) -> bool,
        least: usize,
    ) -> Option<usize> {
        let known = &mut self.runs[slot];
        if !known.contains(&at) {
            let rest = &self.text[at..];
            *known = at..at + rest.find(|c| !holds(c)).unwrap_or(rest.len());
        }
        let run = &self.text[at..known.end];
        (run.chars().take(least).count() == least).then_some(known.end)
    }

    fn jwt_at(&mut self, at: usize) -> Option<usize> {
        let (start, least) = JWT;
        let text = self.text;
        text[at..].starts_with(start).then_some(())?;
        let header = self.run(SHAPES_COUNT, at + start.len(), dashed, least)?;
        text[header..].starts_with('.').then_some(())?;
        let claims = self.run(SHAPES_COUNT + 1, header + 1, dashed, least)?;
        text[claims..].starts_with('.').then_some(())?;
        self.run(SHAPES_COUNT + 2, claims + 1, dashed, 0)
    }
}

/// Whether a text is one token and nothing else.
pub(super) fn is_whole_token(text: &str) -> bool {
    Finder::new(text).token_at(0) == Some(text.len())
}

/// The text with each token replaced, and those that run into each other replaced by one mask.
pub(super) fn mask_tokens(text: &str, mask: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut finder = Finder::new(text);
    let mut end = 0;
    for (at, c) in text.char_indices() {
        if let Some(token_end) = finder.token_at(at) {
            if at >= end {
                masked.push_str(mask);
            }
            end = end.max(token_end);
        }
        if at >= end {
            masked.push(c);
        }
    }
    masked
}
