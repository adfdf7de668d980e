//! Frontmatter by field, every byte kept: comments, spacing, order, both shapes.
//! Border: fields and their lines; what they mean is `document`'s business.

use super::malformed;
use super::scalar::{key_line, value_len};
use super::split::Fenced;
use super::yaml::{self, Node};
use crate::base::text::lines;
use crate::memory::limits::FRONTMATTER_BYTES_MAX;
use crate::memory::problem::Problem;

/// The fields between two fences. Rendering is concatenation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frontmatter {
    /// The first fence with a byte order mark before it; also all that follows where no field does.
    pub opening: String,
    /// The fields in order. A block such as `metadata:` has one for its header, then one for each
    /// field below it.
    pub fields: Vec<Field>,
    /// Comment lines directly before the second fence: they belong to no field, so a new one goes
    /// before them.
    pub tail: String,
    /// The second fence.
    pub closing: String,
}

/// One field with all its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// `["name"]`, or `["metadata", "type"]` for a field of a block.
    pub key: Vec<String>,
    /// Its lines with endings, comment lines directly before and continuation lines included.
    pub raw: String,
    /// What YAML reads.
    pub value: FieldValue,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// A string; numbers and dates as they are written; empty where nothing is written.
    Scalar(String),
    /// A list of scalars.
    List(Vec<String>),
    /// The header of a block, or something deeper.
    Other,
}

impl Frontmatter {
    /// The text, byte for byte.
    pub fn render(&self) -> String {
        let raws = self.fields.iter().map(|field| field.raw.as_str());
        let end = [self.tail.as_str(), self.closing.as_str()];
        std::iter::once(self.opening.as_str()).chain(raws).chain(end).collect()
    }

    /// The field with a key.
    pub fn field(&self, key: &[&str]) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The value of a field that is a scalar.
    pub fn scalar(&self, key: &[&str]) -> Option<&str> {
        match &self.field(key)?.value {
            FieldValue::Scalar(value) => Some(value),
            _ => None,
        }
    }

    /// The values of a field that is a list, or a single name.
    pub fn names(&self, key: &[&str]) -> Vec<String> {
        match self.field(key).map(|field| &field.value) {
            Some(FieldValue::List(names)) => names.clone(),
            Some(FieldValue::Scalar(name)) if !name.is_empty() => vec![name.clone()],
            _ => Vec::new(),
        }
    }

    /// Removes a field with all its lines, and all below it. Gives whether it was there.
    pub fn remove(&mut self, key: &[&str]) -> bool {
        let before = self.fields.len();
        self.fields.retain(|field| {
            !field.key.iter().map(String::as_str).take(key.len()).eq(key.iter().copied())
        });
        self.fields.len() < before
    }

    /// The line of a field's key, from 1, and the text of that line.
    pub(super) fn key_line(&self, key: &[&str]) -> Option<(usize, &str)> {
        let mut line = 1 + lines(&self.opening).count();
        for field in &self.fields {
            if field.key == key {
                let (at, text) =
                    lines(&field.raw).enumerate().find(|(_, text)| is_content(text))?;
                return Some((line + at, text));
            }
            line += lines(&field.raw).count();
        }
        None
    }
}

/// Reads a fenced block. What is not valid YAML, or not one `key: value` per line, is refused.
pub(super) fn parse(text: &str, block: &Fenced) -> Result<Frontmatter, Vec<Problem>> {
    let inner = &text[block.inner.clone()];
    if inner.len() > FRONTMATTER_BYTES_MAX {
        return Err(vec![malformed::too_large(inner.len())]);
    }
    let opening = text[block.opening.clone()].to_owned();
    let closing = text[block.closing.clone()].to_owned();
    let fields = match yaml::read(inner) {
        Err(fault) => return Err(malformed::invalid(inner, fault)),
        Ok(Node::Null) if !lines(inner).any(is_content) => {
            let (opening, tail) = (opening + inner, String::new());
            return Ok(Frontmatter { opening, fields: Vec::new(), tail, closing });
        }
        Ok(Node::Map(entries)) => fields(inner, &[], &entries),
        Ok(_) => None,
    };
    let (fields, tail) = fields.ok_or_else(|| vec![malformed::shape()])?;
    Ok(Frontmatter { opening, fields, tail, closing })
}

/// Tells whether a line is more than blank or a comment.
pub(super) fn is_content(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with('#')
}

/// Splits the lines of a mapping into fields and the comments behind the last one; `None` where
/// lines and YAML's entries do not agree.
fn fields(
    text: &str,
    parent: &[String],
    entries: &[(String, Node)],
) -> Option<(Vec<Field>, String)> {
    let (raws, tail) = split(text, entries)?;
    let mut fields = Vec::new();
    // Comments behind the last field of a block stand before whatever follows the block.
    let mut before = String::new();
    for (raw, (name, node)) in raws.into_iter().zip(entries) {
        let key: Vec<String> = parent.iter().chain([name]).cloned().collect();
        let (header, below) = cut_header(raw)?;
        let nested = match node {
            Node::Map(inner) if parent.is_empty() && !below.is_empty() => {
                self::fields(below, &key, inner)
            }
            _ => None,
        };
        if let Some((nested, rest)) = nested {
            let raw = std::mem::replace(&mut before, rest) + header;
            fields.push(Field { key, raw, value: FieldValue::Other });
            fields.extend(nested);
            continue;
        }
        if lines(below).any(is_content) && !reads_as(raw, name, node) {
            return None;
        }
        let whole = std::mem::take(&mut before) + raw;
        fields.push(Field { key, raw: whole, value: value(raw, node) });
    }
    Some((fields, before + tail))
}

/// Tells whether some lines alone are one entry.
fn reads_as(raw: &str, name: &str, node: &Node) -> bool {
    yaml::read(raw).is_ok_and(|read| read == Node::Map(vec![(name.to_owned(), node.clone())]))
}

/// The lines of each entry, from the comments directly before its key to the next; and the comments
/// directly behind the last one.
fn split<'a>(text: &'a str, entries: &[(String, Node)]) -> Option<(Vec<&'a str>, &'a str)> {
    let indent = lines(text).find(|line| is_content(line)).map(indentation)?;
    let mut starts = Vec::new();
    let mut comments = None;
    let mut at = 0;
    for line in lines(text) {
        let level = indentation(line) == indent;
        if level && line.trim_start().starts_with('#') {
            comments = comments.or(Some(at));
        } else {
            let name = entries.get(starts.len()).map(|(name, _)| name.as_str());
            if level && name.is_some() && key_of(line).as_deref() == name {
                let first = starts.is_empty();
                starts.push(if first { 0 } else { comments.unwrap_or(at) });
            }
            comments = None;
        }
        at += line.len();
    }
    let (start, (name, node)) = starts.last().zip(entries.last())?;
    if starts.len() != entries.len() {
        return None;
    }
    // A line of a quoted value can look like a comment.
    let end = comments.filter(|end| reads_as(&text[*start..*end], name, node));
    let (text, tail) = text.split_at(end.unwrap_or(text.len()));
    let ends = starts[1..].iter().copied().chain([text.len()]);
    let raws = starts.iter().copied().zip(ends).map(|(start, end)| &text[start..end]).collect();
    Some((raws, tail))
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The key of a line `key: value`, unquoted.
fn key_of(line: &str) -> Option<String> {
    let (before, _) = key_line(line)?;
    let key = before.trim_end().strip_suffix(':')?.trim();
    if key.starts_with(['"', '\'']) {
        let Ok(Node::Text(text)) = yaml::read(key) else { return None };
        return Some(text);
    }
    Some(key.to_owned())
}

/// Cuts the lines of a field after the line of its key.
pub(super) fn cut_header(raw: &str) -> Option<(&str, &str)> {
    let mut end = 0;
    for line in lines(raw) {
        end += line.len();
        if is_content(line) {
            return Some(raw.split_at(end));
        }
    }
    None
}

pub(super) fn value(raw: &str, node: &Node) -> FieldValue {
    match node {
        Node::Null => FieldValue::Scalar(String::new()),
        Node::Text(text) => FieldValue::Scalar(text.clone()),
        Node::Typed => {
            let line = lines(raw).find(|line| is_content(line)).unwrap_or_default();
            let written = key_line(line).map_or("", |(_, value)| value);
            let len = value_len(written).unwrap_or(written.len());
            FieldValue::Scalar(written[..len].to_owned())
        }
        Node::List(items) => list(raw, items).map_or(FieldValue::Other, FieldValue::List),
        Node::Map(_) => FieldValue::Other,
    }
}

/// A list of scalars, each as written.
fn list(raw: &str, items: &[Node]) -> Option<Vec<String>> {
    if items.iter().all(|item| matches!(item, Node::Text(_))) {
        let text =
            |item: &Node| if let Node::Text(text) = item { text.clone() } else { String::new() };
        return Some(items.iter().map(text).collect());
    }
    let strings: std::collections::BTreeMap<String, Vec<String>> =
        serde_yaml::from_str(raw).ok()?;
    strings.into_values().next()
}
