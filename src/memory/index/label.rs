//! What may stand before a pointer, and what follows it: labels, markers, emphasis, separators.
//! Border: judges pieces of one item; `item` puts them together.

use crate::memory::kind::Kind;

/// Characters before a link that still make it an entry. Longer ones are prose.
const LABEL_CHARS_MAX: usize = 60;

/// Words before a link that still make it an entry.
const LABEL_WORDS_MAX: usize = 8;

/// Characters that emphasise what they wrap.
const EMPHASIS: [char; 3] = ['*', '_', '~'];

/// Characters that part a link from its hook, or a label from its link.
const SEPARATORS: [char; 10] = ['—', '–', '―', '-', ':', '：', '·', '|', '→', '='];

/// Tells whether what stands before a link leaves it an entry: nothing, emphasis, an emoji or
/// marker, or a short label. Prose does not.
pub(super) fn is_label(before: &str) -> bool {
    if before.matches('`').count() % 2 == 1 || before.ends_with(['!', '\\']) {
        return false;
    }
    let label = before.trim_end_matches(EMPHASIS).trim();
    if is_symbols(label) {
        return true;
    }
    if label.chars().count() > LABEL_CHARS_MAX {
        return false;
    }
    let words = label.split_whitespace().count();
    let closed = label.ends_with(SEPARATORS) || is_wrapped(label);
    (closed && words <= LABEL_WORDS_MAX) || label.split_whitespace().all(is_marker)
}

/// Tells whether a text has no letter and no digit.
pub(super) fn is_symbols(text: &str) -> bool {
    !text.contains(char::is_alphanumeric)
}

/// A word that marks rather than says: `NEW`, `P1`, `2044-06-02`, `[old]`, `★`, or a kind.
fn is_marker(word: &str) -> bool {
    let shouted = word.is_ascii() && !word.contains(|c: char| c.is_ascii_lowercase());
    let kind = Kind::ALL.iter().any(|kind| kind.name().eq_ignore_ascii_case(word));
    is_symbols(word) || shouted || kind || is_wrapped(word)
}

/// Tells whether a label is set off as a whole by emphasis, brackets or backticks.
fn is_wrapped(label: &str) -> bool {
    let pairs = [("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`")];
    let brackets = [("(", ")"), ("[", "]"), ("【", "】"), ("（", "）"), ("「", "」")];
    pairs.iter().chain(&brackets).any(|(open, close)| {
        let inner = label.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(open))
    })
}

/// What follows a pointer as a hook: less closing emphasis and one separator, trimmed.
pub(super) fn hook<'a>(before: &str, after: &'a str) -> &'a str {
    let emphasis = &before[before.trim_end_matches(EMPHASIS).len()..];
    let rest = without_closing(after);
    let closed = rest.len() < after.len();
    let rest = rest.trim_start();
    let bare = without_separator(rest);
    let rest = if closed || bare.len() == rest.len() { bare } else { without_closing(bare) };
    let rest = rest.trim();
    let reversed: String = emphasis.chars().rev().collect();
    match rest.strip_suffix(reversed.as_str()) {
        Some(inner) if !closed && !emphasis.is_empty() && !inner.contains(&reversed) => {
            inner.trim_end()
        }
        _ => rest,
    }
}

/// Takes away emphasis that closes directly after a link. Emphasis that opens there follows a space.
fn without_closing(after: &str) -> &str {
    let rest = after.trim_start_matches(EMPHASIS);
    let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
    if ends || rest.starts_with(SEPARATORS) || rest.starts_with(['(', '（', ',', '.']) {
        rest
    } else {
        after
    }
}

/// Takes one separator away from the start. A hyphen is one only before white space.
fn without_separator(text: &str) -> &str {
    let hyphens = text.trim_start_matches('-');
    if hyphens.len() < text.len() {
        let parts = hyphens.is_empty() || hyphens.starts_with(char::is_whitespace);
        return if parts && text.len() - hyphens.len() <= 3 { hyphens } else { text };
    }
    text.strip_prefix(SEPARATORS).unwrap_or(text)
}

/// Tells whether what follows a bare name leaves it a name: a separator, a bracket or the end.
pub(super) fn ends_name(after: &str) -> bool {
    let rest = without_closing(after).trim_start();
    rest.is_empty() || rest.starts_with(['(', '（']) || without_separator(rest).len() < rest.len()
}
