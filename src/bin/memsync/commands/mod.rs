//! One file per command; each parses its arguments, calls one flow and hands the outcome to the ui.
//! Border: no command knows the whole command line; `cli` puts them together.

pub(crate) mod team;
pub(crate) mod sync;
pub(crate) mod history;
pub(crate) mod memories;
pub(crate) mod sealed;
pub(crate) mod agents;
pub(crate) mod tools;
