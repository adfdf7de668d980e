//! The shape of policy and settings, and where each value came from.
//! Border: reads text, not files.

pub mod policy;
pub mod effect;
