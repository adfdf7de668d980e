//! Keys of members: the public key as identity, its fingerprint, and the signing key.
//! Border: values and OpenSSH text; where a key file lies is `sync::keys`' business.

mod age;
mod public;
mod secret;

pub use age::{AgeRecipient, AgeRecipientProblem};
pub use public::{Fingerprint, KeyProblem, PublicKey};
pub use secret::{
    KEY_TEXT_BYTES_MAX, KeyText, Passphrase, PassphrasePrompt, Protection, SecretKeyError,
    SigningKey,
};
