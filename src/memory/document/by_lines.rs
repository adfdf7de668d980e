//! Frontmatter that YAML cannot read, by its lines: `key: value`, and what is indented below it.
//! Border: for merging only; a document read like this still has its fault.

use super::frontmatter::{Field, FieldValue, Frontmatter, value};
use super::scalar::{key_line, value_len};
use super::split::{Missing, fenced, is_fence};
use super::yaml::{self, Node};
use crate::base::text::{BOM, lines, without_eol};

/// The frontmatter and the body of a text whose frontmatter is no YAML; no frontmatter where the
/// text begins with none. `None` where it begins with one that has other lines, or no end.
pub(super) fn read(text: &str) -> Option<(Option<Frontmatter>, &str)> {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let is_opened = lines(&text[start..]).next().is_some_and(is_fence);
    let mut below = lines(&text[start..]).skip(1).skip_while(|line| is_between(line));
    if !is_opened || below.next().is_none_or(|line| key_of(line).is_none()) {
        return Some((None, text));
    }
    let block = match fenced(text, start) {
        Ok(block) => block,
        Err(Missing::Opening | Missing::Closing) => return None,
    };
    let (fields, tail) = fields(&text[block.inner])?;
    let opening = text[..block.opening.end].to_owned();
    let body = &text[block.closing.end..];
    let closing = text[block.closing].to_owned();
    Some((Some(Frontmatter { opening, fields, tail, closing }), body))
}

/// The fields of some lines, and the comments behind the last; `None` where a line is neither a
/// field nor below one, or a key stands twice.
fn fields(inner: &str) -> Option<(Vec<Field>, String)> {
    let mut fields: Vec<Field> = Vec::new();
    // Comments and blank lines that stand before whatever comes.
    let mut between = String::new();
    for line in lines(inner) {
        if is_between(line) {
            between.push_str(line);
            continue;
        }
        let before = std::mem::take(&mut between);
        let is_below = line.starts_with([' ', '\t', '-']);
        let key = match (key_of(line.trim_start_matches(' ')), fields.last()) {
            (Some(name), _) if !is_below => Some(vec![name]),
            (Some(name), Some(above)) if line.starts_with(' ') => {
                block_of(above, &fields, line).map(|block| vec![block, name])
            }
            _ => None,
        };
        match key {
            Some(key) => {
                if fields.iter().any(|field| field.key == key) {
                    return None;
                }
                let raw = before + line;
                fields.push(Field { key, raw, value: FieldValue::Other });
            }
            None if is_below => fields.last_mut()?.raw.push_str(&(before + line)),
            None => return None,
        }
    }
    let headers: Vec<String> = fields
        .iter()
        .filter(|field| field.key.len() > 1)
        .map(|field| field.key[0].clone())
        .collect();
    for field in &mut fields {
        if field.key.len() > 1 || !headers.contains(&field.key[0]) {
            field.value = value_of(&field.raw);
        }
    }
    Some((fields, between))
}

/// The block that an indented field belongs to: the header directly above, or that of the field
/// above where it is indented alike.
fn block_of(above: &Field, fields: &[Field], line: &str) -> Option<String> {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    match above.key.as_slice() {
        [header] => {
            let last = lines(&above.raw).last().unwrap_or_default();
            let is_header = key_line(last).is_some_and(|(_, value)| value.trim().is_empty());
            (is_header && lines(&above.raw).filter(|line| !is_between(line)).count() == 1)
                .then(|| header.clone())
        }
        [header, _] => {
            let first = fields.iter().find(|field| field.key.len() > 1 && field.key[0] == *header);
            let alike = first.and_then(|field| lines(&field.raw).find(|line| !is_between(line)));
            alike.is_some_and(|alike| indent(alike) == indent(line)).then(|| header.clone())
        }
        _ => None,
    }
}

/// A blank line or a comment.
fn is_between(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// The key of a line `key: value`: one plain word.
fn key_of(line: &str) -> Option<String> {
    let (before, _) = key_line(without_eol(line))?;
    let key = before.trim_end().strip_suffix(':')?;
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!key.is_empty() && key.chars().all(is_plain)).then(|| key.to_owned())
}

/// The value of a field's lines: as YAML has it, where these lines alone are YAML; else as written.
fn value_of(raw: &str) -> FieldValue {
    if let Ok(Node::Map(entries)) = yaml::read(raw)
        && let [(_, node)] = entries.as_slice()
    {
        return value(raw, node);
    }
    let mut own = lines(raw).skip_while(|line| is_between(line));
    let (Some(line), None) = (own.next(), own.next()) else { return FieldValue::Other };
    let written = key_line(without_eol(line)).map_or("", |(_, value)| value);
    let len = if written.starts_with(['"', '\'']) { None } else { value_len(written) };
    FieldValue::Scalar(written[..len.unwrap_or(written.len())].trim_end().to_owned())
}
