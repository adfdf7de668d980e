//! Commands: single memories and their index.
//! Border: dispatch only.

pub(crate) mod remember;
pub(crate) mod forget;
pub(crate) mod recall;
pub(crate) mod list;
pub(crate) mod search;
pub(crate) mod share;
pub(crate) mod edit;
pub(crate) mod undo;
pub(crate) mod index;
pub(crate) mod path;
