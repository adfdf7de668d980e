//! Documents about the team: members, keys, hooks, where it is.
//! Border: shapes only.

pub mod key;
pub mod member;
pub mod hooks;
pub mod place;
pub mod renew;
