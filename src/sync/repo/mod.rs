//! The open team repository and what every flow asks of it: place, lock, roster, policy, commit, remote.
//! Border: reads, and small writes that every flow shares; no fetch, no merge, nothing in the work tree.

pub(crate) mod message;
pub(crate) mod changed_files;
pub mod introduction;
pub(crate) mod lock;
pub(crate) mod stale_locks;
pub(crate) mod incomplete_setup;
pub mod remote;
pub mod team;
pub(crate) mod verified_cache;
pub(crate) mod roster;
pub(crate) mod own_rights;
pub(crate) mod team_gate;
pub(crate) mod find_path;
pub(crate) mod own_membership;
