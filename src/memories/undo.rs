//! Takes the last change back, whichever layer it was made in; what `share` moved comes back with its commit.
//! Border: decides which change is the last; the team's part is `sync::write::reverse`.

use std::path::Path;

use crate::folder::entry::{edit_private_index, with_entry, without_entry};
use crate::memories::error::MoveError;
use crate::memories::kept::{Change, KeptChange, kept, let_go, team_state};
use crate::memories::share::Places;
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::sync::error::SyncError;
use crate::sync::outcome::{ChangeKind, ExchangeOutcome, FileChange};
use crate::sync::repo::team::Actor;
use crate::sync::reverse_error::ReverseError;
use crate::sync::write::reverse::{Reversal, reverse};
use crate::system::files::{Durability, Root};

/// What was taken back, or would be.
#[derive(Debug)]
pub struct TakenBack {
    /// Files of the team and what becomes of each.
    pub team: Vec<FileChange>,
    /// Private files and what becomes of each.
    pub private: Vec<FileChange>,
    /// What was committed; `None` where only private files changed, and where nothing was done.
    pub exchange: Option<ExchangeOutcome>,
}

/// Takes the last change back. With `dry_run` it only says what would become of which file.
///
/// # Errors
/// Nothing to take back, and files that were changed since.
pub fn undo(places: Places<'_>, actor: &Actor, dry_run: bool) -> Result<TakenBack, MoveError> {
    let state = team_state(places.team);
    let kept = kept(places.memdir)?;
    let is_of_both =
        |change: &KeptChange| matches!(change.change, Change::Shared | Change::Unshared);
    // A private change that was made in the state the team still has is the later one of the two.
    let last = kept.first().filter(|(_, change)| change.team == state);
    let mut done = TakenBack { team: Vec::new(), private: Vec::new(), exchange: None };
    let (name, change) = match last {
        Some((name, change)) if !is_of_both(change) => (name, change),
        _ => {
            let reversed = reverse_team(places, actor, dry_run);
            match (reversed, last) {
                (Ok(reversed), last) => {
                    (done.team, done.exchange) = (reversed.changes, reversed.exchange);
                    match last {
                        Some((name, change)) => (name, change),
                        None => return Ok(done),
                    }
                }
                (Err(error), _) if is_nothing(&error) => {
                    let older = kept.iter().find(|(_, change)| !is_of_both(change));
                    let (name, change) = older.ok_or(error)?;
                    (name, change)
                }
                (Err(error), _) => return Err(error),
            }
        }
    };
    done.private = put_back(places.memdir, change, dry_run)?;
    if !dry_run {
        let_go(places.memdir, name)?;
    }
    Ok(done)
}

fn reverse_team(
    places: Places<'_>,
    actor: &Actor,
    dry_run: bool,
) -> Result<crate::sync::write::reverse::Reversed, MoveError> {
    Ok(reverse(places.team, actor, &Reversal::LastUnshared, dry_run)?)
}

/// Whether the team has nothing to take back, or there is none.
fn is_nothing(error: &MoveError) -> bool {
    let MoveError::Team(error) = error else { return false };
    matches!(
        **error,
        SyncError::Reverse(ReverseError::NothingUnshared)
            | SyncError::NoTeam(_)
            | SyncError::NotARepository(_)
    )
}

/// Gives private files their texts from before. What was written since is nobody's to take away.
fn put_back(
    memdir: &Path,
    change: &KeptChange,
    dry_run: bool,
) -> Result<Vec<FileChange>, MoveError> {
    let root = Root::open(memdir)?;
    let mut changes = Vec::new();
    for file in &change.files {
        let now = root.read_if_there(&file.path, MEMORY_BYTES_MAX as u64)?;
        let is = |text: &Option<String>| now.as_deref() == text.as_deref().map(str::as_bytes);
        if !is(&file.after) && !is(&file.before) {
            return Err(SyncError::from(ReverseError::ChangedSince(file.path.clone())).into());
        }
        let kind = match (&now, &file.before) {
            _ if is(&file.before) => continue,
            (None, _) => ChangeKind::Added,
            (Some(_), Some(_)) => ChangeKind::Edited,
            (Some(_), None) => ChangeKind::Deleted,
        };
        changes.push(FileChange { path: file.path.clone(), kind });
    }
    if dry_run {
        return Ok(changes);
    }
    for file in &change.files {
        match &file.before {
            Some(text) => root.write_atomic(&file.path, text.as_bytes(), Durability::Durable)?,
            None if root.exists(&file.path)? => root.remove(&file.path)?,
            None => {}
        }
    }
    edit_private_index(&root, |text| index_before(text, change))?;
    Ok(changes)
}

/// The index from before; where somebody wrote it since, only the entries of these files.
fn index_before(text: &str, change: &KeptChange) -> Option<String> {
    let (before, after) = &change.index;
    if text == after.as_deref().unwrap_or_default() {
        let before = before.clone().unwrap_or_default();
        return (before != text).then_some(before);
    }
    let mut now = text.to_owned();
    for file in &change.files {
        let new = match &file.entry {
            Some(entry) => with_entry(&now, &file.path, entry),
            None => without_entry(&now, &file.path),
        };
        now = new.unwrap_or(now);
    }
    (now != text).then_some(now)
}
