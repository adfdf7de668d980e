//! Texts of others as they may be shown: whatever is a credential in them is masked.
//! Border: text in, text out; findings are masked where they are found, in `finding::mask`.

use crate::secrets::finding::mask::{MASK, MASKED_BYTES};
use crate::secrets::finding::report::Finding;
use crate::secrets::scanner::Scanner;

/// A path or message as it may be shown beside the findings of a file: what is a credential by itself,
/// and every few bytes of a value that was found in the file, are masked.
///
/// The rest stays, so that a person can tell which file it is.
pub fn without_values(text: &str, content: &[u8], findings: &[Finding]) -> String {
    without(text, findings.iter().filter_map(|finding| content.get(finding.bytes.clone())))
}

/// Texts that are shorter hold no credential that the scanner would know.
const MASKABLE_BYTES_MIN: usize = 8;

/// A text of others as it may be shown: what is a credential in it is masked, its lines stay lines.
pub fn masked(text: &str) -> String {
    if text.len() < MASKABLE_BYTES_MIN {
        return text.to_owned();
    }
    let found = Scanner::builtin().scan("", text.as_bytes());
    if found.is_empty() {
        return text.to_owned();
    }
    without_values(text, text.as_bytes(), &found)
}

/// As [`without_values`], with the values themselves.
pub fn without<'v>(text: &str, values: impl IntoIterator<Item = &'v [u8]>) -> String {
    let mut hidden = vec![false; text.len()];
    for finding in Scanner::builtin().scan("", text.as_bytes()) {
        hidden[finding.bytes].fill(true);
    }
    let values = values.into_iter();
    for window in values.flat_map(|value| value.windows(MASKED_BYTES)) {
        for (at, part) in text.as_bytes().windows(MASKED_BYTES).enumerate() {
            if part == window {
                hidden[at..at + MASKED_BYTES].fill(true);
            }
        }
    }
    if !hidden.contains(&true) {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut was_hidden = false;
    for (at, c) in text.char_indices() {
        let is_hidden = c != '\n' && hidden[at..at + c.len_utf8()].contains(&true);
        match (is_hidden, was_hidden) {
            (true, false) => shown.push_str(MASK),
            (true, true) => {}
            (false, _) => shown.push(c),
        }
        was_hidden = is_hidden;
    }
    shown
}

/// Tells whether a text holds a few bytes of a value.
pub fn holds_part(text: &str, value: &[u8]) -> bool {
    let mut parts = value.windows(MASKED_BYTES);
    parts.any(|part| text.as_bytes().windows(MASKED_BYTES).any(|there| there == part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_over_lines_is_masked_and_lines_stay_lines() {
        let token = ["ghp", "_", "ba8D1rTkY0WxZ", "q3mVnL5sJ7cHfE2g", "u0XfRi5"].concat();
        let text = format!("one\n{token} and {token}\nthree\n");
        assert_eq!(masked(&text), format!("one\n{MASK} and {MASK}\nthree\n"));
        let key = ["-----BEGIN", " PRIVATE KEY-----\n"].concat();
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n".repeat(4);
        let text = format!("a\n{key}{body}-----END PRIVATE KEY-----\nz\n");
        let shown = masked(&text);
        assert_eq!(shown.lines().count(), text.lines().count());
        assert!(!shown.contains("MIIEvQ") && shown.ends_with("\nz\n"), "{shown}");
        assert_eq!(masked("Rotate the password weekly."), "Rotate the password weekly.");
    }

    #[test]
    fn a_value_in_a_path_is_masked_and_the_rest_is_shown() {
        let token = ["ghp", "_", "ba8D1rTkY0WxZ", "q3mVnL5sJ7cHfE2g", "u0XfRi5"].concat();
        let shown = without_values(&format!("keys/{token}.md"), b"", &[]);
        assert_eq!(shown, format!("keys/{MASK}.md"));
        assert_eq!(without_values("docs/password-rules.md", b"", &[]), "docs/password-rules.md");
        let word = ["Tq8", "vZr2", "LmXw9"].concat();
        let content = format!("password: {word}\n");
        let found = Scanner::builtin().scan("a.md", content.as_bytes());
        assert_eq!(found.len(), 1);
        let shown = without_values(&format!("é/{word}/é.md"), content.as_bytes(), &found);
        assert_eq!(shown, format!("é/{MASK}/é.md"));
    }
}
