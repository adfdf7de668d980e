//! The documents of `memsync key show|generate|import|rotate`.
//! Border: shape only; it never holds a private key.

use serde::Serialize;

use crate::sync::keys::signing_key::{KeyOutcome, KeyStorage};

/// `{"format":"memsync.key/1","path":"…","storage":"file","public_key":"ssh-ed25519 …","fingerprint":"SHA256:…"}`.
#[derive(Debug, Serialize)]
pub struct KeyDocument {
    /// Always `memsync.key/1`.
    pub format: &'static str,
    /// The file that holds the private key, or names one in ssh-agent.
    pub path: String,
    /// `file`, `encrypted-file` or `agent`.
    pub storage: &'static str,
    /// The public key as one line without comment.
    pub public_key: String,
    /// Its fingerprint, as `ssh-keygen -l` shows it.
    pub fingerprint: String,
}

impl KeyDocument {
    /// Describes a key.
    pub fn of(key: &KeyOutcome) -> Self {
        Self {
            format: "memsync.key/1",
            path: key.path.to_string_lossy().into_owned(),
            storage: match key.storage {
                KeyStorage::File => "file",
                KeyStorage::EncryptedFile => "encrypted-file",
                KeyStorage::Agent => "agent",
            },
            public_key: key.public.to_string(),
            fingerprint: key.public.fingerprint().to_string(),
        }
    }
}

/// What `memsync key rotate` did: the fields of [`KeyDocument`] for the new key, and these.
#[derive(Debug, Serialize)]
pub struct RotationDocument<'a> {
    /// The new key.
    #[serde(flatten)]
    pub key: KeyDocument,
    /// The file the old key is kept in; null with `--from`.
    pub old: Option<String>,
    /// `shared`, `committed` (no remote yet), `asked` (only an admin may) or `none` (no roster).
    pub roster: &'static str,
    /// The line for an admin; only with `asked`.
    pub request: Option<&'a str>,
}

/// Format of [`AgeDocument`].
pub const AGE_FORMAT: &str = "memsync.key-age/1";

/// An age identity, by its public half.
#[derive(Clone, Debug, Serialize)]
pub struct AgeDocument<'a> {
    /// `age1…`.
    pub recipient: &'a str,
    /// The file that holds the identity.
    pub path: std::borrow::Cow<'a, str>,
}
