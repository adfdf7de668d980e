//! What the rule of trust says to a push, on the server, before anything is accepted.
//! Border: the branch that HEAD names, the one a team shares; other branches are proposals that are
//! judged once they are to become part of it. What the server has already is its starting point.

use crate::base::id::ObjectId;
use crate::config::policy::POLICY_PATH;
use crate::gate::verdict::{Reason, Weight};
use crate::git::quarantine::HookRepo;
use crate::store::state::LocalState;
use crate::sync::error::SyncError;
use crate::sync::incoming::signer_of;
use crate::sync::team::Team;
use crate::sync::trust::Judge;
use crate::trust::verdict::Authorisation;

/// The new commits that every member's pull would refuse; `input` has `old-id new-id ref` lines.
pub(super) fn refusals(repo: &HookRepo, input: &str) -> Result<Vec<(ObjectId, Reason)>, SyncError> {
    let Some(branch) = repo.real.branch()? else { return Ok(Vec::new()) };
    let reference = format!("refs/heads/{branch}");
    let words = |line: &str| -> Option<(Option<ObjectId>, ObjectId)> {
        let [old, new, name] = line.split(' ').collect::<Vec<_>>()[..] else { return None };
        let id = |text: &str| text.bytes().any(|byte| byte != b'0').then(|| text.parse().ok());
        (name == reference).then(|| Some((id(old).flatten(), id(new)??)))?
    };
    let Some((old, new)) = input.lines().find_map(words) else { return Ok(Vec::new()) };
    let mut team = Team::of_checkout(repo.objects().git_dir(), branch)?;
    let start = old.unwrap_or(new);
    if team.repo.tree_file(team.repo.commit(start)?.tree, POLICY_PATH)?.is_none() {
        return Ok(Vec::new());
    }
    let root = team.repo.range(None, start)?.first().copied().ok_or(SyncError::Unrelated)?;
    let root_signer = signer_of(&team, root)?;
    team.state = LocalState { root_commit: Some(root), root_signer, ..Default::default() };
    let known = match old {
        Some(old) if team.repo.is_ancestor(old, new)? => Some(old),
        // A rewritten history proves itself from its start on.
        _ => None,
    };
    let new = team.repo.range(known, new)?;
    let judged = Judge::new(&team).judge(known, &new)?;
    let refusal = |id: &ObjectId| match judged.get(id).map(|one| &one.authorisation) {
        Some(Authorisation::Refuse(refusal)) => Some(Reason {
            path: String::new(),
            position: None,
            rule: refusal.rule().to_owned(),
            weight: Weight::Forbidden,
            message: refusal.to_string(),
            next_step: "make the change with memsync, which signs it, and push with `memsync push`"
                .to_owned(),
        }),
        _ => None,
    };
    Ok(new.iter().filter_map(|id| Some((*id, refusal(id)?))).collect())
}
