//! Pull and push: stage, exchange with the remote, merge, and only then touch the work tree.
//! Border: the order of things; each step is in its own module.
//!
//! A push first offers our commits as they are: when nobody was faster, one connection is enough.
//! On a lost race the **original** local commits are replayed onto what came in, again and again
//! with small constant jitter, because exponential back-off starves the loser.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use super::apply::{FileWrite, Step, apply, recover};
use super::error::SyncError;
use super::incoming::{Verified, check_change, fetch, verify};
use super::outcome::{ExchangeOutcome, FileChange, OpenConflict};
use super::remote::{Remote, Sent, remember_failure};
use super::replay::replay;
use super::stage::{Staged, change_kind, stage};
use super::team::{Caller, Team};
use super::view::tracked;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::gate::Gate;
use crate::gate::verdict::Reason;
use crate::git::command::Git;
use crate::git::tree::{TreeFiles, changes};
use crate::git::write::Expected;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::merge::index::merge_index;
use crate::store::state::{self, LastContact};

/// Waited between two tries after a lost race: enough for the winner to finish, the same for all.
const JITTER_MAX: Duration = Duration::from_millis(40);

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Take what others shared.
    Pull,
    /// Also share ours.
    Push,
}

/// Pulls or pushes.
pub fn exchange(
    team_path: &Path,
    project_root: Option<&Path>,
    caller: &Caller,
    git: &Git,
    direction: Direction,
) -> Result<ExchangeOutcome, SyncError> {
    let mut team = Team::open_locked(team_path, project_root, caller.wait)?;
    let url = team.remote()?.ok_or_else(|| SyncError::NoRemote(team.path.clone()))?;
    let remote = Remote { git, url };
    exchange_locked(&mut team, caller, &remote, direction)
}

/// Pulls or pushes a team repository that is open and locked.
pub(super) fn exchange_locked(
    team: &mut Team,
    caller: &Caller,
    remote: &Remote<'_>,
    direction: Direction,
) -> Result<ExchangeOutcome, SyncError> {
    let recovered = recover(team)?;
    team.with_gate(caller, |team, gate| {
        let staged = stage(team, caller, gate)?;
        let mut outcome =
            ExchangeOutcome { recovered, staged: staged.outcome.clone(), ..Default::default() };
        let met = meet(team, caller, remote, gate, &staged, direction, &mut outcome);
        let (tip, tracking) = match met {
            Ok(met) => met,
            Err(error) => {
                remember_failure(team, &error);
                return Err(error);
            }
        };
        settle(team, staged, tip, tracking, &mut outcome)?;
        remember_contact(team, caller, &outcome);
        Ok(outcome)
    })
}

/// Finishes a stage without a remote: the index follows, nothing is fetched or sent.
pub(super) fn settle_locally(
    team: &mut Team,
    staged: Staged,
) -> Result<ExchangeOutcome, SyncError> {
    let mut outcome = ExchangeOutcome { staged: staged.outcome.clone(), ..Default::default() };
    let (tip, tracking) = (staged.tip, team.tracking()?);
    settle(team, staged, tip, tracking, &mut outcome)?;
    Ok(outcome)
}

/// Talks to the remote until both sides agree; gives the tip to move to and the remote's tip.
fn meet(
    team: &Team,
    caller: &Caller,
    remote: &Remote<'_>,
    gate: &Gate<'_>,
    staged: &Staged,
    direction: Direction,
    outcome: &mut ExchangeOutcome,
) -> Result<(ObjectId, Option<ObjectId>), SyncError> {
    let started = Instant::now();
    let mut tracking = team.tracking()?;
    let mut tip = staged.tip;
    let mut offer = direction == Direction::Push
        && tracking.is_some_and(|known| {
            known != tip && team.repo.is_ancestor(known, tip).unwrap_or(false)
        });
    loop {
        if offer {
            check_outgoing(team, gate, tracking, tip)?;
            team.repo.make_objects_durable()?;
            match remote.push(team, tip, tracking)? {
                Sent::Taken => {
                    outcome.pushed = team.repo.count(tracking, tip)?;
                    return Ok((tip, Some(tip)));
                }
                Sent::LostRace => outcome.lost_races += 1,
            }
            if started.elapsed() > caller.wait {
                return Err(SyncError::LostRaces {
                    races: outcome.lost_races,
                    waited: caller.wait,
                });
            }
            std::thread::sleep(jitter());
        }
        let Some(offered) = fetch(team, remote)? else {
            // The remote is empty: ours is the first history there.
            if direction == Direction::Pull || offer && tracking.is_none() {
                return Ok((tip, tracking));
            }
            if tracking.is_some() {
                return Err(SyncError::NoRemoteBranch {
                    remote: remote.url.to_string(),
                    branch: team.branch.clone(),
                });
            }
            offer = true;
            continue;
        };
        let verified = verify(team, gate, tracking, offered)?;
        take(outcome, &verified);
        tracking = verified.tip.or(tracking);
        if let Some(onto) = tracking {
            // Always from the original commits: a merge of a merge would keep every lost race.
            let replayed = replay(team, caller, staged.tip, onto)?;
            (tip, outcome.replayed) = (replayed.tip, replayed.count);
        }
        let has_more = verified.refused.is_none() && tracking != Some(tip);
        if direction == Direction::Pull || !has_more {
            return Ok((tip, tracking));
        }
        offer = true;
    }
}

fn take(outcome: &mut ExchangeOutcome, verified: &Verified) {
    outcome.received += verified.commits;
    outcome.refused.clone_from(&verified.refused);
    outcome.reported.extend(verified.reported.iter().cloned());
}

/// Every commit that would be sent passes the gate, so a secret that was committed and removed
/// again is caught too.
fn check_outgoing(
    team: &Team,
    gate: &Gate<'_>,
    known: Option<ObjectId>,
    tip: ObjectId,
) -> Result<(), SyncError> {
    for id in team.repo.range(known, tip)? {
        let commit = team.repo.commit(id)?;
        let parent = commit.parents.first().map(|parent| team.repo.commit(*parent)).transpose()?;
        let mut reasons: Vec<Reason> = Vec::new();
        for change in team.repo.tree_changes(parent.map(|parent| parent.tree), Some(commit.tree))? {
            match check_change(team, gate, &change)? {
                Ok(found) => reasons.extend(found),
                Err(reason) => reasons.push(reason),
            }
        }
        if !reasons.is_empty() {
            return Err(SyncError::OutgoingRefused {
                commit: id,
                team: team.path.clone(),
                restart: known,
                reasons,
            });
        }
    }
    Ok(())
}

fn jitter() -> Duration {
    let mut byte = [0_u8];
    // Without randomness all losers wait the same, which is slower but not wrong.
    let _ = getrandom::fill(&mut byte);
    JITTER_MAX * u32::from(byte[0]) / 255
}

/// Moves refs and work tree to where both sides agree.
fn settle(
    team: &mut Team,
    staged: Staged,
    tip: ObjectId,
    tracking: Option<ObjectId>,
    outcome: &mut ExchangeOutcome,
) -> Result<(), SyncError> {
    let new_tree = team.repo.commit(tip)?.tree;
    let new_files = team.repo.tree_files(new_tree)?;
    let mut states = staged.states;
    if tip != staged.tip {
        let (writes, bases) = plan_writes(team, &staged.files, &new_files, &states, outcome)?;
        let step = Step {
            old: Some(staged.tip),
            new: tip,
            reason: "memsync: merged with the remote",
            writes,
            bases,
        };
        let applied = apply(team, step, &mut states)?;
        outcome.left_alone.extend(applied.left_alone.iter().map(MemoryPath::to_string));
    }
    if let Some(tracking) =
        tracking.filter(|new| team.tracking().is_ok_and(|old| old != Some(*new)))
    {
        let name = team.tracking_ref();
        team.repo.update_ref(&name, tracking, Expected::Any, "memsync: verified")?;
    }
    let cache = team.repo.index_cache();
    if !cache.holds(new_files.iter().map(|(path, file)| (path, file.id))) {
        team.repo.write_index(new_tree, &states)?;
    }
    outcome.conflicts = open_conflicts(&new_files);
    outcome.ahead = team.repo.count(tracking, tip)?;
    outcome.tip = Some(tip);
    mark_reconciled(team)
}

/// Which files change on disk. A file that is not what our tip holds is an edit that was kept
/// out: it stays, with its base; only the index is merged, since others' entries must appear in it.
#[expect(clippy::type_complexity, reason = "the two halves of a step")]
fn plan_writes(
    team: &Team,
    old: &TreeFiles,
    new: &TreeFiles,
    states: &super::apply::States,
    outcome: &mut ExchangeOutcome,
) -> Result<(Vec<FileWrite>, std::collections::BTreeMap<String, Option<ObjectId>>), SyncError> {
    let mut writes = Vec::new();
    let mut bases = team.state.bases.clone();
    for change in changes(old, new) {
        let path = tracked(&change.path)?;
        let (was, is) = (change.old.map(|f| f.id), change.new.map(|f| f.id));
        let disk = states.get(&change.path).map(|(id, _)| *id);
        outcome.files.push(FileChange { path: path.to_string(), kind: change_kind(was, is) });
        let new_content = is.map(|id| team.repo.blob(id, POLICY_BYTES_MAX as u64)).transpose()?;
        if disk == was && !bases.contains_key(path.as_str()) {
            let new = is.zip(new_content);
            writes.push(FileWrite { path, old: disk, new, base: was });
            continue;
        }
        let base = *bases.entry(path.to_string()).or_insert(was);
        if let (true, Some(content), Some(disk), Some(is)) =
            (path.is_index(), &new_content, disk, is)
        {
            let text = |id: ObjectId| -> Result<String, SyncError> {
                Ok(String::from_utf8_lossy(&team.repo.blob(id, POLICY_BYTES_MAX as u64)?)
                    .into_owned())
            };
            let base_text = base.map(text).transpose()?.unwrap_or_default();
            let merged = merge_index(&base_text, &String::from_utf8_lossy(content), &text(disk)?);
            let id = team.repo.write_blob(merged.as_bytes())?;
            bases.insert(path.to_string(), Some(is));
            writes.push(FileWrite {
                path,
                old: Some(disk),
                new: Some((id, merged.into_bytes().into())),
                base,
            });
        } else {
            outcome.left_alone.push(path.to_string());
        }
    }
    Ok((writes, bases))
}

/// The conflicts whose records a tree holds.
pub(super) fn open_conflicts(files: &TreeFiles) -> Vec<OpenConflict> {
    let names: BTreeSet<&[u8]> = files
        .keys()
        .map(Vec::as_slice)
        .filter(|path| path.starts_with(b".memsync/conflicts/"))
        .collect();
    let id = |path: &[u8]| {
        String::from_utf8_lossy(path)
            .trim_start_matches(".memsync/conflicts/")
            .trim_end_matches(".yaml")
            .to_owned()
    };
    names.into_iter().map(|path| OpenConflict { id: id(path), path: String::new() }).collect()
}

fn mark_reconciled(team: &mut Team) -> Result<(), SyncError> {
    let state = state::LocalState { reconciled: true, ..team.state.clone() };
    team.save_state(state)
}

/// Remembers the success for `status`; the record is a courtesy and may fail.
fn remember_contact(team: &Team, caller: &Caller, outcome: &ExchangeOutcome) {
    let now = caller.clock.now().seconds;
    let before = state::read::<LastContact>(&team.git_root).ok().flatten().unwrap_or_default();
    let pushed = if outcome.pushed > 0 { Some(now) } else { before.pushed };
    let last =
        LastContact { fetched: Some(now), pushed, failure: None, refused: outcome.refused.clone() };
    drop(state::write(&team.git_root, &last));
}

/// Commits local edits without a remote.
pub fn commit_only(
    team_path: &Path,
    project_root: Option<&Path>,
    caller: &Caller,
) -> Result<ExchangeOutcome, SyncError> {
    let mut team = Team::open_locked(team_path, project_root, caller.wait)?;
    let recovered = recover(&mut team)?;
    team.with_gate(caller, |team, gate| {
        let staged = stage(team, caller, gate)?;
        Ok(ExchangeOutcome { recovered, ..settle_locally(team, staged)? })
    })
}
