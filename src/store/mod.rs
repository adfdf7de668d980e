//! The memory directory: where it is, what is in it, and the records that make writes crash-safe.
//! Border: no git history, no network.

pub mod agent;
pub mod folder;
pub mod locate;
pub mod pin;
pub mod project;
pub mod state;
pub mod agent_state;
