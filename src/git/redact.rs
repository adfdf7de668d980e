//! Takes credentials out of text that comes from git, a server or an address before anyone sees it.
//! Border: knows the shapes git and hosts print; the full scanner is `secrets`. Use [`foreign`] for
//! everything that is shown: redacted, escaped, bounded.

use std::sync::LazyLock;

use regex::Regex;

use crate::base::display::escape_block;

/// Longest message of git or a server that is kept, in bytes: a screen.
pub const FOREIGN_BYTES_MAX: usize = 4_096;

/// What stands in place of a credential.
const MASK: &str = "***";

/// Beginnings of tokens of the common git hosts and clouds, each with the shape of the rest.
const TOKEN: &str = concat!(
    r"(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[\w.-]{16,}",
    r"|AT(?:BB|CTT3|ATT3)[\w=+/-]{16,}|(?:AKIA|ASIA)[A-Z0-9]{16}|xox[abeoprs]-[\w-]{10,}",
    r"|sk-[\w-]{20,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{20,}|pypi-[\w-]{20,}|AIza[\w-]{30,}",
    r"|dop_v1_[a-f0-9]{32,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|AGE-SECRET-KEY-1[A-Z0-9]+)"
);

/// Each pattern, and what its match becomes.
static RULES: LazyLock<[(Regex, &str); 6]> = LazyLock::new(|| {
    let rule = |pattern: &str, with| {
        (Regex::new(pattern).expect("because the pattern is a tested constant"), with)
    };
    [
        // A web address never needs to show who logged in; an ssh one does (`git@`).
        rule(r"(?i)\b(https?|ftps?)://[^\s/'<>]*@", "$1://***@"),
        rule(r#"\b([A-Za-z][\w+.-]*)://[^\s/@:'"<>]*:[^\s/@]*@"#, "$1://***@"),
        rule(
            r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|private-token|job-token|deploy-token|x-[\w-]*(?:token|key|auth)[\w-]*)(\s*[:=]\s*)[^\r\n]+",
            "$1$2***",
        ),
        rule(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9+/._~=-]{8,}", "$1 ***"),
        rule(
            r#"(?i)((?:[\w-]*token|passw(?:or)?d|passphrase|secret|client_secret|api[_-]?key|access[_-]?key|sig|signature)["']?\s*[=:]\s*)["']?[^\s&"',;]+"#,
            "$1***",
        ),
        rule(TOKEN, MASK),
    ]
});

/// The text with credentials masked; may still hold terminal escapes.
pub fn redact(text: &str) -> String {
    let start = text.to_owned();
    RULES.iter().fold(start, |text, (pattern, with)| pattern.replace_all(&text, *with).into_owned())
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
    static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(&format!("^{TOKEN}$")).expect("because the pattern is a tested constant")
    });
    WHOLE.is_match(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up token, put together here so that no scanner trips on this file.
    fn token(prefix: &str) -> String {
        format!("{prefix}{}", "a1B2c3D4e5".repeat(4))
    }

    #[test]
    fn credentials_never_survive_in_any_place_git_prints_them() {
        let secret = token("");
        for text in [
            format!("fatal: unable to access 'https://user:{secret}@host.example/x.git/': 403"),
            format!("fatal: unable to access 'https://{secret}@host.example/x.git/': 403"),
            format!("https://a:b@{secret}@host/x"),
            format!("ssh://git:{secret}@host/x"),
            format!("> Authorization: Basic {secret}"),
            format!("=> Send header: authorization: Bearer {secret}"),
            format!("cookie: session={secret}; other=1"),
            format!("PRIVATE-TOKEN: {secret}"),
            format!("GET /x.git/info/refs?access_token={secret}&service=git-upload-pack"),
            format!("password={secret}"),
            format!("{{\"client_secret\": \"{secret}\"}}"),
        ] {
            let shown = redact(&text);
            assert!(!shown.contains(&secret), "{text} became {shown}");
            assert!(shown.contains(MASK), "{shown}");
        }
        for prefix in ["ghp_", "github_pat_", "glpat-", "npm_", "xoxb-", "hf_", "sk-"] {
            let text = format!("remote: push of {} declined", token(prefix));
            assert_eq!(redact(&text), "remote: push of *** declined");
            assert!(is_token(&token(prefix)));
        }
    }

    #[test]
    fn ordinary_messages_stay_as_they_are() {
        for text in [
            "fatal: could not read Username for 'https://host.example': terminal prompts disabled",
            "git@host.example: Permission denied (publickey).",
            "ssh://git@host.example:2222/team/memory.git",
            "remote: Resolving deltas: 100% (3/3), done.",
            "! [remote rejected] main -> main (pre-receive hook declined)",
        ] {
            assert_eq!(redact(text), text);
        }
        assert!(!is_token("git"));
    }

    #[test]
    fn foreign_text_is_escaped_and_bounded() {
        assert_eq!(foreign(b"\r\nremote: \x1b[2Jhi\xff\n\n"), "remote: \\u{1b}[2Jhi\u{fffd}");
        assert!(foreign(&b"x".repeat(1 << 20)).len() <= FOREIGN_BYTES_MAX + "…".len());
    }
}
