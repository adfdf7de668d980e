//! Sharing that goes on while an agent works: at most one process per memory directory does what hooks
//! asked for, and ends when nothing is left to do.
//! Border: when to pull and push; how is `sync::exchange`.

use std::io;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::error::AgentError;
use crate::base::time::Timestamp;
use crate::git::command::Git;
use crate::store::agent_state::{AgentState, News, Wish, Work};
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::exchange::pull_push::{Direction, exchange};
use crate::sync::inspect::status::{StatusReport, status};
use crate::sync::outcome::{ChangeKind, ExchangeOutcome};
use crate::sync::repo::team::Actor;
use crate::system::lock::{Lock, LockError};
use crate::system::process::end_session;

const LOCK: &str = "work.lock";
/// The process that is at work.
const RUNNING: &str = "running.json";
/// What was done last.
pub const DONE: &str = "work.json";
/// What came in.
pub const NEWS: &str = "news.json";
/// A hook may look at the lock in the moment a process wants it.
const LOCK_WAIT: Duration = Duration::from_secs(1);
/// Edits that follow one another within this time are shared together.
const QUIET: Duration = Duration::from_millis(400);
/// Edits that never pause are shared all the same.
const QUIET_MAX: Duration = Duration::from_secs(2);
/// From one push to the next.
const BETWEEN: Duration = Duration::from_secs(2);
/// Looks for another request so often before it ends.
const PAUSE: Duration = Duration::from_millis(100);
/// A process that hooks keep busy for so long makes room for a new one.
const LIFE_MAX: Duration = Duration::from_secs(600);

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Take what others shared.
    Pull,
    /// Share what is here.
    Push,
}

impl Want {
    fn record(self) -> &'static str {
        match self {
            Self::Pull => "wish-pull.json",
            Self::Push => "wish-push.json",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Pull => "pull",
            Self::Push => "push",
        }
    }
}

/// A process at work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// Its number.
    pub process: u32,
    /// Since when, in seconds since the epoch.
    pub since: i64,
}

/// Notes what is wanted, and starts a process where none is at work.
///
/// # Errors
/// A record that cannot be written, a process that cannot be started.
pub fn ask(
    state: &AgentState,
    want: Want,
    wish: &Wish,
    start: &dyn Fn() -> io::Result<()>,
) -> Result<(), AgentError> {
    note(state, want, wish)?;
    if !is_at_work(state)? {
        start().map_err(|source| AgentError::Process { what: "started", source })?;
    }
    Ok(())
}

/// Notes what is wanted, for whoever is at work next.
///
/// # Errors
/// A record that cannot be written.
pub fn note(state: &AgentState, want: Want, wish: &Wish) -> Result<(), AgentError> {
    Ok(state.write(want.record(), wish)?)
}

/// Whether a process is at work: it looks for requests once more after it let go of the lock.
fn is_at_work(state: &AgentState) -> Result<bool, AgentError> {
    match Lock::acquire(state.root(), LOCK, Duration::ZERO) {
        Ok(_) => Ok(false),
        Err(LockError::Held { .. }) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// The process at work, if there is one.
pub fn running(state: &AgentState) -> Option<Running> {
    let running: Running = state.read(RUNNING);
    (running.process != 0 && is_at_work(state).unwrap_or(false)).then_some(running)
}

/// Ends the process at work, with the git it may have started. What was asked for stays asked for.
///
/// # Errors
/// A process that belongs to somebody else.
pub fn stop(state: &AgentState) -> Result<Option<Running>, AgentError> {
    let Some(running) = running(state) else { return Ok(None) };
    let ended = end_session(running.process)
        .map_err(|source| AgentError::Process { what: "ended", source })?;
    Ok(ended.then_some(running))
}

/// What a detached process works with.
pub struct Workplace<'a> {
    /// The records.
    pub state: &'a AgentState,
    /// The team memory.
    pub place: &'a TeamPlace,
    /// The git program.
    pub git: &'a Git,
}

/// Does what hooks ask for until nothing is left; `false` where another process is at it.
///
/// # Errors
/// Records that cannot be written.
pub fn work(workplace: &Workplace<'_>, actor: &mut Actor) -> Result<bool, AgentError> {
    let started = Instant::now();
    let state = workplace.state;
    loop {
        let held = match Lock::acquire(state.root(), LOCK, LOCK_WAIT) {
            Ok(held) => held,
            Err(LockError::Held { .. }) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        let running = Running { process: std::process::id(), since: actor.clock.now().seconds };
        state.write(RUNNING, &running)?;
        while started.elapsed() < LIFE_MAX && one_round(workplace, actor)? {}
        state.take::<Running>(RUNNING);
        drop(held);
        // Whoever asked in this moment saw the lock held, and relies on us.
        if !is_asked(state, Want::Pull) && !is_asked(state, Want::Push) {
            return Ok(true);
        }
        if started.elapsed() >= LIFE_MAX {
            return Ok(true);
        }
    }
}

fn is_asked(state: &AgentState, want: Want) -> bool {
    state.written_ns(want.record()).is_some()
}

/// Pulls and pushes as asked; `false` when for a while nobody asked.
fn one_round(workplace: &Workplace<'_>, actor: &mut Actor) -> Result<bool, AgentError> {
    let state = workplace.state;
    if let Some(wish) = state.take::<Wish>(Want::Pull.record()) {
        // A pull commits what is here as well.
        (actor.agent, actor.session) = (wish.agent, wish.session);
        do_one(workplace, actor, Want::Pull)?;
    }
    if !is_asked(state, Want::Push) {
        return Ok(is_asked(state, Want::Pull));
    }
    wait_for_quiet(state);
    let Some(wish) = state.take::<Wish>(Want::Push.record()) else { return Ok(true) };
    (actor.agent, actor.session) = (wish.agent, wish.session);
    if is_unshared(workplace.place, actor).unwrap_or(true) {
        do_one(workplace, actor, Want::Push)?;
        // No second push for a while, and whoever asks meanwhile needs no second process.
        let until = Instant::now() + BETWEEN;
        while Instant::now() < until && !is_asked(state, Want::Pull) {
            std::thread::sleep(PAUSE);
        }
    }
    Ok(true)
}

/// Waits until an agent pauses.
fn wait_for_quiet(state: &AgentState) {
    let until = Instant::now() + QUIET_MAX;
    let mut asked = state.written_ns(Want::Push.record());
    loop {
        std::thread::sleep(QUIET);
        let now = state.written_ns(Want::Push.record());
        if now == asked || Instant::now() >= until {
            return;
        }
        asked = now;
    }
}

/// Whether something here waits to be shared.
///
/// # Errors
/// A team memory that cannot be read.
pub fn is_unshared(place: &TeamPlace, actor: &Actor) -> Result<bool, SyncError> {
    Ok(waits(&status(place, actor)?))
}

/// The same of a state that was looked at.
pub fn waits(found: &StatusReport) -> bool {
    found.remote.is_some() && (!found.changes.is_empty() || found.ahead > 0)
}

fn do_one(workplace: &Workplace<'_>, actor: &Actor, want: Want) -> Result<(), AgentError> {
    let (state, now) = (workplace.state, actor.clock.now());
    let direction = match want {
        Want::Pull => Direction::Pull,
        Want::Push => Direction::Push,
    };
    let mut done = Work { what: want.word().to_owned(), ..Work::default() };
    match exchange(workplace.place, actor, workplace.git, direction) {
        Ok(outcome) => {
            (done.received, done.pushed) = (outcome.received, outcome.pushed);
            tell(state, now, &outcome)?;
        }
        // A team memory may have no remote for a while.
        Err(SyncError::NoRemote(_)) => {}
        Err(error) => {
            let text = with_causes(&error);
            state.log(now, want.word(), &text);
            done.failure = Some(crate::secrets::masking::masked(&text));
        }
    }
    done.seconds = actor.clock.now().seconds;
    Ok(state.write(DONE, &done)?)
}

/// Keeps for the next prompt what others changed, and for people what was kept out.
fn tell(state: &AgentState, now: Timestamp, outcome: &ExchangeOutcome) -> Result<(), AgentError> {
    for held in &outcome.staged.held_back {
        let why: Vec<&str> = held.reasons.iter().map(|reason| reason.message.as_str()).collect();
        state.log(now, "kept out", &format!("{}: {}", held.path, why.join("; ")));
    }
    if outcome.received == 0 || outcome.files.is_empty() {
        return Ok(());
    }
    let mut news: News = state.read(NEWS);
    for file in &outcome.files {
        let what = match file.kind {
            ChangeKind::Added => "is new",
            ChangeKind::Edited => "was edited",
            ChangeKind::Deleted => "was deleted",
        };
        news.add(format!("`team/{}` {what}", file.path));
    }
    Ok(state.write(NEWS, &news)?)
}

/// An error with what caused it.
pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
