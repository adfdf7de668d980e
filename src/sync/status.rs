//! `status` and `diff`: what is on disk, what is committed, what the remote was last seen to have.
//! Border: reads only; works without network and without the lock.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::error::SyncError;
use super::outcome::{FileChange, HeldBack, OpenConflict};
use super::scan::{OnDisk, scan};
use super::settle::open_conflicts;
use super::setup::shown_introduction;
use super::stage::{change_kind, is_leftover};
use super::team::{Caller, Team};
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::{EntryMode, MemoryPath};
use crate::config::policy::Trust;
use crate::gate::Gate;
use crate::gate::verdict::Reason;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::store::state::{self, Journal, LastContact};

/// The state of a team memory.
#[derive(Clone, Debug, Serialize)]
pub struct StatusReport {
    /// The folder.
    pub team: PathBuf,
    /// The shared branch.
    pub branch: String,
    /// The remote, safe to show; `None` when none is set.
    pub remote: Option<String>,
    /// Who may change it.
    pub trust: Trust,
    /// The commit the team memory is at.
    pub tip: ObjectId,
    /// The remote's newest commit that passed every rule; the same for all members when the host
    /// shows all of them the same.
    pub verified: Option<ObjectId>,
    /// Where trust starts, as `join --introduction` takes it.
    pub introduction: Option<String>,
    /// Commits here that the remote, as last seen, has not.
    pub ahead: usize,
    /// Commits the remote, as last seen, has and we have not.
    pub behind: usize,
    /// Memories the team has.
    pub memories: usize,
    /// Edits on disk that the next push commits.
    pub changes: Vec<FileChange>,
    /// Edits on disk that the gate keeps out.
    pub refused: Vec<HeldBack>,
    /// Open conflicts.
    pub conflicts: Vec<OpenConflict>,
    /// What was remembered of the last exchange.
    pub last: LastContact,
    /// A plain git operation that is unfinished.
    pub unfinished: Option<&'static str>,
    /// Whether an interrupted run waits to be completed.
    pub interrupted: bool,
}

impl StatusReport {
    /// Whether there is nothing to do: all shared, nothing refused, nothing open.
    pub fn is_settled(&self) -> bool {
        self.refused.is_empty()
            && self.conflicts.is_empty()
            && self.last.refused.is_none()
            && self.unfinished.is_none()
    }
}

/// Looks at a team memory.
pub fn status(
    team_path: &Path,
    project_root: Option<&Path>,
    caller: &Caller,
) -> Result<StatusReport, SyncError> {
    let mut team = Team::open(team_path, project_root)?;
    let tip = team.tip()?;
    let files = team.repo.tree_files(team.repo.commit(tip)?.tree)?;
    let seen = scan(&team.root, &team.repo, &files, &team.repo.index_cache())?;
    let (mut edits, mut refused) = (Vec::new(), Vec::new());
    let trust = team.policy()?.trust;
    team.with_gate(caller, |_, gate| {
        for change in &seen.changes {
            let known = files.get(&change.path);
            if known.is_none() && is_leftover(&change.path) {
                continue;
            }
            let reasons = judge(gate, &change.path, &change.on_disk, change.size);
            let path = Escaped(&String::from_utf8_lossy(&change.path)).to_string();
            if reasons.is_empty() {
                let kind =
                    change_kind(known, (!matches!(change.on_disk, OnDisk::Gone)).then_some(()));
                edits.push(FileChange { path, kind });
            } else {
                let path = HeldBack::shown(&String::from_utf8_lossy(&change.path), &reasons);
                refused.push(HeldBack { path, reasons });
            }
        }
        Ok(())
    })?;
    let seen_remote = match team.repo.find_ref(&team.incoming_ref())? {
        Some(offered) => Some(offered),
        None => team.tracking()?,
    };
    let verified = team.tracking()?;
    let memories = files
        .keys()
        .filter(|raw| MemoryPath::parse_bytes(raw).is_ok_and(|path| path.is_memory()))
        .count();
    Ok(StatusReport {
        branch: team.branch.clone(),
        remote: team.remote()?.map(|url| url.to_string()),
        trust,
        tip,
        verified,
        introduction: team
            .state
            .root_commit
            .map(|root| shown_introduction(root, team.state.root_signer.as_deref())),
        ahead: team.repo.count(verified, tip)?,
        behind: seen_remote.map_or(Ok(0), |offered| team.repo.count(Some(tip), offered))?,
        memories,
        changes: edits,
        refused,
        conflicts: open_conflicts(&team, &files)?,
        last: state::read(&team.git_root)?.unwrap_or_default(),
        unfinished: team.repo.unfinished_operation(),
        interrupted: state::read::<Journal>(&team.git_root)?.is_some(),
        team: team.path,
    })
}

/// What the gate says to a path as it is on disk.
fn judge(gate: &Gate<'_>, path: &[u8], on_disk: &OnDisk, size: u64) -> Vec<Reason> {
    let path = match gate.entry(path, on_disk.mode(), size) {
        Ok(path) => path,
        Err(reason) => return vec![*reason],
    };
    let OnDisk::File(content, _) = on_disk else { return Vec::new() };
    let mut reasons = gate.content(&path, content);
    reasons.retain(Reason::holds_back);
    reasons
}

/// One file before and after.
#[derive(Clone, Debug)]
pub struct FileDiff {
    /// Which file, escaped for display.
    pub path: String,
    /// Before; `None` when it was not there.
    pub old: Option<Arc<[u8]>>,
    /// After; `None` when it is not there.
    pub new: Option<Arc<[u8]>>,
}

/// Which two sides `diff` compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffSides {
    /// What the remote was last seen to have, against what is on disk: all that a push would share.
    RemoteToDisk,
    /// What is committed here, against what is on disk.
    CommittedToDisk,
    /// What is here, against what the remote offers and was not taken.
    HereToIncoming,
}

/// The files that differ between two sides, in path order.
pub fn diff(
    team_path: &Path,
    project_root: Option<&Path>,
    sides: DiffSides,
) -> Result<Vec<FileDiff>, SyncError> {
    let team = Team::open(team_path, project_root)?;
    let tip = team.tip()?;
    let tracking = team.tracking()?;
    if sides == DiffSides::HereToIncoming {
        let offered = team.repo.find_ref(&team.incoming_ref())?.unwrap_or(tip);
        let (old, new) = (team.repo.commit(tip)?.tree, team.repo.commit(offered)?.tree);
        return committed_diff(&team, Some(old), Some(new));
    }
    let from = if sides == DiffSides::RemoteToDisk { tracking.unwrap_or(tip) } else { tip };
    let files = team.repo.tree_files(team.repo.commit(from)?.tree)?;
    let seen = scan(&team.root, &team.repo, &files, &team.repo.index_cache())?;
    let mut diffs = Vec::new();
    for change in seen.changes {
        let known = files.get(&change.path);
        if known.is_none() && is_leftover(&change.path) {
            continue;
        }
        let new = match change.on_disk {
            OnDisk::File(content, _) => Some(content),
            _ => None,
        };
        let old = known.map(|file| team.repo.blob(file.id, POLICY_BYTES_MAX as u64)).transpose()?;
        diffs.push(FileDiff {
            path: Escaped(&String::from_utf8_lossy(&change.path)).to_string(),
            old,
            new,
        });
    }
    Ok(diffs)
}

/// The files that differ between two trees.
pub(super) fn committed_diff(
    team: &Team,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
) -> Result<Vec<FileDiff>, SyncError> {
    let read = |file: Option<crate::git::tree::TreeFile>| {
        file.map(|file| team.repo.blob(file.id, POLICY_BYTES_MAX as u64)).transpose()
    };
    let mut diffs = Vec::new();
    for change in team.repo.tree_changes(old, new)? {
        let path = Escaped(&String::from_utf8_lossy(&change.path)).to_string();
        diffs.push(FileDiff { path, old: read(change.old)?, new: read(change.new)? });
    }
    Ok(diffs)
}

impl OnDisk {
    /// The kind of tree entry this would become.
    pub(super) fn mode(&self) -> EntryMode {
        match self {
            Self::File(..) | Self::TooLarge | Self::Gone => EntryMode::File,
            Self::Executable => EntryMode::Executable,
            Self::Symlink => EntryMode::Symlink,
            Self::Other => EntryMode::Gitlink,
        }
    }
}
