//! What happens on this machine alone: what an agent is told here, and whether that is sound.
//! Border: no git history and no network; the rules are in `recall`.

pub mod recall;
