//! Merges two changed team memories by meaning.
//! Border: pure; never touches git or files, never fails, never writes a marker into a file.
//!
//! Inside, the first of two sides is always the one the deterministic rule favours, so that swapping
//! the sides cannot change a byte. Bottom-up: `unresolved` is what no rule settles, [`units`] lines
//! things up and merges them, [`kinds`] says what a unit is in each kind of file, [`conflict`] records
//! what is unresolved, `inside` merges one text, `file` one file, `plan` goes by path and `snapshot` takes all of them.

mod unresolved;
pub mod units;
pub mod kinds;
pub mod conflict;
mod inside;
mod sealed;
mod file;
mod over;
mod name_collisions;
mod plan;
mod snapshot;

pub use self::conflict::Origin;
pub use self::conflict::proof::is_said_by;
pub use self::file::{file, file_unlocked};
pub use self::inside::{FileMerge, Input, MERGE_BYTES_MAX, MERGE_INDEX_BYTES_MAX};
pub use self::over::policy_over;
pub use self::plan::renames;
pub use self::snapshot::{Merged, Side, merge, merge_over, merge_over_unlocked, merge_unlocked};
