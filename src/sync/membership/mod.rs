//! Who is in a team: founding, joining, members and their requests, new keys, vouching.
//! Border: changes the roster through `trust`'s rules; never decides by itself who is trusted.

pub mod members;
pub mod arrival;
pub(crate) mod adopt;
pub mod setup;
pub mod requests;
pub mod rotate;
pub mod vouch;
