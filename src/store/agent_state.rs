//! What one machine remembers about the agents that use a memory directory: when they called, what they
//! were told, what waits to be shared. It lies in the person's state folder, never beside the memories.
//! Border: plain records and their limits; the doors decide what they mean.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::base::time::Timestamp;
use crate::secrets::masking::masked;
use crate::system::env::Environment;
use crate::system::files::{Durability, FileError, Root, WalkLimits};
use crate::system::lock::Lock;

/// A record.
const RECORD_BYTES_MAX: u64 = 4_000_000;
/// The log; the oldest lines go when it is longer.
const LOG_BYTES_MAX: usize = 128_000;
/// One line of it.
const LOG_LINE_BYTES_MAX: usize = 2_000;
/// Writing a line takes no time; who cannot have the log goes on without.
const LOG_WAIT: Duration = Duration::from_millis(50);
/// The folder of the records of each memory directory.
pub const AGENTS: &str = "agents";
const LOG: &str = "log.jsonl";
const LOG_LOCK: &str = "log.lock";
/// Names of agents' sessions and events are words of theirs: longer ones are cut.
const NAME_BYTES_MAX: usize = 64;
/// What was told in a session is forgotten after so many seconds without a word from it.
const SESSION_SECONDS_MAX: i64 = 14 * 86_400;
/// So many sessions are remembered.
const SESSIONS_MAX: usize = 100;

/// The records of one memory directory.
#[derive(Debug)]
pub struct AgentState {
    root: Root,
}

/// A call of a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Called {
    /// When, in seconds since the epoch.
    pub seconds: i64,
    /// What went wrong; the client was not bothered with it.
    pub failure: Option<String>,
    /// The transcript of the session it came from.
    pub transcript: Option<PathBuf>,
}

/// What a session was told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentSession {
    /// When it last called, in seconds since the epoch.
    pub seconds: i64,
    /// Memories that were shown, below the memory directory.
    pub surfaced: Vec<String>,
    /// What it was last told about the state of the team memory.
    pub state: String,
    /// How much of the news it heard.
    pub news: u64,
}

/// Something a detached process is asked to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wish {
    /// The agent whose work is to be shared.
    pub agent: Option<String>,
    /// Its session.
    pub session: Option<String>,
}

/// What the detached process did last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Work {
    /// When it ended, in seconds since the epoch.
    pub seconds: i64,
    /// `pull` or `push`.
    pub what: String,
    /// Commits that came in.
    pub received: usize,
    /// Commits that went out.
    pub pushed: usize,
    /// Why not all went well.
    pub failure: Option<String>,
}

/// What came in and sessions have not heard of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct News {
    /// How many pieces there ever were; the newest are kept.
    pub count: u64,
    /// `team/x.md was edited`, the newest last.
    pub latest: Vec<String>,
}

/// So many pieces of news are kept.
const NEWS_MAX: usize = 50;

impl News {
    /// Adds a piece.
    pub fn add(&mut self, piece: String) {
        self.count += 1;
        self.latest.push(piece);
        let spare = self.latest.len().saturating_sub(NEWS_MAX);
        self.latest.drain(..spare);
    }

    /// What came after the first `heard` pieces, as far as it is kept.
    pub fn after(&self, heard: u64) -> &[String] {
        let new = usize::try_from(self.count.saturating_sub(heard)).unwrap_or(usize::MAX);
        &self.latest[self.latest.len().saturating_sub(new)..]
    }
}

/// Where memsync's blocks and entries were put, so that all can be taken out again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Installed {
    /// What stood in containers that were empty, by settings file and place in it.
    pub hollows: std::collections::BTreeMap<String, std::collections::BTreeMap<String, String>>,
    /// Settings files that were made.
    pub made: Vec<PathBuf>,
    /// Memory directories whose index has a block.
    pub blocks: Vec<PathBuf>,
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// When, RFC 3339.
    pub time: String,
    /// What it is about: an event, `pull`, `push`.
    pub about: String,
    /// What happened; credentials are masked.
    pub text: String,
}

/// The folder of all such records: below `XDG_STATE_HOME`, else `~/.local/state`.
pub fn state_home(environment: &Environment) -> Option<PathBuf> {
    let named = environment.path("XDG_STATE_HOME").filter(|path| path.is_absolute());
    Some(named.or_else(|| Some(environment.home()?.join(".local/state")))?.join("memsync"))
}

/// Opens the folder of all such records, which is made where it is missing.
///
/// # Errors
/// A folder that cannot be made.
pub fn open_home(environment: &Environment) -> Result<Option<Root>, FileError> {
    let Some(home) = state_home(environment) else { return Ok(None) };
    Root::create(&home)?;
    Root::open(&home).map(Some)
}

impl AgentState {
    /// Opens the records of a memory directory; `None` where the person has no home folder.
    ///
    /// # Errors
    /// A folder that cannot be made.
    pub fn open(environment: &Environment, memdir: &Path) -> Result<Option<Self>, FileError> {
        let Some(home) = open_home(environment)? else { return Ok(None) };
        let name = format!("{AGENTS}/{}", key_of(memdir));
        home.create_folder(&name)?;
        Ok(Some(Self { root: home.descend(&name)? }))
    }

    /// The records of a memory directory that there are; nothing is made.
    pub fn find(environment: &Environment, memdir: &Path) -> Option<Self> {
        let folder = state_home(environment)?.join(AGENTS).join(key_of(memdir));
        Root::open(&folder).ok().map(|root| Self { root })
    }

    /// The folder, for locks.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// A record; an unreadable or damaged one counts as none, since nothing depends on it.
    pub fn read<T: for<'de> Deserialize<'de> + Default>(&self, name: &str) -> T {
        let raw = self.root.read_if_there(name, RECORD_BYTES_MAX).ok().flatten();
        raw.and_then(|raw| serde_json::from_slice(&raw).ok()).unwrap_or_default()
    }

    /// Writes a record.
    ///
    /// # Errors
    /// The file system's.
    pub fn write<T: Serialize>(&self, name: &str, record: &T) -> Result<(), FileError> {
        let text = serde_json::to_vec(record).expect("because records have string keys");
        self.root.write_private(name, &text, Durability::Relaxed)
    }

    /// Takes a record away, and gives what it said; `None` where there was none.
    pub fn take<T: for<'de> Deserialize<'de> + Default>(&self, name: &str) -> Option<T> {
        if !self.root.exists(name).unwrap_or(false) {
            return None;
        }
        let record = self.read(name);
        self.root.remove(name).ok()?;
        Some(record)
    }

    /// When a record was last written, in nanoseconds since the epoch by the file system's clock.
    pub fn written_ns(&self, name: &str) -> Option<i64> {
        Some(self.root.stat(name).ok()??.modified_ns)
    }

    /// The name of the record of an event.
    pub fn called(event: &str) -> String {
        format!("called-{}.json", safe_name(event))
    }

    /// The name of the record of a session.
    pub fn session(id: &str) -> String {
        format!("session-{}.json", safe_name(id))
    }

    /// The last call of each event.
    pub fn calls(&self) -> Vec<(String, Called)> {
        self.names("called-").into_iter().map(|(name, file)| (name, self.read(&file))).collect()
    }

    /// Forgets sessions that have not called for long, and the oldest where they are many.
    pub fn forget_sessions(&self, now: i64) {
        let mut sessions = self.names("session-");
        sessions.sort_by_key(|(_, file)| std::cmp::Reverse(self.written_ns(file)));
        for (_, file) in sessions.split_off(sessions.len().min(SESSIONS_MAX)) {
            drop(self.root.remove(&file));
        }
        for (_, file) in sessions {
            let session: AgentSession = self.read(&file);
            if now - session.seconds > SESSION_SECONDS_MAX {
                // The next session tries again.
                drop(self.root.remove(&file));
            }
        }
    }

    /// Records whose name begins so, each with the rest of its name and its file.
    fn names(&self, prefix: &str) -> Vec<(String, String)> {
        let files = self.root.walk(WalkLimits::default()).unwrap_or_default();
        let named = files.into_iter().filter_map(|file| {
            let file = String::from_utf8(file.path).ok()?;
            let name = file.strip_prefix(prefix)?.strip_suffix(".json")?.to_owned();
            Some((name, file))
        });
        named.collect()
    }

    /// Adds a line to the log, credentials masked. Whoever cannot write it goes on.
    pub fn log(&self, now: Timestamp, about: &str, text: &str) {
        let Ok(_held) = Lock::acquire(&self.root, LOG_LOCK, LOG_WAIT) else { return };
        let mut shown = masked(text);
        let mut end = LOG_LINE_BYTES_MAX.min(shown.len());
        while !shown.is_char_boundary(end) {
            end -= 1;
        }
        shown.truncate(end);
        let line = LogLine { time: now.to_string(), about: about.to_owned(), text: shown };
        let mut log =
            self.root.read_if_there(LOG, RECORD_BYTES_MAX).ok().flatten().unwrap_or_default();
        log.extend(serde_json::to_vec(&line).expect("because a line has string keys"));
        log.push(b'\n');
        let spare = log.len().saturating_sub(LOG_BYTES_MAX);
        if spare > 0 {
            let from = log[spare..]
                .iter()
                .position(|b| *b == b'\n')
                .map_or(log.len(), |at| spare + at + 1);
            log.drain(..from);
        }
        drop(self.root.write_private(LOG, &log, Durability::Relaxed));
    }

    /// The last lines of the log, the newest last.
    pub fn log_lines(&self, count: usize) -> Vec<LogLine> {
        let log = self.root.read_if_there(LOG, RECORD_BYTES_MAX).ok().flatten().unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<LogLine> =
            log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        lines[lines.len().saturating_sub(count)..].to_vec()
    }
}

/// A memory directory as a file name: its place, links resolved as far as it is there.
fn key_of(memdir: &Path) -> String {
    let place = std::fs::canonicalize(memdir).unwrap_or_else(|_| memdir.to_owned());
    let digest = Sha256::digest(place.as_os_str().as_encoded_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A word of a client's as part of a file name.
fn safe_name(word: &str) -> String {
    let safe: String = word
        .chars()
        .take(NAME_BYTES_MAX)
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .collect();
    if safe.is_empty() { "none".to_owned() } else { safe }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> (tempfile::TempDir, AgentState) {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment::of([("XDG_STATE_HOME", folder.path())]);
        let state = AgentState::open(&environment, &folder.path().join("memory")).unwrap().unwrap();
        (folder, state)
    }

    #[test]
    fn the_log_keeps_the_newest_lines_and_no_credential() {
        let (_folder, state) = state();
        let now = Timestamp::utc(1_772_600_767);
        let token = format!("ghp_{}", "q8Zr4TkW2mXv7Bn1Lc9Hd5Js3Pf6Gy0AeUoI".get(..36).unwrap());
        for n in 0..300 {
            state.log(now, "push", &format!("{n} {token} {}", "x".repeat(1_000)));
        }
        let lines = state.log_lines(usize::MAX);
        assert!(lines.len() > 50 && lines.len() < 200, "{}", lines.len());
        assert!(lines.last().unwrap().text.starts_with("299 "));
        assert!(lines.iter().all(|line| !line.text.contains(&token)));
    }

    #[test]
    fn news_are_heard_once_and_bounded() {
        let mut news = News::default();
        (0..80).for_each(|n| news.add(n.to_string()));
        assert_eq!(news.after(0).len(), 50);
        assert_eq!(news.after(78), ["78", "79"]);
        assert!(news.after(80).is_empty() && news.after(99).is_empty());
    }

    #[test]
    fn names_of_clients_are_no_paths() {
        assert_eq!(AgentState::session("../../x y"), "session-______x_y.json");
        assert_eq!(AgentState::session(""), "session-none.json");
        let (_folder, state) = state();
        state
            .write(
                &AgentState::session("a"),
                &AgentSession { seconds: 5, ..AgentSession::default() },
            )
            .unwrap();
        state.forget_sessions(100);
        assert!(state.take::<AgentSession>(&AgentState::session("a")).is_some());
        state
            .write(
                &AgentState::session("a"),
                &AgentSession { seconds: 5, ..AgentSession::default() },
            )
            .unwrap();
        state.forget_sessions(SESSION_SECONDS_MAX + 6);
        assert!(state.take::<AgentSession>(&AgentState::session("a")).is_none());
        for n in 0..=SESSIONS_MAX {
            let record = AgentSession { seconds: 5, ..AgentSession::default() };
            state.write(&AgentState::session(&n.to_string()), &record).unwrap();
        }
        state.forget_sessions(6);
        assert_eq!(state.names("session-").len(), SESSIONS_MAX);
    }
}
