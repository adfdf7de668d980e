//! The pointers of one item: a bullet, a table cell, a heading or a line, its wrapped lines joined.
//! Border: sees one line of text without its bullet; which lines make it up is `scan`'s business.

use std::ops::Range;

use super::label::{ends_name, hook, is_label, is_symbols};
use super::link::{self, is_markdown, is_pointer, normalised};

/// Bytes searched for the first link of an item; labels are shorter.
const LEAD_BYTES_MAX: usize = 400;

/// Brackets tried before the first link of an item: `[ ] [P1] [Title](target)`.
const LEAD_BRACKETS_MAX: usize = 4;

/// Bytes of a file name without a link.
const NAME_BYTES_MAX: usize = 1_000;

/// What parts two items in one line.
const ITEM_SEPARATOR: &str = " · ";

/// One pointer with its place in the text of the item.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    /// From its label to the end of its hook.
    pub(super) range: Range<usize>,
    pub(super) target: String,
    pub(super) title: String,
    pub(super) hook: String,
    /// Whether it is a link, not just a file name.
    pub(super) is_link: bool,
}

/// A name or link that leads an item.
struct Lead {
    range: Range<usize>,
    target: String,
    title: String,
    is_link: bool,
}

/// The pointers an item holds; none when it is a note, prose or a URL.
pub(super) fn pointers(text: &str) -> Vec<Pointer> {
    let Some(first) = lead(text) else { return Vec::new() };
    if let Some(all) = plain_list(text, &first) {
        return all;
    }
    let mut starts = vec![(0, first)];
    let mut from = starts[0].1.range.end;
    while let Some(at) = text[from..].find(ITEM_SEPARATOR) {
        from += at + ITEM_SEPARATOR.len();
        if let Some(next) = marked_link(text, from) {
            let start = from;
            from = next.range.end;
            starts.push((start, next));
        }
    }
    let mut ends: Vec<usize> =
        starts[1..].iter().map(|(at, _)| at - ITEM_SEPARATOR.len()).collect();
    ends.push(text.len());
    starts
        .into_iter()
        .zip(ends)
        .map(|((start, lead), end)| pointer(text, start..end, lead))
        .collect()
}

fn pointer(text: &str, range: Range<usize>, lead: Lead) -> Pointer {
    let hook = hook(&text[range.start..lead.range.start], &text[lead.range.end..range.end]);
    let (target, title, is_link) = (lead.target, lead.title, lead.is_link);
    Pointer { hook: hook.to_owned(), range, target, title, is_link }
}

/// A line of nothing but links, parted by commas or bars: each is a pointer.
fn plain_list(text: &str, first: &Lead) -> Option<Vec<Pointer>> {
    let is_comma =
        |c: char| matches!(c, ',' | '，' | '、' | '|' | '/' | '&' | ';') || c.is_whitespace();
    let mut ranges = vec![(0..first.range.end, None)];
    let mut from = first.range.end;
    loop {
        let rest = &text[from..];
        let gap = rest.len() - rest.trim_start_matches(is_comma).len();
        if gap == rest.len() || !rest[..gap].contains(|c: char| is_comma(c) && !c.is_whitespace()) {
            break;
        }
        let next = link::at(text, from + gap).filter(|link| is_pointer(&link.target))?;
        from = next.range.end;
        ranges.push((next.range.clone(), Some(next)));
    }
    let is_end = text[from..].chars().all(|c| c.is_whitespace() || c == '.');
    if ranges.len() < 2 || !is_end {
        return None;
    }
    let all = ranges.into_iter().map(|(range, link)| {
        let (target, title) = link.map_or_else(
            || (first.target.clone(), first.title.clone()),
            |link| (link.target, link.title),
        );
        Pointer { range, target, title, hook: String::new(), is_link: true }
    });
    Some(all.collect())
}

/// The link that starts a further item, perhaps after an emoji or emphasis.
fn marked_link(text: &str, from: usize) -> Option<Lead> {
    let window = &text[from..text.floor_char_boundary(from + LEAD_BYTES_MAX)];
    let at = window.find('[')?;
    if !is_symbols(&window[..at]) || window[..at].ends_with(['!', '\\']) {
        return None;
    }
    link_lead(text, from + at)
}

/// What an item points at, when a link or a file name leads it.
fn lead(text: &str) -> Option<Lead> {
    let skipped = text.find(|c: char| c.is_alphanumeric() || "[`(./".contains(c))?;
    if let Some(lead) = named(text, skipped) {
        return Some(lead);
    }
    let window = &text[..text.floor_char_boundary(LEAD_BYTES_MAX)];
    for (at, _) in window.match_indices('[').take(LEAD_BRACKETS_MAX) {
        if link::at(text, at).is_some() {
            return is_label(&text[..at]).then(|| link_lead(text, at)).flatten();
        }
    }
    None
}

fn link_lead(text: &str, at: usize) -> Option<Lead> {
    let link = link::at(text, at).filter(|link| is_pointer(&link.target))?;
    Some(Lead { range: link.range, target: link.target, title: link.title, is_link: true })
}

/// A file name that leads an item, in backticks or bare.
fn named(text: &str, start: usize) -> Option<Lead> {
    if !is_symbols(&text[..start]) {
        return None;
    }
    let rest = &text[start..];
    let (name, len) = match rest.strip_prefix('`') {
        Some(rest) => {
            let name = rest.split('`').next()?;
            (name, name.len() + 2)
        }
        None => {
            let bare = &rest[..rest.floor_char_boundary(NAME_BYTES_MAX)];
            let end = bare.find(|c: char| c.is_whitespace() || "*:：~|`<>()[]\"".contains(c));
            let name = &bare[..end.unwrap_or(bare.len())];
            (name, name.len())
        }
    };
    let is_name = len <= rest.len() && is_markdown(name) && !name.contains("://");
    if !is_name || name.contains(['*', '?', '{', '[']) || !ends_name(&rest[len..]) {
        return None;
    }
    let target = normalised(name);
    Some(Lead { range: start..start + len, target, title: name.to_owned(), is_link: false })
}

/// Tells whether a line without bullet is an entry: it starts with a link, then a separator or the end.
pub(super) fn is_bare_entry(line: &str) -> bool {
    let is_link = |l: &link::Link| is_pointer(&l.target);
    let start = line.trim_start_matches(['*', '_', '~']).len();
    let link = link::at(line, line.len() - start).filter(is_link);
    link.is_some_and(|link| ends_name(&line[link.range.end..]))
}
