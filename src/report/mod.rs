//! How outcomes are said
//! Border:  advice for errors, JSON shapes.:Formats values; prints nothing.

pub mod advice;
pub mod json;
