//! Opens sealed texts: the keys a person holds, and the trait by which a merge opens and seals again.
//! Border: nothing is given out before the whole text was authenticated; where keys lie and who is
//! asked for a passphrase is the caller's business.

use std::io::Read as _;

use age::{DecryptError, Decryptor, Identity};
use zeroize::Zeroizing;

use super::SealProblem;
use super::audience::Audience;
use super::envelope::Envelope;
use super::header::decode;
use crate::trust::key::{Protection, SigningKey};

/// A text that is readable only here; wiped on drop.
pub type Plain = Zeroizing<String>;

/// Takes over bytes that are wiped on drop.
pub fn wiped(bytes: Vec<u8>) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(bytes)
}

/// Why a sealed text stays closed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnlockError {
    /// It cannot be opened by anyone as it is.
    #[error(transparent)]
    Sealed(#[from] SealProblem),
    /// None of the keys at hand opens it.
    #[error("it is sealed for {audience}, and none of your keys opens it")]
    NotForYou {
        /// For whom it is sealed.
        audience: String,
    },
    /// The key that opens it lies in an agent or on a security key, which cannot.
    #[error("your key is in ssh-agent or on a security key, which can sign but not open")]
    InAgent,
    /// There is no key at all.
    #[error("there is no key to open it with")]
    NoKey,
    /// The key that opens it could not be used. The source says why.
    #[error("the key that opens it cannot be used")]
    Key(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// What was sealed is no text.
    #[error("what was sealed is not UTF-8 text")]
    NotText,
}

/// Whoever holds keys, asked only when a sealed text needs one.
pub trait Keys {
    /// Opens a sealed text.
    fn open(&self, envelope: &Envelope) -> Result<Plain, UnlockError>;
}

/// Opens the sealed memories of a merge and seals the result.
pub trait Unlock {
    /// The text of a sealed memory; `None` where it stays closed, for whatever reason.
    fn open(&self, envelope: &Envelope) -> Option<Plain>;

    /// Seals a text for what an audience asks for, as far as it is still in the roster.
    fn seal(&self, plain: &str, wanted: &Audience) -> Option<(Audience, String)>;
}

/// Nobody holds a key: sealed memories stay closed.
#[derive(Clone, Copy, Debug)]
pub struct NoKeys;

impl Keys for NoKeys {
    fn open(&self, _: &Envelope) -> Result<Plain, UnlockError> {
        Err(UnlockError::NoKey)
    }
}

impl Unlock for NoKeys {
    fn open(&self, _: &Envelope) -> Option<Plain> {
        None
    }

    fn seal(&self, _: &str, _: &Audience) -> Option<(Audience, String)> {
        None
    }
}

/// An opened private key that decrypts.
pub struct ReadingKey(Box<dyn Identity>);

impl ReadingKey {
    /// Of an ed25519 key that signs.
    pub fn of_ssh(key: &SigningKey) -> Option<Self> {
        let text = key.to_openssh("", &Protection::Plain);
        let identity = age::ssh::Identity::from_buffer(text.as_bytes(), None).ok()?;
        matches!(identity, age::ssh::Identity::Unencrypted(_)).then(|| Self(Box::new(identity)))
    }

    /// Of an `AGE-SECRET-KEY-1…` line.
    pub fn of_age(line: &str) -> Option<Self> {
        let identity: age::x25519::Identity = line.trim().parse().ok()?;
        Some(Self(Box::new(identity)))
    }
}

impl std::fmt::Debug for ReadingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ReadingKey(***)")
    }
}

/// Opens a sealed text with keys at hand; `None` where none of them opens it.
pub fn open_with(envelope: &Envelope, keys: &[ReadingKey]) -> Result<Option<Plain>, UnlockError> {
    let raw = decode(&envelope.armor)?;
    let decryptor = Decryptor::new_buffered(raw.as_slice()).map_err(|error| problem(&error))?;
    let identities = keys.iter().map(|key| key.0.as_ref());
    let mut reader = match decryptor.decrypt(identities) {
        Ok(reader) => reader,
        Err(DecryptError::NoMatchingKeys) => return Ok(None),
        Err(error) => return Err(problem(&error).into()),
    };
    // All of it, or nothing: a text that was cut must not be taken for a short one.
    let mut plain = Zeroizing::new(Vec::with_capacity(raw.len()));
    reader.read_to_end(&mut plain).map_err(|_| SealProblem::Damaged("it was cut or altered"))?;
    let text = std::str::from_utf8(&plain).map_err(|_| UnlockError::NotText)?;
    Ok(Some(Zeroizing::new(text.to_owned())))
}

fn problem(error: &DecryptError) -> SealProblem {
    match error {
        DecryptError::UnknownFormat => SealProblem::Version("another version".to_owned()),
        DecryptError::InvalidMac => SealProblem::Damaged("its header was altered"),
        DecryptError::InvalidHeader => SealProblem::Damaged("its header is not well-formed"),
        _ => SealProblem::Damaged("it was cut or altered"),
    }
}
