//! The one integration binary: behaviour at the boundary of the library and the program.
//! Border: unit tests of a module's inside stay in the module.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test, in helpers too")]

#[cfg(unix)]
mod agent;
mod architecture;
#[cfg(unix)]
mod audit;
#[cfg(unix)]
mod attacks;
#[cfg(unix)]
mod cancel;
#[cfg(unix)]
mod cases;
mod circles;
#[cfg(target_os = "linux")]
mod clients;
#[cfg(unix)]
mod ci;
mod cli;
mod documents;
mod files;
#[cfg(unix)]
mod hooks;
#[cfg(unix)]
mod hooks_rules;
#[cfg(unix)]
mod hooks_run;
#[cfg(unix)]
mod host;
mod index;
#[cfg(unix)]
mod masking;
#[cfg(unix)]
mod mcp;
mod merge;
#[cfg(unix)]
mod mounts;
#[cfg(unix)]
mod objects;
mod paths;
mod readme;
mod recall;
mod reconcile;
#[cfg(unix)]
mod seal;
mod security_doc;
mod secrets;
mod secrets_encoded;
#[cfg(unix)]
mod servers;
#[cfg(unix)]
mod support;
#[cfg(unix)]
mod sync;
#[cfg(unix)]
mod transport;
mod trust;
#[cfg(unix)]
mod trust_model;
