//! Pull and push, and what they are made of: staging local edits, sending, settling what arrived.
//! Border: moves what was verified; a person's single memory is `write`'s.

pub(crate) mod work;
pub(crate) mod stage_index;
pub mod stage;
pub(crate) mod checkout;
pub(crate) mod change;
pub(crate) mod unshared;
pub(crate) mod sendable;
pub mod pull_push;
pub mod check;
pub mod propose;
pub mod rewrite;
