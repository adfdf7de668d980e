//! Which memories matter for a prompt: what words mean, how well a memory answers, and when none does.
//! Border: values in, values out; reading the memories is `local::recall`'s business. The same
//! candidates and the same query give the same ranking on every machine and in every locale.
//!
//! From the ground up: `language` and `words` take a text apart, `lexicon` knows which words mean
//! the same, `terms` puts both together, `candidate` and `query` hold what is compared, `subject`
//! and `tools` know which memory is outdated or unneeded, `ranking` scores and draws the line.

pub mod weights;
pub mod keys;
pub mod language;
pub mod words;
pub mod lexicon;
pub mod terms;
pub mod candidate;
pub mod query;
pub mod subject;
pub mod tools;
pub mod score;
pub mod ranking;
pub mod excerpt;

#[cfg(test)]
mod tests;
