//! The flows of sharing: init, join, pull, push, status and what people ask about history.
//! Border: does the I/O through `system`, `git` and `store`, asks the rules; may not import `local`.
//!
//! Reading order: [`team`] opens everything, [`scan`] sees what is on disk, [`stage`] commits local
//! edits, [`incoming`] fetches and verifies, [`replay`] merges, [`apply`] writes the work tree
//! crash-safely, [`exchange`] puts them together as pull and push.

pub mod hooks;
mod adopt;
mod age;
pub mod absence;
pub mod apply;
pub mod audit;
mod changes;
pub mod blame;
pub mod check;
mod checkup;
pub mod ci;
pub mod ci_effect;
pub mod ci_place;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod error;
pub mod exchange;
pub mod history;
pub mod incoming;
pub mod index;
pub mod index_restore;
pub mod keys;
pub mod members;
mod in_line;
mod membership;
mod leaked;
mod leftovers;
pub mod merge_driver;
mod merge_tree;
mod message;
pub mod outcome;
mod outgoing;
mod passed_over;
pub mod propose;
mod records;
pub mod remember;
pub mod remote;
pub mod remote_state;
pub mod renew;
pub mod renew_error;
pub mod replay;
pub mod requests;
pub mod reseal;
pub mod resolve;
pub mod rewrite;
pub mod rotate;
pub mod scan;
mod settle;
pub mod seal;
mod seal_authors;
pub mod seal_error;
pub mod seal_history;
pub mod seal_keys;
pub mod seal_open;
pub mod setup;
pub mod signer;
pub mod stage;
mod shared_index;
mod stage_index;
pub mod status;
pub mod team;
mod team_gate;
mod trust;
mod verdict;
mod verified;
mod unfinished;
mod unlock;
mod unshared;
mod sendable;
mod view;
pub mod vouch;
