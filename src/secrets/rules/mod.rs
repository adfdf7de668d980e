//! Rules as data: what one may say, how the built-in ones are carried, where they look, how they match.
//! Border: one rule at one place of a text; `scanner` runs them all.

pub(crate) mod prefilter;
pub(crate) mod keyword_index;
pub mod spec;
pub(crate) mod builtin_format;
pub(crate) mod prefixed;
pub(crate) mod vendor_context;
pub(crate) mod sample;
pub mod ruleset;
#[cfg(test)]
pub(crate) mod builtin;
