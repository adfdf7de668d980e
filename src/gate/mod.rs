//! The one check that everything kept or sent must pass.
//! Border: Values in, one verdict out.

pub mod entry;
