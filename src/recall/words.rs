//! Takes a text apart: words, identifiers and their parts, numbers, runs of CJK characters.
//! Border: knows scripts and spelling, no language.

use std::borrow::Cow;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A word as people write it.
    Word,
    /// An identifier of several words, such as `retryLimit` or `retry_limit`.
    Whole,
    /// One of its words; follows the whole.
    Part,
    /// Digits.
    Number,
    /// Chinese, Japanese or Korean characters without a gap.
    Run,
}

/// A piece of a text in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The piece.
    pub text: Cow<'a, str>,
    /// What it is.
    pub kind: TokenKind,
}

/// Longer words are hashes and encoded data, which no memory and prompt share by meaning.
const WORD_CHARS_MAX: usize = 60;

/// Takes a text apart, in its order.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::with_capacity(text.len() / 6);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if is_cjk(first) {
            let end = rest.find(|c| !is_cjk(c)).unwrap_or(rest.len());
            out.push(Token { text: Cow::Borrowed(&rest[..end]), kind: TokenKind::Run });
            end
        } else if first.is_alphanumeric() || first == '_' {
            let end = word_end(rest);
            take_word(rest[..end].trim_matches('_'), &mut out);
            end
        } else {
            first.len_utf8()
        };
        rest = &rest[end..];
    }
    out
}

/// Whether a character belongs to a script without spaces, or to Korean, whose words carry particles.
pub fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x11ff | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff
        | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

/// Where the word at the start of a text ends; an apostrophe between letters belongs to it.
fn word_end(text: &str) -> usize {
    let ascii = text.bytes().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(text.len());
    let ends =
        text.as_bytes().get(ascii).is_none_or(|byte| byte.is_ascii() && !b"'_".contains(byte));
    if ascii > 0 && ends {
        return ascii;
    }
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|next| next.1);
        let joins = matches!(c, '\'' | '’') && next.is_some_and(char::is_alphabetic) && at > 0;
        if is_cjk(c) || !(c.is_alphanumeric() || c == '_' || joins) {
            return at;
        }
    }
    text.len()
}

fn take_word<'a>(word: &'a str, out: &mut Vec<Token<'a>>) {
    if word.is_empty()
        || (word.len() > WORD_CHARS_MAX && word.chars().nth(WORD_CHARS_MAX).is_some())
    {
        return;
    }
    // Most words need no look at their humps.
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        out.push(Token { text: Cow::Borrowed(word), kind: TokenKind::Word });
        return;
    }
    let kind_of = |part: &str, kind| {
        let digits = part.chars().all(char::is_numeric);
        if digits { TokenKind::Number } else { kind }
    };
    let parts = parts(word);
    if parts.len() == 1 {
        out.push(Token { text: lower(parts[0]), kind: kind_of(parts[0], TokenKind::Word) });
        return;
    }
    out.push(Token { text: lower(word), kind: TokenKind::Whole });
    for part in parts {
        let kind = kind_of(part, TokenKind::Part);
        if kind == TokenKind::Number || part.len() > 1 {
            out.push(Token { text: lower(part), kind });
        }
    }
}

/// Cuts at `_`, before a hump (`retry|Limit`) and before the last capital of several (`HTTP|Server`),
/// but leaves one letter with what follows it (`iOS`).
fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in word.split('_').filter(|piece| !piece.is_empty()) {
        let mut start = 0;
        let mut before = None::<char>;
        for (at, c) in piece.char_indices() {
            let next = piece[at + c.len_utf8()..].chars().next();
            let hump = before.is_some_and(char::is_lowercase) && c.is_uppercase();
            let last_capital = before.is_some_and(char::is_uppercase)
                && c.is_uppercase()
                && next.is_some_and(char::is_lowercase);
            if piece[start..at].chars().nth(1).is_some() && (hump || last_capital) {
                parts.push(&piece[start..at]);
                start = at;
            }
            before = Some(c);
        }
        parts.push(&piece[start..]);
    }
    parts
}

fn lower(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return Cow::Borrowed(word);
    }
    word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|token| format!("{:?} {}", token.kind, token.text)).collect()
    }

    #[test]
    fn identifiers_come_whole_and_in_parts() {
        assert_eq!(shown("retryLimit"), ["Whole retrylimit", "Part retry", "Part limit"]);
        assert_eq!(shown("HTTPServer2"), ["Whole httpserver2", "Part http", "Part server2"]);
        assert_eq!(
            shown("_max_retry_3_"),
            ["Whole max_retry_3", "Part max", "Part retry", "Number 3"]
        );
        assert_eq!(shown("src/main.rs"), ["Word src", "Word main", "Word rs"]);
        assert_eq!(shown("iOS don’t 404"), ["Word ios", "Word don't", "Number 404"]);
        assert_eq!(shown("ÄrgerNis"), ["Whole ärgernis", "Part ärger", "Part nis"]);
    }

    #[test]
    fn scripts_without_spaces_come_as_runs() {
        assert_eq!(shown("把Redis重启"), ["Run 把", "Word redis", "Run 重启"]);
        assert_eq!(shown("___ 🚀 --"), Vec::<String>::new());
        assert_eq!(shown(&"x".repeat(61)), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn any_text_comes_apart_in_lower_case(text in "\\PC{0,80}") {
            for token in tokens(&text) {
                prop_assert!(!token.text.is_empty());
                let again = lower(&token.text);
                prop_assert_eq!(again.as_ref(), token.text.as_ref());
            }
        }
    }
}
