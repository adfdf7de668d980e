//! Whether a file says what a conflict record lets a side say: nobody's words are made up.
//! Border: text in, yes or no out; which commit's file it is, is for those who read history.

use std::borrow::Cow;

use crate::merge::conflict::{Conflict, ConflictSide, Content, Part};
use crate::merge::kinds::policy_at::value_at;

/// Whether the file of a side's commit, `None` where it has none, holds what the record says of it.
///
/// Lines of a piece are looked for one by one: blanks around them, and in an index the target of a
/// link, may be another, since a merge moves text and follows renames.
pub fn is_said_by(file: Option<&[u8]>, conflict: &Conflict, side: &ConflictSide) -> bool {
    let Some(content) = &side.content else {
        // A piece that a side took out is not there any more, which says nothing.
        return conflict.part != Part::File || file.is_none();
    };
    let Some(file) = file else { return false };
    let (Content::Text(piece), Ok(text)) = (content, std::str::from_utf8(file)) else {
        return conflict.part == Part::File && file == content.as_bytes();
    };
    match &conflict.part {
        Part::File => file == content.as_bytes(),
        Part::Field(at) if conflict.path.is_policy() => value_at(text, at).as_ref() == Some(piece),
        Part::Entry(_) => has_lines(&without_targets(text), &without_targets(piece)),
        Part::Field(_) | Part::Body(_) => has_lines(text, piece),
    }
}

fn has_lines(text: &str, piece: &str) -> bool {
    let mut lines = piece.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.all(|line| text.contains(line))
}

/// A text without what stands in the round brackets of links.
fn without_targets(text: &str) -> Cow<'_, str> {
    if !text.contains("](") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        out.push_str(&rest[..at + 1]);
        let behind = &rest[at + 2..];
        let end = behind.find([')', '\n']).map_or(behind.len(), |end| end);
        rest = behind[end..].strip_prefix(')').unwrap_or(&behind[end..]);
    }
    out.push_str(rest);
    Cow::Owned(out)
}
