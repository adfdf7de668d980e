//! A finding at a place in a file, the one shape in which documents and audits list it, and how a
//! path is shown that holds a value itself.
//! Border: fields only; the value is in none of them.

use serde::Serialize;

use super::Scanner;
use super::finding::{Confidence, Finding, MASK, MASKED_BYTES, Severity};

/// A credential and where it was seen. `excerpt` has `[…]` in place of the value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sighting {
    /// The rule that found it.
    pub rule: String,
    /// How bad a leak is.
    pub severity: Severity,
    /// How sure the scanner is.
    pub confidence: Confidence,
    /// The file.
    pub path: String,
    /// First line, from 1.
    pub line: usize,
    /// First character, from 1.
    pub column: usize,
    /// Last line.
    pub end_line: usize,
    /// The character after the last one.
    pub end_column: usize,
    /// Stands for the value, wherever it is; for `memsync scan allow`.
    pub fingerprint: String,
    /// The line, the value masked.
    pub excerpt: String,
    /// What was found, in words.
    pub message: String,
}

impl Sighting {
    /// A finding in a file.
    pub fn of(finding: &Finding, path: &str) -> Self {
        Self {
            rule: finding.rule.clone(),
            severity: finding.severity,
            confidence: finding.confidence,
            path: path.to_owned(),
            line: finding.start.line,
            column: finding.start.column,
            end_line: finding.end.line,
            end_column: finding.end.column,
            fingerprint: finding.fingerprint.clone(),
            excerpt: finding.excerpt.clone(),
            message: finding.message.clone(),
        }
    }
}

/// A path as it may be shown beside the findings of its file: what is a credential by itself, and
/// every few bytes of a value that was found in the file, are masked.
///
/// The rest stays, so that a person can tell which file it is.
pub fn shown_path(path: &str, content: &[u8], findings: &[Finding]) -> String {
    let mut hidden = vec![false; path.len()];
    for finding in Scanner::builtin().scan("", path.as_bytes()) {
        hidden[finding.bytes].fill(true);
    }
    let values = findings.iter().filter_map(|finding| content.get(finding.bytes.clone()));
    for window in values.flat_map(|value| value.windows(MASKED_BYTES)) {
        for (at, part) in path.as_bytes().windows(MASKED_BYTES).enumerate() {
            if part == window {
                hidden[at..at + MASKED_BYTES].fill(true);
            }
        }
    }
    if !hidden.contains(&true) {
        return path.to_owned();
    }
    let mut shown = String::new();
    let mut was_hidden = false;
    for (at, c) in path.char_indices() {
        let is_hidden = hidden[at..at + c.len_utf8()].contains(&true);
        match (is_hidden, was_hidden) {
            (true, false) => shown.push_str(MASK),
            (true, true) => {}
            (false, _) => shown.push(c),
        }
        was_hidden = is_hidden;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_in_a_path_is_masked_and_the_rest_is_shown() {
        let token = ["ghp", "_", "ba8D1rTkY0WxZ", "q3mVnL5sJ7cHfE2g", "u0XfRi5"].concat();
        let shown = shown_path(&format!("keys/{token}.md"), b"", &[]);
        assert_eq!(shown, format!("keys/{MASK}.md"));
        assert_eq!(shown_path("docs/password-rules.md", b"", &[]), "docs/password-rules.md");
        let word = ["Tq8", "vZr2", "LmXw9"].concat();
        let content = format!("password: {word}\n");
        let found = Scanner::builtin().scan("a.md", content.as_bytes());
        assert_eq!(found.len(), 1);
        let shown = shown_path(&format!("é/{word}/é.md"), content.as_bytes(), &found);
        assert_eq!(shown, format!("é/{MASK}/é.md"));
    }
}
