//! Sealed memories: sealing, opening, and sealing anew when readers change.
//! Border: the form and the cryptography are `seal`'s; here is what they mean for a team.

pub mod history;
pub mod seal;
pub mod reseal;
pub mod open;
