//! Files beneath one folder: no path leaves it, no symlink is followed, no write is ever half done.
//! Border: bytes and relative paths. Which names a team memory allows is `base::path`.
//!
//! Every operation starts at a directory handle. On Linux the kernel resolves each path with
//! `openat2` and `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS`; elsewhere each
//! component is opened with `O_NOFOLLOW`. So a folder swapped for a symlink cannot redirect a write.

mod stat;
mod error;
#[cfg(unix)]
#[path = "unix.rs"]
mod platform;
#[cfg(not(unix))]
#[path = "portable.rs"]
mod platform;
mod root;
mod temp;
mod folders;
mod batch;
mod walk;

pub use batch::Change;
pub use error::FileError;
pub use root::Root;
pub use stat::{Access, Durability, FileKind, FileStat};
pub use walk::{ClosedFolder, WalkLimits, WalkedFile};
