//! Commands: what was shared, by whom.
//! Border: dispatch only.

pub(crate) mod log;
pub(crate) mod blame;
pub(crate) mod audit;
pub(crate) mod show;
