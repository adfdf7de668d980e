//! The scanner at its boundary: what it finds in disguise, what it leaves alone, what never leaks.
//! Border: one rule at a time is proven in `secrets::ruleset`; the program is `cli::scan`.

use memsync::report::json::scan::ScanDocument;
use memsync::report::{findings, sarif};
use memsync::scan::{Progress, Scan, files};
use memsync::secrets::allow::AllowList;
use memsync::secrets::{Confidence, Scanner};
use proptest::prelude::*;

/// Rules that find something in a text.
fn rules(text: &str) -> Vec<String> {
    Scanner::builtin().scan("memory.md", text.as_bytes()).into_iter().map(|f| f.rule).collect()
}

/// Characters drawn from a fixed sequence, so that no sample stands in this file.
pub(crate) fn drawn(alphabet: &str, count: usize, seed: u64) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        letters[(state >> 33) as usize % letters.len()]
    };
    (0..count).map(|_| next()).collect()
}

pub(crate) const ALNUM: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

fn token(seed: u64) -> String {
    format!("{}_{}", "ghp", drawn(ALNUM, 36, seed))
}

#[test]
fn a_token_is_found_whatever_mark_follows_it() {
    let token = token(1);
    for text in [
        format!("{token}."),
        format!("he pasted {token}, which works"),
        format!("**{token}**"),
        format!("[x](https://a.example/cb?token={token})"),
        format!("| staging | {token} | read-only |"),
        format!("a={token}&b=1"),
        format!("<!-- {token} -->"),
        format!("\"{token}\\n\""),
    ] {
        assert_eq!(rules(&text), ["github-personal-token"], "{text}");
    }
}

#[test]
fn a_token_is_found_through_every_disguise() {
    let token = token(2);
    let (head, tail) = token.split_at(20);
    let hex: String = token.bytes().map(|b| format!("{b:02x}")).collect();
    let percent: String = token.bytes().map(|b| format!("%{b:02X}")).collect();
    let unicode: String = token.bytes().map(|b| format!("\\u{b:04x}")).collect();
    let full_width: String =
        token.chars().map(|c| char::from_u32(u32::from(c) + 0xFEE0).unwrap()).collect();
    for text in [
        format!("{head}\u{200B}{tail}"),
        format!("{head}\n    {tail}\n"),
        format!("> {head}\\\n> {tail}\n"),
        format!("{head}**{tail}**"),
        format!("\"{head}\" + \"{tail}\""),
        format!("g\u{04BB}{}", &token[2..]),
        format!("x {full_width}"),
        hex,
        percent,
        unicode,
    ] {
        assert_eq!(rules(&text), ["github-personal-token"], "{text}");
    }
}

#[test]
fn a_password_is_found_in_sentences_of_many_languages() {
    let password = format!("{}7!k", drawn(ALNUM, 12, 3));
    for text in [
        format!("The VPN password is {password}"),
        format!("set the DB password to {password} and rerun"),
        format!("use {password} as the LDAP bind password for now"),
        format!("**DB password:** {password}"),
        format!("| DB password | {password} |"),
        format!("- name: DB_PASSWORD\n  value: \"{password}\""),
        format!("Das Passwort lautet {password}"),
        format!("La contraseña es {password}"),
        format!("Le mot de passe est {password}"),
        format!("A senha é {password}"),
        format!("数据库密码是{password}"),
        format!("пароль: {password}"),
        format!("パスワードは{password}"),
        format!("비밀번호는 {password}"),
        format!("machine git.example login ci password {password}"),
        format!("mysql -h db -u root -p{password} app"),
    ] {
        assert!(!rules(&text).is_empty(), "{text}");
    }
}

#[test]
fn a_key_is_found_beside_the_name_of_its_service() {
    let key = drawn("0123456789abcdef", 32, 6);
    for text in [
        format!("geoapify = {key}"),
        format!("SCRAPERAPI_KEY={key}"),
        format!("the Shodan token is `{key}`"),
        format!("acme ACCESS_KEY {key}"),
        format!("{{\"app.ini\": \"ACME_TOKEN={key}\\nBACKUP=true\"}}"),
    ] {
        let found = Scanner::builtin().scan("memory.md", text.as_bytes());
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(&text[found[0].bytes.clone()], key, "{text}");
    }
}

#[test]
fn what_only_talks_about_secrets_is_left_alone() {
    let hex = drawn("0123456789abcdef", 40, 4);
    for text in [
        "password: <your-password-here>".to_owned(),
        "export TOKEN=${CI_TOKEN}".to_owned(),
        "password = os.environ[\"DB_PASSWORD\"]".to_owned(),
        "token_ttl: 3600".to_owned(),
        "- password: op://Infra/grafana/admin-password".to_owned(),
        format!("git checkout {hex}"),
        format!("key commit: {hex}"),
        format!("sha1 of the key file: {hex}"),
        "postgres://postgres:postgres@localhost:5432/test".to_owned(),
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMenj7g8gC2oALwXXLolJntgaBwBiiXMenivyhWcVCnA"
            .to_owned(),
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----".to_owned(),
        "getAccessTokenFromRefreshToken() caches for 5 minutes".to_owned(),
        "The password must have at least 12 characters.".to_owned(),
        "the default password is \"topS3cr3tP4$$w0rd\"".to_owned(),
        "DOCKER_PASSWORD=botpass123".to_owned(),
        "token: 'MyReallySecretTokenThatExpiresAfter60Minutes'".to_owned(),
        "| 1 | **PASS** | `be-2y5h4f` notes: no findings |".to_owned(),
        "`-----BEGIN PRIVATE KEY-----` stands before a key. When one has been encrypted, \
         the words of its label say so, and the line after it too."
            .to_owned(),
        "kind: Secret\ndata:\n  greeting: aGVsbG8td29ybGQ=\n".to_owned(),
        "[post](https://blog.example/@ann/rotating-a-secret-store-with-2-vaults-f2a64f3db748)"
            .to_owned(),
        format!("AUTH0_CLIENT_ID={}", drawn(ALNUM, 32, 7)),
        "redis.password: urn:k8s:secret:redis:password1".to_owned(),
        "Cookie: app.token=eyJhbGciOiJIUzI1NiIs...".to_owned(),
        format!("{}_PersonalAccessToken01245678900000000", "ghp"),
        "app repo add --gpg-key D56C4FCA57A46444".to_owned(),
        format!("https://api.codacy.example/project/badge/Grade/{}", &hex[..32]),
    ] {
        assert_eq!(rules(&text), Vec::<String>::new(), "{text}");
    }
}

/// The values found in a text, in its order.
fn values(text: &str) -> Vec<&str> {
    let findings = Scanner::builtin().scan("memory.md", text.as_bytes());
    findings.into_iter().map(|finding| &text[finding.bytes]).collect()
}

#[test]
fn each_value_that_notes_call_a_credential_is_one_finding() {
    let password = format!("{}9!{}", drawn(ALNUM, 7, 31), drawn(ALNUM, 5, 32));
    let key = drawn("0123456789abcdef", 32, 33);
    let quoted = format!("Blue {} 41 jumps!", drawn("abcdefghijkl", 5, 34));
    for (text, expected) in [
        (format!("ssh root@10.0.0.4 (pw {password})\n\npw = {password}\n"), vec![&password; 2]),
        (format!("- Login: bot / {password}\n"), vec![&password]),
        (format!("- **Login**: `ops@acme.example` / `{password}`\n"), vec![&password]),
        (format!("creds: ops / {password}\n"), vec![&password]),
        (format!("database:\n  password: '{quoted}'\n"), vec![&quoted]),
        (format!("DB_PASSWORD=\"{quoted}\"\n"), vec![&quoted]),
        (format!("| Host | Password |\n|---|---|\n| a | {password} |\n"), vec![&password]),
        (format!("**Password**\n\n{password}\n"), vec![&password]),
        (format!("api_keys:\n  - {key}\nother_key: \"{key}\"\n"), vec![&key; 2]),
    ] {
        assert_eq!(values(&text), expected, "{text}");
    }
    let token = token(35);
    let escaped = token.replace('_', "\\_");
    assert_eq!(values(&format!("token {escaped} for the bot")), [escaped.as_str()]);
    assert_eq!(rules(&format!("**{escaped}**")), ["github-personal-token"]);
}

#[test]
fn results_files_and_ids_are_no_credentials() {
    let id = |seed| drawn(ALNUM, 16, seed);
    let sheet = drawn(&format!("{ALNUM}-_"), 44, 41);
    for text in [
        "- unit [PASS 12/12], e2e [FAIL→PASS — High+2 Medium fixed]".to_owned(),
        "PASS: 118, FAIL→PASS is Chrome120 only".to_owned(),
        "- `credential_caching.md`, `create-bug-04-issue.ps1`".to_owned(),
        "`token.cache.ts`, `fix-2-tokens.mjs`".to_owned(),
        format!("All credentials are in memory and the master Google Sheet (ID: `{sheet}`)."),
        format!("- `mailTool` → `mailOAuth2: {}`", id(42)),
        format!("- Ads OAuth2 (`{}`) + dev token", id(43)),
        format!("n8n credential {} now connected", id(44)),
        format!("Use the request node and the chat cred (`{}`) instead.", id(45)),
        "\"password\": \"Please enter 12 characters or more\"".to_owned(),
        "gpg --recv-keys 5BE8A3F6C8A5C01D106C0AD820B1A390B168D356".to_owned(),
    ] {
        assert_eq!(values(&text), [""; 0], "{text}");
    }
}

#[test]
fn a_right_checksum_is_proof_and_a_wrong_one_still_counts() {
    let body = drawn(ALNUM, 30, 5);
    let sum = {
        let mut rest = crc32(body.as_bytes()) as usize;
        let digits: Vec<char> =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".chars().collect();
        let mut text = vec!['0'; 6];
        for place in text.iter_mut().rev() {
            *place = digits[rest % 62];
            rest /= 62;
        }
        text.into_iter().collect::<String>()
    };
    let confidence = |token: String| {
        Scanner::builtin().scan("a.md", token.as_bytes()).first().map(|finding| finding.confidence)
    };
    let (mark, wrong) = ("ghp", drawn(ALNUM, 6, 9));
    assert_eq!(confidence(format!("{mark}_{body}{sum}")), Some(Confidence::Proven));
    assert_eq!(confidence(format!("{mark}_{body}{wrong}")), Some(Confidence::High));
}

/// CRC-32 (IEEE 802.3), bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            sum >> 1 ^ (sum & 1).wrapping_neg() & 0xEDB8_8320
        })
    })
}

#[test]
fn the_same_value_has_the_same_fingerprint_in_every_place_and_disguise() {
    let token = token(6);
    let print =
        |text: &str| Scanner::builtin().scan("a.md", text.as_bytes())[0].fingerprint.clone();
    let plain = print(&token);
    let encoded: String = token.bytes().map(|b| format!("{b:02x}")).collect();
    assert_eq!(print(&format!("# moved\n\ntoken: {token}\n")), plain);
    assert_eq!(print(&format!("see {encoded} there")), plain);
    assert_ne!(print(&self::token(7)), plain);
}

#[test]
fn one_enormous_line_takes_bounded_work() {
    let mut text = "password token key secret ".repeat(20_000).into_bytes();
    text.extend(b"-----BEGIN RSA PRIVATE KEY-----".repeat(500));
    text.extend("ghp_ sk-ant- AKIA eyJ ".repeat(5_000).into_bytes());
    assert!(Scanner::builtin().scan("a.md", &text).is_empty());
}

/// Every output of one scan.
fn outputs(text: &str) -> Vec<String> {
    let progress = Progress::default();
    let scan =
        Scan { scanner: Scanner::builtin(), allow: AllowList::default(), progress: &progress };
    let outcome = files::scan_text(&scan, "note.md", None, text.as_bytes());
    vec![
        format!("{outcome:?}"),
        serde_json::to_string(&ScanDocument::of(&outcome, 0.1)).unwrap(),
        sarif::sarif(&outcome).to_string(),
        findings::csv(&outcome),
        findings::junit(&outcome),
        findings::github(&outcome),
        findings::gitlab(&outcome).to_string(),
    ]
}

#[test]
fn tokens_of_a_place_in_a_list_or_of_a_change_are_no_credentials() {
    let value = drawn(ALNUM, 40, 21);
    for name in
        ["nextForwardToken", "next_backward_token", "change-token", "LockToken", "cursor_token"]
    {
        assert_eq!(rules(&format!("\"{name}\": \"{value}\"")), [""; 0], "{name}");
    }
    assert_eq!(rules(&format!("\"deployToken\": \"{value}\"")).len(), 1);
    for sample in ["NewPassword", "newpassword99"] {
        assert_eq!(rules(&format!("--password {sample}")), [""; 0], "{sample}");
    }
}

/// The required members and fixed words of the SARIF 2.1.0 schema, as far as we use it. The schema
/// itself is not in this repository, because its licence is not one we can take over.
#[test]
fn the_sarif_log_has_the_structure_of_its_schema() {
    let text = format!("a: {}\nDB_PASSWORD={}\n", token(11), drawn(ALNUM, 30, 12));
    let progress = Progress::default();
    let scan =
        Scan { scanner: Scanner::builtin(), allow: AllowList::default(), progress: &progress };
    let log = sarif::sarif(&files::scan_text(&scan, "dir/a b#%ü.md", None, text.as_bytes()));
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().starts_with("https://"));
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let driver = &run["tool"]["driver"];
    assert!(driver["name"].is_string() && driver["semanticVersion"].is_string());
    let rules = driver["rules"].as_array().unwrap();
    let ids: Vec<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "each rule once: {ids:?}");
    let levels = ["none", "note", "warning", "error"];
    for rule in rules {
        assert!(rule["shortDescription"]["text"].is_string());
        assert!(levels.contains(&rule["defaultConfiguration"]["level"].as_str().unwrap()));
    }
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for result in results {
        assert!(result["message"]["text"].is_string());
        assert!(levels.contains(&result["level"].as_str().unwrap()));
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(result["ruleId"], ids[index]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "dir/a%20b%23%25%C3%BC.md");
        let region = &place["region"];
        for name in ["startLine", "startColumn", "endLine", "endColumn"] {
            assert!(region[name].as_u64().unwrap() >= 1, "{name}");
        }
        assert!(region["snippet"]["text"].is_string());
        assert!(result["partialFingerprints"]["memsyncFinding/v1"].is_string());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(4),
        ..ProptestConfig::with_cases(96)
    })]

    #[test]
    fn no_output_holds_six_bytes_of_a_value(seed in any::<u64>(), shape in 0_usize..8) {
        let value = drawn(ALNUM, 36, seed);
        let text = match shape {
            0 => format!("{}_{value} and again {}_{value}", "ghp", "ghp"),
            1 => format!("DB_PASSWORD={value}\nother line"),
            2 => format!("The admin password is `{value}`."),
            3 => format!("postgres://app:{value}@db.internal/x"),
            4 => format!("| API token | {value} |"),
            5 => format!("a: {}_{} \n    {}", "ghp", &value[..20], &value[20..]),
            6 => format!("token = \"{value}\" # {value}"),
            _ => format!("curl -H 'Authorization: Bearer {value}' https://a.example"),
        };
        for output in outputs(&text) {
            for window in value.as_bytes().windows(6) {
                let window = std::str::from_utf8(window).unwrap();
                prop_assert!(!output.contains(window), "{window} of {text} is in {output}");
            }
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        let found = Scanner::builtin().scan("a.md", &bytes);
        for finding in found {
            prop_assert!(finding.bytes.end <= bytes.len() && finding.start <= finding.end);
        }
    }

    #[test]
    fn bits_of_credentials_in_any_order_never_panic(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("password"), Just(" is "), Just("="), Just("\n"), Just("`"), Just("ghp_"), Just("://"),
                Just("@"), Just(":"), Just("|"), Just("kind: Secret"), Just("data:"), Just("\u{200B}"), Just("р"),
                Just("%41"), Just("\\u0041"), Just("-----BEGIN PRIVATE KEY-----"), Just("eyJ"), Just("abc123XYZ"),
            ],
            0..60,
        )
    ) {
        let text = parts.concat();
        drop(Scanner::builtin().scan("a.md", text.as_bytes()));
    }
}
