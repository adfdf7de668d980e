//! What a session of Claude Code is told, from its start to the files it touches.
//! Border: puts `chain` and `triggered` together.

use std::path::PathBuf;

use super::around::{Foreign, Surroundings};
use super::chain::Chain;
use super::entry::{Entry, State};
use super::profile::Profile;
use super::reader::{Files, Reader};
use super::triggered;

/// Everything the client would load, and what it leaves, in its order; `touched` are files it works on.
pub fn session(
    files: &dyn Files,
    profile: &Profile,
    around: &Surroundings,
    touched: &[PathBuf],
) -> Vec<Entry> {
    let reader = Reader::new(files, profile, around);
    let mut chain = Chain::new(reader);
    chain.managed();
    if around.foreign != Foreign::ManagedOnly {
        chain.user();
        chain.folders();
        chain.memory();
        triggered::add(&mut chain, touched);
    }
    let mut entries = chain.entries;
    if let Some(why) = &around.off {
        for entry in entries.iter_mut().filter(|entry| entry.state.is_loaded()) {
            entry.state = State::Off(why.clone());
        }
    }
    entries
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
