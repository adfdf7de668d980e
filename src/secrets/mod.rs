//! Finds credentials in text; a finding never holds the value.
//! Border: no files and no git; callers hand in bytes and a path to show.
//!
//! One keyword pass over the whole text, patterns only where a keyword stands, then structure
//! (checksums, decoded headers), then evidence that the value is a value and no placeholder.

pub mod finding;
mod entries;
pub mod sighting;
mod mnemonic;
pub(crate) mod sample;
mod decode;
mod disguise;
mod published;
mod kubernetes;
mod wallet;
mod codes;
pub mod check;
mod evidence;
mod placeholder;
mod technical;
mod password;
mod passphrase;
mod keywords;
mod outline;
pub mod rule;
mod compact;
pub mod ruleset;
mod marked;
mod near;
mod assign;
pub mod allowlist;
pub mod gitleaks;
pub mod engine;
#[cfg(test)]
mod builtin;
#[cfg(test)]
mod held_out;
#[cfg(test)]
mod ablation;

pub use engine::Scanner;
pub use finding::{Confidence, Finding, Severity};
