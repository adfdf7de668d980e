//! Commands: what an agent is told, and the doors by which it comes in.
//! Border: dispatch only.

pub(crate) mod instructions;
pub(crate) mod context;
pub(crate) mod here;
pub(crate) mod agent_hook;
pub(crate) mod agent;
pub(crate) mod mcp;
pub(crate) mod watch;
