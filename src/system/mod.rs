//! The operating system: files beneath a root, locks, clock and environment.
//! Border: every write outside git goes through here; knows no rule of memsync.

pub mod clock;
pub mod editor;
pub mod env;
pub mod files;
pub mod lock;
pub mod private;
pub mod ssh_agent;
pub mod reading;
pub mod process;
