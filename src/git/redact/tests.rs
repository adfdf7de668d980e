//! What is hidden, what stays, and that nothing is shown that an earlier form of the rules hid.

use std::sync::LazyLock;

use proptest::prelude::{prop_assert, proptest};
use proptest::strategy::Strategy;

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

#[test]
fn addresses_and_ordinary_messages_need_no_pattern() {
    for text in [
        "git@host.example:team/memory.git",
        "user@host.example:team/memory.git",
        "/srv/git/memory.git",
        "! [remote rejected] main -> main (pre-receive hook declined)",
        "fatal: the remote end hung up unexpectedly",
        "fatal: repository not found",
    ] {
        let needed: Vec<&str> =
            RULES.iter().filter(|rule| rule.may_match(text)).map(|rule| rule.pattern).collect();
        assert!(needed.is_empty(), "{text}: {needed:?}");
    }
}

#[test]
fn every_kind_of_token_is_hidden_whatever_stands_around_it() {
    let long = "a1B2c3D4e5".repeat(4);
    let upper = "A1B2C3D4E5".repeat(4);
    for (start, rest) in [
        ("ghp_", &long),
        ("gho_", &long),
        ("ghu_", &long),
        ("ghs_", &long),
        ("ghr_", &long),
        ("github_pat_", &long),
        ("glpat-", &long),
        ("gldt-", &long),
        ("glrt-", &long),
        ("glcbt-", &long),
        ("glptt-", &long),
        ("glft-", &long),
        ("glsoat-", &long),
        ("glagent-", &long),
        ("ATBB", &long),
        ("ATCTT3", &long),
        ("ATATT3", &long),
        ("AKIA", &upper[..16].to_owned()),
        ("ASIA", &upper[..16].to_owned()),
        ("xoxb-", &long),
        ("xoxs-", &long),
        ("sk-", &long),
        ("sk-", &"schlüssel-für-alle-im-raum".to_owned()),
        ("hf_", &long),
        ("npm_", &long),
        ("pypi-", &long),
        ("AIza", &long),
        ("dop_v1_", &"a1b2c3d4".repeat(8)),
        ("eyJ", &format!("{long}.{long}.{long}")),
        ("eyJ", &format!("{long}.{long}.")),
        ("AGE-SECRET-KEY-1", &upper),
    ] {
        let token = format!("{start}{rest}");
        assert!(is_token(&token), "{token}");
        for (before, after) in [("", ""), ("x", " y"), ("é", "\n"), ("(", ")"), ("„", ";x")] {
            let shown = redact(&format!("{before}{token}{after}"));
            assert_eq!(shown, format!("{before}{MASK}{after}"));
        }
        for length in [start.len() + 1, start.len() + 5] {
            let short: String = token.chars().take(length).collect();
            assert!(start == "AGE-SECRET-KEY-1" || !is_token(&short), "{short}");
        }
    }
    for word in ["", "git", "alice", "ghp", "sk-", "deploy-bot", "ada@example.org", "AKIA"] {
        assert!(!is_token(word), "{word}");
    }
}

#[test]
fn a_text_full_of_beginnings_is_gone_through_once() {
    for start in ["ghp_", "sk-", "eyJ", "eyJ.", "ATBB", "glpat-"] {
        let text = start.repeat(1 << 18);
        assert!(redact(&text).len() <= text.len());
    }
}

/// An earlier form of the rules, with every table of Unicode: what it hid stays hidden.
static BEFORE: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let token = concat!(
        r"(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}",
        r"|gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[\w.-]{16,}",
        r"|AT(?:BB|CTT3|ATT3)[\w=+/-]{16,}|(?:AKIA|ASIA)[A-Z0-9]{16}|xox[abeoprs]-[\w-]{10,}",
        r"|sk-[\w-]{20,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{20,}|pypi-[\w-]{20,}|AIza[\w-]{30,}",
        r"|dop_v1_[a-f0-9]{32,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|AGE-SECRET-KEY-1[A-Z0-9]+)"
    );
    let rules = [
        (r"(?i)\b(https?|ftps?)://[^\s/'<>]*@", "$1://***@"),
        (r#"\b([A-Za-z][\w+.-]*)://[^\s/@:'"<>]*:[^\s/@]*@"#, "$1://***@"),
        (
            r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|private-token|job-token|deploy-token|x-[\w-]*(?:token|key|auth)[\w-]*)(\s*[:=]\s*)[^\r\n]+",
            "$1$2***",
        ),
        (r"(?i)\b(bearer|basic)\s+[A-Za-z0-9+/._~=-]{8,}", "$1 ***"),
        (
            r#"(?i)((?:[\w-]*token|passw(?:or)?d|passphrase|secret|client_secret|api[_-]?key|access[_-]?key|sig|signature)["']?\s*[=:]\s*)["']?[^\s&"',;]+"#,
            "$1***",
        ),
        (token, MASK),
    ];
    rules.map(|(pattern, with)| (Regex::new(pattern).unwrap(), with)).into()
});

/// Pieces that texts with a credential are made of; `SECRET` stands for its unmistakable part.
const PIECES: &[&str] = &[
    "https",
    "HTTP",
    "ftp",
    "ssh",
    "git+ssh",
    "x",
    "é",
    "://",
    "/",
    "@",
    ":",
    "=",
    " ",
    "\n",
    "\t",
    "\u{a0}",
    "'",
    "\"",
    "<",
    ">",
    "&",
    ";",
    ",",
    "-",
    "_",
    ".",
    "%20",
    "user",
    "host.example",
    "Authorization",
    "proxy-authorization",
    "Cookie",
    "ſet-cookie",
    "private-token",
    "x-ac\u{fc}me-",
    "token",
    "to\u{212a}en",
    "auth",
    "passwd",
    "pa\u{17f}sword",
    "passphrase",
    "secret",
    "api_key",
    "access-key",
    "sig",
    "signature",
    "Bearer",
    "basic",
    "ghp_",
    "github_pat_",
    "glpat-",
    "gldt-",
    "ATBB",
    "AKIA",
    "xoxb-",
    "sk-",
    "hf_",
    "npm_",
    "pypi-",
    "AIza",
    "dop_v1_",
    "eyJ",
    "AGE-SECRET-KEY-1",
    "abcd1234",
    "ABCDEF1234567890",
    "öäü",
    "日本語",
    "SECRET",
    "SECRET",
    "SECRET",
    "SECRET",
];

proptest! {
    #[test]
    fn what_was_hidden_stays_hidden(
        text in proptest::collection::vec(proptest::sample::select(PIECES), 1..14)
            .prop_map(|pieces| pieces.concat()),
        secret in proptest::sample::select(&["Zq7W8e9R0t1Y2u3I4", "ZQ7W8E9R0T1Y2U3I", "dc0a8b7d6c5e4f3a2b1c0d9e8f7a6b5c"][..]),
    ) {
        let text = text.replace("SECRET", secret);
        let before = BEFORE
            .iter()
            .fold(text.clone(), |text, (rule, with)| rule.replace_all(&text, *with).into_owned());
        let now = redact(&text);
        let count = |shown: &str| shown.matches(secret).count();
        prop_assert!(count(&now) <= count(&before), "{text:?} became {now:?}, before {before:?}");
    }
}
