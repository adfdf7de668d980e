//! Takes credentials out of text that comes from git, a server or an address before anyone sees it.
//! Border: knows the shapes git and hosts print; the full scanner is `secrets`. Use [`foreign`] for
//! everything that is shown: redacted, escaped, bounded.

mod token;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

use self::token::{is_whole_token, mask_tokens};
use crate::base::display::escape_block;

/// Longest message of git or a server that is kept, in bytes: a screen.
pub const FOREIGN_BYTES_MAX: usize = 4_096;

/// What stands in place of a credential.
const MASK: &str = "***";

/// A pattern that is compiled when a text may match it.
struct Rule {
    /// Words, one of which a text must hold; in lower case.
    words: &'static [&'static str],
    /// Without `\w`, whose tables of Unicode take longer to compile than a whole command may run.
    pattern: &'static str,
    /// What its match becomes.
    with: &'static str,
    regex: OnceLock<Regex>,
}

/// The largest pattern of a [`Rule`] once it is compiled: a tenth of a millisecond.
const PATTERN_BYTES_MAX: usize = 32_768;

static RULES: [Rule; 5] = [
    // A web address never needs to show who logged in; an ssh one does (`git@`).
    rule(&["://"], r"(?i)(https?|ftps?)://[^\s/'<>]*@", "$1://***@"),
    rule(&["://"], r#"://[^\s/@:'"<>]*:[^\s/@]*@"#, "://***@"),
    rule(
        &["authorization", "cookie", "token", "key", "auth"],
        r"(?i)(?-u:\b)((?:proxy-)?authorization|(?:set-)?cookie|private-token|job-token|deploy-token|x-[^\s:=]*(?:token|key|auth)[^\s:=]*)(\s*[:=]\s*)[^\r\n]+",
        "$1$2***",
    ),
    rule(&["bearer", "basic"], r"(?i)(?-u:\b)(bearer|basic)\s+[A-Za-z0-9+/._~=-]{8,}", "$1 ***"),
    rule(
        &["token", "passw", "passphrase", "secret", "key", "sig"],
        r#"(?i)((?:token|passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|sig|signature)["']?\s*[=:]\s*)["']?[^\s&"',;]+"#,
        "$1***",
    ),
];

const fn rule(words: &'static [&'static str], pattern: &'static str, with: &'static str) -> Rule {
    Rule { words, pattern, with, regex: OnceLock::new() }
}

impl Rule {
    /// Whether a text in lower case may match.
    fn may_match(&self, lower: &str) -> bool {
        self.words.iter().any(|word| lower.contains(word))
    }

    fn mask(&self, text: &str) -> String {
        let regex = self.regex.get_or_init(|| {
            let built = RegexBuilder::new(self.pattern).size_limit(PATTERN_BYTES_MAX).build();
            built.expect("because the pattern is a tested constant")
        });
        regex.replace_all(text, self.with).into_owned()
    }
}

/// The text with credentials masked; may still hold terminal escapes.
pub fn redact(text: &str) -> String {
    // The two letters that are only another case of an ASCII one: patterns do not mind the case.
    let lower = text.to_lowercase().replace('ſ', "s");
    let needed = RULES.iter().filter(|rule| rule.may_match(&lower));
    let text = needed.fold(text.to_owned(), |text, rule| rule.mask(&text));
    mask_tokens(&text, MASK)
}

/// Foreign bytes as they may be shown: credentials masked, escapes visible, at most
/// [`FOREIGN_BYTES_MAX`], no empty lines at either end.
pub fn foreign(bytes: &[u8]) -> String {
    // Redact before cutting, so that no half of a credential escapes its pattern.
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
    let shown = escape_block(&redact(&text));
    let shown = shown.trim();
    match shown.len() > FOREIGN_BYTES_MAX {
        true => format!("{}…", &shown[..shown.floor_char_boundary(FOREIGN_BYTES_MAX)]),
        false => shown.to_owned(),
    }
}

/// Whether a whole word is a token of a known host, for example one given as a user name.
pub(super) fn is_token(word: &str) -> bool {
    is_whole_token(word)
}
