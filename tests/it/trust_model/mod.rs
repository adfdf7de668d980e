//! A second model of the verdict on a history, its checks against known cases, and laws that it keeps on random ones.
//! Border: the model imports nothing of memsync.

pub(crate) mod roster;
pub(crate) mod model;
mod cases;
pub(crate) mod generate;
mod laws;
mod attack;
mod flows;
