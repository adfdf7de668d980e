//! memsync in the settings of clients, and in the private index.
//! Border: files of the person's and the project's; every byte that is not ours stays.
//!
//! `json_text` puts values in and takes them out, `entries` knows our hooks, `client` where each client keeps
//! them, `block` ours in texts of others; `install` reads and writes the files.

pub mod json_text;
pub mod entries;
pub mod client;
pub mod block;
pub mod install;
