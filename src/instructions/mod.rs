//! What an agent is told before a person says a word: instruction files, their order, imports, rules.
//! Border: values in, values out; files come through [`Files`], what one client is like is a [`Profile`].
//!
//! Everything here was measured on the real clients. Where that looks odd, it is what they do.

pub mod profile;
pub mod text;
pub mod import;
pub mod scope;
pub mod pattern;
pub mod exclude;
pub mod entry;
mod paths;
pub mod around;
mod reader;
mod chain;
mod triggered;
pub mod session;
pub mod codex;
pub mod lint;
#[cfg(test)]
#[path = "tests/table.rs"]
mod table;
#[cfg(test)]
#[path = "tests/touched.rs"]
mod touched;

pub use entry::{Entry, Kind, Level, State};
pub use profile::Profile;
pub use reader::{Files, Item, Unread};
