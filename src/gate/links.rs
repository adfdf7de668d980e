//! Links of the index that lead out of the team memory: what an agent would follow on a machine
//! where it is something else, or nothing.
//! Border: names them, refuses none: real indexes hold such links, and others may mean no harm.

use std::ops::Range;

use super::verdict::{Reason, ReasonKind, Weight};
use crate::base::display::Escaped;
use crate::base::path::MemoryPath;
use crate::base::text::{Position, lines};

/// So many are named, the rest are counted.
const NAMED_MAX: usize = 20;
/// Bytes looked at for one target.
const TARGET_BYTES_MAX: usize = 4_200;
/// A target encoded more often than this is named for that.
const DECODED_MAX: usize = 5;

/// Schemes that lead to the web or to a person, not to a file.
const WEB: [&str; 4] = ["http", "https", "mailto", "tel"];

/// Says which links of an index leave the team memory.
pub(super) fn outside(path: &MemoryPath, text: &str) -> Vec<Reason> {
    let mut found: Vec<Range<usize>> = targets(text);
    found.retain(|at| leaves(&text[at.clone()]));
    found.sort_by_key(|at| at.start);
    found.dedup();
    let reason = |at: usize, message| Reason {
        kind: ReasonKind::Rule,
        path: path.to_string(),
        position: Some(Position::of(text, at)),
        rule: "index-link-outside".to_owned(),
        weight: Weight::Advice,
        message,
        next_step: "take the link out, or share the memory it means in `team/`".to_owned(),
    };
    let mut reasons: Vec<Reason> = Vec::new();
    for at in found.iter().take(NAMED_MAX) {
        let target = Escaped(&text[at.clone()]).to_string();
        reasons.push(reason(at.start, format!("the link `{target}` leads out of the team memory")));
    }
    if let Some(next) = found.get(NAMED_MAX) {
        let more = found.len() - NAMED_MAX;
        reasons.push(reason(next.start, format!("{more} more links lead out of the team memory")));
    }
    reasons
}

/// Where the targets of links stand: inline, reference, wiki and HTML links, and `<scheme:…>`.
fn targets(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("](") {
        found.extend(destination(text, at + 2));
    }
    for (at, _) in text.match_indices("[[") {
        let rest = within(text, at + 2);
        if let Some(end) = rest.find([']', '|', '\n'])
            && !rest[end..].starts_with('\n')
        {
            found.push(at + 2..at + 2 + end);
        }
    }
    let mut start = 0;
    for line in lines(text) {
        let trimmed = line.trim_start_matches([' ', '\t', '>']);
        if trimmed.starts_with('[')
            && let Some(close) = trimmed.find("]:")
        {
            found.extend(destination(text, start + line.len() - trimmed.len() + close + 2));
        }
        start += line.len();
    }
    for (at, _) in text.match_indices('<') {
        found.extend(tag(text, at + 1));
    }
    found
}

/// At most [`TARGET_BYTES_MAX`] of a text from a place on.
fn within(text: &str, from: usize) -> &str {
    &text[from..text.floor_char_boundary(from + TARGET_BYTES_MAX)]
}

/// A destination as Markdown writes it: in angle brackets, or up to a space or the bracket that closes.
fn destination(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = within(text, from);
    let skipped = rest.len() - rest.trim_start().len();
    let rest = &rest[skipped..];
    let from = from + skipped;
    if let Some(inner) = rest.strip_prefix('<') {
        let end = inner.find(['>', '\n'])?;
        return Some(from + 1..from + 1 + end);
    }
    let mut depth = 0_usize;
    let end = rest.find(|c: char| {
        depth += usize::from(c == '(');
        let closes = c == ')' && depth == 0;
        depth -= usize::from(c == ')' && depth > 0);
        closes || c.is_whitespace()
    });
    Some(from..from + end.unwrap_or(rest.len()))
}

/// What a tag links to: `<a href="…">`, `<img src=…>`, `<file:///…>`.
fn tag(text: &str, from: usize) -> Vec<Range<usize>> {
    let rest = within(text, from);
    let Some(close) = rest.find('>') else { return Vec::new() };
    let inner = &rest[..close];
    let word = inner.split(char::is_whitespace).next().unwrap_or_default();
    let mut found = Vec::new();
    if scheme(word).is_some() {
        found.push(from..from + word.len());
    }
    let lower = inner.to_ascii_lowercase();
    for name in ["href", "src"] {
        for (at, _) in lower.match_indices(name) {
            let value = inner[at + name.len()..].trim_start();
            let Some(value) = value.strip_prefix('=').map(str::trim_start) else { continue };
            let start = inner.len() - value.len();
            let quoted = value.starts_with(['"', '\'']);
            let end = match value.chars().next() {
                Some(quote) if quoted => value[1..].find(quote),
                _ => value.find(char::is_whitespace).or(Some(value.len())),
            };
            let start = from + start + usize::from(quoted);
            found.extend(end.map(|end| start..start + end));
        }
    }
    found
}

/// Tells whether a target leads out of the folder the index is in.
fn leaves(written: &str) -> bool {
    let mut target = unescaped(written);
    for _ in 0..DECODED_MAX {
        if leaves_plainly(&target) {
            return true;
        }
        let decoded = percent_decoded(&target);
        if decoded == target {
            return false;
        }
        target = decoded;
    }
    true
}

fn leaves_plainly(target: &str) -> bool {
    let target = target.trim();
    if let Some(scheme) = scheme(target) {
        return !WEB.contains(&scheme.to_ascii_lowercase().as_str());
    }
    if target.starts_with(['/', '\\', '~', '$']) || is_variable(target) {
        return true;
    }
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let mut depth = 0_usize;
    for part in path.split(['/', '\\']) {
        match part.trim() {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            part if depth == 0 && part.eq_ignore_ascii_case(".git") => return true,
            _ => depth += 1,
        }
    }
    false
}

/// Tells whether a target starts with a variable of Windows: `%USERPROFILE%`.
fn is_variable(target: &str) -> bool {
    let name = target.strip_prefix('%').and_then(|rest| rest.split_once('%')).map(|(name, _)| name);
    name.is_some_and(|name| name.len() > 2 && !name.starts_with(|c: char| c.is_ascii_digit()))
}

/// The scheme of a URL, or the letter of a drive.
fn scheme(target: &str) -> Option<&str> {
    let (scheme, _) = target.split_once(':')?;
    let first = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    let plain = scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    (first && plain).then_some(scheme)
}

/// Undoes backslashes before marks, and the entities a browser would undo.
fn unescaped(written: &str) -> String {
    let mut plain = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(c) = rest.chars().next() {
        let after = rest[c.len_utf8()..].chars().next();
        // A backslash before another one or a dot may part folders as well: it stays.
        if c == '\\' && after.is_some_and(|c| c.is_ascii_punctuation() && !matches!(c, '\\' | '.'))
        {
            rest = &rest[1..];
            continue;
        }
        if let Some((shown, length)) = entity(rest) {
            plain.push(shown);
            rest = &rest[length..];
            continue;
        }
        plain.push(c);
        rest = &rest[c.len_utf8()..];
    }
    plain
}

/// `&#46;`, `&#x2e;`, `&period;` and the like: the character and the length.
fn entity(text: &str) -> Option<(char, usize)> {
    let inner = text.strip_prefix('&')?;
    let end = inner.bytes().take(12).position(|b| b == b';')?;
    let name = &inner[..end];
    let shown = match name {
        "period" => '.',
        "sol" => '/',
        "bsol" => '\\',
        "colon" => ':',
        "Tab" | "NewLine" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((shown, end + 2))
}

fn percent_decoded(text: &str) -> String {
    let digit = |at: usize| text.as_bytes().get(at).and_then(|b| char::from(*b).to_digit(16));
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                at += 3;
            }
            _ => {
                bytes.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<String> {
        let path = MemoryPath::parse("MEMORY.md").unwrap();
        let reasons = outside(&path, text);
        assert!(reasons.iter().all(|reason| reason.weight == Weight::Advice));
        reasons.into_iter().map(|reason| reason.message).collect()
    }

    #[test]
    fn every_way_out_is_named() {
        for target in [
            "../private.md",
            "./../private.md",
            "a/../../private.md",
            "..",
            "..\\private.md",
            "%2e%2e/private.md",
            "%252e%252e%252fprivate.md",
            "a%2F..%2F..%2Fb.md",
            "\\../private.md",
            "&#46;&#x2e;/private.md",
            "/etc/passwd",
            "\\\\server\\share\\x.md",
            "//server/share/x.md",
            "C:\\notes\\x.md",
            "c:/notes/x.md",
            "~/.ssh/id_ed25519",
            "$HOME/.netrc",
            "%USERPROFILE%\\x.md",
            "file:///etc/passwd",
            "FILE:x.md",
            "file%3A///etc/passwd",
            "vscode://file/etc/passwd",
            "javascript:alert(1)",
            ".git/config",
        ] {
            for text in [
                format!("- [Notes]({target}) — hook\n"),
                format!("- ![x]({target} \"title\")\n"),
                format!("see [it](<{target}>).\n"),
                format!("- [Notes][n]\n\n[n]: {target}\n"),
                format!("> [n]: <{target}> 'title'\n"),
                format!("<a class=x href=\"{target}\">Notes</a>\n"),
                format!("<IMG SRC = '{target}'>\n"),
            ] {
                assert_eq!(named(&text).len(), 1, "{text}");
            }
        }
        assert_eq!(named("- [[../private]] and [[/etc/passwd|x]]\n").len(), 2);
        assert_eq!(named("<file:///etc/passwd>\n").len(), 1);
    }

    #[test]
    fn links_into_the_team_memory_and_to_the_web_are_not() {
        for text in [
            "- [Deploy](deploy.md) — a/b, and c: d\n",
            "- [Deploy](./infra/deploy.md#freeze \"when\")\n",
            "- [Deploy](infra/../deploy.md)\n",
            "- [Dots](a..b/...md) [plain](notes%20on%20x.md)\n",
            "- [API](https://api.acme.example/../v1) [mail](mailto:ops@acme.example)\n",
            "[n]: https://acme.example\n",
            "<https://acme.example/a> and 1 < 2 > 0, a <- b\n",
            "- [[deploy]] [[infra/deploy|Deploy]]\n",
            "- [x] done [ ] open `../private.md`, /etc/hosts\n",
            "[here](#below) [empty]()\n",
        ] {
            assert_eq!(named(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn many_are_counted_and_their_text_is_escaped() {
        let text = "- [x](../a.md)\n".repeat(NAMED_MAX + 3);
        let found = named(&text);
        assert_eq!(found.len(), NAMED_MAX + 1);
        assert!(found[NAMED_MAX].starts_with("3 more"));
        assert!(named("[x](../\u{1B}[2J)")[0].contains("\\u{1b}"));
    }

    proptest::proptest! {
        #[test]
        fn what_resolves_outside_is_named_and_what_stays_inside_is_not(
            parts in proptest::collection::vec(
                proptest::sample::select(vec!["..", ".", "a", "b.md"]),
                1..8,
            ),
            encode in proptest::bool::ANY,
        ) {
            let mut depth = 0_i32;
            let mut lowest = 0;
            for part in &parts {
                depth += match *part { ".." => -1, "." => 0, _ => 1 };
                lowest = lowest.min(depth);
            }
            let mut target = parts.join("/");
            if encode {
                target = target.replace('.', "%2E").replace('/', "%2f");
            }
            proptest::prop_assert_eq!(named(&format!("[t]({target})")).len(), usize::from(lowest < 0));
        }

        #[test]
        fn any_text_is_read_in_bounds(text in "[\\[\\]()<>:%.a\\\\/\"= \nhref&#;]{0,200}") {
            drop(named(&text));
        }
    }
}
