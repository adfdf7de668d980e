//! The JSON documents of `--format json`, each specified in the docs of the type that writes it.
//! Border: shapes only; the program prints them.

pub mod hooks;
pub mod path;
