//! The two ways out of a refusal without losing history: `vouch` and `accept-rewrite`.
//! Border: both are an admin's or a person's explicit decision; neither is ever taken by itself.

use std::path::Path;

use super::apply::{Step, apply, recover};
use super::error::SyncError;
use super::exchange::{Direction, exchange_locked};
use super::incoming::{fetch, verify};
use super::message;
use super::outcome::ExchangeOutcome;
use super::remote::{Remote, Sent};
use super::replay::recreate;
use super::settle::{plan_writes, settle_locally};
use super::stage::stage;
use super::team::{Caller, Team};
use super::trust::Judge;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::config::policy::POLICY_PATH;
use crate::git::command::Git;
use crate::git::commit::CommitDraft;
use crate::git::write::Expected;
use crate::trust::authorize::Standing;
use crate::trust::roster::ROSTER_PATH;

/// Accepts commits that the rule refused: one signed commit on top of them that names them.
pub fn vouch(
    team_path: &Path,
    project_root: Option<&Path>,
    caller: &Caller,
    git: &Git,
    commits: &[String],
) -> Result<ExchangeOutcome, SyncError> {
    let mut team = Team::open_locked(team_path, project_root, caller.wait)?;
    recover(&mut team)?;
    let url = team.remote()?.ok_or_else(|| SyncError::NoRemote(team.path.clone()))?;
    let remote = Remote { git, url };
    let offered =
        fetch(&team, &remote)?.ok_or_else(|| SyncError::NoCommit("the remote's tip".to_owned()))?;
    let known = team.tracking()?;
    let range = team.repo.range(known, offered)?;
    let named = commits.iter().map(|text| find(&range, text)).collect::<Result<Vec<_>, _>>()?;
    let now = caller.clock.now();
    let roster_tree = team.repo.commit(known.map_or_else(|| team.tip(), Ok)?)?.tree;
    let draft = CommitDraft {
        tree: mended(&team, team.repo.commit(offered)?.tree, roster_tree)?,
        parents: vec![offered],
        author: caller.person.clone(),
        author_time: now,
        committer: caller.person.clone(),
        committer_time: now,
        message: message::of_vouch(&team, caller, roster_tree, &named),
    };
    let vouching = team.commit(&draft, caller)?;
    team.with_gate(caller, |team, gate| {
        let verified = verify(team, gate, known, vouching)?;
        if let Some(refused) = verified.refused {
            return Err(SyncError::StillRefused(refused.message));
        }
        team.repo.make_objects_durable()?;
        match remote.push(team, vouching, Some(offered))? {
            Sent::Taken => Ok(()),
            Sent::LostRace => Err(SyncError::LostRaces { races: 1, waited: caller.wait }),
        }
    })?;
    exchange_locked(&mut team, caller, &remote, Direction::Pull)
}

/// A tree with the last good policy and roster put back where what is there cannot be used: with
/// those, nothing on top of it could ever be judged, and no vouch would help.
fn mended(team: &Team, tree: ObjectId, good: ObjectId) -> Result<ObjectId, SyncError> {
    match Judge::new(team).standing(tree)? {
        Standing::Roster(roster) if roster.has_admin() => return Ok(tree),
        Standing::Open(_) => return Ok(tree),
        _ => {}
    }
    let mut edits = Vec::new();
    for path in [POLICY_PATH, ROSTER_PATH] {
        let blob = team.repo.tree_file(good, path)?.map(|file| file.id);
        let path = MemoryPath::parse(path).expect("because policy and roster have valid paths");
        edits.push((path, blob));
    }
    Ok(team.repo.write_tree(Some(tree), &edits)?)
}

fn find(range: &[ObjectId], text: &str) -> Result<ObjectId, SyncError> {
    let text = text.to_ascii_lowercase();
    let found: Vec<ObjectId> = range
        .iter()
        .copied()
        .filter(|id| text.len() >= 7 && id.to_string().starts_with(&text))
        .collect();
    match found.as_slice() {
        [only] => Ok(*only),
        _ => Err(SyncError::NoCommit(crate::base::display::Escaped(&text).to_string())),
    }
}

/// Follows a remote whose history was rewritten; our unshared changes are put onto it.
pub fn accept_rewrite(
    team_path: &Path,
    project_root: Option<&Path>,
    caller: &Caller,
    git: &Git,
) -> Result<ExchangeOutcome, SyncError> {
    let mut team = Team::open_locked(team_path, project_root, caller.wait)?;
    recover(&mut team)?;
    let url = team.remote()?.ok_or_else(|| SyncError::NoRemote(team.path.clone()))?;
    let remote = Remote { git, url };
    let offered =
        fetch(&team, &remote)?.ok_or_else(|| SyncError::NoCommit("the remote's tip".to_owned()))?;
    let old = team.tracking()?;
    team.with_gate(caller, |team, gate| {
        let staged = stage(team, caller, gate)?;
        let verified = verify(team, gate, None, offered)?;
        let (Some(tip), None) = (verified.tip, verified.refused) else {
            return Err(SyncError::NothingAcceptable {
                remote: remote.url.to_string(),
                refused: "its history does not pass the rules from its start on".to_owned(),
            });
        };
        let ours = team.repo.range(old, staged.tip)?;
        let new = recreate(team, caller, &ours, tip)?.tip;
        let new_files = team.repo.tree_files(team.repo.commit(new)?.tree)?;
        let mut states = staged.states.clone();
        let mut outcome = ExchangeOutcome::default();
        let (writes, bases) = plan_writes(team, &staged.files, &new_files, &states, &mut outcome)?;
        let reason = "memsync: rewritten history accepted";
        apply(team, Step { old: Some(staged.tip), new, reason, writes, bases }, &mut states)?;
        for name in [team.tracking_ref(), team.shown_ref()] {
            team.repo.update_ref(&name, tip, Expected::Any, reason)?;
        }
        let staged = super::stage::Staged { tip: new, files: new_files, states, ..staged };
        let settled = settle_locally(team, staged)?;
        Ok(ExchangeOutcome {
            files: outcome.files,
            received: verified.commits,
            replayed: ours.len(),
            ..settled
        })
    })
}
