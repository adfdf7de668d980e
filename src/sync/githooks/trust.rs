//! What the rule of trust says to a push, on the server, before anything is accepted.
//! Border: the branches a team shares; others are proposals that are judged once they are to become
//! part of them. The whole history is judged from where it was told to start; what a branch was only
//! says whether history is rewritten.

use super::hub::{BRANCHES, Hub, RefUpdate};
use crate::base::id::ObjectId;
use crate::gate::verdict::{Reason, ReasonKind, Weight};
use crate::git::quarantine::HookRepo;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::merge::conflict::CONFLICTS_FOLDER;
use crate::store::state::LocalState;
use crate::sync::error::SyncError;
use crate::sync::repo::team::Team;
use crate::sync::verify::judge::Judge;
use crate::sync::verify::records::{Holder, judge_record};
use crate::sync::verify::verdict::judge_whole;

/// Why every member's pull would refuse a push.
pub(crate) fn refusals(
    repo: &HookRepo,
    hub: &Hub,
    updates: &[RefUpdate],
) -> Result<Vec<(Option<ObjectId>, Reason)>, SyncError> {
    let mut refusals = Vec::new();
    for update in updates.iter().filter(|update| hub.is_shared(&update.name)) {
        let Some(branch) = update.name.strip_prefix(BRANCHES) else { continue };
        let Some(new) = update.new else { continue };
        let Some(new) = repo.objects().peel_to_commit(new)? else { continue };
        let mut team = Team::of_checkout(repo.objects().git_dir(), branch.to_owned())?;
        let start = hub.start.as_ref();
        team.state = LocalState {
            root_commit: start.map(|start| start.root_commit),
            root_signer: start.and_then(|start| start.root_signer.clone()),
            ..LocalState::default()
        };
        if let Some(old) = update.old
            && !team.repo.is_ancestor(old, new)?
            && !is_way_back(&team, old, new)?
        {
            let message = "it takes commits back that members may have taken already";
            refusals.push((None, rewritten(message)));
        }
        let faults = judge_whole(&team, new)?.faults();
        let fault = |(id, refusal): (ObjectId, crate::trust::verdict::Refusal)| {
            (Some(id), unacceptable(refusal.rule(), refusal.to_string()))
        };
        if faults.is_empty() {
            refusals.extend(untrue_records(&team, update.old, new)?);
        }
        refusals.extend(faults.into_iter().map(fault));
    }
    Ok(refusals)
}

/// The conflict records that new commits bring and that do not say the truth.
fn untrue_records(
    team: &Team,
    old: Option<ObjectId>,
    new: ObjectId,
) -> Result<Vec<(Option<ObjectId>, Reason)>, SyncError> {
    let mut found = Vec::new();
    let judge = Judge::new(team);
    for id in team.repo.range(old, new)? {
        let commit = team.repo.commit(id)?;
        // A record that a parent has was judged with it.
        for change in judge.own_changes(&commit)? {
            let path = String::from_utf8_lossy(&change.path);
            let Some(file) = change.new.filter(|_| path.starts_with(CONFLICTS_FOLDER)) else {
                continue;
            };
            if team.repo.blob_size(file.id)? > POLICY_BYTES_MAX as u64 {
                continue;
            }
            let content = team.repo.blob(file.id, POLICY_BYTES_MAX as u64)?;
            let (author, seconds) = (commit.author.name.as_str(), commit.author_time.seconds);
            let holder = Holder { at: id, author, seconds };
            let reason = judge_record(team, holder, &path, &content)?;
            found.extend(reason.map(|reason| (Some(id), reason)));
        }
    }
    Ok(found)
}

/// Whether a branch that no member takes as it is goes back to where all can take it: only then may
/// something be put in place of it.
fn is_way_back(team: &Team, old: ObjectId, new: ObjectId) -> Result<bool, SyncError> {
    let there = judge_whole(team, old)?;
    let Some(taken) = there.newest(None).filter(|_| !there.is_good()) else { return Ok(false) };
    Ok(team.repo.is_ancestor(taken, new)?)
}

fn rewritten(message: &str) -> Reason {
    Reason {
        next_step: "pull, and push on top of what is there".to_owned(),
        ..unacceptable("rewritten", message.to_owned())
    }
}

fn unacceptable(rule: &str, message: String) -> Reason {
    Reason {
        kind: ReasonKind::Rule,
        path: String::new(),
        position: None,
        rule: rule.to_owned(),
        weight: Weight::Forbidden,
        message,
        next_step: "make the change with memsync, which signs it, and push with `memsync push`"
            .to_owned(),
    }
}
