//! Finds credentials in text; a finding never holds the value.
//! Border: no files and no git; callers hand in bytes and a path to show.
//!
//! One keyword pass over the whole text, patterns only where a keyword stands, then structure
//! (checksums, decoded headers), then evidence that the value is a value and no placeholder.

pub mod finding;
pub mod rule;
mod sample;
pub mod check;
mod evidence;
pub mod ruleset;
mod keywords;
pub mod engine;
mod builtin;

pub use engine::Scanner;
pub use finding::{Confidence, Finding, Severity};
