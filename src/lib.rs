//! memsync shares a coding agent's team memory over any git remote.
//!
//! Read from the top: **a module may import only modules declared above it**, and
//! `tests/it/architecture.rs` checks it. Three storeys and their doors:
//!
//! 1. *Rules* take values and give values. No files, clock, environment, processes or network.
//! 2. *Stores* are the only code that touches the world.
//! 3. *Flows* are what a person or an agent asks for: they do the I/O and ask the rules.
//! 4. *Doors* are how others ask. The program itself is `src/bin/memsync/`.
//!
//! Invariants that hold everywhere:
//! - A [`base::path::MemoryPath`] has passed the whole path gate; nothing else names a team file.
//! - A [`secrets::finding::Finding`] never holds the value it found.
//! - Outside `team/` only what a person asked for is written: private memories, keys, hooks, reports. No symlink
//!   is ever followed.
//! - A merge never puts a marker into a file and never loses a line without a record.

// Rules.
pub mod base;
pub mod memory;
pub mod secrets;
pub mod trust;
pub mod seal;
pub mod merge;
pub mod config;
pub mod gate;
pub mod audit;
pub mod recall;
pub mod instructions;
pub mod context;

// Stores.
pub mod system;
pub mod git;
pub mod store;

// Flows.
pub mod scan;
pub mod folder;
pub mod local;
pub mod sync;
pub mod memories;

// Doors.
pub mod agents;
pub mod report;
pub mod mcp;
