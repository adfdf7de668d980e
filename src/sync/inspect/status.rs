//! `status`: what is on disk, what is committed, what the remote was last seen to have.
//! Border: reads only; works without network and without the lock. `diff` shows the texts.

use std::path::PathBuf;

use serde::Serialize;

use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::config::policy::Trust;
use crate::git::tree::TreeFiles;
use crate::secrets::masking::masked;
use crate::store::locate::TeamPlace;
use crate::store::state::{self, Journal, LastContact};
use crate::sync::error::SyncError;
use crate::sync::exchange::checkout::open_conflicts;
use crate::sync::exchange::stage::plan;
use crate::sync::outcome::{FileChange, HeldBack, OpenConflict, StageOutcome};
use crate::sync::repo::introduction::shown_introduction;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::worktree::in_line;
use crate::sync::worktree::scan::scan;

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
pub fn status(place: &TeamPlace, actor: &Actor) -> Result<StatusReport, SyncError> {
    let mut team = Team::open(place)?;
    let tip = team.tip()?;
    let files = team.repo.tree_files(team.repo.commit(tip)?.tree)?;
    let conflicts = open_conflicts(&team, &files)?;
    let memories = files
        .keys()
        .filter(|raw| MemoryPath::parse_bytes(raw).is_ok_and(|path| path.is_memory()))
        .count();
    let trust = team.policy()?.trust;
    let next = next_commit(&mut team, actor, (tip, files))?;
    let verified = team.tracking()?;
    // Of a history that does not go on from what was verified nothing can be taken.
    let goes_on = |offered: &ObjectId| match verified {
        Some(known) => team.repo.is_ancestor(known, *offered).unwrap_or(false),
        None => true,
    };
    let offered = team.repo.find_ref(&team.incoming_ref())?.filter(goes_on);
    let seen_remote = offered.or(verified);
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
        changes: next.changes,
        refused: next.held_back,
        conflicts,
        last: state::read(&team.git_root)?.unwrap_or_default(),
        unfinished: team.repo.unfinished_operation(),
        interrupted: state::read::<Journal>(&team.git_root)?.is_some(),
        team: team.path,
    })
}

/// What the next commit would hold and what it would leave out: decided as a push decides it.
fn next_commit(
    team: &mut Team,
    actor: &Actor,
    (tip, files): (ObjectId, TreeFiles),
) -> Result<StageOutcome, SyncError> {
    let tree = team.repo.commit(tip)?.tree;
    let seen = scan(&team.root, &team.repo, &files, &team.repo.index_cache())?;
    if seen.changes.is_empty() && team.state.bases.is_empty() && in_line::is_known(team, tree) {
        return Ok(StageOutcome::default());
    }
    team.with_gate(actor, |team, gate| {
        let (mut work, index) = plan(team, actor, gate, (tree, files), &seen)?;
        work.take_index(team, &index);
        Ok(work.outcome)
    })
}
