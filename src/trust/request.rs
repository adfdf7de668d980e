//! The line by which somebody asks to become a member: who, which key, and proof that the key is theirs.
//! Border: composes and checks the line; adding the member is an admin's decision.
//!
//! `memsync-request/1 STORE ID NAME KEY [AGE] PROOF`: name percent-encoded, key and proof base64, AGE
//! the age recipient of a person whose key cannot open sealed memories. The proof is an ed25519
//! signature, so the line cannot be altered or used for another team repository.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::trust::key::{AgeRecipient, PublicKey};
use crate::trust::roster::{Day, Member, MemberId, MemberKey, Role, RosterProblem};
use crate::trust::signature::{SignError, Signer, check_raw, sign_raw};

/// What the line begins with.
const FORMAT: &str = "memsync-request/1";
/// The namespace of the proof, so that it is no commit signature.
const NAMESPACE: &str = "memsync-request";
/// Longest line that is read.
const LINE_BYTES_MAX: usize = 2_048;

/// A request that was checked: the key signed exactly this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberRequest {
    /// The team repository it is for.
    pub store: ObjectId,
    /// The id the person asks for.
    pub id: MemberId,
    /// The name people read.
    pub name: String,
    /// The key.
    pub key: PublicKey,
    /// What sealed memories are sealed to, where the key cannot open them.
    pub age: Option<AgeRecipient>,
}

/// Why a line is no request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestProblem {
    /// Not the six or seven fields of a request line.
    #[error("`{0}` is not a line from `memsync member request`")]
    Malformed(String),
    /// An id or name that no member can have.
    #[error("the request asks for an impossible member")]
    Member(#[source] RosterProblem),
    /// The line was altered, or the sender does not hold the key.
    #[error("the request by `{0}` is not signed by the key it names")]
    Proof(MemberId),
    /// It was made for another team repository.
    #[error("the request by `{0}` is for another team repository")]
    OtherStore(MemberId),
}

impl MemberRequest {
    /// Signs a request and gives its line, without line ending.
    pub fn compose(
        signer: &dyn Signer,
        store: ObjectId,
        id: MemberId,
        name: &str,
        age: Option<AgeRecipient>,
    ) -> Result<String, SignError> {
        let (name, key) = (name.trim().to_owned(), signer.public_key());
        let request = Self { store, id, name, key, age };
        let text = request.text();
        let proof = sign_raw(signer, NAMESPACE, text.as_bytes())?;
        Ok(format!("{text} {}", STANDARD.encode(proof)))
    }

    /// Reads and checks a line made for the team repository `store`.
    pub fn parse(line: &str, store: ObjectId) -> Result<Self, RequestProblem> {
        let line = line.trim();
        let shown = || Escaped(&line.chars().take(60).collect::<String>()).to_string();
        let malformed = || RequestProblem::Malformed(shown());
        let fields: Vec<&str> = line.split(' ').collect();
        let (of, id, name, key, age, proof) = match fields[..] {
            [FORMAT, of, id, name, key, proof] => (of, id, name, key, None, proof),
            [FORMAT, of, id, name, key, age, proof] => (of, id, name, key, Some(age), proof),
            _ => return Err(malformed()),
        };
        if line.len() > LINE_BYTES_MAX {
            return Err(malformed());
        }
        let request = Self {
            store: of.parse().map_err(|_| malformed())?,
            id: MemberId::parse(id).map_err(RequestProblem::Member)?,
            name: decode_name(name).ok_or_else(malformed)?,
            key: PublicKey::parse(&format!("ssh-ed25519 {key}")).map_err(|_| malformed())?,
            age: age.map(AgeRecipient::parse).transpose().map_err(|_| malformed())?,
        };
        let proof = STANDARD.decode(proof).ok().and_then(|raw| <[u8; 64]>::try_from(raw).ok());
        let proof = proof.ok_or_else(malformed)?;
        let signed = check_raw(&request.key, &proof, NAMESPACE, request.text().as_bytes());
        if !signed {
            return Err(RequestProblem::Proof(request.id));
        }
        if request.store != store {
            return Err(RequestProblem::OtherStore(request.id));
        }
        let day = None;
        request.clone().into_member(Role::Reader, day).check().map_err(RequestProblem::Member)?;
        Ok(request)
    }

    /// The member an admin makes of it.
    pub fn into_member(self, role: Role, added: Option<Day>) -> Member {
        let keys = vec![MemberKey { key: self.key, device: None, added, revoked: None }];
        Member { id: self.id, name: self.name, role, keys, age: self.age }
    }

    /// The signed part of the line.
    fn text(&self) -> String {
        let key = STANDARD.encode(self.key.to_blob());
        let age = self.age.as_ref().map(|age| format!(" {age}")).unwrap_or_default();
        format!("{FORMAT} {} {} {} {key}{age}", self.store, self.id, encode_name(&self.name))
    }
}

/// Percent-encodes everything but letters and digits, so that a name is one word.
fn encode_name(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_alphanumeric() || matches!(c, '-' | '.' | '_') {
            out.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            write!(out, "%{byte:02X}").expect("because writing to a string cannot fail");
        }
    }
    out
}

/// Undoes [`encode_name`]; any other writing of the same name is refused.
fn decode_name(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (hex, tail) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?);
        rest = tail;
    }
    String::from_utf8(bytes).ok().filter(|name| encode_name(name) == text)
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::*;
    use crate::trust::key::SigningKey;

    fn store(n: u8) -> ObjectId {
        ObjectId::from_bytes(&[n; 20]).unwrap()
    }

    fn line(name: &str) -> String {
        compose(name, None)
    }

    fn compose(name: &str, age: Option<AgeRecipient>) -> String {
        let key = SigningKey::from_seed(&Zeroizing::new([1; 32]));
        MemberRequest::compose(&key, store(1), MemberId::parse("ann").unwrap(), name, age).unwrap()
    }

    #[test]
    fn an_age_recipient_is_part_of_what_is_signed() {
        let recipient = || age::x25519::Identity::generate().to_public().to_string();
        let (own, other) = (recipient(), recipient());
        let line = compose("Ann", Some(AgeRecipient::parse(&own).unwrap()));
        let request = MemberRequest::parse(&line, store(1)).unwrap();
        assert_eq!(request.age.as_ref().map(AgeRecipient::as_str), Some(own.as_str()));
        for altered in [line.replace(&own, &other), line.replace(&format!("{own} "), "")] {
            let problem = MemberRequest::parse(&altered, store(1));
            assert!(matches!(problem, Err(RequestProblem::Proof(_))), "{altered}");
        }
    }

    #[test]
    fn a_request_reads_back_for_its_own_team_only() {
        for name in ["Ann", "Ann O'Neil %41", "安 👩‍🔧"] {
            let request = MemberRequest::parse(&format!("{}\n", line(name)), store(1)).unwrap();
            assert_eq!((request.name.as_str(), request.id.as_str()), (name, "ann"));
            let other = MemberRequest::parse(&line(name), store(2));
            assert!(matches!(other, Err(RequestProblem::OtherStore(_))));
        }
    }

    #[test]
    fn an_altered_line_is_refused_at_every_byte() {
        let good = line("Ann");
        for at in 0..good.len() {
            for flip in [1, 0x20] {
                let mut bytes = good.clone().into_bytes();
                bytes[at] ^= flip;
                let Ok(text) = String::from_utf8(bytes) else { continue };
                assert!(MemberRequest::parse(&text, store(1)).is_err(), "{text}");
            }
        }
    }

    #[test]
    fn a_name_that_could_fool_a_terminal_is_refused() {
        for name in ["", "a\u{1b}[2J", "a\u{202E}b", &"x".repeat(200)] {
            assert!(MemberRequest::parse(&line(name), store(1)).is_err(), "{name:?}");
        }
    }
}
