//! Recovery codes of a second factor: what services print in a list, beside words that say so.
//! Border: a list of codes of one form; other values behind a name are `sentence`.

use std::ops::Range;

/// Words that announce codes, in any case.
pub(crate) static KEYWORDS: &[&str] = &[
    "recovery code",
    "recovery_code",
    "recovery-code",
    "recovery key",
    "recovery_key",
    "backup code",
    "backup_code",
    "backup-code",
    "scratch code",
    "emergency code",
    "2fa code",
    "mfa code",
    "wiederherstellungscode",
    "wiederherstellungsschl",
    "codes de secours",
    "codes de récup",
    "códigos de recup",
    "códigos de respaldo",
];

/// How far behind the announcement codes are read.
const WINDOW_BYTES: usize = 2_000;
/// Words may stand between the announcement and the first code, this far.
const LEAD_BYTES: usize = 90;
/// Services print sixteen codes at most.
const CODES_MAX: usize = 24;
/// A code of fewer characters is a word or a number.
const CODE_CHARS_MIN: usize = 8;
/// One code alone has at least so many.
const LONE_CHARS_MIN: usize = 12;

/// The codes behind an announcement.
pub(crate) fn codes(text: &[u8], keyword: &Range<usize>) -> Vec<Range<usize>> {
    let limit = text.len().min(keyword.end + WINDOW_BYTES);
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut form = None;
    let mut at = keyword.end;
    while at < limit && found.len() < CODES_MAX {
        if !text[at].is_ascii_alphanumeric() {
            let blank = text[at..limit].starts_with(b"\n\n") || text[at..limit].starts_with(b"\n#");
            if blank && !found.is_empty() {
                break;
            }
            at += 1;
            continue;
        }
        let word = word(text, at, limit);
        at = word.end;
        let this = Form::of(&text[word.clone()]);
        match (this, form) {
            (Some(this), None) => {
                form = Some(this);
                found.push(word);
            }
            (Some(this), Some(known)) if this == known => found.push(word),
            // Numbers of a list stand between codes.
            _ if text[word.clone()].iter().all(u8::is_ascii_digit) && word.len() < 3 => {}
            _ if found.is_empty() && word.end < keyword.end + LEAD_BYTES => {}
            _ => break,
        }
    }
    let lone = found.len() == 1
        && form
            .is_some_and(|form| form.chars >= LONE_CHARS_MIN && (form.letters || form.groups > 3));
    if found.len() > 1 || lone { found } else { Vec::new() }
}

/// The word at a place; groups of digits that only a space parts are one (`1234 5678`).
fn word(text: &[u8], at: usize, limit: usize) -> Range<usize> {
    let part = |at: usize| {
        text[at..limit]
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || b"-_".contains(b))
            .count()
    };
    let mut end = at + part(at);
    let four = |range: Range<usize>| range.len() == 4 && text[range].iter().all(u8::is_ascii_digit);
    if four(at..end) && text.get(end) == Some(&b' ') && end + 1 < limit {
        let next = end + 1..end + 1 + part(end + 1);
        if four(next.clone()) {
            end = next.end;
        }
    }
    at..end
}

/// What the codes of one service have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Form {
    chars: usize,
    groups: usize,
    letters: bool,
}

impl Form {
    /// The form of a word; `None` where it is no code but a word, a date or a version.
    fn of(word: &[u8]) -> Option<Self> {
        let groups: Vec<&[u8]> = word.split(|b| matches!(b, b'-' | b' ')).collect();
        let chars = word.iter().filter(|b| b.is_ascii_alphanumeric()).count();
        let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
        let even = groups.iter().all(|group| group.len() >= 3 && group.len() == groups[0].len());
        let letters = digits < chars;
        let date =
            !letters && groups.len() > 1 && (word.starts_with(b"19") || word.starts_with(b"20"));
        let drawn = digits > 0 && (digits < chars || groups.len() > 1 || chars == CODE_CHARS_MIN);
        let name = letters && digits * 6 < chars || word.contains(&b'_');
        let fits = chars >= CODE_CHARS_MIN && even && drawn && !date && !name;
        fits.then_some(Self { chars, groups: groups.len(), letters: letters && groups.len() < 2 })
    }
}

#[cfg(test)]
mod tests {
    use crate::secrets::Scanner;
    use crate::secrets::rules::sample::expand;

    fn count(template: &str) -> usize {
        let text = expand(template).unwrap();
        let findings = Scanner::builtin().scan("note.md", text.as_bytes());
        let named = findings.iter().filter(|finding| finding.rule == "recovery-code").count();
        assert_eq!(named, findings.len(), "{text}");
        named
    }

    #[test]
    fn each_code_of_a_list_is_a_finding() {
        for (template, codes) in [
            ("## Recovery codes\n\n- {hex:5}-{hex:5}1\n", 0),
            ("GitHub recovery codes:\n\n1{hex:4}-{hex:5}\n2{hex:4}-{hex:5}\n3{hex:4}-{hex:5}\n", 3),
            ("backup codes: 8123 {digit:4}, 3123 {digit:4}, 5123 {digit:4}", 3),
            ("2FA recovery codes (GitLab)\n\n* 1{hex:15}\n* 2{hex:15}\n", 2),
            ("scratch codes\n1. 8{digit:7}\n2. 7{digit:7}\n3. 9{digit:7}\n", 3),
            ("The recovery code of the shop is `1{upnum:3}-2{upnum:3}-3{upnum:3}-4{upnum:3}`.", 1),
            (
                "BitLocker recovery key: {digit:6}-{digit:6}-{digit:6}-{digit:6}-{digit:6}-{digit:6}",
                1,
            ),
            ("RECOVERY_CODES=\"1{hex:7} 2{hex:7}\"", 2),
        ] {
            assert_eq!(count(template), codes, "{template}");
        }
    }

    #[test]
    fn words_dates_and_builds_are_no_codes() {
        for text in [
            "Recovery codes are printed and stored in the office safe.",
            "Backup codes for build 2024-0117, 2024-0118, 2024-0119 were archived",
            "recovery code path: see `src/recovery-code-view.ts` and test-runner-2",
            "backup codes: ask ops, ticket OPS-12345678",
            "The recovery code retries 3 times after 1000 ms, then 10000 ms",
        ] {
            assert_eq!(count(text), 0, "{text}");
        }
    }
}
