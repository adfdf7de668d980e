//! The public half: `ssh-ed25519` keys as OpenSSH writes them, and their fingerprints.
//! Border: ed25519 only. Other algorithms are refused by name, never half supported.

use std::fmt::{self, Debug, Display};
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use ed25519_dalek::VerifyingKey;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::base::display::Escaped;
use crate::trust::wire::{put_string, take_string};

/// The only key algorithm of members.
pub(in crate::trust) const ALGORITHM: &str = "ssh-ed25519";

/// Longest public key line that is read; an ed25519 key takes 80, the rest is comment.
const LINE_BYTES_MAX: usize = 1_024;

/// An ed25519 public key: the identity of a member. Compares by key; comments are not kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicKey([u8; 32]);

/// Why a text is not a usable public key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyProblem {
    /// Another algorithm than ed25519.
    #[error("key type `{0}` is not supported, only `ssh-ed25519`")]
    Algorithm(String),
    /// Not a public key line at all.
    #[error("`{0}` is not an OpenSSH public key line")]
    Malformed(String),
    /// A point for which anyone can sign.
    #[error("the key {0} is weak: signatures by it prove nothing")]
    Weak(Fingerprint),
    /// Not `SHA256:` and 43 base64 characters.
    #[error("`{0}` is not a key fingerprint like `SHA256:…`")]
    Fingerprint(String),
}

impl PublicKey {
    /// Takes the 32 bytes of a key; refuses points off the curve and of small order.
    pub fn from_bytes(bytes: [u8; 32]) -> Result<Self, KeyProblem> {
        let key = Self(bytes);
        let weak = VerifyingKey::from_bytes(&bytes).map_or(true, |point| point.is_weak());
        if weak { Err(KeyProblem::Weak(key.fingerprint())) } else { Ok(key) }
    }

    /// Reads `ssh-ed25519 AAAA… comment`; the comment is dropped.
    pub fn parse(line: &str) -> Result<Self, KeyProblem> {
        let malformed = || KeyProblem::Malformed(shown(line));
        let line = line.trim();
        if line.len() > LINE_BYTES_MAX || line.contains(['\n', '\r']) {
            return Err(malformed());
        }
        let (algorithm, rest) = line.split_once(' ').ok_or_else(malformed)?;
        if algorithm != ALGORITHM {
            let looks_like_type = algorithm.starts_with("ssh-")
                || algorithm.starts_with("ecdsa-")
                || algorithm.starts_with("sk-");
            let other = || KeyProblem::Algorithm(shown(algorithm));
            return Err(if looks_like_type { other() } else { malformed() });
        }
        let encoded = rest.trim_start().split(' ').next().unwrap_or_default();
        let blob = STANDARD.decode(encoded).map_err(|_| malformed())?;
        Self::from_blob(&blob).ok_or_else(malformed).and_then(Self::from_bytes)
    }

    /// The key bytes of an SSH public key blob (RFC 8709); `None` when it is anything else.
    pub(crate) fn from_blob(mut blob: &[u8]) -> Option<[u8; 32]> {
        let algorithm = take_string(&mut blob)?;
        let key = take_string(&mut blob)?;
        (algorithm == ALGORITHM.as_bytes() && blob.is_empty()).then(|| key.try_into().ok())?
    }

    /// The SSH public key blob (RFC 8709), as agents and signatures name the key.
    pub fn to_blob(&self) -> Vec<u8> {
        let mut blob = Vec::with_capacity(51);
        put_string(&mut blob, ALGORITHM.as_bytes());
        put_string(&mut blob, &self.0);
        blob
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The key as one line with a comment, as `id_ed25519.pub` holds it.
    pub fn to_line(&self, comment: &str) -> String {
        format!("{self} {}", Escaped(comment)).trim_end().to_owned()
    }

    /// The fingerprint people compare.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint(Sha256::digest(self.to_blob()).into())
    }
}

impl Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ALGORITHM} {}", STANDARD.encode(self.to_blob()))
    }
}

impl Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.fingerprint(), f)
    }
}

impl FromStr for PublicKey {
    type Err = KeyProblem;

    fn from_str(line: &str) -> Result<Self, KeyProblem> {
        Self::parse(line)
    }
}

impl TryFrom<String> for PublicKey {
    type Error = KeyProblem;

    fn try_from(line: String) -> Result<Self, KeyProblem> {
        Self::parse(&line)
    }
}

impl From<PublicKey> for String {
    fn from(key: PublicKey) -> Self {
        key.to_string()
    }
}

/// The SHA-256 of a public key, shown as OpenSSH shows it: `SHA256:` and unpadded base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint([u8; 32]);

impl Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SHA256:{}", STANDARD_NO_PAD.encode(self.0))
    }
}

impl Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl FromStr for Fingerprint {
    type Err = KeyProblem;

    fn from_str(text: &str) -> Result<Self, KeyProblem> {
        let bytes = || STANDARD_NO_PAD.decode(text.strip_prefix("SHA256:")?).ok()?.try_into().ok();
        bytes().map(Self).ok_or_else(|| KeyProblem::Fingerprint(shown(text)))
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = KeyProblem;

    fn try_from(text: String) -> Result<Self, KeyProblem> {
        text.parse()
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> Self {
        fingerprint.to_string()
    }
}

/// A short, escaped piece of foreign text for a message.
fn shown(text: &str) -> String {
    Escaped(&text.chars().take(60).collect::<String>()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A public key and its fingerprint as `ssh-keygen` prints them.
    const LINE: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ9lROuGpkkncZS9olE1YMHxKX+SBZyTFN4UGmoaEmsv a b";
    const FINGERPRINT: &str = "SHA256:3pnDGKwssnvOHuJVxsbGT0Cn/Z3Lu/fzXSuwXBF8etU";

    #[test]
    fn a_key_line_is_read_and_rendered_without_its_comment() {
        let key = PublicKey::parse(LINE);
        assert!(
            matches!(&key, Ok(key) if LINE.starts_with(&key.to_string())),
            "{key:?} from {LINE}"
        );
    }

    #[test]
    fn other_algorithms_are_named_and_junk_is_escaped() {
        let problem = |text: &str| PublicKey::parse(text).unwrap_err().to_string();
        assert!(problem("ssh-rsa AAAA").contains("`ssh-rsa` is not supported"));
        assert!(problem("\x1b[2J junk").contains("\\u{1b}[2J"));
        for junk in ["", "ssh-ed25519", "ssh-ed25519 AAAA", "ssh-ed25519 !", &LINE[..60]] {
            assert!(PublicKey::parse(junk).is_err(), "{junk}");
        }
    }

    #[test]
    fn points_anyone_can_sign_for_are_refused() {
        let mut identity = [0; 32];
        identity[0] = 1;
        for weak in [[0; 32], identity] {
            assert!(matches!(PublicKey::from_bytes(weak), Err(KeyProblem::Weak(_))));
        }
    }

    #[test]
    fn a_fingerprint_reads_back() {
        let fingerprint = PublicKey::parse(LINE).unwrap().fingerprint();
        assert_eq!(fingerprint.to_string(), FINGERPRINT);
        assert_eq!(FINGERPRINT.parse(), Ok(fingerprint));
        for bad in ["", "SHA256:", "MD5:aa", "SHA256:AAAA"] {
            assert!(bad.parse::<Fingerprint>().is_err(), "{bad}");
        }
    }
}
