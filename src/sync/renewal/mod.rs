//! A history without a value that leaked: finding it everywhere, and the new history that everyone follows.
//! Border: an admin's explicit decision; nothing here happens by itself.

pub(crate) mod leaked;
pub mod renew;
