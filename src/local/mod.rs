//! What happens on this machine alone: what an agent is told here, and whether that is sound.
//! Border: no git history and no network; the rules are in `recall` and `instructions`.

pub mod layers;
mod open_conflicts;
pub mod recall;
pub mod list;
pub mod search;
pub mod disk;
pub mod settings;
pub mod instructions;
mod walk;
pub mod check;
pub mod advice;
pub mod context;
