//! Writes a conflict record: a literal block where a text allows it, so that people can read it.
//! Border: one spelling for one value; reading is `serde`'s.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::record::{CONFLICT_FORMAT, Conflict, ConflictSide, Content};
use crate::base::display::is_unsafe_to_show;
use crate::merge::unresolved::Part;

/// A longer text is written in base64 where that is shorter, so that two of the largest memories
/// always fit into a record, whatever they hold.
const READABLE_BYTES_MAX: usize = 340_000;

/// The record as YAML.
pub(crate) fn render(conflict: &Conflict) -> String {
    let mut out = format!("format: {CONFLICT_FORMAT}\n");
    line(&mut out, "", "path", &quoted(conflict.path.as_str()));
    let (part, name) = match &conflict.part {
        Part::File => ("file", None),
        Part::Field(name) => ("field", Some(name)),
        Part::Body(name) => ("body", Some(name)),
        Part::Entry(name) => ("entry", Some(name)),
    };
    line(&mut out, "", "part", part);
    if let Some(name) = name {
        line(&mut out, "", "name", &quoted(name));
    }
    let reason = serde_json::to_string(&conflict.reason).unwrap_or_default();
    line(&mut out, "", "reason", reason.trim_matches('"'));
    if let Some(path) = &conflict.other_path {
        line(&mut out, "", "other_path", &quoted(path.as_str()));
    }
    out.push_str("base:\n");
    content(&mut out, conflict.base.as_ref());
    side(&mut out, "kept", &conflict.kept);
    side(&mut out, "other", &conflict.other);
    out
}

fn side(out: &mut String, name: &str, side: &ConflictSide) {
    out.push_str(name);
    out.push_str(":\n");
    line(out, "  ", "author", &quoted(&side.origin.author));
    line(out, "  ", "date", &side.origin.date.seconds.to_string());
    line(out, "  ", "offset", &side.origin.date.offset.to_string());
    if let Some(commit) = side.origin.commit {
        line(out, "  ", "commit", &quoted(&commit.to_string()));
    }
    content(out, side.content.as_ref());
}

fn content(out: &mut String, content: Option<&Content>) {
    match content {
        None => line(out, "  ", "absent", "true"),
        Some(Content::Bytes(bytes)) => encoded(out, bytes),
        Some(Content::Text(text)) => {
            let readable = readable(text);
            match readable.len() > READABLE_BYTES_MAX && readable.len() > encoded_len(text.len()) {
                true => encoded(out, text.as_bytes()),
                false => out.push_str(&readable),
            }
        }
    }
}

/// A text as a person reads it, which may take many times its bytes.
fn readable(text: &str) -> String {
    let mut out = String::new();
    if !reads_as_block(text) {
        line(&mut out, "  ", "text", &quoted(text));
        return out;
    }
    out.push_str(if text.ends_with('\n') { "  text: |\n" } else { "  text: |-\n" });
    for line in text.lines() {
        out.push_str(if line.is_empty() { "" } else { "    " });
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn encoded(out: &mut String, bytes: &[u8]) {
    line(out, "  ", "base64", &quoted(&STANDARD.encode(bytes)));
}

fn encoded_len(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

fn line(out: &mut String, indent: &str, key: &str, value: &str) {
    out.push_str(indent);
    out.push_str(key);
    out.push_str(": ");
    out.push_str(value);
    out.push('\n');
}

/// Whether a literal block keeps every byte: no blank at its edges, no character YAML or a person
/// would misread.
fn reads_as_block(text: &str) -> bool {
    let lines = text.strip_suffix('\n').unwrap_or(text);
    !lines.is_empty()
        && !lines.starts_with(char::is_whitespace)
        && !lines.ends_with(char::is_whitespace)
        && lines.chars().all(|c| c == '\n' || c == '\t' || !needs_escape(c))
}

/// A double-quoted scalar.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // Writing to a String cannot fail.
            c if needs_escape(c) => drop(write!(out, "\\U{:08X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn needs_escape(c: char) -> bool {
    is_unsafe_to_show(c) || matches!(c, '\u{FFFE}' | '\u{FFFF}')
}
