//! Whether a conflict record says the truth: its commits are in the history that holds it, by whom and
//! when it says, and with what it says.
//! Border: reads commits; what a file says about a side is `merge::conflict`'s rule.

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::gate::verdict::{Reason, ReasonKind, Weight};
use crate::git::GitError;
use crate::git::commit::Commit;
use crate::memory::limits::FILE_BYTES_MAX;
use crate::merge::conflict::{CONFLICTS_FOLDER, Conflict, ConflictSide};
use crate::merge::is_said_by;
use crate::sync::error::SyncError;
use crate::sync::repo::team::Team;

/// Who made a side that git merged: a record with it claims nothing about anybody.
pub(crate) const NOBODY: &str = "unknown, merged by git";

/// Files of one commit that are looked into for a text that has another name now.
const CHANGED_FILES_MAX: usize = 1_000;

/// The commit that brings a record, or will.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holder<'a> {
    /// It, or what it is built on.
    pub(crate) at: ObjectId,
    /// Its author.
    pub(crate) author: &'a str,
    /// The author date, in seconds.
    pub(crate) seconds: i64,
}

/// Why a record that a commit brings is not what it claims; nothing for all other files.
pub(crate) fn judge_record(
    team: &Team,
    holder: Holder<'_>,
    path: &str,
    content: &[u8],
) -> Result<Option<Reason>, SyncError> {
    if !path.starts_with(CONFLICTS_FOLDER) {
        return Ok(None);
    }
    // The gate names one that cannot be read.
    let Ok(conflict) = Conflict::parse(path, content) else { return Ok(None) };
    let Some(lie) = lie_of(team, holder, &conflict)? else { return Ok(None) };
    Ok(Some(Reason {
        kind: ReasonKind::Rule,
        path: Escaped(path).to_string(),
        position: None,
        rule: "conflict-record".to_owned(),
        weight: Weight::Refused,
        message: lie,
        next_step: "delete the file, or take it back with `git checkout` in `team/`; one that is shared is closed by `memsync resolve ID --ours`, which takes no side"
            .to_owned(),
    }))
}

/// What of a record is not so, as far as the commit knows that holds it; `None` when all is.
pub(crate) fn lie_of(
    team: &Team,
    holder: Holder<'_>,
    conflict: &Conflict,
) -> Result<Option<String>, SyncError> {
    for side in [&conflict.kept, &conflict.other] {
        let found = match side.origin.commit {
            None => coming(holder, side),
            Some(id) => named(team, holder.at, id, conflict, side)?,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// A side that came with the record: its author speaks for nobody else.
fn coming(holder: Holder<'_>, side: &ConflictSide) -> Option<String> {
    let origin = &side.origin;
    // Git tells a merge driver nothing, so a record it made names nobody.
    if origin.author == NOBODY && origin.date.seconds == 0 {
        return None;
    }
    let is_own = origin.author == holder.author && origin.date.seconds <= holder.seconds;
    let author = Escaped(&origin.author);
    (!is_own).then(|| format!("a side says to be by `{author}`, who did not make the commit"))
}

/// A side that names an earlier commit.
fn named(
    team: &Team,
    holder: ObjectId,
    id: ObjectId,
    conflict: &Conflict,
    side: &ConflictSide,
) -> Result<Option<String>, SyncError> {
    let says = |what: &str| Some(format!("it names the commit {}, {what}", id.short()));
    let commit = match team.repo.commit(id) {
        Ok(commit) => commit,
        Err(GitError::Read { .. } | GitError::Malformed { .. } | GitError::TooLarge { .. }) => {
            return Ok(says("which is not in the history"));
        }
        Err(error) => return Err(error.into()),
    };
    if !team.repo.is_ancestor(id, holder)? {
        return Ok(says("which is not in the history"));
    }
    if commit.author.name != side.origin.author {
        return Ok(says("which is by somebody else"));
    }
    if commit.author_time != side.origin.date {
        return Ok(says("which is of another time"));
    }
    let files = team.repo.tree_files(commit.tree)?;
    let read = |path: &str| -> Result<Option<_>, SyncError> {
        let Some(file) = files.get(path.as_bytes()) else { return Ok(None) };
        Ok(Some(team.repo.blob(file.id, FILE_BYTES_MAX as u64)?))
    };
    let paths = [Some(&conflict.path), conflict.other_path.as_ref()];
    let mut is_there = false;
    for path in paths.into_iter().flatten() {
        let file = read(path.as_str())?;
        is_there |= file.is_some();
        if is_said_by(file.as_deref(), conflict, side) {
            return Ok(None);
        }
    }
    if !is_there && is_said_elsewhere(team, &commit, conflict, side)? {
        return Ok(None);
    }
    Ok(says("which says something else"))
}

/// Whether a commit says it in a file that a merge gave another name: renamed, or in the spelling or
/// with the number that keeps it beside another one.
fn is_said_elsewhere(
    team: &Team,
    commit: &Commit,
    conflict: &Conflict,
    side: &ConflictSide,
) -> Result<bool, SyncError> {
    let parent = commit.parents.first().map(|parent| team.repo.commit(*parent)).transpose()?;
    let changed = team.repo.tree_changes(parent.map(|parent| parent.tree), Some(commit.tree))?;
    for file in changed.iter().filter_map(|change| change.new).take(CHANGED_FILES_MAX) {
        let content = team.repo.blob(file.id, FILE_BYTES_MAX as u64)?;
        if is_said_by(Some(&content), conflict, side) {
            return Ok(true);
        }
    }
    Ok(false)
}
