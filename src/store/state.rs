//! What one machine remembers about its team repository, below the git dir in `memsync/`.
//! Border: plain records and their limits; the flows decide what they mean.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::base::id::ObjectId;
use crate::base::path::{EntryMode, MemoryPath};
use crate::memory::reconcile::Removed;
use crate::system::files::{Durability, FileError, Root};

/// A record file.
const RECORD_BYTES_MAX: u64 = 20_000_000;

/// The folder below the git dir.
pub const STATE_FOLDER: &str = "memsync";

/// What must never be lost: read at the start of every command, written only when it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocalState {
    /// The project root this clone was made for; `None` when the memory directory was named directly.
    pub project_root: Option<PathBuf>,
    /// The blob each file on disk was edited from, where that is not what HEAD holds.
    ///
    /// An edit is always merged from its own base, so that text held back for a while cannot undo
    /// what others changed meanwhile. `None`: the file was made from nothing.
    pub bases: BTreeMap<String, Option<ObjectId>>,
    /// The root commit everything must descend from.
    pub root_commit: Option<ObjectId>,
    /// The key fingerprint that must have signed the root commit.
    pub root_signer: Option<String>,
    /// The branch that is shared; `None` in a clone that was set up before this was noted.
    pub branch: Option<String>,
}

/// What is nice to know: written often, not made durable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LastContact {
    /// When a fetch last succeeded, seconds since the epoch.
    pub fetched: Option<i64>,
    /// When a push last succeeded.
    pub pushed: Option<i64>,
    /// When changes of others last came in.
    #[serde(default)]
    pub received: Option<i64>,
    /// When something new last came in or went out. A host that shows an old state cannot be told
    /// from a quiet team, so this is shown to people.
    pub changed: Option<i64>,
    /// What went wrong last, redacted; `None` after a success.
    pub failure: Option<String>,
    /// Commits that were refused at the last pull: the first one and why.
    pub refused: Option<RefusedIncoming>,
}

/// Where the index was last in line with the memories. Written often, not made durable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IndexState {
    /// The tree whose index needed no change.
    pub tree: Option<ObjectId>,
    /// The tree that was on disk after the last exchange.
    pub settled: Option<ObjectId>,
}

/// Commits that took a change back, each with the earlier commit whose state it has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Undone {
    /// The earlier commit, by the id of the one that took back.
    pub states: BTreeMap<String, ObjectId>,
}

/// Lines that reconciling took out of the index, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RemovedLines {
    /// What each run took out.
    pub batches: Vec<RemovedBatch>,
}

/// What one run took out of the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedBatch {
    /// When, in seconds since the epoch.
    pub seconds: i64,
    /// The lines.
    pub removed: Vec<Removed>,
}

/// Where incoming history stopped being acceptable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedIncoming {
    /// The first commit that was refused.
    pub commit: ObjectId,
    /// The tip the remote offered.
    pub tip: ObjectId,
    /// The rule, for example `symlink`.
    pub rule: String,
    /// What a person should know, ready to show.
    pub message: String,
    /// Whether an admin's vouch can lift it: a matter of trust, not of a forbidden path or object.
    #[serde(default)]
    pub is_vouchable: bool,
    /// The commits that are refused or in conflict, oldest first; the first ones where they are many.
    #[serde(default)]
    pub commits: Vec<ObjectId>,
    /// How many they are.
    #[serde(default)]
    pub count: usize,
    /// Who may act as admin on top of it.
    #[serde(default)]
    pub admins: Vec<String>,
    /// The verified tip when it was judged: the verdict stands as long as tip and this are the same.
    #[serde(default)]
    pub verified: Option<ObjectId>,
    /// The version of memsync that judged.
    #[serde(default)]
    pub version: String,
}

/// An unfinished change of work tree, ref and index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    /// The ref that is being moved.
    pub reference: String,
    /// Where it was.
    pub old: Option<ObjectId>,
    /// Where it goes.
    pub new: ObjectId,
    /// The reflog message.
    pub reason: String,
    /// Every file to be written or removed.
    pub files: Vec<JournalFile>,
    /// The bases to be recorded when done.
    pub bases: BTreeMap<String, Option<ObjectId>>,
}

/// One file of an unfinished change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalFile {
    /// Which file.
    pub path: String,
    /// The blob on disk before; `None` when absent.
    pub old: Option<ObjectId>,
    /// The blob to be on disk after; `None` when removed.
    pub new: Option<ObjectId>,
}

impl JournalFile {
    /// The path, checked again: a journal is a file, and files can be edited.
    pub fn memory_path(&self) -> Option<MemoryPath> {
        MemoryPath::parse_tracked(self.path.as_bytes(), EntryMode::File).ok()
    }
}

/// Why a record could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file system refused.
    #[error("cannot access `{name}` of the team repository")]
    File {
        /// The record.
        name: &'static str,
        /// The cause.
        #[source]
        source: FileError,
    },
    /// The content is not what memsync writes.
    #[error("`{name}` of the team repository is damaged")]
    Damaged {
        /// The record.
        name: &'static str,
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
}

/// A record file below the git dir.
pub trait Record: Serialize + for<'de> Deserialize<'de> {
    /// Its path below the git dir.
    const NAME: &'static str;
    /// How it is written.
    const DURABILITY: Durability;
}

impl Record for LocalState {
    const NAME: &'static str = "memsync/state.json";
    const DURABILITY: Durability = Durability::Durable;
}

impl Record for LastContact {
    const NAME: &'static str = "memsync/last.json";
    const DURABILITY: Durability = Durability::Relaxed;
}

impl Record for IndexState {
    const NAME: &'static str = "memsync/index.json";
    const DURABILITY: Durability = Durability::Relaxed;
}

impl Record for Undone {
    const NAME: &'static str = "memsync/undone.json";
    const DURABILITY: Durability = Durability::Relaxed;
}

impl Record for RemovedLines {
    const NAME: &'static str = "memsync/removed.json";
    const DURABILITY: Durability = Durability::Durable;
}

impl Record for Journal {
    const NAME: &'static str = "memsync/journal.json";
    const DURABILITY: Durability = Durability::Durable;
}

/// Reads a record; `None` when there is none.
pub fn read<R: Record>(git_dir: &Root) -> Result<Option<R>, StateError> {
    let bytes = match git_dir.read(R::NAME, RECORD_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(FileError::NotFound { .. }) => return Ok(None),
        Err(source) => return Err(StateError::File { name: R::NAME, source }),
    };
    let damaged = |source| StateError::Damaged { name: R::NAME, source };
    serde_json::from_slice(&bytes).map(Some).map_err(damaged)
}

/// Writes a record.
pub fn write<R: Record>(git_dir: &Root, record: &R) -> Result<(), StateError> {
    let text = serde_json::to_vec_pretty(record).expect("because records have string keys");
    let error = |source| StateError::File { name: R::NAME, source };
    git_dir.write_atomic(R::NAME, &text, R::DURABILITY).map_err(error)
}

/// Removes a record if there is one.
pub fn remove<R: Record>(git_dir: &Root) -> Result<(), StateError> {
    match git_dir.remove(R::NAME) {
        Ok(()) | Err(FileError::NotFound { .. }) => Ok(()),
        Err(source) => Err(StateError::File { name: R::NAME, source }),
    }
}
