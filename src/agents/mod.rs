//! The doors by which agents' clients reach memory: installed into their settings, called at each turn.
//! Border: speaks the clients' shapes; what an agent is told is `context`, what may be shared the gate.
//!
//! From the ground up: `settings` puts memsync into a client and takes it out, `input`, `target` and `shell`
//! read what a client says, `guard` judges it, `background` shares, `hook` answers, `status` looks at all of
//! it. `watch` shares for clients without hooks and for people, `service` lets the system start it.

pub mod settings;
pub mod error;
pub mod input;
pub mod target;
pub mod shell;
pub mod guard;
pub mod background;
pub mod hook;
pub mod status;
pub mod watch;
pub mod service;
