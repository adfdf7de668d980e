//! Merges two changed team memories by meaning.
//! Border: pure; never touches git or files, never fails, never writes a marker into a file.
//!
//! Inside, the first of two sides is always the one the deterministic rule favours, so that swapping
//! the sides cannot change a byte. Bottom-up: `align`, `lineup`, `order`, `identity`, `twins`, `slots`
//! and `place` line things up, `weave` merges units, `body`, `frontmatter`, `index` and `policy` say
//! what a unit is, `plan` goes by path.

mod align;
mod blocks;
mod body;
mod clash;
mod collide;
pub mod conflict;
mod count;
mod emit;
mod envelope;
mod file;
mod frontmatter;
mod identity;
pub mod index;
mod lineup;
mod memory;
mod order;
mod over;
mod place;
mod plan;
mod policy;
mod policy_at;
mod proof;
mod sealed;
mod slots;
mod twins;
mod weave;
mod whole;
pub mod resolve;
mod words;

pub use self::conflict::Origin;
pub use self::file::{
    FileMerge, Input, MERGE_BYTES_MAX, MERGE_INDEX_BYTES_MAX, file, file_unlocked,
};
pub use self::over::policy_over;
pub use self::plan::renames;
pub use self::proof::is_said_by;
pub use self::whole::{Merged, Side, merge, merge_over, merge_over_unlocked, merge_unlocked};
