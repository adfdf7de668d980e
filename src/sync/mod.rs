//! The flows of sharing: init, join, pull, push, status and what people ask about history.
//! Border: does the I/O through `system`, `git` and `store`, asks the rules; may not import `local`.
//!
//! Rooms from the ground up: [`keys`] of the person, [`repo`] opens everything, [`worktree`] compares
//! disk and tree, [`rebase`] merges, [`verify`] judges, [`exchange`] puts them together as pull and
//! push. Above it stand the commands of people: [`mod@write`], [`sealed`], [`membership`] and [`renewal`],
//! the hooks of git, and [`inspect`], which looks at all of it.

pub mod absence;
pub mod renew_error;
pub mod reverse_error;
pub mod remote_state;
pub mod seal_error;
pub mod error;
pub mod outcome;
pub mod keys;
pub mod repo;
pub mod worktree;
pub mod rebase;
pub mod verify;
pub mod exchange;
pub mod write;
pub mod sealed;
pub mod membership;
pub mod renewal;
pub mod githooks;
pub mod inspect;
pub mod demo;
