//! Commands: what an agent is told.
//! Border: dispatch only.

pub(crate) mod instructions;
pub(crate) mod context;
