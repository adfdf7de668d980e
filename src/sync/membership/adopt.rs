//! `join` where `team/` is a clone that plain git made: it becomes a team memory as it is.
//! Border: verifies what the clone builds on and writes memsync's records; the rest is `exchange`.

use std::path::Path;

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::gate::Gate;
use crate::git::command::Git;
use crate::git::write::Expected;
use crate::secrets::masking::masked;
use crate::store::locate::TeamPlace;
use crate::store::state::LocalState;
use crate::sync::error::SyncError;
use crate::sync::exchange::checkout::ALLOWED_SIGNERS;
use crate::sync::exchange::pull_push::{Direction, exchange_locked};
use crate::sync::membership::arrival::{
    JoinOptions, default_branch, introduction, memories, refuse_foreign_project,
};
use crate::sync::outcome::SetupOutcome;
use crate::sync::remote_state::RemoteState;
use crate::sync::repo::remote::Remote;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::fetch::{fetch, signer_of};
use crate::sync::verify::incoming::verify;
use crate::sync::worktree::writable::writable;

/// Whether there is a clone of a team memory that memsync did not make.
pub(crate) fn is_plain_clone(team: &Path) -> bool {
    let Ok(opened) = Team::open(&TeamPlace::alone(team)) else { return false };
    let tree = opened.tip().and_then(|tip| Ok(opened.repo.commit(tip)?.tree));
    opened.state.root_commit.is_none() && tree.is_ok_and(|tree| opened.policy_at(tree).is_ok())
}

/// Takes part in a team memory with a clone that is there. Its edits and its own commits stay.
pub(crate) fn adopt(
    place: &TeamPlace,
    actor: &Actor,
    git: &Git,
    options: &JoinOptions,
) -> Result<SetupOutcome, SyncError> {
    let mut team = writable(&TeamPlace::alone(&place.folder), actor.wait)?;
    let remote = Remote { git, url: options.remote.clone() };
    let absent = |branch: &str| SyncError::NoRemoteBranch {
        remote: remote.url.to_string(),
        branch: branch.to_owned(),
    };
    let shared = default_branch(&remote.branches()?).ok_or_else(|| absent("main"))?;
    if shared != team.branch {
        let (team, here) = (team.path.clone(), masked(&team.branch));
        let shared = Escaped(&shared).to_string();
        return Err(RemoteState::OtherBranch { team, shared, here }.into());
    }
    let offered = fetch(&team, &remote)?.ok_or_else(|| absent(&shared))?;
    if let Some(cut) = team.repo.cut_off(&team.repo.range(None, offered)?)? {
        return Err(SyncError::MissingHistory(format!(
            "what lies before {} is not here",
            cut.short()
        )));
    }
    let root_commit = introduction(&team, actor, options, offered)?;
    let root_signer = signer_of(&team, root_commit)?;
    let state = LocalState {
        project_root: place.project_root.clone(),
        root_commit: Some(root_commit),
        root_signer: root_signer.clone(),
        branch: Some(shared),
        ..LocalState::default()
    };
    // Only in memory until all of it is good.
    team.state = state.clone();
    let tip = verified(&team, actor, &remote, offered)?;
    refuse_foreign_project(&team.policy_at(team.repo.commit(tip)?.tree)?, options)?;
    refuse_unverified(&team, tip, offered)?;
    team.repo.write_core_config(&team.git_root, ALLOWED_SIGNERS)?;
    team.repo.set_remote_url(&team.git_root, &options.remote, &team.branch)?;
    for name in [team.tracking_ref(), team.shown_ref()] {
        team.repo.update_ref(&name, tip, Expected::Any, "memsync: join")?;
    }
    team.state = LocalState::default();
    team.save_state(state)?;
    let exchange = exchange_locked(&mut team, actor, &remote, Direction::Pull)?;
    let memories = memories(&team)?;
    let (team, remote) = (place.folder.clone(), Some(remote.url.to_string()));
    Ok(SetupOutcome { team, root_commit, root_signer, remote, memories, exchange })
}

/// The newest commit that the remote offers and that is good with everything before it.
fn verified(
    team: &Team,
    actor: &Actor,
    remote: &Remote<'_>,
    offered: ObjectId,
) -> Result<ObjectId, SyncError> {
    let root = team.state.root_commit.unwrap_or(offered);
    let policy = team.policy_at(team.repo.commit(root)?.tree)?;
    let gate = Gate::of(&policy, actor.clock.now());
    let verified = verify(team, &gate, None, offered)?;
    verified.tip.ok_or_else(|| SyncError::NothingAcceptable {
        remote: remote.url.to_string(),
        refused: verified.refused.map(|refused| refused.message).unwrap_or_default(),
    })
}

/// What the clone has beyond the verified tip must be its own: a commit that the remote offers and
/// that is refused would otherwise be shared again in this member's name.
fn refuse_unverified(team: &Team, tip: ObjectId, offered: ObjectId) -> Result<(), SyncError> {
    let ours = team.tip()?;
    if team.repo.merge_base(ours, tip)?.is_none() {
        return Err(SyncError::Unrelated);
    }
    for id in team.repo.range(Some(tip), ours)? {
        if team.repo.is_ancestor(id, offered)? {
            return Err(RemoteState::Unverified { team: team.path.clone(), commit: id }.into());
        }
    }
    Ok(())
}
