//! Made-up values of many kinds, each in a text as people write it.
//! Border: only what is random in a value is listed as its parts, so that nothing else can be meant.

use crate::secrets::{ALNUM, drawn};

/// One text and the parts of the values in it.
pub(crate) struct Sample {
    /// The file it has to be in, where that matters.
    pub(crate) name: Option<String>,
    pub(crate) text: String,
    /// Runs of bytes that must not be shown.
    pub(crate) values: Vec<String>,
}

fn sample(text: String, values: &[&str]) -> Sample {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    Sample { name: None, text, values }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let sum = chunk.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
        let sum = sum << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            text.push(char::from(DIGITS[(sum >> (18 - 6 * at)) as usize & 63]));
        }
    }
    text
}

/// Tokens that say what they are.
fn tokens(seed: u64) -> Vec<Sample> {
    let kinds = [
        (["gh", "p_"], 36),
        (["npm", "_"], 36),
        (["gl", "pat-"], 20),
        (["sk_l", "ive_"], 24),
        (["hv", "s."], 90),
        (["AIza", "Sy"], 33),
        (["dop", "_v1_"], 64),
        (["sk-ant", "-api03-"], 93),
    ];
    let mut all = Vec::new();
    for (at, (mark, length)) in kinds.into_iter().enumerate() {
        let alphabet = if mark == ["dop", "_v1_"] { "0123456789abcdef" } else { ALNUM };
        let value = drawn(alphabet, length, seed * 100 + at as u64);
        // Six digits of a hexadecimal value can stand in any fingerprint.
        let parts: &[&str] = if alphabet == ALNUM { &[&value] } else { &[] };
        let token = format!("{}{value}", mark.concat());
        all.push(sample(format!("The staging token is {token}, ask Ada.\n"), parts));
        all.push(sample(format!("export TOKEN=\"{token}\" # and {token}\n"), parts));
    }
    all
}

/// Values that only the words beside them give away.
fn passwords(seed: u64) -> Vec<Sample> {
    let texts: [fn(&str) -> String; 14] = [
        |v| format!("DB_PASSWORD={v}\nother line\n"),
        |v| format!("The VPN password is `{v}`.\n"),
        |v| format!("数据库密码是{v}\n"),
        |v| format!("postgres://app:{v}@db.internal/x\n"),
        |v| format!("https://bot:{v}@git.internal/x.git\n"),
        |v| format!("| API token | {v} |\n"),
        |v| format!("curl -H 'Authorization: Bearer {v}' https://a.internal\n"),
        |v| format!("- name: DB_PASSWORD\n  value: \"{v}\"\n"),
        |v| format!("mysql -h db -u root -p{v} app\n"),
        |v| format!("machine git.internal login ci password {v}\n"),
        |v| format!("{{\"user\": \"a\", \"password\": \"{v}\", \"note\": \"{v}\"}}\n"),
        |v| format!("password = \"{v}\" and once more: {v}{v}\n"),
        |v| format!("**DB password:** {v}\n\nAgain {v}.\n"),
        |v| format!("<!-- the admin password is {v} -->\n"),
    ];
    let value = |at: usize| format!("{}7kQ", drawn(ALNUM, 17, seed * 100 + 50 + at as u64));
    let one = |(at, text): (usize, &fn(&str) -> String)| sample(text(&value(at)), &[&value(at)]);
    texts.iter().enumerate().map(one).collect()
}

/// Values over several lines, in disguise, and several in one line.
fn shapes(seed: u64) -> Vec<Sample> {
    let value = |at: u64, length| drawn(ALNUM, length, seed * 100 + 80 + at);
    let mark = "ghp";
    let body = value(0, 36);
    let token = format!("{mark}_{body}");
    let (head, tail) = token.split_at(20);
    let (inner, outer) = (&head[4..], tail);
    let encoded = base64(token.as_bytes());
    let percent: String = token.bytes().map(|b| format!("%{b:02X}")).collect();
    let rsa = format!("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{}", value(1, 32));
    let lines: Vec<String> =
        std::iter::once(rsa.clone()).chain((2..14).map(|at| value(at, 64))).collect();
    let pem = |kind: &str, eol: &str| {
        let dashes = "-".repeat(5);
        let body = lines.join(eol);
        format!("{dashes}BEGIN {kind}{dashes}{eol}{body}{eol}{dashes}END {kind}{dashes}\n")
    };
    let mut parts: Vec<&str> = lines[1..].iter().map(String::as_str).collect();
    parts.push(&rsa[32..]);
    let openssh = format!("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB{}", value(15, 18));
    let ssh: Vec<String> =
        std::iter::once(openssh.clone()).chain((16..21).map(|at| value(at, 70))).collect();
    let dashes = "-".repeat(5);
    let key = ssh.join("\n");
    let ssh_text = format!(
        "{dashes}BEGIN OPENSSH PRIVATE KEY{dashes}\n{key}\n{dashes}END OPENSSH PRIVATE KEY{dashes}\n"
    );
    let mut ssh_parts: Vec<&str> = ssh[1..].iter().map(String::as_str).collect();
    ssh_parts.push(&openssh[52..]);
    let (one, two) = (value(22, 36), format!("{}7kQ", value(23, 17)));
    let claims = base64(format!("{{\"sub\":\"{}\",\"iat\":1700000000}}", value(24, 24)).as_bytes());
    let (payload, signature) = (claims.trim_end_matches('='), value(25, 43));
    let header = base64(b"{\"alg\":\"HS256\",\"typ\":\"JWT\"}");
    vec![
        sample(format!("a: {head}\n    {tail}\n"), &[inner, outer]),
        sample(format!("> {head}\\\n> {tail}\n"), &[inner, outer]),
        sample(format!("key {head}\u{200B}{tail} here\n"), &[inner, outer]),
        sample(format!("key {head}**{tail}** here\n"), &[inner, outer]),
        sample(format!("encoded: {encoded}\n"), &[&encoded[8..], &body]),
        sample(format!("https://a.internal/cb?x={percent}\n"), &[&percent[12..], &body]),
        sample(pem("PRIVATE KEY", "\n"), &parts),
        sample(format!("key: \"{}\"\n", pem("RSA PRIVATE KEY", "\\n").trim_end()), &parts),
        sample(pem("PRIVATE KEY", "\n    "), &parts),
        sample(ssh_text, &ssh_parts),
        sample(format!("{mark}_{one} and the password is {two}\n"), &[&one, &two]),
        sample(format!("jwt: {header}.{payload}.{signature}\n"), &[&payload[30..], &signature]),
    ]
}

/// Values in the name of a file.
fn names(seed: u64) -> Vec<Sample> {
    let value = |at: u64, length| drawn(ALNUM, length, seed * 100 + 40 + at);
    let (body, word, folder) = (value(0, 36), format!("{}7kQ", value(1, 12)), value(2, 36));
    let mark = "ghp";
    let named = |name: String, text: String, value: &str| Sample {
        name: Some(name),
        ..sample(text, &[value])
    };
    vec![
        named(format!("{mark}_{body}.md"), format!("token: {mark}_{body}\n"), &body),
        named(format!("{word}.md"), format!("The DB password is {word}.\n"), &word),
        named(format!("{mark}_{folder}/a.md"), format!("token: {mark}_{folder}\n"), &folder),
    ]
}

/// One of every kind.
pub(crate) fn samples(seed: u64) -> Vec<Sample> {
    let seed = seed + 11;
    [tokens(seed), passwords(seed), shapes(seed), names(seed)].into_iter().flatten().collect()
}
