//! Commands: who is in the team and where it is: members, keys, remotes, new beginnings.
//! Border: dispatch only.

pub(crate) mod init;
pub(crate) mod join;
pub(crate) mod role;
pub(crate) mod member;
pub(crate) mod vouch;
pub(crate) mod renew;
pub(crate) mod remote;
pub(crate) mod key;
mod key_rotate;
