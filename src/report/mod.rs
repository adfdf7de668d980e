//! How outcomes are said: advice for errors, JSON shapes.
//! Border: formats values; prints nothing.

pub mod advice;
pub mod json;
