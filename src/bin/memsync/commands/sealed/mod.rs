//! Commands: memories for named people.
//! Border: dispatch only.

pub(crate) mod seal;
pub(crate) mod open;
