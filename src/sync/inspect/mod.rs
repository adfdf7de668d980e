//! What people ask about a team memory: status, diff, log, blame, checks, CI, audit.
//! Border: looks and reports; changes nothing that is shared.

pub(crate) mod shared_index;
pub mod diff;
pub mod log;
pub mod status;
pub mod blame;
pub mod ci_place;
pub mod ci_effect;
pub mod ci;
pub mod health;
pub(crate) mod checkup;
pub mod doctor;
pub mod audit;
