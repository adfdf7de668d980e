//! All text that travels with a commit, a tag or a ref beside its files: names, addresses, message,
//! trailers, every other header.
//! Border: takes raw objects apart and asks the scanner; files are judged by [`Gate::content`], and
//! whether a signature is one is `trust`'s.
//!
//! Whoever sends or takes commits asks [`Gate::envelope`] with [`of_commit`] for each of them, with
//! [`of_tag`] for each tag object on the way and [`of_ref`] for each ref that is made or moved. Outside
//! a team memory [`Piece::findings`] gives the same with any scanner.

use super::Gate;
use super::verdict::Reason;
use crate::base::display::Escaped;
use crate::secrets::finding::{Confidence, Finding};
use crate::secrets::masking::without_values;
use crate::trust::signature::verify_commit;

/// What a trailer of ours begins with.
const TRAILER: &[u8] = b"Memsync-";

/// One text of an envelope and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its name as people read it: `author name`, `commit message`, `trailer Memsync-Agent`.
    pub name: String,
    /// What it says, raw.
    pub text: Vec<u8>,
    sureness: Sureness,
}

/// Which findings count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sureness {
    /// All, as in a file.
    Any,
    /// Those that prove themselves: a name is made of words, and words alone prove nothing.
    Sure,
}

impl Piece {
    fn is_signature(&self) -> bool {
        self.name.starts_with("header `gpgsig")
    }

    fn new(name: impl Into<String>, text: &[u8], sureness: Sureness) -> Self {
        Self { name: name.into(), text: text.to_vec(), sureness }
    }

    /// The credentials in it, by a function that scans a text.
    pub fn findings(&self, scan: impl Fn(&[u8]) -> Vec<Finding>) -> Vec<Finding> {
        let mut found = scan(&self.text);
        found.retain(|one| self.sureness == Sureness::Any || one.confidence > Confidence::Medium);
        found
    }

    /// Its name as it may be shown beside findings in it: the name of a header is foreign, too.
    pub fn shown(&self, findings: &[Finding]) -> String {
        Escaped(&without_values(&self.name, &self.text, findings)).to_string()
    }

    /// The reasons for findings in it.
    fn reasons(&self, findings: &[Finding]) -> Vec<Reason> {
        let shown = self.shown(findings);
        findings.iter().map(|finding| Reason::of_envelope(&shown, finding)).collect()
    }
}

/// The texts of a commit, from its bytes as git stores them. Ids are none, everything else is one.
pub fn of_commit(raw: &[u8]) -> Vec<Piece> {
    let mut pieces = of_object(raw, "commit");
    // A signature that holds has no room for anything else, and is as random as a credential.
    if pieces.iter().any(Piece::is_signature) && verify_commit(raw).is_ok() {
        pieces.retain(|piece| !piece.is_signature());
    }
    pieces
}

/// The texts of a tag object, from its bytes as git stores them.
pub fn of_tag(raw: &[u8]) -> Vec<Piece> {
    of_object(raw, "tag")
}

/// The name of a ref, full or short.
pub fn of_ref(name: &str) -> Vec<Piece> {
    vec![Piece::new("ref name", name.as_bytes(), Sureness::Sure)]
}

/// A text that is sent by itself, for example a display name in a request.
pub fn of_text(name: &str, text: &str) -> Vec<Piece> {
    vec![Piece::new(name, text.as_bytes(), Sureness::Any)]
}

/// Whether a reason's path names a text of an envelope and no file.
pub fn is_piece(path: &str) -> bool {
    const NAMES: [&str; 3] = ["ref name", "tag name", "display name"];
    const BEGINNINGS: [&str; 7] = [
        "author ",
        "committer ",
        "tagger ",
        "commit message",
        "tag message",
        "header `",
        "trailer ",
    ];
    NAMES.contains(&path)
        || !path.ends_with(".md") && BEGINNINGS.iter().any(|words| path.starts_with(words))
}

impl Gate<'_> {
    /// The credentials in the texts of an envelope that nobody accepted.
    pub fn envelope(&self, pieces: &[Piece]) -> Vec<Reason> {
        let of = |piece: &Piece| piece.reasons(&piece.findings(|text| self.counting("", text)));
        pieces.iter().flat_map(of).collect()
    }
}

/// Headers up to the first empty line, then the message.
fn of_object(raw: &[u8], kind: &str) -> Vec<Piece> {
    let (headers, message) = match raw.windows(2).position(|pair| pair == b"\n\n") {
        Some(at) => (&raw[..at], &raw[at + 2..]),
        None => (raw, &[][..]),
    };
    let mut pieces = Vec::new();
    for (name, value) in fields(headers) {
        match name {
            b"tree" | b"parent" | b"object" if is_id(&value) => {}
            b"author" | b"committer" | b"tagger" => person(name, &value, &mut pieces),
            b"type" if kind == "tag" => {}
            b"tag" if kind == "tag" => pieces.push(Piece::new("tag name", &value, Sureness::Sure)),
            _ => {
                // A name of a header is text as well: anyone can write any.
                let shown = String::from_utf8_lossy(name);
                let text = [name, b" ", &value].concat();
                pieces.push(Piece::new(format!("header `{shown}`"), &text, Sureness::Any));
            }
        }
    }
    let (body, trailers) = split_trailers(message);
    pieces.push(Piece::new(format!("{kind} message"), &body, Sureness::Any));
    pieces.extend(trailers);
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

/// The headers, continued lines put together with line breaks.
fn fields(headers: &[u8]) -> Vec<(&[u8], Vec<u8>)> {
    let mut found: Vec<(&[u8], Vec<u8>)> = Vec::new();
    for line in headers.split(|b| *b == b'\n') {
        match (line.first(), found.last_mut()) {
            (Some(b' '), Some((_, value))) => {
                value.push(b'\n');
                value.extend_from_slice(&line[1..]);
            }
            _ => {
                let end = line.iter().position(|b| *b == b' ').unwrap_or(line.len());
                found.push((&line[..end], line.get(end + 1..).unwrap_or_default().to_vec()));
            }
        }
    }
    found
}

/// `Name <email> seconds zone`; whatever does not read so is one text.
fn person(role: &[u8], value: &[u8], pieces: &mut Vec<Piece>) {
    let role = String::from_utf8_lossy(role);
    let open = value.iter().position(|b| *b == b'<');
    let close = value.iter().rposition(|b| *b == b'>');
    let (name, email, rest) = match (open, close) {
        (Some(open), Some(close)) if open < close => {
            (&value[..open], &value[open + 1..close], &value[close + 1..])
        }
        _ => (value, &[][..], &[][..]),
    };
    pieces.push(Piece::new(format!("{role} name"), name.trim_ascii(), Sureness::Any));
    pieces.push(Piece::new(format!("{role} e-mail"), email, Sureness::Any));
    let is_time = |b: &u8| b.is_ascii_digit() || matches!(b, b' ' | b'+' | b'-');
    if !rest.iter().all(is_time) {
        pieces.push(Piece::new(format!("{role} time"), rest, Sureness::Any));
    }
}

/// A message without the trailers of ours, and each of these by itself: the word `Session` before an
/// id does not make it a credential, but a credential there is one.
fn split_trailers(message: &[u8]) -> (Vec<u8>, Vec<Piece>) {
    let (mut body, mut trailers) = (Vec::new(), Vec::new());
    for line in message.split_inclusive(|b| *b == b'\n') {
        let end = line.iter().position(|b| *b == b':').filter(|_| line.starts_with(TRAILER));
        let Some(end) = end.filter(|end| line[..*end].iter().all(|b| is_token(*b))) else {
            body.extend_from_slice(line);
            continue;
        };
        let name = format!("trailer {}", String::from_utf8_lossy(&line[..end]));
        trailers.push(Piece::new(name, line[end + 1..].trim_ascii(), Sureness::Any));
    }
    (body, trailers)
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

fn is_id(value: &[u8]) -> bool {
    matches!(value.len(), 40 | 64) && value.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::*;
    use crate::secrets::Scanner;
    use crate::trust::key::SigningKey;
    use crate::trust::signature::sign_commit;

    fn token() -> String {
        ["ghp", "_", "ba8D1rTkY0WxZ", "q3mVnL5sJ7cHfE2g", "u0XfRi5"].concat()
    }

    const TREE: &str = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n";
    const ADA: &str = "Ada <ada@example.com> 1700000000 +0100";

    fn commit(author: &str, headers: &str, message: &str) -> String {
        format!("{TREE}author {author}\ncommitter {ADA}\n{headers}\n{message}")
    }

    /// The names of the pieces with a finding.
    fn found(pieces: &[Piece]) -> Vec<&str> {
        let scan = |text: &[u8]| Scanner::builtin().scan("", text);
        let holds = |piece: &&Piece| !piece.findings(scan).is_empty();
        pieces.iter().filter(holds).map(|piece| piece.name.as_str()).collect()
    }

    #[test]
    fn a_credential_is_found_in_every_text_of_a_commit_and_named_by_its_field() {
        let token = token();
        let signed = "gpgsig -----BEGIN SSH SIGNATURE-----\n";
        for (field, author, headers, message) in [
            ("author name", format!("{token} <a@b> 1 +0000"), String::new(), String::new()),
            ("author e-mail", format!("A <{token}@b> 1 +0000"), String::new(), String::new()),
            ("author time", format!("A <a@b> 1 {token}"), String::new(), String::new()),
            ("author name", token.clone(), String::new(), String::new()),
            ("header `note`", ADA.to_owned(), format!("note {token}\n"), String::new()),
            ("header `gpgsig`", ADA.to_owned(), format!("{signed} {token}\n"), String::new()),
            ("header `encoding`", ADA.to_owned(), format!("encoding {token}\n"), "x".to_owned()),
            ("commit message", ADA.to_owned(), String::new(), format!("s\n\nbody {token}\n")),
            (
                "trailer Memsync-Agent",
                ADA.to_owned(),
                String::new(),
                format!("s\n\nMemsync-Agent: {token}\n"),
            ),
            (
                "trailer Memsync-Session",
                ADA.to_owned(),
                String::new(),
                format!("s\n\nMemsync-Session: {token}\nMemsync-Member: ada\n"),
            ),
        ] {
            let raw = commit(&author, &headers, &message);
            let pieces = of_commit(raw.as_bytes());
            assert_eq!(found(&pieces), [field], "{raw}");
            assert!(is_piece(field));
            let scan = |text: &[u8]| Scanner::builtin().scan("", text);
            for reason in pieces.iter().flat_map(|piece| piece.reasons(&piece.findings(scan))) {
                assert!(reason.is_secret() && !format!("{reason:?}").contains(&token[..8]));
            }
        }
        let header = commit(ADA, &format!("{token} x\n"), "");
        let pieces = of_commit(header.as_bytes());
        assert_eq!(found(&pieces).len(), 1);
    }

    #[test]
    fn tags_and_refs_are_looked_at_as_commits_are() {
        let token = token();
        let id = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let tag = |name: &str, message: &str| {
            format!("object {id}\ntype commit\ntag {name}\ntagger {ADA}\n\n{message}")
        };
        assert_eq!(found(&of_tag(tag("v1", &token).as_bytes())), ["tag message"]);
        assert_eq!(found(&of_tag(tag(&token, "x").as_bytes())), ["tag name"]);
        assert!(found(&of_tag(tag("v1", "x").as_bytes())).is_empty());
        assert_eq!(found(&of_ref(&format!("refs/heads/{token}"))), ["ref name"]);
        assert!(found(&of_ref("refs/heads/rotate-password")).is_empty());
    }

    #[test]
    fn what_every_commit_holds_is_no_credential() {
        for session in [
            "7f3c2b1e-9d4a-4c8b-a1f0-5e6d7c8b9a01",
            "session_011CUmKx7VbRt5pQnW2sYzLd",
            "01HV6ZQ4M8X9T2N7K5R3W1YB0C",
            "9f86d081884c7d659a2feaa0c55ad015",
            "t-8842",
        ] {
            let message = format!(
                "Add deploy\n\nMemsync-Store: {}\nMemsync-Ref: refs/heads/main\nMemsync-Member: ada\n\
                 Memsync-Agent: claude-code\nMemsync-Session: {session}\n",
                "ab12".repeat(10)
            );
            let raw = commit(ADA, "", &message);
            assert!(found(&of_commit(raw.as_bytes())).is_empty(), "{session}");
        }
        // Signatures that hold, whatever their bytes spell.
        for seed in 0..=200 {
            let key = SigningKey::from_seed(&Zeroizing::new([seed; 32]));
            let unsigned = commit(ADA, "", "s\n");
            let raw = sign_commit(&key, unsigned.as_bytes()).unwrap();
            assert!(of_commit(&raw).iter().all(|piece| !piece.is_signature()), "{seed}");
        }
        // The armor of signatures, as random as they are.
        let mut state = 7_u64;
        for _ in 0..200 {
            let mut armor = String::from("gpgsig -----BEGIN SSH SIGNATURE-----\n");
            for _ in 0..5 {
                armor.push(' ');
                for _ in 0..70 {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let digits =
                        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
                    armor.push(char::from(digits[(state >> 58) as usize]));
                }
                armor.push('\n');
            }
            armor.push_str(" -----END SSH SIGNATURE-----\n");
            let raw = commit(ADA, &armor, "s\n");
            assert!(found(&of_commit(raw.as_bytes())).is_empty(), "{raw}");
        }
    }
}
