//! Every fault of a memory with its place, its weight and what to do.
//! Border: says what is wrong and changes nothing.

use super::Document;
use super::frontmatter::Frontmatter;
use super::malformed::{at, error};
use super::scalar::{comment, key_line};
use super::split::fenced;
use crate::base::display::Escaped;
use crate::base::text::{BOM, Position, lines, without_eol};
use crate::memory::limits::{DESCRIPTION_CHARS_MAX, MEMORY_BYTES_MAX};
use crate::memory::problem::{Problem, Severity};

/// Adds the faults of a read document to those already known.
pub(super) fn find(document: &mut Document, text: &str) {
    let mut found = Vec::new();
    if text.len() > MEMORY_BYTES_MAX {
        let message =
            format!("the memory has {} bytes, {MEMORY_BYTES_MAX} are allowed", text.len());
        found.push(error(None, "memory-too-large", message, "Split it into several memories."));
    }
    if text.starts_with(BOM) {
        let message = "the file starts with a byte order mark".to_owned();
        let next =
            "Save it as UTF-8 without byte order mark; some agents miss the frontmatter otherwise.";
        found.push(warning(Some(at(1, 1)), "byte-order-mark", message, next));
    }
    if let Some(frontmatter) = &document.frontmatter {
        required(document, frontmatter, &mut found);
        kind(document, frontmatter, &mut found);
        cut_values(frontmatter, &mut found);
        second_block(document, text, &mut found);
    }
    document.problems.append(&mut found);
    document.problems.sort_by_key(|problem| problem.position);
}

/// Name, description and type are there.
fn required(document: &Document, frontmatter: &Frontmatter, found: &mut Vec<Problem>) {
    let values = [
        ("name", "name-missing", document.name().is_some()),
        ("description", "description-missing", document.description().is_some()),
        ("type", "type-missing", document.kind().is_some()),
    ];
    for (field, rule, present) in values {
        if !present {
            let line = frontmatter.key_line(&[field]).map_or(1, |(line, _)| line);
            let next = format!("Add a line `{field}: …` to the frontmatter.");
            let message = format!("the memory has no `{field}`");
            found.push(error(Some(at(line, 1)), rule, message, &next));
        }
    }
    let length = document.description().map_or(0, |text| text.chars().count());
    if length > DESCRIPTION_CHARS_MAX {
        let message = format!(
            "the `description` has {length} characters, {DESCRIPTION_CHARS_MAX} are allowed"
        );
        let place = place(frontmatter, &["description"]);
        found.push(error(
            place,
            "description-too-long",
            message,
            "Move the details into the body.",
        ));
    }
}

/// The type is one of the four, and the same in both places.
fn kind(document: &Document, frontmatter: &Frontmatter, found: &mut Vec<Problem>) {
    let keys: [&[&str]; 2] = [&["type"], &["metadata", "type"]];
    let place_of = |written: &str| {
        let key = keys.into_iter().find(|key| frontmatter.scalar(key) == Some(written))?;
        place(frontmatter, key)
    };
    if let Some(Err(written)) = document.kind() {
        let message = format!("`{}` is not a kind of memory", Escaped(written));
        let next = "Use `user`, `feedback`, `project` or `reference`.";
        found.push(error(place_of(written), "kind-unknown", message, next));
    }
    let both = keys.map(|key| frontmatter.scalar(key).filter(|value| !value.is_empty()));
    if let [Some(top), Some(below)] = both
        && top != below
    {
        let message = format!(
            "`type` is `{}` here and `{}` below `metadata`; the first counts",
            Escaped(top),
            Escaped(below)
        );
        let next = "Remove one of the two.";
        found.push(warning(place(frontmatter, keys[0]), "type-twice", message, next));
    }
}

/// A plain value that a ` #` cuts short.
fn cut_values(frontmatter: &Frontmatter, found: &mut Vec<Problem>) {
    for field in &frontmatter.fields {
        let key: Vec<&str> = field.key.iter().map(String::as_str).collect();
        let Some((line, text)) = frontmatter.key_line(&key) else { continue };
        let Some((before, value)) = key_line(without_eol(text)) else { continue };
        if value.starts_with(['"', '\'', '#', '|', '>', '[', '{']) {
            continue;
        }
        if let Some(hash) = comment(value) {
            let column = (before.to_owned() + &value[..hash]).chars().count() + 1;
            let name = Escaped(&field.key.join(".")).to_string();
            let message = format!("the value of `{name}` ends here: ` #` starts a comment");
            let next = "Put the whole value in quotes if the rest belongs to it.";
            found.push(warning(Some(at(line, column)), "value-cut", message, next));
        }
    }
}

/// A body that starts with frontmatter again.
fn second_block(document: &Document, text: &str, found: &mut Vec<Problem>) {
    let body = document.body();
    let blank: usize = lines(body).take_while(|line| line.trim().is_empty()).map(str::len).sum();
    let Ok(block) = fenced(body, blank) else { return };
    let inner = &body[block.inner];
    let is_field = |line: &str| {
        let indented = line.starts_with([' ', '\t', '-', '#']) || line.trim().is_empty();
        indented || key_line(line).is_some_and(|(before, _)| is_plain_key(before))
    };
    let known = ["name:", "description:", "type:", "metadata:"];
    let has_known = lines(inner).any(|line| known.iter().any(|key| line.starts_with(key)));
    if has_known && lines(inner).all(is_field) {
        let position = Position::of(text, text.len() - body.len() + blank);
        let message =
            "a second frontmatter block starts here; agents read only the first".to_owned();
        let next = "Merge the two blocks into one at the top of the file.";
        found.push(warning(Some(position), "frontmatter-twice", message, next));
    }
}

fn is_plain_key(before: &str) -> bool {
    let key = before.trim_end().trim_end_matches(':');
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// The place of a field's value.
fn place(frontmatter: &Frontmatter, key: &[&str]) -> Option<Position> {
    let (line, text) = frontmatter.key_line(key)?;
    let column = key_line(text).map_or(1, |(before, _)| before.chars().count() + 1);
    Some(at(line, column))
}

fn warning(position: Option<Position>, rule: &'static str, message: String, next: &str) -> Problem {
    Problem { position, rule, severity: Severity::Warning, message, next_step: next.to_owned() }
}
