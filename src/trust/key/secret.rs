//! The secret half: reads and writes OpenSSH key text, asks for a passphrase through a trait.
//! Border: no file, no terminal, no randomness of its own. Debug never shows a secret and
//! memory is wiped on drop.

use std::fmt::{self, Debug};

use ed25519_dalek::Signer as _;
use ssh_key::private::{Ed25519Keypair, KeypairData};
use ssh_key::{Cipher, Kdf, LineEnding, PrivateKey};
use zeroize::Zeroizing;

use crate::base::display::Escaped;
use crate::trust::key::public::{KeyProblem, PublicKey};

/// Largest private key text that is read; an ed25519 key takes about 500 bytes.
pub const KEY_TEXT_BYTES_MAX: usize = 64 * 1_024;
/// Most bcrypt rounds a key may ask for (OpenSSH writes 16 to 24); more would hang the program.
const KDF_ROUNDS_MAX: u32 = 2_000;
/// Rounds for keys we write, as OpenSSH 9 does.
const KDF_ROUNDS: u32 = 24;
/// How often a person may try a passphrase.
const PASSPHRASE_TRIES_MAX: u32 = 3;

/// A passphrase on its way; wiped on drop, masked in Debug.
pub struct Passphrase(Zeroizing<String>);

impl Passphrase {
    /// Takes over a passphrase.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Whether nothing was entered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The passphrase itself, for a key derivation only.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(***)")
    }
}

/// Asks a person for the passphrase of a key. The program implements it without echo.
pub trait PassphrasePrompt {
    /// Gives the passphrase for the key called `subject`; `attempt` counts from 1.
    ///
    /// `None` when nobody can be asked or the person declines.
    fn passphrase(&mut self, subject: &str, attempt: u32) -> Option<Passphrase>;
}

/// How key text that we write is protected.
#[derive(Debug)]
pub enum Protection<'a> {
    /// By the mode of its file alone.
    Plain,
    /// Encrypted with a passphrase; the salt is fresh random bytes.
    Passphrase(&'a Passphrase, [u8; 16]),
}

/// Why a private key cannot be used. The subject is the file or name the caller gave.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretKeyError {
    /// Not an OpenSSH private key, or damaged.
    #[error("`{subject}` is not an OpenSSH private key")]
    Malformed {
        /// The key as the caller named it, escaped.
        subject: String,
        /// What the reader said.
        source: ssh_key::Error,
    },
    /// A public key where the private one is needed.
    #[error("`{0}` is a public key; the private key is needed")]
    Public(String),
    /// Another algorithm than ed25519, or a public key nobody may use.
    #[error("`{subject}` cannot sign here")]
    Unusable {
        /// The key as the caller named it, escaped.
        subject: String,
        /// Which key is refused and why.
        source: KeyProblem,
    },
    /// Its key derivation would take minutes or more.
    #[error("`{subject}` asks for {rounds} key derivation rounds, over {KDF_ROUNDS_MAX}")]
    Rounds {
        /// The key as the caller named it, escaped.
        subject: String,
        /// Rounds it asks for.
        rounds: u32,
    },
    /// It is encrypted and no passphrase was given.
    #[error("`{0}` is protected by a passphrase and none was given")]
    Locked(String),
    /// The passphrase does not open it.
    #[error("the passphrase does not open `{0}`")]
    WrongPassphrase(String),
}

/// What a key file holds, seen without its passphrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyText {
    /// Only the public half; an agent may hold the rest.
    Public(PublicKey),
    /// A private key that anyone who reads the file can use.
    Plain(PublicKey),
    /// A private key behind a passphrase.
    Encrypted(PublicKey),
}

impl KeyText {
    /// Looks at OpenSSH private key text; `subject` names it in errors.
    pub fn read_private(text: &[u8], subject: &str) -> Result<Self, SecretKeyError> {
        let subject = Escaped(subject).to_string();
        let key = parse(text, &subject)?;
        let bytes = key.public_key().key_data().ed25519().map(|public| public.0);
        let bytes = bytes.expect("because `parse` lets only ed25519 keys through");
        let public = PublicKey::from_bytes(bytes)
            .map_err(|source| SecretKeyError::Unusable { subject, source })?;
        Ok(if key.is_encrypted() { Self::Encrypted(public) } else { Self::Plain(public) })
    }
}

/// An ed25519 private key that signs for a member.
#[derive(Clone)]
pub struct SigningKey {
    secret: ed25519_dalek::SigningKey,
    public: PublicKey,
}

impl SigningKey {
    /// Makes a key from 32 fresh random bytes.
    pub fn from_seed(seed: &Zeroizing<[u8; 32]>) -> Self {
        let secret = ed25519_dalek::SigningKey::from_bytes(seed);
        let public = PublicKey::from_bytes(secret.verifying_key().to_bytes())
            .expect("because a derived key is clamped and never of small order");
        Self { secret, public }
    }

    /// Reads OpenSSH private key text; `subject` names it in questions and errors.
    ///
    /// An encrypted key asks `prompt`, three times at most.
    pub fn from_openssh(
        text: &[u8],
        subject: &str,
        prompt: &mut dyn PassphrasePrompt,
    ) -> Result<Self, SecretKeyError> {
        let subject = Escaped(subject).to_string();
        let key = parse(text, &subject)?;
        if !key.is_encrypted() {
            return Self::from_private(&key, subject);
        }
        unlock(&key, &subject, prompt).and_then(|open| Self::from_private(&open, subject))
    }

    /// Writes OpenSSH private key text with a comment.
    pub fn to_openssh(&self, comment: &str, protection: &Protection<'_>) -> Zeroizing<String> {
        const WHY: &str = "because a plain ed25519 key always encodes";
        let pair = Ed25519Keypair::from_seed(self.secret.as_bytes());
        let comment = Escaped(comment).to_string();
        let mut key = PrivateKey::new(KeypairData::Ed25519(pair), comment).expect(WHY);
        if let Protection::Passphrase(passphrase, salt) = protection {
            let kdf = Kdf::Bcrypt { salt: salt.to_vec(), rounds: KDF_ROUNDS };
            // The check number only tells a wrong passphrase; any number that differs per file does.
            let check = salt.iter().fold(0_u32, |sum, b| sum.rotate_left(5) ^ u32::from(*b));
            key = key
                .encrypt_with(Cipher::Aes256Ctr, kdf, check, passphrase.expose().as_bytes())
                .expect("because cipher, rounds and salt are valid");
        }
        key.to_openssh(LineEnding::LF).expect(WHY)
    }

    /// The public half.
    pub fn public_key(&self) -> PublicKey {
        self.public
    }

    /// The raw ed25519 signature of some bytes. What is signed is the caller's business.
    pub(in crate::trust) fn sign_bytes(&self, bytes: &[u8]) -> [u8; 64] {
        self.secret.sign(bytes).to_bytes()
    }

    fn from_private(key: &PrivateKey, subject: String) -> Result<Self, SecretKeyError> {
        let source = ssh_key::Error::Crypto;
        let Some(pair) = key.key_data().ed25519() else {
            return Err(SecretKeyError::Malformed { subject, source });
        };
        let key = Self::from_seed(&Zeroizing::new(pair.private.to_bytes()));
        // A file whose halves differ could be made to leak the key through its signatures.
        if key.public.as_bytes() != &pair.public.0 {
            return Err(SecretKeyError::Malformed { subject, source });
        }
        Ok(key)
    }
}

impl Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey(*** {})", self.public.fingerprint())
    }
}

/// Reads key text of any kind and lets only ed25519 private keys through.
fn parse(text: &[u8], subject: &str) -> Result<PrivateKey, SecretKeyError> {
    let subject = subject.to_owned();
    if text.starts_with(b"ssh-") {
        return Err(SecretKeyError::Public(subject));
    }
    let text = text.get(..KEY_TEXT_BYTES_MAX).unwrap_or(text);
    let key = match PrivateKey::from_openssh(text) {
        Ok(key) => key,
        Err(source) => return Err(SecretKeyError::Malformed { subject, source }),
    };
    if key.public_key().key_data().ed25519().is_none() {
        let name = key.algorithm().as_str().to_owned();
        let source = KeyProblem::Algorithm(Escaped(&name).to_string());
        return Err(SecretKeyError::Unusable { subject, source });
    }
    Ok(key)
}

/// Opens an encrypted key, asking until it opens or the tries are used up.
fn unlock(
    key: &PrivateKey,
    subject: &str,
    prompt: &mut dyn PassphrasePrompt,
) -> Result<PrivateKey, SecretKeyError> {
    if let Kdf::Bcrypt { rounds, .. } = key.kdf()
        && *rounds > KDF_ROUNDS_MAX
    {
        return Err(SecretKeyError::Rounds { subject: subject.to_owned(), rounds: *rounds });
    }
    for attempt in 1..=PASSPHRASE_TRIES_MAX {
        let Some(passphrase) = prompt.passphrase(subject, attempt) else {
            let locked = attempt == 1;
            let error =
                if locked { SecretKeyError::Locked } else { SecretKeyError::WrongPassphrase };
            return Err(error(subject.to_owned()));
        };
        if let Ok(open) = key.decrypt(passphrase.expose().as_bytes()) {
            return Ok(open);
        }
    }
    Err(SecretKeyError::WrongPassphrase(subject.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers with these passphrases in turn.
    struct Answers(Vec<&'static str>);

    impl PassphrasePrompt for Answers {
        fn passphrase(&mut self, _: &str, _: u32) -> Option<Passphrase> {
            (!self.0.is_empty()).then(|| Passphrase::new(self.0.remove(0).to_owned()))
        }
    }

    fn key(n: u8) -> SigningKey {
        SigningKey::from_seed(&Zeroizing::new([n; 32]))
    }

    fn read(text: &str, answers: &[&'static str]) -> Result<PublicKey, SecretKeyError> {
        SigningKey::from_openssh(text.as_bytes(), "k", &mut Answers(answers.to_vec()))
            .map(|key| key.public_key())
    }

    #[test]
    fn a_plain_key_reads_back_without_a_question() {
        let text = key(1).to_openssh("me", &Protection::Plain);
        assert_eq!(read(&text, &[]).unwrap(), key(1).public_key());
    }

    #[test]
    fn an_encrypted_key_opens_with_its_passphrase_only() {
        let passphrase = Passphrase::new("four words".to_owned());
        let text = key(2).to_openssh("me", &Protection::Passphrase(&passphrase, [7; 16]));
        assert_eq!(read(&text, &["wrong", "four words"]).unwrap(), key(2).public_key());
        assert!(matches!(read(&text, &[]), Err(SecretKeyError::Locked(_))));
        assert!(matches!(read(&text, &["a"]), Err(SecretKeyError::WrongPassphrase(_))));
        let four = ["a", "b", "c", "four words"];
        assert!(matches!(read(&text, &four), Err(SecretKeyError::WrongPassphrase(_))));
    }

    #[test]
    fn debug_never_shows_a_secret() {
        let shown = format!("{:?} {:?}", key(3), Passphrase::new("hush".to_owned()));
        assert!(shown.starts_with("SigningKey(*** SHA256:") && !shown.contains("hush"), "{shown}");
    }

    #[test]
    fn damaged_and_public_texts_are_refused() {
        let text = key(4).to_openssh("me", &Protection::Plain);
        assert!(matches!(read("junk", &[]), Err(SecretKeyError::Malformed { .. })));
        assert!(matches!(read(&text[..200], &[]), Err(SecretKeyError::Malformed { .. })));
        let public = key(4).public_key().to_string();
        assert!(matches!(read(&public, &[]), Err(SecretKeyError::Public(_))));
    }
}
