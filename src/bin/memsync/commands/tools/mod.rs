//! Commands: the program itself and what needs no team.
//! Border: dispatch only.

pub(crate) mod scan;
pub(crate) mod doctor;
pub(crate) mod whereis;
pub(crate) mod completions;
pub(crate) mod man;
