//! How outcomes are said: advice for errors, JSON shapes.
//! Border: formats values; prints nothing.

pub mod advice;
pub mod findings;
pub mod json;
pub mod sarif;
