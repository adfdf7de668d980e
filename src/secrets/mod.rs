//! Finds credentials in text; a finding never holds the value.
//! Border: no files and no git; callers hand in bytes and a path to show.
//!
//! One keyword pass over the whole text, patterns only where a keyword stands, then structure
//! (checksums, decoded headers), then evidence that the value is a value and no placeholder.

mod entries;
pub mod finding;
pub(crate) mod encoding;
pub(crate) mod value;
pub mod rules;
pub(crate) mod named;
pub mod allow;
pub mod gitleaks;
pub mod scanner;
pub mod masking;
#[cfg(test)]
mod held_out;
#[cfg(test)]
mod ablation;

pub use finding::{Confidence, Finding, Severity};
pub use scanner::Scanner;
