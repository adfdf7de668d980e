//! `.gitleaks.toml` as it is: rules, allow lists, keywords, entropy, secret groups, paths.
//! Border: our own rules stand in for gitleaks' default ones (`useDefault`); `extend.path` is for callers.

mod error;
mod dialect;
mod keys;
mod config;
mod read;
mod run;

pub use config::GitleaksConfig;
pub use error::GitleaksError;
