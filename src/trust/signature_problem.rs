//! Why a commit's signature was not accepted.
//! Border: reasons in words; who finds them is `signature`, with the codec in `sshsig`.

use crate::trust::commit::CommitProblem;
use crate::trust::key::{KeyProblem, PublicKey};

/// Why a commit's signature was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureProblem {
    /// There is none.
    #[error("the commit is not signed")]
    Unsigned,
    /// The commit is not in canonical form, so its signature does not cover all of it.
    #[error(transparent)]
    Commit(#[from] CommitProblem),
    /// A PGP or X.509 signature.
    #[error("the signature is not an SSH signature")]
    NotSsh,
    /// Damaged armor, or armor that could be written in another way.
    #[error("the signature's armor is damaged or not in canonical form")]
    Armor,
    /// A damaged blob, or one with more in it than a signature.
    #[error("the signature is damaged or not in canonical form")]
    Blob,
    /// Made for another purpose, for example signing files.
    #[error("the signature was made for namespace `{0}`, not for what it is used for")]
    Namespace(String),
    /// Another hash than SHA-512 and SHA-256.
    #[error("the signature uses a hash other than sha512 and sha256")]
    Hash,
    /// Another key type than ed25519.
    #[error("the signature is not by an ed25519 key")]
    KeyAlgorithm,
    /// The key itself is refused.
    #[error(transparent)]
    Key(KeyProblem),
    /// The signature does not belong to these bytes and this key.
    #[error("the signature by {0:?} does not match the content")]
    Mismatch(PublicKey),
}
