//! The keys of the person who asks: the signing key, and the identities that open sealed memories.
//! Border: knows no team repository; what a key may do is the roster's business.

pub mod signing_key;
pub mod signer;
pub mod identities;
