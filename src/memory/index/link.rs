//! Links as people write them in an index, and the file each one points at.
//! Border: one link at one place; whether it makes an entry is decided in `item`.

use std::ops::Range;

/// Bytes looked at for the title of one link; bounds the work on text full of brackets.
const TITLE_BYTES_MAX: usize = 2_000;

/// Bytes looked at for the target of one link; longer than any path a system accepts.
const TARGET_BYTES_MAX: usize = 4_200;

/// A link with where it stands in the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) range: Range<usize>,
    pub(super) title: String,
    pub(super) target: String,
}

/// Reads the link that starts at a byte offset: `[title](target)`, `[[name]]` or `[[name|title]]`.
pub(super) fn at(text: &str, start: usize) -> Option<Link> {
    wiki(text, start).or_else(|| inline(text, start))
}

fn wiki(text: &str, start: usize) -> Option<Link> {
    let rest = text[start..].strip_prefix("[[")?;
    let inner = &rest[..prefix(rest, TITLE_BYTES_MAX).find("]]")?];
    if inner.contains(['[', ']']) || inner.trim().is_empty() {
        return None;
    }
    let (name, title) = inner.split_once('|').unwrap_or((inner, inner));
    let mut target = normalised(name.trim());
    if target.is_empty() {
        return None;
    }
    if !is_markdown(&target) && !target.ends_with('/') {
        target.push_str(".md");
    }
    let end = start + "[[".len() + inner.len() + "]]".len();
    Some(Link { range: start..end, title: title.trim().to_owned(), target })
}

fn inline(text: &str, start: usize) -> Option<Link> {
    let rest = text[start..].strip_prefix('[')?;
    let title = &rest[..closing(prefix(rest, TITLE_BYTES_MAX), '[', ']')?];
    let rest = rest[title.len()..].strip_prefix("](")?;
    let bounded = prefix(rest, TARGET_BYTES_MAX);
    let (written, inner_len) = match bounded.trim_start().strip_prefix('<') {
        Some(angle) if angle.contains('>') => {
            let written = &angle[..angle.find('>')?];
            let after = bounded.len() - angle.len() + written.len() + 1;
            (written, after + closing(&bounded[after..], '(', ')')?)
        }
        _ => {
            let inner = &bounded[..closing(bounded, '(', ')')?];
            (without_title(inner.trim()), inner.len())
        }
    };
    let end = start + 1 + title.len() + "](".len() + inner_len + 1;
    Some(Link { range: start..end, title: title.to_owned(), target: normalised(written) })
}

/// The offset of the bracket that closes what is already open; a backslash takes the next away.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == open {
            depth += 1;
        } else if c == close {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
        }
    }
    None
}

/// Cuts a link title in quotes off a destination.
pub(super) fn without_title(inner: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(rest) = inner.strip_suffix(quote)
            && let Some(open) = rest.rfind(quote)
            && rest[..open].ends_with(char::is_whitespace)
        {
            return rest[..open].trim_end();
        }
    }
    inner
}

/// A destination as a target: without leading `./`, without anchor, percent-decoded.
pub(super) fn normalised(written: &str) -> String {
    let path = written.split('#').next().unwrap_or(written).trim();
    let decoded = percent_decoded(path);
    let mut target = decoded.as_str();
    while let Some(rest) = target.strip_prefix("./") {
        target = rest;
    }
    target.to_owned()
}

fn percent_decoded(text: &str) -> String {
    let digit = |at: usize| text.as_bytes().get(at).and_then(|b| char::from(*b).to_digit(16));
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                bytes.push(*byte);
                at += 1;
            }
        }
    }
    match String::from_utf8(bytes) {
        Ok(decoded) if !decoded.contains(char::is_control) => decoded,
        _ => text.to_owned(),
    }
}

/// Tells whether a target names a memory or a folder of memories: not a URL, code, data or image.
pub(super) fn is_pointer(target: &str) -> bool {
    let is_url = target.contains("://") || target.starts_with("mailto:");
    let is_folder = target.len() > 1 && target.ends_with('/');
    // Words after the name happen: `(../PANTRY.md on the left)`.
    let first = target.split(char::is_whitespace).next().unwrap_or(target);
    !is_url && (is_markdown(target) || is_folder || is_markdown(first))
}

/// Tells whether a name ends in `.md`, in any case.
pub(super) fn is_markdown(name: &str) -> bool {
    let extension = name.len().checked_sub(3).and_then(|at| name.get(at..));
    extension.is_some_and(|e| e.eq_ignore_ascii_case(".md")) && name.len() > 3
}

/// Tells whether a target can only mean a memory or folder below the folder of the index: neither
/// outside, nor a URL, nor the index itself, nor a README.
pub fn is_inside(target: &str) -> bool {
    let drive = target.as_bytes().get(1) == Some(&b':');
    let outside = target.starts_with(['/', '~', '\\']) || drive || target.contains("://");
    let path = target.strip_suffix('/').unwrap_or(target);
    let climbs = path.split(['/', '\\']).any(|part| matches!(part, "" | "." | ".."));
    let name = path.rsplit('/').next().unwrap_or(path);
    let special = path.eq_ignore_ascii_case("MEMORY.md") || name.eq_ignore_ascii_case("README.md");
    (is_markdown(target) || path.len() < target.len()) && !outside && !climbs && !special
}

/// Writes a target so that reading the link gives it back: in angle brackets or percent-encoded
/// where plain text would be misread.
pub fn written_target(target: &str) -> String {
    let mut written = String::with_capacity(target.len());
    let mut needs_angles = false;
    for c in target.chars() {
        match c {
            '%' | '#' | '<' | '>' | '\\' | '\n' | '\r' => {
                let mut utf8 = [0; 4];
                for byte in c.encode_utf8(&mut utf8).bytes() {
                    written.push_str(&format!("%{byte:02X}"));
                }
            }
            '(' | ')' | '"' | '\'' | '[' | ']' | '|' => {
                needs_angles = true;
                written.push(c);
            }
            c => {
                needs_angles |= c.is_whitespace();
                written.push(c);
            }
        }
    }
    if needs_angles { format!("<{written}>") } else { written }
}

/// The longest prefix of at most `max` bytes that ends between characters.
fn prefix(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}
