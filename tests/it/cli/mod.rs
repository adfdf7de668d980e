//! The program as people and scripts meet it: one file per command.
//! Border: starts the built program; what it prints and how it exits is the claim.

#[cfg(unix)]
mod check;
#[cfg(unix)]
mod advice;
mod index;
#[cfg(unix)]
mod ci;
#[cfg(unix)]
mod key;
#[cfg(unix)]
mod key_rotate;
mod demo;
#[cfg(unix)]
mod doctor;
#[cfg(unix)]
mod context;
mod layers;
#[cfg(unix)]
mod privacy;
mod undo;
#[cfg(unix)]
mod undo_private;
#[cfg(unix)]
mod bad_memories;
#[cfg(unix)]
mod remember;
mod instructions;
#[cfg(unix)]
mod instructions_check;
mod output;
mod resolve;
#[cfg(unix)]
mod member;
mod merge_driver;
mod merge_driver_install;
mod path;
#[cfg(unix)]
mod share;
mod words;
#[cfg(unix)]
mod hidden;
pub(crate) mod scan;
mod scan_history;
mod scan_input;
mod scan_rules;
