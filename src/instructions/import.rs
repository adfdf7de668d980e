//! Imports in the text of an instruction file: which `@path` counts, and which looks like one only.
//! Border: text only; whether the file is there, and may be read, is `reader`.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::instructions::text::is_space;

/// Marks that count as ending a path when a person writes, never when the client reads.
const TRAILING: [char; 10] = ['.', ',', ':', ';', '!', '?', ')', ']', '"', '\''];
/// Places that look like an import, of one text. More of them are not looked at.
const LOOKALIKES_MAX: usize = 1_000;
/// Signs of one text that are looked at for that, and the longest path behind one.
const SIGNS_MAX: usize = 20_000;
const PATH_BYTES_MAX: usize = 4_096;
/// Stretches around a place that are looked at: a span in a link, a comment in a block.
const NESTED_MAX: usize = 8;

/// An import that the client follows if it finds the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The `@`, as a byte offset.
    pub at: usize,
    /// What stands behind it, as it is written.
    pub written: String,
    /// The path: spaces unescaped, without an anchor.
    pub path: String,
}

/// Why something that looks like an import is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookalike {
    /// Inside a code span.
    CodeSpan,
    /// Inside a code block.
    CodeBlock,
    /// Inside an HTML comment.
    Comment,
    /// Inside a block of HTML.
    Html,
    /// In the text or target of an image, or the target of a link.
    Target,
    /// Something stands before the `@`.
    Glued,
    /// Quoted, or begins with a character that no import begins with.
    Form,
    /// Taken apart by emphasis, which `_` and `*` are.
    Emphasis,
}

/// All imports of a text, in order.
pub fn imports(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    for run in runs(text) {
        in_run(text, run, &mut found);
    }
    found
}

/// A stretch of text that is matched by itself: the beginning of one counts as a space.
fn runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut skipped = 0_usize;
    if !text.contains('@') {
        return runs;
    }
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::HtmlBlock) => {
                skipped += 1;
                residues(text, range, &mut runs);
            }
            Event::Start(Tag::CodeBlock(_) | Tag::Image { .. }) => skipped += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::Image | TagEnd::HtmlBlock) => skipped -= 1,
            Event::Text(_) if skipped == 0 => add(text, range, &mut runs),
            _ => {}
        }
    }
    runs
}

/// Adds a piece of text: to the run it follows, or as a new one. An escaped character is in no run.
fn add(text: &str, mut range: Range<usize>, runs: &mut Vec<Range<usize>>) {
    if let Some(last) = runs.last_mut()
        && last.end == range.start
    {
        last.end = range.end;
        return;
    }
    if text[..range.start].ends_with('\\') {
        range.start += text[range.clone()].chars().next().map_or(0, char::len_utf8);
    }
    runs.push(range);
}

/// What a block of HTML that begins with a comment holds beside its comments.
fn residues(text: &str, range: Range<usize>, runs: &mut Vec<Range<usize>>) {
    if !text[range.clone()].trim_start().starts_with("<!--") {
        return;
    }
    let mut at = range.start;
    while let Some(open) = text[at..range.end].find("<!--") {
        let Some(close) = text[at + open + 4..range.end].find("-->") else { return };
        runs.push(at..at + open);
        at += open + 4 + close + 3;
    }
    runs.push(at..range.end);
}

fn in_run(text: &str, run: Range<usize>, found: &mut Vec<Import>) {
    let part = &text[run.clone()];
    let mut before = None;
    let mut skip_to = 0;
    for (at, c) in part.char_indices() {
        if at >= skip_to && c == '@' && before.is_none_or(is_space) {
            let written = token(&part[at + 1..]);
            if !written.is_empty() {
                skip_to = at + 1 + written.len();
                if let Some(path) = path_of(written) {
                    found.push(Import { at: run.start + at, written: written.to_owned(), path });
                }
            }
        }
        before = Some(c);
    }
}

/// Everything up to a space that is not escaped, or a backslash that escapes none.
fn token(text: &str) -> &str {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_escape = c == '\\' && chars.peek().is_some_and(|(_, next)| *next == ' ');
        if is_escape {
            chars.next();
        } else if c == '\\' || is_space(c) {
            return &text[..at];
        }
    }
    text
}

/// The path that is meant; `None` where the client sees none.
fn path_of(written: &str) -> Option<String> {
    let path = written.split('#').next().unwrap_or_default().replace("\\ ", " ");
    let is_rooted = ["./", "~/"].iter().any(|start| path.starts_with(start));
    let is_absolute = path.starts_with('/') && path.len() > 1;
    let is_name =
        path.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    (is_rooted || is_absolute || is_name).then_some(path)
}

/// A place that a person may have meant as an import and that the client passes over in silence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// The `@`, as a byte offset.
    pub at: usize,
    /// The path a person would read there.
    pub path: String,
    /// Why it is none.
    pub why: Lookalike,
}

/// Everything that looks like an import and is none; [`imports`] are left out.
pub fn missed(text: &str, imports: &[Import]) -> Vec<Missed> {
    let mut found = Vec::new();
    if !text.contains('@') {
        return found;
    }
    let regions = regions(text);
    for (at, _) in text.match_indices('@').take(SIGNS_MAX) {
        let is_import = imports.binary_search_by_key(&at, |import| import.at).is_ok();
        if found.len() >= LOOKALIKES_MAX || is_import {
            continue;
        }
        let Some(path) = meant(&text[at + 1..]) else { continue };
        let before = regions.partition_point(|(range, _)| range.start <= at);
        let around = regions[..before].iter().rev().take(NESTED_MAX);
        let why = around.rev().find(|(range, _)| range.contains(&at));
        let why = why.map_or_else(|| outside(text, at), |(_, why)| *why);
        found.push(Missed { at, path, why });
    }
    found
}

/// Why an `@` in plain text begins no import.
fn outside(text: &str, at: usize) -> Lookalike {
    let before = text[..at].chars().next_back();
    let rest = &text[at + 1..];
    if before.is_some_and(|c| !is_space(c) && !matches!(c, '*' | '_')) {
        Lookalike::Glued
    } else if path_of(token(&rest[..rest.floor_char_boundary(PATH_BYTES_MAX)])).is_none()
        && !rest.starts_with(['_', '*'])
    {
        Lookalike::Form
    } else {
        Lookalike::Emphasis
    }
}

/// The path a person sees behind an `@`: quotes and trailing marks do not belong to it.
pub fn meant(text: &str) -> Option<String> {
    if text.starts_with('@') {
        return None;
    }
    let text = &text[..text.floor_char_boundary(PATH_BYTES_MAX)];
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let path = match quote {
        Some(quote) => text[1..].split([quote, '\n']).next().unwrap_or_default().to_owned(),
        None => token(text)
            .split(['#', '`', '<', '>', '|'])
            .next()
            .unwrap_or_default()
            .replace("\\ ", " "),
    };
    let path = path.trim_end_matches("-->").trim_end_matches(TRAILING).trim_matches('*').to_owned();
    let has_letter = path.chars().any(char::is_alphanumeric);
    has_letter.then_some(path)
}

/// Tells whether a path that was not found names a file: it has an extension of prose, or says where it is.
pub fn names_a_file(path: &str) -> bool {
    let path = path.trim_end_matches(TRAILING);
    let rooted = ["./", "../", "~/", "/"].iter().any(|start| path.starts_with(start));
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let is_prose = extension
        .is_some_and(|e| matches!(e.as_str(), "md" | "mdc" | "mdx" | "markdown" | "txt" | "rst"));
    rooted || is_prose
}

/// Stretches of the text in which no import counts, from the outside in.
fn regions(text: &str) -> Vec<(Range<usize>, Lookalike)> {
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        let why = match event {
            Event::Start(Tag::CodeBlock(_)) => Lookalike::CodeBlock,
            Event::Code(_) => Lookalike::CodeSpan,
            Event::Start(Tag::Image { .. }) => Lookalike::Target,
            Event::Start(Tag::Link { .. }) => {
                let target =
                    text[range.clone()].rfind("](").map_or(range.end, |at| range.start + at);
                found.push((target..range.end, Lookalike::Target));
                continue;
            }
            Event::InlineHtml(_) | Event::Start(Tag::HtmlBlock) => {
                let is_comment = text[range.clone()].trim_start().starts_with("<!--");
                if is_comment { Lookalike::Comment } else { Lookalike::Html }
            }
            _ => continue,
        };
        found.push((range, why));
    }
    found
}

#[cfg(test)]
#[path = "tests/import.rs"]
mod tests;
