//! Documents about memories and their index.
//! Border: shapes only.

pub mod index;
pub mod path;
pub mod memory;
pub mod seal;
pub mod recall;
pub mod list;
pub mod share;
