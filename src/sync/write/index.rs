//! The index of a folder by hand: looked at, or brought in line under the lock of its team.
//! Border: what a team adds to `folder::index`: what became of its memories, the lock, the record of
//! removed lines.

use std::path::Path;
use std::time::Duration;

use crate::config::policy::POLICY_PATH;
use crate::folder::index::{FolderIndex, IndexError, IndexOutcome};
use crate::memory::reconcile::Since;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::repo::team::Team;
use crate::sync::worktree::in_line;
use crate::sync::worktree::scan::scan;
use crate::sync::worktree::writable::writable;
use crate::system::files::{FileError, FileKind, Root};

/// Why the index of a folder cannot be worked on now.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TeamIndexError {
    /// The folder is a team memory that cannot be worked on now.
    #[error(transparent)]
    Team(Box<SyncError>),
    /// The folder or its index.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl From<SyncError> for TeamIndexError {
    fn from(error: SyncError) -> Self {
        Self::Team(Box::new(error))
    }
}

impl From<FileError> for TeamIndexError {
    fn from(error: FileError) -> Self {
        Self::Index(error.into())
    }
}

/// What to do with the reconciled index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexAction {
    /// Tell only.
    Check,
    /// Write it, when it differs.
    Write {
        /// How long to wait for the lock of a team memory.
        wait: Duration,
        /// When, in seconds since the epoch, for the record of removed lines.
        now: i64,
    },
}

/// Looks at the index of a folder, and reconciles it when asked to.
///
/// # Errors
/// A folder or index that cannot be read or written, or a team memory that is busy.
pub fn index(place: &TeamPlace, action: IndexAction) -> Result<IndexOutcome, TeamIndexError> {
    let team = match action {
        IndexAction::Write { wait, .. } => team_locked(place, wait)?,
        // To look is free: a team memory that cannot be opened now is a folder without history.
        IndexAction::Check if is_team(&place.folder)? => Team::open(place).ok(),
        IndexAction::Check => None,
    };
    let mut found = FolderIndex::open(&place.folder)?;
    let since = team.as_ref().map(since).transpose()?.unwrap_or_default();
    let reconciliation = found.reconcile(&since)?;
    let IndexAction::Write { now, .. } = action else {
        return Ok(found.outcome(reconciliation, false)?);
    };
    let differs = !reconciliation.changes.is_empty();
    if differs {
        if let Some(team) = &team {
            in_line::remember_removed(team, now, &reconciliation.removed)?;
        }
        found.write(&reconciliation)?;
    }
    Ok(found.outcome(reconciliation, differs)?)
}

/// What became of the memories of a team since its index was last in line.
fn since(team: &Team) -> Result<Since, SyncError> {
    let tree = team.repo.commit(team.tip()?)?.tree;
    let files = team.repo.tree_files(tree)?;
    let seen = scan(&team.root, &team.repo, &files, &team.repo.index_cache())?;
    in_line::since(team, tree, &files, &in_line::edits_on_disk(&seen), |_| false)
}

/// Whether a folder is a team memory.
fn is_team(folder: &Path) -> Result<bool, FileError> {
    let root = Root::open(folder)?;
    let has_git = root.stat(".git")?.is_some_and(|stat| stat.kind == FileKind::Directory);
    Ok(has_git && root.exists(POLICY_PATH)?)
}

/// The team memory in a folder, locked, with what a killed writer left completed; `None` where the
/// folder is none.
fn team_locked(place: &TeamPlace, wait: Duration) -> Result<Option<Team>, TeamIndexError> {
    if !is_team(&place.folder)? {
        return Ok(None);
    }
    Ok(Some(writable(place, wait)?))
}
