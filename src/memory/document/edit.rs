//! Sets one field of a frontmatter and leaves every other line as it is.
//! Border: gets the value already written as YAML.

use super::Document;
use super::frontmatter::{Field, FieldValue, Frontmatter, cut_header, is_content};
use super::scalar::{self, key_line, value_len, written_key};
use crate::base::text::{dominant_eol, lines, without_eol};

impl Frontmatter {
    /// Sets a field, touching only its own lines and quoting where YAML needs it. A new field goes
    /// to the end of its block. Gives `false`, and changes nothing, where the key cannot be held:
    /// deeper than two levels, below something that is no block, or among lines that would then read
    /// otherwise.
    pub fn set(&mut self, key: &[&str], value: &str) -> bool {
        self.set_written(key, &scalar::written(value), FieldValue::Scalar(value.to_owned()))
    }

    /// Sets a field to a list, written as `[a, b]`. Otherwise as [`Self::set`].
    pub fn set_list(&mut self, key: &[&str], items: &[String]) -> bool {
        let written: Vec<String> = items.iter().map(|item| scalar::written_in_flow(item)).collect();
        let written = format!("[{}]", written.join(", "));
        self.set_written(key, &written, FieldValue::List(items.to_vec()))
    }

    /// Sets a field and reads all of it again: YAML knows line breaks and indentation that lines do not.
    fn set_written(&mut self, key: &[&str], written: &str, value: FieldValue) -> bool {
        let mut edited = self.clone();
        if !set(&mut edited, key, written, value.clone()) {
            return false;
        }
        let again = Document::parse(&edited.render());
        let reads = again.frontmatter().is_some_and(|again| {
            let found = again.fields.iter().find(|field| field.key == key);
            again.fields.len() == edited.fields.len() && found.is_some_and(|f| f.value == value)
        });
        if reads {
            *self = edited;
        }
        reads
    }
}

/// Sets a field in its own lines alone.
fn set(to: &mut Frontmatter, key: &[&str], written: &str, value: FieldValue) -> bool {
    if let Some(at) = to.fields.iter().position(|field| field.key == key) {
        let is_block = to.fields.get(at + 1).is_some_and(|next| next.key.len() > key.len());
        let raw = (!is_block).then(|| replaced(&to.fields[at].raw, written)).flatten();
        let Some(raw) = raw else { return false };
        to.fields[at].raw = raw;
        to.fields[at].value = value;
        return true;
    }
    let eol = dominant_eol(&to.opening);
    let keys: Vec<String> = key.iter().map(|part| (*part).to_owned()).collect();
    let Some((at, indent)) = place(to, key, eol) else { return false };
    let name = written_key(key[key.len() - 1]);
    let lead = if key.len() == 1 { block_comments(to, &indent) } else { String::new() };
    let raw = format!("{lead}{indent}{name}: {written}{eol}");
    to.fields.insert(at, Field { key: keys, raw, value });
    true
}

/// Where a new field goes and how it is indented. Makes the block it belongs to.
fn place(to: &mut Frontmatter, key: &[&str], eol: &str) -> Option<(usize, String)> {
    let outer = to.fields.first().map_or(String::new(), indent_of);
    match key {
        [_] => Some((to.fields.len(), outer)),
        [block, _] => {
            let siblings = |field: &Field| field.key.len() == 2 && field.key[0] == *block;
            if let Some(last) = to.fields.iter().rposition(siblings) {
                return Some((last + 1, indent_of(&to.fields[last])));
            }
            let header = to.fields.iter().position(|field| field.key == [*block]);
            let at = match header {
                Some(at) if is_empty(&to.fields[at]) => at,
                Some(_) => return None,
                None => {
                    let lead = block_comments(to, &outer);
                    let raw = format!("{lead}{outer}{}:{eol}", written_key(block));
                    let key = vec![(*block).to_owned()];
                    to.fields.push(Field { key, raw, value: FieldValue::Other });
                    to.fields.len() - 1
                }
            };
            to.fields[at].value = FieldValue::Other;
            Some((at + 1, outer + "  "))
        }
        _ => None,
    }
}

/// Takes the comments that stand in the block before off the tail: they stay before a new field.
fn block_comments(to: &mut Frontmatter, indent: &str) -> String {
    let is_deeper = |line: &&str| line.len() - line.trim_start_matches(' ').len() > indent.len();
    let end: usize = lines(&to.tail).take_while(is_deeper).map(str::len).sum();
    to.tail.drain(..end).collect()
}

fn indent_of(field: &Field) -> String {
    let line = lines(&field.raw).find(|line| is_content(line)).unwrap_or_default();
    line[..line.len() - line.trim_start_matches(' ').len()].to_owned()
}

/// A header without anything after it.
fn is_empty(field: &Field) -> bool {
    let line = lines(&field.raw).find(|line| is_content(line)).unwrap_or_default();
    key_line(line).is_some_and(|(_, rest)| rest.trim().is_empty() || rest.starts_with('#'))
}

/// The lines of a field with another value. Comments before it and after it in its line stay.
fn replaced(raw: &str, written: &str) -> Option<String> {
    let (header, below) = cut_header(raw)?;
    let start = header.len() - lines(header).last().map_or(0, str::len);
    let (before, line) = header.split_at(start);
    let (key, rest) = key_line(line)?;
    let eol = &line[without_eol(line).len()..];
    let rest = without_eol(rest);
    let is_wrapped = lines(below).any(is_content) || rest.starts_with(['|', '>']);
    let tail = match value_len(rest) {
        Some(len) if !is_wrapped => &rest[len..],
        _ => "",
    };
    let space = if key.ends_with(':') { " " } else { "" };
    // Comments and blank lines after the value stay; the value's own further lines go.
    let kept = lines(below).collect::<Vec<_>>();
    let after = kept.iter().rposition(|line| is_content(line)).map_or(0, |last| last + 1);
    let after: String =
        if rest.starts_with(['|', '>']) { String::new() } else { kept[after..].concat() };
    Some(format!("{before}{key}{space}{written}{tail}{eol}{after}"))
}
