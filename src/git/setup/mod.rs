//! What stands where a repository is said to be, and its configuration, before any object is read.
//! Border: owners, kinds and settings; no object is read.

pub mod person;
pub(crate) mod owner;
pub(crate) mod ground;
pub mod config;
pub mod hooks_folder;
pub mod merge_config;
