//! The vocabulary every other module speaks: safe paths, text positions, safe display, time, ids.
//! Border: plain values; knows nothing of memories, git or files.

pub(crate) mod ancestry;
pub mod display;
pub mod id;
pub mod path;
pub mod text;
pub mod hidden;
pub mod time;
