//! The doors by which agents' clients reach memory: installed into their settings, called at each turn.
//! Border: speaks the clients' shapes; what an agent is told is `context`, what may be shared the gate.
//!
//! From the ground up: `json_text` and `entries` change settings, `index_block` the private index,
//! `install` writes both. `input`, `target` and `shell` read what a client says, `guard` judges it,
//! `background` shares, and `hook` answers.

pub mod json_text;
pub mod error;
pub mod entries;
pub mod index_block;
pub mod client;
pub mod install;
pub mod input;
pub mod target;
pub mod shell;
pub mod guard;
pub mod background;
pub mod hook;
pub mod status;
