//! Shares what changes in a team memory, for people and for clients without hooks.
//! Border: when; the sharing itself is `background`, which lets one process at a time do it.
//!
//! It looks at the folder once a second instead of asking the system for events: there is no limit to reach,
//! a folder that is moved away and back is found again, and network file systems are seen as well.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::background::{DONE, NEWS, Want, Workplace, is_unshared, note, work};
use super::error::AgentError;
use crate::store::agent_state::{News, Wish, Work};
use crate::sync::exchange::pull_push::random_up_to;
use crate::sync::repo::team::Actor;
use crate::system::files::{ClosedFolder, Root, WalkLimits};

/// From one look to the next.
const PAUSE: Duration = Duration::from_secs(1);
/// A look may take this part of the time: a large folder is looked at less often.
const LOOKS_SHARE: u32 = 20;
/// What changes all the time is shared all the same.
const QUIET_MAX: Duration = Duration::from_secs(5);
/// A look that comes this much too late: the machine was asleep.
const ASLEEP: Duration = Duration::from_secs(30);
/// From a failure to the next try, at first and at most.
const RETRY: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(300));

/// Something to be told, once each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// It began.
    Started {
        /// The team memory.
        folder: String,
        /// From one pull to the next.
        every_seconds: u64,
    },
    /// Changes of others came in.
    Received {
        /// How many commits.
        commits: usize,
        /// What became of which memory.
        changes: Vec<String>,
    },
    /// Changes went out.
    Sent {
        /// How many commits.
        commits: usize,
    },
    /// It could not share; it goes on trying.
    Failed {
        /// Why.
        reason: String,
    },
    /// It can share again.
    Recovered,
    /// The folder is not there; it waits.
    FolderGone,
    /// The folder is there again.
    FolderBack,
    /// The machine was asleep.
    Woke,
}

/// How it watches.
pub struct Watch<'a> {
    /// What is shared, and with what.
    pub workplace: Workplace<'a>,
    /// From one pull to the next, a little more or less.
    pub every: Duration,
    /// Takes what happens.
    pub say: &'a mut dyn FnMut(&Event),
}

/// What is known between two looks.
struct Seen {
    folder: Option<u64>,
    /// Since when the folder differs from what was shared.
    changed: Option<Instant>,
    is_gone: bool,
    failures: u32,
    next_pull: Instant,
    next_try: Instant,
}

/// Pulls and pushes once; whether all went well.
///
/// # Errors
/// Records that cannot be written.
pub fn once(watch: &mut Watch<'_>, actor: &mut Actor) -> Result<bool, AgentError> {
    let mut seen = Seen::now();
    share(watch, actor, Want::Push, &mut seen)?;
    if seen.failures == 0 {
        share(watch, actor, Want::Pull, &mut seen)?;
    }
    Ok(seen.failures == 0)
}

/// Watches until the process is ended.
///
/// # Errors
/// Records that cannot be written.
pub fn watch(watch: &mut Watch<'_>, actor: &mut Actor) -> Result<(), AgentError> {
    let folder = watch.workplace.place.folder.display().to_string();
    (watch.say)(&Event::Started { folder, every_seconds: watch.every.as_secs() });
    let mut seen = Seen::now();
    loop {
        let began = Instant::now();
        round(watch, actor, &mut seen)?;
        let pause = PAUSE.max(seen.last_look(began) * LOOKS_SHARE);
        let before = wall_clock(actor);
        std::thread::sleep(pause);
        let slept = wall_clock(actor).saturating_sub(before);
        if slept > (pause + ASLEEP).as_secs() {
            (watch.say)(&Event::Woke);
            seen.next_pull = Instant::now();
        }
    }
}

fn wall_clock(actor: &Actor) -> u64 {
    u64::try_from(actor.clock.now().seconds).unwrap_or(0)
}

impl Seen {
    fn now() -> Self {
        let now = Instant::now();
        Self {
            folder: None,
            changed: None,
            is_gone: false,
            failures: 0,
            next_pull: now,
            next_try: now,
        }
    }

    fn last_look(&self, began: Instant) -> Duration {
        // A round that shared took its time at the remote, not with looking.
        began.elapsed().min(PAUSE)
    }
}

/// One look, and what follows from it.
fn round(watch: &mut Watch<'_>, actor: &mut Actor, seen: &mut Seen) -> Result<(), AgentError> {
    let Some(now) = look(&watch.workplace) else {
        if !seen.is_gone {
            seen.is_gone = true;
            (watch.say)(&Event::FolderGone);
        }
        return Ok(());
    };
    if seen.is_gone {
        seen.is_gone = false;
        seen.next_pull = Instant::now();
        (watch.say)(&Event::FolderBack);
    }
    let is_quiet = seen.folder.replace(now) == Some(now);
    if !is_quiet {
        seen.changed.get_or_insert_with(Instant::now);
    }
    if Instant::now() < seen.next_try {
        return Ok(());
    }
    if let Some(since) = seen.changed
        && (is_quiet || since.elapsed() > QUIET_MAX)
    {
        seen.changed = None;
        share(watch, actor, Want::Push, seen)?;
    }
    if Instant::now() >= seen.next_pull {
        let jitter = random_up_to(watch.every / 5);
        seen.next_pull = Instant::now() + watch.every + jitter;
        share(watch, actor, Want::Pull, seen)?;
    }
    Ok(())
}

/// Something that differs when a file of the team memory may have changed; `None` where there is none.
fn look(workplace: &Workplace<'_>) -> Option<u64> {
    let root = Root::open(&workplace.place.folder).ok()?;
    root.exists(".git").ok().filter(|there| *there)?;
    let limits = WalkLimits { closed: ClosedFolder::List, ..WalkLimits::default() };
    let mut hasher = DefaultHasher::new();
    for file in root.walk(limits).ok()? {
        (file.path, file.stat.modified_ns, file.stat.size, file.stat.inode).hash(&mut hasher);
    }
    Some(hasher.finish())
}

/// Shares, tells what came of it, and takes the folder as it is then.
fn share(
    watch: &mut Watch<'_>,
    actor: &mut Actor,
    want: Want,
    seen: &mut Seen,
) -> Result<(), AgentError> {
    let state = watch.workplace.state;
    let heard = state.read::<News>(NEWS).count;
    state.take::<Work>(DONE);
    note(state, want, &Wish::default())?;
    // Where another process is at it, that one does this as well.
    work(&watch.workplace, actor)?;
    let done: Work = state.read(DONE);
    if let Some(reason) = done.failure {
        if seen.failures == 0 {
            (watch.say)(&Event::Failed { reason });
        }
        seen.failures += 1;
        let wait = RETRY.0 * 2_u32.saturating_pow(seen.failures.min(8) - 1);
        seen.next_try = Instant::now() + wait.min(RETRY.1);
        seen.changed = Some(Instant::now());
        return Ok(());
    }
    if seen.failures > 0 {
        seen.failures = 0;
        (watch.say)(&Event::Recovered);
    }
    if done.received > 0 {
        let changes = state.read::<News>(NEWS).after(heard).to_vec();
        (watch.say)(&Event::Received { commits: done.received, changes });
    }
    if done.pushed > 0 {
        (watch.say)(&Event::Sent { commits: done.pushed });
    }
    // What was written by ourselves is no change; what somebody wrote meanwhile is, and a pull commits it.
    seen.folder = look(&watch.workplace);
    if is_unshared(watch.workplace.place, actor).unwrap_or(false) {
        seen.changed = Some(Instant::now());
    }
    Ok(())
}
