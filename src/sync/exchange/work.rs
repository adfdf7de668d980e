//! What a commit of local edits will hold, while it is being decided.
//! Border: the state of one staging; `stage` decides memories, `stage_index` the index.

use std::collections::BTreeMap;

use crate::base::id::ObjectId;
use crate::gate::verdict::Reason;
use crate::git::tree::TreeFiles;
use crate::sync::outcome::{HeldBack, StageOutcome};
use crate::sync::repo::team::Team;
use crate::sync::worktree::apply::FileWrite;
use crate::sync::worktree::tree_overlay::{Edits, TreeView};

/// A stage in progress.
pub(crate) struct Work {
    pub(crate) files: TreeFiles,
    pub(crate) edits: Edits,
    pub(crate) bases: BTreeMap<String, Option<ObjectId>>,
    pub(crate) outcome: StageOutcome,
    pub(crate) writes: Vec<FileWrite>,
}

impl Work {
    /// Keeps a change out of the commit and remembers the base it was made on.
    pub(crate) fn hold(&mut self, path: &str, reasons: Vec<Reason>, known: Option<ObjectId>) {
        self.bases.entry(path.to_owned()).or_insert(known);
        let path = HeldBack::shown(path, &reasons);
        self.outcome.held_back.push(HeldBack { path, reasons });
    }

    /// The files as they will be committed, for reconciling the index.
    pub(crate) fn view<'a>(&self, team: &'a Team) -> TreeView<'a> {
        TreeView::new(&team.repo, &self.files, &self.edits)
    }
}
