//! A folder of memories, whatever it belongs to: its index is read, checked and brought in line.
//! Border: no git, no team, no lock; who may write when is for the flows above.

pub mod index;
pub mod entry;
