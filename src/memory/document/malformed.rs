//! Faults of a frontmatter that could not be read as fields: too large, no YAML, another shape.
//! Border: names line, column and what to do; faults of what could be read are `faults`.

use super::scalar::{comment, key_line, value_len};
use super::yaml::Fault;
use crate::base::text::{Position, lines, without_eol};
use crate::memory::limits::FRONTMATTER_BYTES_MAX;
use crate::memory::problem::{Problem, Severity};

/// Lines before the first field: the fence.
const FENCE_LINES: usize = 1;

/// Frontmatter past its limit.
pub(super) fn too_large(bytes: usize) -> Problem {
    let message = format!("the frontmatter has {bytes} bytes, {FRONTMATTER_BYTES_MAX} are allowed");
    error(Some(at(1, 1)), "frontmatter-too-large", message, "Move the details into the body.")
}

/// Frontmatter that is YAML but not fields.
pub(super) fn shape() -> Problem {
    let message = "the frontmatter is not a list of fields, one `key: value` per line".to_owned();
    let next = "Write each field on its own line.";
    error(Some(at(1 + FENCE_LINES, 1)), "frontmatter-shape", message, next)
}

/// Frontmatter that is not YAML: the usual reasons in plain words, else what the parser says.
pub(super) fn invalid(inner: &str, fault: Fault) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut literal = None;
    for (line, text) in lines(inner).enumerate() {
        let text = without_eol(text);
        let indent = text.len() - text.trim_start_matches(' ').len();
        if literal.is_some_and(|outer| text.trim().is_empty() || indent > outer) {
            continue;
        }
        literal = None;
        let Some((before, value)) = key_line(text) else { continue };
        if value.starts_with(['|', '>']) {
            literal = Some(indent);
        } else if let Some((offset, rule, message, next)) = reason(value) {
            let column = (before.to_owned() + &value[..offset]).chars().count() + 1;
            let position = at(line + 1 + FENCE_LINES, column);
            found.push(error(Some(position), rule, message.to_owned(), next));
        }
    }
    if found.is_empty() {
        let position = fault.position.map_or(at(1 + FENCE_LINES, 1), |position| Position {
            line: position.line + FENCE_LINES,
            ..position
        });
        let message = format!("the frontmatter is not valid YAML: {}", fault.message);
        let next = "Correct this line; values with special characters go in quotes.";
        found.push(error(Some(position), "frontmatter-yaml", message, next));
    }
    found
}

/// Offset, rule, message and next step.
type Reason = (usize, &'static str, &'static str, &'static str);

/// Why a value in a line cannot be read.
fn reason(value: &str) -> Option<Reason> {
    let next = "Put the whole value in quotes.";
    match value.chars().next()? {
        '`' => Some((0, "yaml-backtick", "a value cannot start with a backtick", next)),
        '@' | '%' => Some((0, "yaml-reserved", "a value cannot start with this character", next)),
        '"' | '\'' => {
            let end = value_len(value)?;
            let rest = &value[end..];
            let text = rest.trim_start();
            let offset = end + rest.len() - text.len();
            let is_comment = text.starts_with('#') && text.len() < rest.len();
            let message = "the value ends at its closing quote, but text follows";
            let next = "Put the whole value in quotes, with `\\\"` for quotes inside it.";
            (!text.is_empty() && !is_comment).then_some((
                offset,
                "yaml-text-after-quote",
                message,
                next,
            ))
        }
        '[' | '{' | '&' | '*' | '!' | '#' => None,
        _ => {
            let plain = &value[..comment(value).unwrap_or(value.len())];
            let inside =
                plain.find(": ").or_else(|| plain.trim_end().strip_suffix(':').map(str::len));
            let message = "a value without quotes cannot hold a colon followed by a space";
            inside.map(|offset| (offset, "yaml-colon", message, next))
        }
    }
}

/// A place in the text.
pub(super) fn at(line: usize, column: usize) -> Position {
    Position { line, column }
}

/// A fault that refuses.
pub(super) fn error(
    position: Option<Position>,
    rule: &'static str,
    message: String,
    next: &str,
) -> Problem {
    Problem { position, rule, severity: Severity::Error, message, next_step: next.to_owned() }
}
