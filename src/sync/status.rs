//! `status`: what is on disk, what is committed, what the remote was last seen to have.
//! Border: reads only; works without network and without the lock. `diff` shows the texts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::error::SyncError;
use super::outcome::{FileChange, HeldBack, OpenConflict};
use super::scan::{OnDisk, Scan, scan};
use super::settle::open_conflicts;
use super::setup::shown_introduction;
use super::shared_index::shared_index;
use super::stage::{change_kind, is_leftover};
use super::team::{Caller, Team};
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::{EntryMode, MemoryPath};
use crate::config::policy::Trust;
use crate::gate::Gate;
use crate::gate::verdict::Reason;
use crate::git::tree::TreeFiles;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::secrets::masking::masked;
use crate::store::state::{self, Journal, LastContact};

/// The index, below `team/`.
const INDEX: &str = "MEMORY.md";

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
    let (mut edits, mut refused, mut kept_out) = (Vec::new(), Vec::new(), BTreeSet::new());
    let trust = team.policy()?.trust;
    team.with_gate(caller, |_, gate| {
        for change in &seen.changes {
            let known = files.get(&change.path);
            if known.is_none() && is_leftover(&change.path) {
                continue;
            }
            let reasons = judge(gate, &change.path, &change.on_disk, change.size);
            if !reasons.is_empty() {
                kept_out.insert(String::from_utf8_lossy(&change.path).into_owned());
            }
            let path = Escaped(&masked(&String::from_utf8_lossy(&change.path))).to_string();
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
    if !shares_index(&team, &files, &seen, &kept_out)? {
        edits.retain(|edit: &FileChange| edit.path != INDEX);
    }
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
        branch: masked(&team.branch),
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

/// Whether the index on disk differs from the committed one in more than what belongs to memories
/// that are kept out.
fn shares_index(
    team: &Team,
    files: &TreeFiles,
    seen: &Scan,
    kept_out: &BTreeSet<String>,
) -> Result<bool, SyncError> {
    let change = seen.changes.iter().find(|change| change.path == INDEX.as_bytes());
    let known = files.get(INDEX.as_bytes());
    let (Some(change), Some(known)) = (change.filter(|_| !kept_out.is_empty()), known) else {
        return Ok(true);
    };
    let OnDisk::File(disk, _) = &change.on_disk else { return Ok(true) };
    let committed = team.repo.blob(known.id, POLICY_BYTES_MAX as u64)?;
    Ok(shared_index(disk, &committed, kept_out).0 != committed.as_ref())
}

/// What the gate says to a path as it is on disk.
pub(super) fn judge(gate: &Gate<'_>, path: &[u8], on_disk: &OnDisk, size: u64) -> Vec<Reason> {
    let path = match gate.entry(path, on_disk.mode(), size) {
        Ok(path) => path,
        Err(reason) => return vec![*reason],
    };
    let OnDisk::File(content, _) = on_disk else { return Vec::new() };
    let mut reasons = gate.content(&path, content);
    reasons.retain(Reason::holds_back);
    reasons
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
