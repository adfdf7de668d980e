//! Credentials that are encoded as programs do it on the way: wrapped, escaped in part, spaced.
//! Border: one decoder at a time is proven in `secrets::encoding`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memsync::secrets::Scanner;

use crate::secrets::{ALNUM, drawn};

/// Rules that find something in a text.
fn rules(text: &str) -> Vec<String> {
    Scanner::builtin().scan("memory.md", text.as_bytes()).into_iter().map(|f| f.rule).collect()
}

fn token() -> String {
    format!("{}_{}", "ghp", drawn(ALNUM, 36, 11))
}

/// A private key as `ssh-keygen` writes it.
fn private_key() -> String {
    let mut bytes = b"openssh-key-v1\0".to_vec();
    bytes.extend(drawn(ALNUM, 400, 12).bytes().map(|b| b.wrapping_mul(167)));
    let label = "OPENSSH PRIVATE KEY-----";
    format!("-----BEGIN {label}\n{}\n-----END {label}\n", lines(&STANDARD.encode(bytes), 70, ""))
}

fn lines(text: &str, width: usize, indent: &str) -> String {
    let lines = text.as_bytes().chunks(width).map(|line| str::from_utf8(line).unwrap());
    lines.collect::<Vec<_>>().join(&format!("\n{indent}"))
}

/// Checks that each of the texts holds nothing but one credential of a rule.
fn check(rule: &str, texts: &[String]) {
    let missed: Vec<_> = texts.iter().filter(|text| rules(text) != [rule]).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn a_credential_in_wrapped_base64_or_digits_is_found() {
    let wrapped = |text: &str, width, indent| lines(&STANDARD.encode(text), width, indent);
    let key = private_key();
    let sentence = format!("The token of our bot is {} and it is good for one year only", token());
    let digits: String = sentence.bytes().map(|b| format!("{b:02x}")).collect();
    for (rule, plain) in [("private-key", &key), ("github-personal-token", &sentence)] {
        check(
            rule,
            &[
                format!("{}\n", wrapped(plain, 76, "")),
                format!("# The key\n\n    {}\n\nKeep it.\n", wrapped(plain, 64, "    ")),
                format!("> {}\nThen use it.\n", wrapped(plain, 76, "> ")),
                format!("key: |\n  {}\nother: 1\n", wrapped(plain, 76, "  ")),
                format!("echo \"{}\" | base64 -d\n", wrapped(plain, 76, "")),
                format!("{{\"key\": \"{}\"}}", wrapped(plain, 76, "").replace('\n', "\\n")),
                format!("KEY={}\n", STANDARD.encode(plain)),
            ],
        );
    }
    check("github-personal-token", &[format!("{}\n", lines(&digits, 60, ""))]);
}

#[test]
fn a_credential_with_some_characters_escaped_is_found() {
    let token = token();
    let (mark, rest) = token.split_once('_').unwrap();
    let mut texts: Vec<_> =
        ["&#95;", "&#x5F;", "&lowbar;", "%5F", "=5F", "\\u005f", "\\x5f", "\\137"]
            .iter()
            .map(|escape| format!("{{\"t\": \"{mark}{escape}{rest}\"}}"))
            .collect();
    let (head, tail) = token.split_at(30);
    texts.extend(
        ["=\n", "=\r\n", "&#8203;", "&shy;"].map(|soft| format!("it is {head}{soft}{tail}\n")),
    );
    texts.extend(["%67", "&#103;", "\\u0067", "=67"].map(|g| format!("t: {g}{}\n", &token[1..])));
    texts.extend(
        ["%20", "=3D", "\\u0022", "&nbsp;"].map(|before| format!("token{before}{token}\n")),
    );
    check("github-personal-token", &texts);
    let key = private_key();
    let mail = lines(&key.replace('=', "=3D").replace('\n', "\r\n"), 4000, "");
    check("private-key", &[mail, key.replace('\n', "&#10;"), key.replace('/', "\\/")]);
}

#[test]
fn a_credential_in_marked_or_spaced_digits_is_found() {
    let digits = |by: &str, mark: &str| {
        let each: Vec<_> = token().bytes().map(|b| format!("{mark}{b:02x}")).collect();
        each.join(by)
    };
    check(
        "github-personal-token",
        &[
            format!("0x{}", digits("", "")),
            format!("'\\x{}'::bytea", digits("", "")),
            format!("TOKEN={}", digits("", "")),
            digits(" ", ""),
            digits(":", ""),
            format!("[{}]", digits(", ", "0x")),
            format!("{{\n    {}\n}}", digits(",\n    ", "0x")),
        ],
    );
}

#[test]
fn what_is_encoded_and_no_credential_is_left_alone() {
    let picture =
        STANDARD.encode(drawn(ALNUM, 600, 13).bytes().map(|b| b ^ 0xA5).collect::<Vec<_>>());
    let prose =
        "A sentence about tokens, keys and passwords, which are kept in the vault. ".repeat(5);
    for text in [
        lines(&picture, 76, ""),
        lines(&STANDARD.encode(&prose), 76, ""),
        prose.replace('e', "&#101;"),
        prose.replace(' ', "%20"),
        prose.replace(' ', "=20").replace("keys", "ke=\nys"),
        "ghp&#95;your_token_here and %67hp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx".to_owned(),
        "MAC 02:42:ac:11:00:02, 12:34:56:78:9a:bc, SHA-256 de:ad:be:ef:00:11:22:33:44:55:66"
            .to_owned(),
    ] {
        assert_eq!(rules(&text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn marks_of_encodings_without_end_take_bounded_work() {
    for part in [
        "%67=67&#103;\\u0067 ",
        "67 68 0x69, ",
        "&&&&",
        "====\n",
        "%2525",
        "=\n",
        "abcdefghijklmnopqrstuvwx\n",
    ] {
        let text = part.repeat(200_000 / part.len());
        assert_eq!(rules(&text), Vec::<String>::new(), "{part}");
    }
}

#[test]
fn a_credential_in_base32_or_a_dump_is_found() {
    let token = token();
    let sentence = format!("token of the bot: {token}!");
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits: String = sentence.bytes().map(|b| format!("{b:08b}")).collect();
    let fives =
        bits.as_bytes().chunks(5).map(|five| format!("{:0<5}", str::from_utf8(five).unwrap()));
    let base32: String =
        fives.map(|five| char::from(alphabet[usize::from_str_radix(&five, 2).unwrap()])).collect();
    let dump = |by: usize, place: &str, turned: bool| {
        let lines = sentence.as_bytes().chunks(16).enumerate().map(|(at, line)| {
            let groups = line.chunks(by).map(|group| {
                let mut group = group.to_vec();
                if turned {
                    group.reverse();
                }
                group.iter().map(|b| format!("{b:02x}")).collect::<String>()
            });
            let text = String::from_utf8_lossy(line);
            format!("{:07x}{place} {}  {text}\n", at * 16, groups.collect::<Vec<_>>().join(" "))
        });
        lines.collect::<String>()
    };
    check(
        "github-personal-token",
        &[
            format!("It is {base32}.\n"),
            format!("SEED={}\n", base32.to_lowercase()),
            format!("```\n{}```\n", dump(2, ":", false)),
            dump(1, "", false),
            dump(4, ":", false),
            dump(2, "", true),
        ],
    );
}

#[test]
fn what_shows_nothing_hides_no_credential() {
    let token = token();
    let with = |filler: char| {
        let parts: Vec<&str> =
            token.as_bytes().chunks(4).map(|p| str::from_utf8(p).unwrap()).collect();
        format!("The token is {} here.\n", parts.join(&filler.to_string()))
    };
    let fillers = [
        '\u{2800}',
        '\u{E000}',
        '\u{F0041}',
        '\u{100041}',
        '\u{E0041}',
        '\u{FFFC}',
        '\u{301}',
        '\u{FDD0}',
    ];
    let mut texts: Vec<String> = fillers.into_iter().map(with).collect();
    let tags = token.chars().filter_map(|c| char::from_u32(0xE0000 + u32::from(c)));
    texts.push(format!("Nothing here{}.\n", tags.collect::<String>()));
    check("github-personal-token", &texts);
}
