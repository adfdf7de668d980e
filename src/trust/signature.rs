//! Signs commits and checks signed commits: SSHSIG, namespace `git`, canonical form only.
//! Border: says whose key signed which bytes. Whether that key may is `authorize`.

use ed25519_dalek::{Signature, VerifyingKey};

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::trust::commit::{Commit, CommitProblem, signature_header};
use crate::trust::key::{PublicKey, SigningKey};
use crate::trust::sshsig::{self, Blob, Hash};

pub use crate::trust::signature_problem::SignatureProblem;

/// The namespace of commit signatures, as git itself uses it.
pub const NAMESPACE_COMMIT: &str = "git";

/// Something that holds a member's private key and signs with it: a key or an agent.
pub trait Signer {
    /// The public half.
    fn public_key(&self) -> PublicKey;

    /// The ed25519 signature of exactly these bytes.
    fn sign_bytes(&self, bytes: &[u8]) -> Result<[u8; 64], SignError>;
}

/// Why something could not be signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The agent that holds the key failed.
    #[error("the agent did not sign with {key:?}")]
    Agent {
        /// The key that was asked to sign.
        key: PublicKey,
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The key could not be opened.
    #[error("the key {} cannot be opened", key.fingerprint())]
    Locked {
        /// The key.
        key: PublicKey,
        /// What went wrong.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// What came back does not verify.
    #[error("the signature made with {0:?} does not verify")]
    Wrong(PublicKey),
    /// The bytes to sign are not a commit without signature.
    #[error("the commit to sign is not in canonical form")]
    Commit(#[source] CommitProblem),
}

impl Signer for SigningKey {
    fn public_key(&self) -> PublicKey {
        Self::public_key(self)
    }

    fn sign_bytes(&self, bytes: &[u8]) -> Result<[u8; 64], SignError> {
        Ok(Self::sign_bytes(self, bytes))
    }
}

impl SignatureProblem {
    /// The stable name of the rule that refused.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Unsigned => "unsigned",
            Self::Commit(problem) => problem.rule(),
            Self::NotSsh => "signature-not-ssh",
            Self::Armor => "signature-armor",
            Self::Blob => "signature-blob",
            Self::Namespace(_) => "signature-namespace",
            Self::Hash => "signature-hash",
            Self::KeyAlgorithm => "signature-key-type",
            Self::Key(_) => "signature-weak-key",
            Self::Mismatch(_) => "signature-mismatch",
        }
    }
}

/// A commit whose signature was checked: these bytes were signed with this key.
#[derive(Clone, Debug)]
pub struct SignedCommit<'a> {
    /// The key that signed.
    pub signer: PublicKey,
    /// The commit itself.
    pub commit: Commit<'a>,
}

/// Checks the raw bytes of a commit object: canonical form, then the signature.
///
/// Accepts no two different byte strings for one signature, so a signed commit has one id.
pub fn verify_commit(raw: &[u8]) -> Result<SignedCommit<'_>, SignatureProblem> {
    let commit = Commit::parse(raw)?;
    let Some(header) = &commit.signature else { return Err(SignatureProblem::Unsigned) };
    let blob = Blob::from_armor(&unfold(header.folded)?)?;
    let payload = [&raw[..header.range.start], &raw[header.range.end..]];
    let signer = check(&blob, NAMESPACE_COMMIT, &payload)?;
    Ok(SignedCommit { signer, commit })
}

/// Checks an armored signature of a payload; gives the key that signed.
pub fn verify(armor: &str, namespace: &str, payload: &[u8]) -> Result<PublicKey, SignatureProblem> {
    check(&Blob::from_armor(armor)?, namespace, &[payload])
}

/// Signs a payload in a namespace; gives the armored signature with a final newline.
pub fn sign(signer: &dyn Signer, namespace: &str, payload: &[u8]) -> Result<String, SignError> {
    let (signer, signature) = (signer.public_key(), sign_raw(signer, namespace, payload)?);
    let blob = Blob { signer, namespace: namespace.to_owned(), hash: Hash::Sha512, signature };
    Ok(blob.to_armor())
}

/// Signs the raw bytes of an unsigned commit; gives the raw bytes of the signed one.
pub fn sign_commit(signer: &dyn Signer, unsigned: &[u8]) -> Result<Vec<u8>, SignError> {
    let commit = Commit::parse(unsigned).map_err(SignError::Commit)?;
    if commit.signature.is_some() {
        return Err(SignError::Commit(CommitProblem::SignatureTwice));
    }
    let armor = sign(signer, NAMESPACE_COMMIT, unsigned)?;
    Ok(insert_signature(unsigned, commit.tree, &armor))
}

/// Puts an armored signature where git expects it: directly after the committer.
fn insert_signature(unsigned: &[u8], tree: ObjectId, armor: &str) -> Vec<u8> {
    let blank = unsigned.windows(2).position(|pair| pair == b"\n\n");
    let at = blank.expect("because a parsed commit has a blank line") + 1;
    let folded = armor.trim_end().replace('\n', "\n ");
    let header = format!("{} {folded}\n", signature_header(tree));
    [&unsigned[..at], header.as_bytes(), &unsigned[at..]].concat()
}

/// Removes the space before each continuation line of a header value.
fn unfold(folded: &str) -> Result<String, SignatureProblem> {
    let mut lines = folded.split_inclusive('\n');
    let mut value = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        value.push_str(line.strip_prefix(' ').ok_or(SignatureProblem::Armor)?);
    }
    Ok(value)
}

fn check(blob: &Blob, namespace: &str, payload: &[&[u8]]) -> Result<PublicKey, SignatureProblem> {
    if blob.namespace != namespace {
        let shown: String = blob.namespace.chars().take(40).collect();
        return Err(SignatureProblem::Namespace(Escaped(&shown).to_string()));
    }
    let signed = sshsig::signed_bytes(namespace, blob.hash, payload);
    if is_signed_by(&blob.signer, &blob.signature, &signed) {
        Ok(blob.signer)
    } else {
        Err(SignatureProblem::Mismatch(blob.signer))
    }
}

/// Signs like [`sign`] and gives the bare 64 bytes.
pub(super) fn sign_raw(
    signer: &dyn Signer,
    namespace: &str,
    payload: &[u8],
) -> Result<[u8; 64], SignError> {
    let key = signer.public_key();
    let signed = sshsig::signed_bytes(namespace, Hash::Sha512, &[payload]);
    let signature = signer.sign_bytes(&signed)?;
    // An agent is foreign: a signature that others would refuse must not get into history.
    if is_signed_by(&key, &signature, &signed) { Ok(signature) } else { Err(SignError::Wrong(key)) }
}

/// Checks the bare 64 bytes that [`sign_raw`] gives.
pub(super) fn check_raw(
    key: &PublicKey,
    signature: &[u8; 64],
    namespace: &str,
    payload: &[u8],
) -> bool {
    is_signed_by(key, signature, &sshsig::signed_bytes(namespace, Hash::Sha512, &[payload]))
}

fn is_signed_by(key: &PublicKey, signature: &[u8; 64], bytes: &[u8]) -> bool {
    let signature = Signature::from_bytes(signature);
    VerifyingKey::from_bytes(key.as_bytes())
        .is_ok_and(|key| key.verify_strict(bytes, &signature).is_ok())
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::*;

    const UNSIGNED: &str = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
        author Ann <ann@example.org> 1700000000 +0100\n\
        committer Ann <ann@example.org> 1700000000 +0100\n\nnote: add one\n";

    fn key(n: u8) -> SigningKey {
        SigningKey::from_seed(&Zeroizing::new([n; 32]))
    }

    fn signed() -> Vec<u8> {
        sign_commit(&key(1), UNSIGNED.as_bytes()).unwrap()
    }

    fn rule(raw: &[u8]) -> &'static str {
        verify_commit(raw).map_or_else(|problem| problem.rule(), |_| "good")
    }

    #[test]
    fn what_we_sign_verifies_and_names_the_key() {
        let raw = signed();
        let verified = verify_commit(&raw).unwrap();
        assert_eq!(verified.signer, key(1).public_key());
        assert_eq!(verified.commit.message, "note: add one\n");
        assert_eq!(verified.commit.author.name, "Ann");
        assert_eq!(rule(UNSIGNED.as_bytes()), "unsigned");
        assert!(sign_commit(&key(1), &raw).is_err(), "signed twice");
    }

    #[test]
    fn every_single_byte_change_is_refused() {
        let raw = signed();
        for at in 0..raw.len() {
            for flip in [1, 2, 0x20, 0x80] {
                let mut twin = raw.clone();
                twin[at] ^= flip;
                assert_ne!(rule(&twin), "good", "byte {at} xor {flip}");
            }
            let mut cut = raw.clone();
            cut.remove(at);
            assert_ne!(rule(&cut), "good", "byte {at} removed");
            for extra in [b'\n', b' ', b'A', b'='] {
                let mut longer = raw.clone();
                longer.insert(at, extra);
                assert_ne!(rule(&longer), "good", "byte {at} inserted {extra}");
            }
        }
    }

    #[test]
    fn each_twin_that_git_calls_good_is_refused_by_its_own_rule() {
        let text = String::from_utf8(signed()).unwrap();
        let start = text.find("gpgsig ").unwrap();
        let end = text.find("\n\n").unwrap() + 1;
        let header = &text[start..end];
        let without = [&text[..start], &text[end..]].concat();
        let twin =
            |at: &str, put: &str| rule(text.replacen(at, &format!("{put}{at}"), 1).as_bytes());
        assert_eq!(twin("\nnote: add", header), "signature-twice");
        assert_eq!(twin("\nnote: add", "gpgsig junk\n"), "signature-twice");
        assert_eq!(twin("\nnote: add", "gpgsig-sha256 junk\n"), "signature-other-hash");
        assert_eq!(twin("\nnote: add", "mergetag junk\n"), "commit-extra-header");
        assert_eq!(twin("gpgsig ", "x-extra junk\n"), "commit-extra-header");
        assert_eq!(twin("gpgsig ", "encoding UTF-8\n"), "commit-encoding");
        let moved = without.replacen("author ", &format!("{header}author "), 1);
        assert_eq!(rule(moved.as_bytes()), "signature-place");
        let renamed = text.replacen("gpgsig ", "gpgsig-sha256 ", 1);
        assert_eq!(rule(renamed.as_bytes()), "signature-other-hash");
    }

    #[test]
    fn a_signature_made_for_files_is_no_commit_signature() {
        let armor = sign(&key(1), "file", UNSIGNED.as_bytes()).unwrap();
        let tree = Commit::parse(UNSIGNED.as_bytes()).unwrap().tree;
        let raw = insert_signature(UNSIGNED.as_bytes(), tree, &armor);
        assert_eq!(rule(&raw), "signature-namespace");
    }

    #[test]
    fn a_pgp_signature_is_named_as_such() {
        let tree = Commit::parse(UNSIGNED.as_bytes()).unwrap().tree;
        let armor = concat!("-----BEGIN PGP", " SIGNATURE-----\n\nAAAA\n-----END\n");
        let raw = insert_signature(UNSIGNED.as_bytes(), tree, armor);
        assert_eq!(rule(&raw), "signature-not-ssh");
    }
}
