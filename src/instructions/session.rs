//! What a session of Claude Code is told, from its start to the files it touches.
//! Border: puts `chain` and `triggered` together.

use std::path::PathBuf;

use crate::instructions::around::{Foreign, Surroundings};
use crate::instructions::chain::Chain;
use crate::instructions::entry::{Entry, State};
use crate::instructions::profile::Profile;
use crate::instructions::reader::{Files, Reader};
use crate::instructions::triggered;

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
#[path = "tests/session.rs"]
mod tests;
