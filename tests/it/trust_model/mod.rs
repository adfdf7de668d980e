//! A second model of the verdict on a history, its checks against known cases, and laws that it keeps on random ones.
//! Border: the model imports nothing of memsync.

pub(crate) mod roster;
pub(crate) mod verdict;
pub(crate) mod model;
mod cases;
mod real;
mod known;
mod ways;
pub(crate) mod generate;
mod laws;
mod attack;
mod flows;
mod engine;
