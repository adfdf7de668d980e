//! One YAML scalar in one line: how it is written, where it ends, whether it must be quoted.
//! Border: one value; fields are `frontmatter`'s business.

/// Characters that start something other than a plain scalar (YAML 1.2, section 5.3).
const INDICATORS: &str = "-?:,[]{}#&*!|>'\"%@`";

/// Characters that end a plain scalar inside `[…]` or `{…}`.
const FLOW: [char; 5] = [',', '[', ']', '{', '}'];

/// Writes a value so that YAML reads it back as this string: plain where possible, else quoted.
pub(super) fn written(value: &str) -> String {
    if is_plain(value) { value.to_owned() } else { quoted(value) }
}

/// Writes a value for use inside `[…]`.
pub(super) fn written_in_flow(value: &str) -> String {
    if is_plain(value) && !value.contains(FLOW) { value.to_owned() } else { quoted(value) }
}

/// Writes a key.
pub(super) fn written_key(key: &str) -> String {
    let simple = key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if simple && is_plain(key) { key.to_owned() } else { quoted(key) }
}

/// Tells whether YAML reads a text as it stands as exactly this string.
pub(super) fn is_plain(value: &str) -> bool {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}');
    let Some(first) = value.chars().next() else { return false };
    !INDICATORS.contains(first)
        && value.trim() == value
        && !value.ends_with(':')
        && !value.contains(": ")
        && !value.contains(" #")
        && !value.contains(breaks)
        && !value.starts_with("---")
        && !value.starts_with("...")
        && !is_typed(value)
}

/// Tells whether some YAML reader takes a plain text for a number, boolean or null.
fn is_typed(value: &str) -> bool {
    let words = ["null", "~", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"];
    let bare = value.trim_start_matches(['+', '-', '.']);
    let number = bare.starts_with(|c: char| c.is_ascii_digit())
        && bare.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
        && !is_date(value);
    words.iter().any(|word| word.eq_ignore_ascii_case(bare))
        || number
        || value == "<<"
        || value == "="
}

/// A date or date-time: agents write these plain, and every reader they use takes them as they are.
fn is_date(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.len() >= 10
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[7] == b'-'
}

fn quoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\r' => text.push_str("\\r"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}') => {
                text.push_str(&format!("\\u{:04X}", u32::from(c)));
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

/// The length of the value at the start of a text, less trailing white space and comment.
/// A quoted value that does not end in this text has `None`.
pub(super) fn value_len(text: &str) -> Option<usize> {
    match text.chars().next() {
        Some('"') => {
            let mut escaped = false;
            let close = text[1..].find(|c| {
                let closes = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                closes
            });
            close.map(|at| at + 2)
        }
        Some('\'') => {
            let mut at = 1;
            loop {
                at += text[at..].find('\'')? + 1;
                if !text[at..].starts_with('\'') {
                    return Some(at);
                }
                at += 1;
            }
        }
        _ => Some(text[..comment(text).unwrap_or(text.len())].trim_end().len()),
    }
}

/// Where a comment starts that ends a plain value.
pub(super) fn comment(text: &str) -> Option<usize> {
    if text.starts_with('#') {
        return Some(0);
    }
    let hashes = text.match_indices('#').map(|(at, _)| at);
    hashes.into_iter().find(|at| text[..*at].ends_with([' ', '\t']))
}

/// Splits a line `key: value` after the colon and the white space that follows; `None` for
/// anything else. The key may be quoted.
pub(super) fn key_line(line: &str) -> Option<(&str, &str)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let start = &line[indent..];
    let key_len = match start.chars().next()? {
        '"' | '\'' => value_len(start)?,
        '#' | '\t' => return None,
        _ => {
            let ends = start.match_indices(':').map(|(at, _)| at);
            ends.into_iter().find(|at| {
                let after = &start[at + 1..];
                after.is_empty() || after.starts_with([' ', '\t', '\r', '\n'])
            })?
        }
    };
    let rest = start[key_len..].trim_start_matches([' ', '\t']).strip_prefix(':')?;
    let value = rest.trim_start_matches([' ', '\t']);
    let parted = value.len() < rest.len() || value.trim().is_empty();
    parted.then(|| line.split_at(line.len() - value.len()))
}
