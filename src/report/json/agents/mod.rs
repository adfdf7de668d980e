//! Documents for and about agents.
//! Border: shapes only.

pub mod instructions;
pub mod context;
pub mod agent;
