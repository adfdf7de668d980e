//! What hides a value from a reader or a scanner, undone.
//! Border: text in, plainer text out with the way back to its places; scans nothing.

pub(crate) mod base64;
pub(crate) mod percent;
pub(crate) mod escaped;
mod stretch;
mod wrapped;
mod spaced_hex;
mod base32;
mod dump;
pub(crate) mod decode;
pub(crate) mod obfuscation;
