//! Values accepted where they stand: by a comment beside them, or as part of a `.gitleaksignore`.
//! Border: looks at the text around a place; lists of accepted values are `list`.

/// Comments that accept a value on their own line, ours and those of other scanners.
const MARKERS: [&[u8]; 6] = [
    b"memsync:allow",
    b"gitleaks:allow",
    b"betterleaks:allow",
    b"kingfisher:ignore",
    b"trufflehog:ignore",
    b"pragma: allowlist secret",
];
/// A comment that accepts a value on the next line.
const NEXT_LINE_MARKER: &[u8] = b"pragma: allowlist nextline secret";
/// How far a comment may stand from its value on a very long line.
const MARKER_BYTES_MAX: usize = 4_096;

/// Tells that a comment on the value's line accepts it.
pub(crate) fn is_allowed_inline(text: &[u8], value: &std::ops::Range<usize>) -> bool {
    let floor = value.start.saturating_sub(MARKER_BYTES_MAX);
    let from = text[floor..value.start]
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(floor, |at| floor + at + 1);
    let ceiling = text.len().min(value.end + MARKER_BYTES_MAX);
    let to = text[value.end..ceiling]
        .iter()
        .position(|b| *b == b'\n')
        .map_or(ceiling, |at| value.end + at);
    let holds = |text: &[u8], marker: &[u8]| {
        text.windows(marker.len()).any(|w| w.eq_ignore_ascii_case(marker))
    };
    let around = [&text[from..value.start], &text[value.end..to]];
    if MARKERS.iter().any(|marker| around.iter().any(|part| holds(part, marker))) {
        return true;
    }
    let before = &text[floor.min(from.saturating_sub(1))..from.saturating_sub(1)];
    let line = before.iter().rposition(|b| *b == b'\n').map_or(before, |at| &before[at + 1..]);
    holds(line, NEXT_LINE_MARKER)
}

/// Tells that a place is the commit or the `rule:line` of an entry of a `.gitleaksignore`: what
/// follows a rule named `generic-api-key` there is no key.
pub(crate) fn is_entry_of_gitleaks(path: &str, text: &[u8], at: usize) -> bool {
    if path.rsplit('/').next() != Some(".gitleaksignore") {
        return false;
    }
    let from = text[..at].iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
    let to = text[at..].iter().position(|b| *b == b'\n').map_or(text.len(), |end| at + end);
    let Ok(line) = std::str::from_utf8(&text[from..to]) else { return false };
    let mut parts = line.trim_end().rsplitn(3, ':');
    let (Some(number), Some(rule), Some(place)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_entry = number.parse::<usize>().is_ok()
        && rule.len() <= RULE_BYTES_MAX
        && rule.chars().all(is_name);
    let has_commit = place.split_once(':').is_some_and(|(commit, _)| is_commit(commit));
    is_entry && (at - from > place.len() || has_commit && at == from)
}

/// The longest name of a rule that an entry is known by.
const RULE_BYTES_MAX: usize = 60;

/// Tells that a text is a full commit id.
pub(super) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_gitleaks_is_known_behind_its_path_only() {
        let text = b"a1:src/x.go:generic-api-key:12\ntoken: zq\n";
        let at = |part: &str| String::from_utf8_lossy(text).find(part).unwrap();
        let is_entry = |path, part| is_entry_of_gitleaks(path, text, at(part));
        assert!(is_entry(".gitleaksignore", "api-key") && is_entry("a/.gitleaksignore", "12"));
        assert!(!is_entry(".gitleaksignore", "src/x") && !is_entry(".gitleaksignore", "zq"));
        assert!(!is_entry("notes.md", "api-key"));
    }

    #[test]
    fn comments_accept_their_own_line_or_the_next() {
        let check = |text: &str| {
            let at = text.find("VALUE").unwrap();
            is_allowed_inline(text.as_bytes(), &(at..at + 5))
        };
        assert!(check("a = VALUE <!-- memsync:allow -->\n"));
        assert!(check("a = VALUE # gitleaks:allow"));
        assert!(check("# pragma: allowlist nextline secret\na = VALUE\n"));
        assert!(!check("# gitleaks:allow\na = VALUE\n"));
        assert!(!check("a = VALUE\n# gitleaks:allow\n"));
    }
}
