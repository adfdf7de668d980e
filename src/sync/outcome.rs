//! What the flows report: values the program and other doors can show in their own way.
//! Border: no wording beyond what the gate gave; `report` and the ui speak.

use std::path::PathBuf;

use serde::Serialize;

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::gate::verdict::Reason;
use crate::memory::reconcile::IndexChange;
use crate::secrets::masking::without_values;
use crate::store::state::RefusedIncoming;

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content changed.
    Edited,
    /// It is gone.
    Deleted,
}

/// One changed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// Which file, escaped for display.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
}

/// A local change that the gate kept out of the commit. It stays on disk as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeldBack {
    /// Which file, escaped for display.
    pub path: String,
    /// Every reason.
    pub reasons: Vec<Reason>,
}

impl HeldBack {
    /// How the file is shown: as its reasons show it, which mask a credential in its name.
    pub(crate) fn shown(path: &str, reasons: &[Reason]) -> String {
        let masked = reasons.iter().find(|reason| reason.is_secret() && !reason.path.is_empty());
        masked.map_or_else(
            || Escaped(&without_values(path, b"", &[])).to_string(),
            |reason| reason.path.clone(),
        )
    }
}

/// What became of the local edits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StageOutcome {
    /// The commit that holds them; `None` when there was nothing to commit.
    pub commit: Option<ObjectId>,
    /// What it holds.
    pub changes: Vec<FileChange>,
    /// What was kept out.
    pub held_back: Vec<HeldBack>,
    /// Things worth a look that held nothing back.
    pub notes: Vec<Reason>,
    /// What was done to the index.
    pub index: Vec<IndexChange>,
    /// Files that are no memories and were left alone: editor leftovers, hidden files.
    pub ignored: Vec<String>,
}

/// A conflict that a merge recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenConflict {
    /// The record's id.
    pub id: String,
    /// The file it is about.
    pub path: String,
}

/// What a pull or push did, in the order it happened.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ExchangeOutcome {
    /// An unfinished earlier run was completed first.
    pub recovered: bool,
    /// Local edits.
    pub staged: StageOutcome,
    /// Commits taken from the remote.
    pub received: usize,
    /// How many of them nobody's signature proves; only an open team takes such commits.
    pub unproven: usize,
    /// Our commits that were merged onto them.
    pub replayed: usize,
    /// Files the merge changed in the work tree.
    pub files: Vec<FileChange>,
    /// Files that changed while memsync was working, or hold text that was kept out: left as they are.
    pub left_alone: Vec<String>,
    /// Conflicts that are open now.
    pub conflicts: Vec<OpenConflict>,
    /// Where the remote's history stopped being acceptable.
    pub refused: Option<RefusedIncoming>,
    /// Content rules that what others shared breaks.
    pub reported: Vec<Reason>,
    /// Commits the remote took.
    pub pushed: usize,
    /// Commits the remote has not.
    pub ahead: usize,
    /// The commit the team memory is at now.
    pub tip: Option<ObjectId>,
    /// How often another writer was faster.
    pub lost_races: usize,
}

impl ExchangeOutcome {
    /// Whether everything went through: nothing held back, nothing refused.
    pub fn is_complete(&self) -> bool {
        self.staged.held_back.is_empty() && self.refused.is_none()
    }

    /// Whether `--strict` is satisfied too: no open conflict, nothing reported.
    pub fn is_strictly_complete(&self) -> bool {
        self.is_complete() && self.conflicts.is_empty() && self.reported.is_empty()
    }
}

/// What `init` or `join` made.
#[derive(Clone, Debug, Serialize)]
pub struct SetupOutcome {
    /// The team memory's folder.
    pub team: PathBuf,
    /// The root commit that everyone must start from.
    pub root_commit: ObjectId,
    /// The fingerprint of the key that signed it.
    pub root_signer: Option<String>,
    /// The remote, safe to show.
    pub remote: Option<String>,
    /// Memories it holds.
    pub memories: usize,
    /// What the first exchange did.
    pub exchange: ExchangeOutcome,
}
