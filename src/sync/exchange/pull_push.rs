//! Pull and push: stage, exchange with the remote, merge, and only then touch the work tree.
//! Border: the order of things; each step is in its own module.
//!
//! A push first offers our commits as they are: when nobody was faster, one connection is enough.
//! On a lost race the **original** local commits are replayed onto what came in, again and again
//! with small constant jitter, because exponential back-off starves the loser.

use std::time::{Duration, Instant};

use super::checkout::settle;
use super::sendable::sendable;
use super::stage::{Staged, stage};
use crate::base::id::ObjectId;
use crate::gate::Gate;
use crate::git::command::Git;
use crate::store::locate::TeamPlace;
use crate::store::state::{self, LastContact};
use crate::sync::error::SyncError;
use crate::sync::exchange::change::commit;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::rebase::commits::replay;
use crate::sync::repo::remote::{Remote, Sent, remember_failure};
use crate::sync::repo::team::{Actor, Team};
use crate::sync::repo::verified_cache;
use crate::sync::verify::apart::without_branch;
use crate::sync::verify::fetch::fetch;
use crate::sync::verify::incoming::{Verified, verify};
use crate::sync::verify::outgoing::{authorised_tip, check_outgoing};
use crate::sync::worktree::apply::recover;
use crate::system::clock::Clock;

/// Waited between two tries after a lost race: enough for the winner to finish, the same for all.
const JITTER_MAX: Duration = Duration::from_millis(40);

/// Pushes in a row that the remote may turn down without having moved.
const WITHOUT_PROGRESS_MAX: usize = 20;

/// The longest wait of a writer who pushed a moment ago, while others push as well: without it,
/// whoever is up to date wins again and again, since those who lost must first merge.
const GIVE_WAY_MAX: Duration = Duration::from_millis(1_000);

/// A push this many seconds ago is a moment ago.
const PUSHED_LATELY_SECONDS: i64 = 3;

/// Others whose changes came in this many seconds ago are pushing as well.
const OTHERS_LATELY_SECONDS: i64 = 60;

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
    place: &TeamPlace,
    actor: &Actor,
    git: &Git,
    direction: Direction,
) -> Result<ExchangeOutcome, SyncError> {
    let mut team = Team::open_locked(place, actor.wait)?;
    let url = team.remote()?.ok_or_else(|| SyncError::NoRemote(team.path.clone()))?;
    let remote = Remote { git, url };
    exchange_locked(&mut team, actor, &remote, direction)
}

/// Pulls or pushes a team repository that is open and locked.
pub(crate) fn exchange_locked(
    team: &mut Team,
    actor: &Actor,
    remote: &Remote<'_>,
    direction: Direction,
) -> Result<ExchangeOutcome, SyncError> {
    let recovered = recover(team)?;
    team.with_gate(actor, |team, gate| {
        let staged = stage(team, actor, gate)?;
        let mut outcome =
            ExchangeOutcome { recovered, staged: staged.outcome.clone(), ..Default::default() };
        let met =
            exchange_until_settled(team, actor, remote, gate, &staged, direction, &mut outcome);
        let (tip, tracking) = match met {
            Ok(met) => met,
            Err(error) => {
                // What was committed stays, so plain `git status` must not show it as undone.
                let (tip, tracking) = (staged.tip, None);
                remember_failure(team, &error);
                settle(team, staged, tip, tracking, &mut outcome)?;
                return Err(match error {
                    SyncError::Command(error) => SyncError::Unsent(error),
                    error => error,
                });
            }
        };
        settle(team, staged, tip, tracking, &mut outcome)?;
        remember_contact(team, actor, &outcome);
        Ok(outcome)
    })
}

/// Talks to the remote until both sides agree; gives the tip to move to and the remote's tip.
fn exchange_until_settled(
    team: &Team,
    actor: &Actor,
    remote: &Remote<'_>,
    gate: &Gate<'_>,
    staged: &Staged,
    direction: Direction,
    outcome: &mut ExchangeOutcome,
) -> Result<(ObjectId, Option<ObjectId>), SyncError> {
    let started = Instant::now();
    let mut tracking = team.tracking()?;
    let mut tip = as_sent(team, (actor, gate), direction, tracking, staged.tip)?;
    let mut offer = direction == Direction::Push
        && tracking.is_some_and(|known| {
            known != tip && team.repo.is_ancestor(known, tip).unwrap_or(false)
        });
    if offer {
        std::thread::sleep(fairness_delay(team, actor));
    }
    let (mut has_fetched, mut without_progress) = (false, 0);
    loop {
        if offer {
            match authorised_tip(team, actor, gate.policy, tracking, tip) {
                Ok(sendable) => tip = sendable,
                // The remote may have let the person in meanwhile.
                Err(SyncError::NotAuthorised { .. }) if !has_fetched => offer = false,
                Err(error) => return Err(error),
            }
        }
        if offer {
            check_outgoing(team, gate, tracking, tip)?;
            team.repo.make_objects_durable()?;
            match remote.push(team, tip, tracking)? {
                Sent::Accepted => {
                    verified_cache::remember(team, tip);
                    outcome.pushed = team.repo.count(tracking, tip)?;
                    return Ok((tip, Some(tip)));
                }
                Sent::LostRace => outcome.lost_races += 1,
            }
            if started.elapsed() > actor.wait {
                return Err(SyncError::LostRaces { races: outcome.lost_races, waited: actor.wait });
            }
            std::thread::sleep(random_up_to(JITTER_MAX));
        }
        has_fetched = true;
        let Some(offered) = fetch(team, remote)? else {
            if let Some(verified) = tracking {
                return Err(without_branch(team, remote, verified)?.into());
            }
            // The remote is empty: ours is the first history there.
            if direction == Direction::Pull || offer {
                return Ok((tip, tracking));
            }
            offer = true;
            continue;
        };
        let verified = verify(team, gate, tracking, offered)?;
        record_received(outcome, &verified);
        // A ref that is locked for a moment is tried again; one that never moves is no race.
        without_progress = if verified.tip.is_some() { 0 } else { without_progress + 1 };
        if without_progress > WITHOUT_PROGRESS_MAX {
            return Err(SyncError::NotTaken { remote: remote.url.to_string() });
        }
        tracking = verified.tip.or(tracking);
        if let Some(onto) = tracking {
            // Always from the original commits: a merge of a merge would keep every lost race.
            let replayed = replay(team, actor, staged.tip, onto)?;
            outcome.replayed = replayed.count;
            tip = as_sent(team, (actor, gate), direction, tracking, replayed.tip)?;
        }
        let has_more = verified.refused.is_none() && tracking != Some(tip);
        if direction == Direction::Pull || !has_more {
            return Ok((tip, tracking));
        }
        offer = true;
    }
}

/// Our commits as a push sends them; a pull leaves them as they are.
fn as_sent(
    team: &Team,
    (actor, gate): (&Actor, &Gate<'_>),
    direction: Direction,
    known: Option<ObjectId>,
    tip: ObjectId,
) -> Result<ObjectId, SyncError> {
    match direction {
        Direction::Pull => Ok(tip),
        Direction::Push => sendable(team, actor, gate, known, tip),
    }
}

fn record_received(outcome: &mut ExchangeOutcome, verified: &Verified) {
    outcome.received += verified.commits;
    outcome.unproven += verified.unproven;
    outcome.refused.clone_from(&verified.refused);
    outcome.reported.extend(verified.reported.iter().cloned());
}

/// How long to let others go first; nothing for a writer who is alone or has not pushed lately.
fn fairness_delay(team: &Team, actor: &Actor) -> Duration {
    let Clock::System = actor.clock else {
        // A clock that stands still cannot tell what was lately.
        return Duration::ZERO;
    };
    let last = state::read::<LastContact>(&team.git_root).ok().flatten().unwrap_or_default();
    let now = actor.clock.now().seconds;
    let lately = |moment: Option<i64>, seconds| {
        moment.is_some_and(|then| (0..=seconds).contains(&(now - then)))
    };
    let yields =
        lately(last.pushed, PUSHED_LATELY_SECONDS) && lately(last.received, OTHERS_LATELY_SECONDS);
    if yields { random_up_to(GIVE_WAY_MAX) } else { Duration::ZERO }
}

/// A duration up to a limit.
pub(crate) fn random_up_to(limit: Duration) -> Duration {
    let mut byte = [0_u8];
    // Without randomness all wait the same, which is slower but not wrong.
    let _ = getrandom::fill(&mut byte);
    limit * u32::from(byte[0]) / 255
}

/// Remembers the success for `status`; the record is a courtesy and may fail.
fn remember_contact(team: &Team, actor: &Actor, outcome: &ExchangeOutcome) {
    let now = actor.clock.now().seconds;
    let before = state::read::<LastContact>(&team.git_root).ok().flatten().unwrap_or_default();
    let pushed = if outcome.pushed > 0 { Some(now) } else { before.pushed };
    let is_news = outcome.pushed > 0 || outcome.received > 0;
    let last = LastContact {
        fetched: Some(now),
        pushed,
        received: if outcome.received > 0 { Some(now) } else { before.received },
        changed: if is_news { Some(now) } else { before.changed },
        failure: None,
        refused: outcome.refused.clone(),
    };
    drop(state::write(&team.git_root, &last));
}

/// Commits local edits without a remote.
pub fn commit_only(place: &TeamPlace, actor: &Actor) -> Result<ExchangeOutcome, SyncError> {
    let mut team = Team::open_locked(place, actor.wait)?;
    let recovered = recover(&mut team)?;
    Ok(ExchangeOutcome { recovered, ..commit(&mut team, actor)? })
}
