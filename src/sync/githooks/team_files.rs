//! What the gate says to the files of a team memory, for the hooks.
//! Border: which files are new is `run`'s; the whole gate is asked here.

use std::sync::Arc;

use super::HooksError;
use super::run::Check;
use crate::base::id::ObjectId;
use crate::base::path::EntryMode;
use crate::config::policy::Policy;
use crate::gate::Gate;
use crate::gate::members::Members;
use crate::gate::verdict::Reason;
use crate::git::GitError;
use crate::git::outgoing::Introduced;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::secrets::allow::AllowList;
use crate::secrets::finding::Finding;
use crate::trust::roster::{ROSTER_PATH, Roster};

impl Check<'_> {
    /// Files of a team memory, with the lists that count.
    pub(crate) fn team_files(
        &mut self,
        commit: Option<ObjectId>,
        files: &[Introduced],
        policy: &Policy,
        lists: &[&AllowList],
    ) -> Result<(), HooksError> {
        let shown = commit.map(|id| id.to_string());
        for file in files {
            if self.seen.insert((file.path.clone(), file.id)) {
                let path = String::from_utf8_lossy(&file.path).into_owned();
                let allows = |finding: &Finding| {
                    lists.iter().any(|list| list.allows(finding, &path, shown.as_deref()))
                };
                let reasons = self.team_file(commit, file, policy, &allows)?;
                self.say(commit, reasons);
            }
        }
        Ok(())
    }

    /// The whole gate.
    fn team_file(
        &self,
        commit: Option<ObjectId>,
        file: &Introduced,
        policy: &Policy,
        is_allowed: &dyn Fn(&Finding) -> bool,
    ) -> Result<Vec<Reason>, GitError> {
        let members = || self.members(commit);
        let now = self.now;
        let gate = Gate { policy, is_allowed, members: &members, now };
        let mode = EntryMode::from_bits(file.mode);
        let size = if mode == EntryMode::Gitlink { 0 } else { self.repo.blob_size(file.id)? };
        match gate.entry(&file.path, mode, size) {
            Ok(path) => Ok(gate.content(&path, &self.repo.blob(file.id, size)?)),
            Err(reason) => Ok(vec![*reason]),
        }
    }

    /// The members at a commit; not known for the index before a commit.
    fn members(&self, commit: Option<ObjectId>) -> Members {
        let roster = |id: ObjectId| {
            let blob = self.repo.blob_at(self.repo.commit(id).ok()?.tree, ROSTER_PATH).ok()??;
            let content = self.repo.blob(blob, POLICY_BYTES_MAX as u64).ok()?;
            Roster::parse(&String::from_utf8_lossy(&content)).ok()
        };
        match commit {
            None => Members::Unknown,
            Some(id) => {
                roster(id).map_or(Members::Nobody, |roster| Members::Roster(Arc::new(roster)))
            }
        }
    }
}
