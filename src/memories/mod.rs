//! Memories that go from one layer to the other.
//! Border: the only flow that sees the private layer and the team's repository; each step is theirs.

pub mod error;
pub mod pick;
pub mod kept;
pub mod template;
pub mod private;
pub mod share;
pub mod rename;
pub mod edit;
pub mod remember;
pub mod undo;
