//! Commands: sharing and checking: pull, push, what differs, conflicts, the hooks of git.
//! Border: dispatch only.

pub(crate) mod exchange;
pub(crate) mod propose;
pub(crate) mod status;
pub(crate) mod diff;
pub(crate) mod resolve;
pub(crate) mod merge_driver;
pub(crate) mod hooks;
pub(crate) mod check;
pub(crate) mod ci;
