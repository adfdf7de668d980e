//! What a memory, an index and a whole team memory are, as values with every byte kept.
//! Border: no files, no git; reading and judging text only.

pub mod document;
pub mod index;
pub mod kind;
pub mod head;
pub mod limits;
pub mod markers;
pub mod personal;
pub mod rename;
pub mod problem;
pub mod snapshot;
pub mod reconcile;
pub mod advice;
