//! Documents of sharing and checking.
//! Border: shapes only.

pub mod check;
pub mod ci;
pub mod exchange;
pub mod resolve;
