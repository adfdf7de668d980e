//! Whether every member's pull would take what a push makes of a shared branch.
//! Border: rewritten history on each of them, and all rules on those that HEAD does not name; what HEAD
//! names is judged in `trust`. What the branch was says only whether history is rewritten.

use super::hub::{BRANCHES, Hub, RefUpdate};
use crate::base::id::ObjectId;
use crate::gate::Gate;
use crate::gate::sealed::Members;
use crate::gate::verdict::{Reason, Weight};
use crate::git::quarantine::HookRepo;
use crate::secrets::Scanner;
use crate::store::state::LocalState;
use crate::sync::error::SyncError;
use crate::sync::incoming::{Verified, verify};
use crate::sync::team::Team;

/// Why members would not take what the shared branches are to be.
pub(super) fn refusals(
    repo: &HookRepo,
    hub: &Hub,
    updates: &[RefUpdate],
) -> Result<Vec<(Option<ObjectId>, Reason)>, SyncError> {
    let head = repo.real.branch()?;
    let mut found = Vec::new();
    for update in updates.iter().filter(|update| hub.is_shared(&update.name)) {
        let Some(branch) = update.name.strip_prefix(BRANCHES) else { continue };
        let Some(new) = update.new.map(|new| repo.objects().peel_to_commit(new)).transpose()?
        else {
            continue;
        };
        let (Some(new), Some(start)) = (new, &hub.start) else { continue };
        let mut team = Team::of_checkout(repo.objects().git_dir(), branch.to_owned())?;
        let (root_commit, root_signer) = (Some(start.root_commit), start.root_signer.clone());
        team.state = LocalState { root_commit, root_signer, ..LocalState::default() };
        if let Some(old) = update.old
            && !team.repo.is_ancestor(old, new)?
            && !is_way_back(&team, hub, old, new)?
        {
            let message = "the push takes back what members may have taken already";
            let next_step = "pull, and push on top of what is there. Only a branch that members refuse can \
                             be put back: `memsync push --over-refused`";
            found.push((None, reason(&update.name, "rewritten", message, next_step)));
        }
        if head.as_deref() != Some(branch)
            && let Some(refused) = pulled(&team, hub, new)?.refused
        {
            let next_step =
                "make the change with memsync, which signs it, and push with `memsync push`";
            let reason = reason(&update.name, &refused.rule, &refused.message, next_step);
            found.push((Some(refused.commit), reason));
        }
    }
    Ok(found)
}

/// Whether a branch that no member takes as it is goes back to what all of them have, or beyond that.
fn is_way_back(team: &Team, hub: &Hub, old: ObjectId, new: ObjectId) -> Result<bool, SyncError> {
    let there = pulled(team, hub, old)?;
    match (there.refused, there.tip) {
        (Some(_), Some(taken)) => Ok(team.repo.is_ancestor(taken, new)?),
        _ => Ok(false),
    }
}

/// What a newcomer's pull makes of a tip.
fn pulled(team: &Team, hub: &Hub, tip: ObjectId) -> Result<Verified, SyncError> {
    let gate = Gate {
        policy: &hub.policy,
        scanner: Scanner::builtin,
        is_allowed: &|_| false,
        members: &|| Members::Unknown,
    };
    verify(team, &gate, None, tip)
}

fn reason(name: &str, rule: &str, message: &str, next_step: &str) -> Reason {
    Reason {
        path: crate::base::display::Escaped(name).to_string(),
        position: None,
        rule: rule.to_owned(),
        weight: Weight::Forbidden,
        message: message.to_owned(),
        next_step: next_step.to_owned(),
    }
}
