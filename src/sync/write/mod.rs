//! A person's or an agent's single change: remember, forget, resolve, the index.
//! Border: writes and stages; sharing it is `exchange`'s.

pub mod resolve;
pub mod remember;
pub mod reverse;
pub mod index_restore;
pub mod index;
