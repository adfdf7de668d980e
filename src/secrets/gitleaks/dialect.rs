//! Patterns of Go (RE2) for the `regex` crate: the few places where the two read a pattern differently.
//! Border: text to pattern; a pattern that needs too much memory is refused.

use regex::bytes::{Regex, RegexBuilder};

use crate::secrets::rules::spec::PATTERN_BYTES_MAX;

/// Compiles a pattern as gitleaks would.
pub(super) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    let build = |pattern: &str, unicode: bool| {
        let mut builder = RegexBuilder::new(pattern);
        builder.unicode(unicode).size_limit(PATTERN_BYTES_MAX).dfa_size_limit(PATTERN_BYTES_MAX);
        builder.build()
    };
    let pattern = translate(pattern);
    // In RE2 `\w`, `\d` and `\b` are ASCII, which also needs less memory; a pattern with letters
    // beyond ASCII or `\p{…}` needs Unicode.
    build(&pattern, false).or_else(|_| build(&pattern, true))
}

/// Escapes what RE2 takes literally: a brace that is no repetition, a bracket inside a class.
fn translate(pattern: &str) -> String {
    let chars: Vec<char> = pattern.chars().collect();
    let mut text = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut class_start = 0;
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '\\' if chars.get(at + 1) == Some(&'z') => text.push_str(r"\z"),
            '\\' if takes_braces(&chars[at..]) => {
                let end = chars[at..].iter().position(|c| *c == '}');
                let end = end.map_or(chars.len() - 1, |end| at + end);
                text.extend(&chars[at..=end]);
                at = end + 1;
                continue;
            }
            '\\' => {
                text.push('\\');
                text.extend(chars.get(at + 1));
            }
            '[' if in_class && chars.get(at + 1) != Some(&':') => text.push_str(r"\["),
            '[' if !in_class => {
                in_class = true;
                class_start = at + 1 + usize::from(chars.get(at + 1) == Some(&'^'));
                text.push('[');
            }
            '[' => {
                // `[:alpha:]` inside a class ends with its own bracket.
                let end = chars[at..]
                    .iter()
                    .position(|c| *c == ']')
                    .map_or(chars.len() - 1, |end| at + end);
                text.extend(&chars[at..=end]);
                at = end + 1;
                continue;
            }
            ']' if in_class && at > class_start => {
                in_class = false;
                text.push(']');
            }
            '&' | '~' | '-' if in_class && chars.get(at + 1) == Some(&chars[at]) => {
                text.push('\\');
                text.push(chars[at]);
            }
            '{' if !in_class && !is_repetition(&chars[at..]) => text.push_str(r"\{"),
            '}' if !in_class && !closes_repetition(&chars[..at]) => text.push_str(r"\}"),
            c => text.push(c),
        }
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    text
}

/// `\p{L}`, `\P{L}`, `\x{41}`: the braces belong to the escape.
fn takes_braces(rest: &[char]) -> bool {
    matches!(rest, [_, 'p' | 'P' | 'x', '{', ..])
}

/// `{3}`, `{3,}`, `{3,5}`.
fn is_repetition(rest: &[char]) -> bool {
    let body: String = rest[1..].iter().take_while(|c| **c != '}').collect();
    let mut numbers = body.splitn(2, ',');
    let number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    numbers.next().is_some_and(number)
        && numbers.next().is_none_or(|text| text.is_empty() || number(text))
}

fn closes_repetition(before: &[char]) -> bool {
    let open = before.iter().rposition(|c| *c == '{');
    open.is_some_and(|open| {
        let named =
            matches!(open.checked_sub(1).and_then(|at| before.get(at)), Some('p' | 'P' | 'x'));
        let mut whole: Vec<char> = before[open..].to_vec();
        whole.push('}');
        named || is_repetition(&whole)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_go_reads_literally_is_escaped() {
        for (pattern, text) in [
            (r"\{\{x}}", "{{x}}"),
            (r"a{2}b{", "aab{"),
            (r"[[a]+", "[a"),
            (r"[^]x]y", "ay"),
            (r"[[:alpha:]_]{3}", "ab_"),
            (r"(?i)key-[a-z0-9]{4}\z", "KEY-ab12"),
            (r"\p{L}{2}", "éa"),
        ] {
            let regex = compile(pattern).unwrap();
            assert!(regex.is_match(text.as_bytes()), "{pattern} on {text}");
        }
        assert!(compile(r"(a{1000}){1000}").is_err());
    }
}
