//! The gate of a team memory: its policy, the findings it accepts, its members.
//! Border: reads them from disk and from trees; what the gate says is its own business.

use std::sync::Arc;

use super::team::{Actor, Team};
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::base::time::Timestamp;
use crate::gate::Gate;
use crate::gate::members::Members;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::secrets::allow::{ALLOW_PATH, AllowList};
use crate::secrets::finding::Finding;
use crate::sync::error::SyncError;
use crate::trust::roster::{ROSTER_PATH, Roster};

impl Team {
    /// Runs a flow with the gate of this team's policy.
    pub fn with_gate<T>(
        &mut self,
        actor: &Actor,
        flow: impl FnOnce(&mut Self, &Gate<'_>) -> Result<T, SyncError>,
    ) -> Result<T, SyncError> {
        self.gated(actor, flow)
    }

    /// [`Self::with_gate`] for a flow with errors of its own.
    pub(crate) fn gated<T, E: From<SyncError>>(
        &mut self,
        actor: &Actor,
        flow: impl FnOnce(&mut Self, &Gate<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let policy = self.policy()?;
        self.refuse_plain_clone()?;
        let accepted = self.accepted_findings(actor)?;
        let is_allowed = |finding: &Finding| accepted.allows(finding, "", None);
        let committed = self.committed_roster()?;
        let on_disk = self.root.read_if_there(ROSTER_PATH, POLICY_BYTES_MAX as u64);
        let on_disk = on_disk.as_ref().ok().and_then(Option::as_deref);
        let is_same = on_disk == committed.as_deref();
        let counts = is_same || self.is_entitled(actor, ROSTER_PATH, on_disk);
        // One that cannot be read, or is not the caller's to change, is kept out of the commit, so the
        // committed one stays in force.
        let members = || match members_of(on_disk.filter(|_| counts)) {
            Members::Nobody => members_of(committed.as_deref()),
            known => known,
        };
        let now = actor.clock.now();
        let gate = Gate { policy: &policy, is_allowed: &is_allowed, members: &members, now };
        flow(self, &gate)
    }

    fn committed_roster(&self) -> Result<Option<Arc<[u8]>>, SyncError> {
        let tree = self.repo.commit(self.tip()?)?.tree;
        let committed = self.repo.tree_file(tree, ROSTER_PATH)?.map(|file| file.id);
        Ok(committed.map(|id| self.repo.blob(id, POLICY_BYTES_MAX as u64)).transpose()?)
    }

    /// The findings that the list in the work tree accepts, which is what will be committed. Where the
    /// gate keeps that list out, the committed one; see [`crate::secrets::allow`].
    pub(crate) fn accepted_findings(&self, actor: &Actor) -> Result<AllowList, SyncError> {
        let now = actor.clock.now();
        let on_disk = self.root.read_if_there(ALLOW_PATH, POLICY_BYTES_MAX as u64);
        let read = |bytes: Vec<u8>| {
            let mut accepted = AllowList::default();
            let text = String::from_utf8(bytes).ok()?;
            accepted.add_yaml(ALLOW_PATH, &text, now).ok().map(|()| accepted)
        };
        let on_disk =
            on_disk.ok().filter(|list| self.is_entitled(actor, ALLOW_PATH, list.as_deref()));
        let on_disk = on_disk.and_then(|list| read(list.unwrap_or_default()));
        let committed = || self.accepted_at(self.repo.commit(self.tip()?)?.tree, now);
        on_disk.map_or_else(committed, Ok)
    }

    /// Whether the caller may make a file that steers what it is on disk; in doubt not.
    fn is_entitled(&self, actor: &Actor, path: &str, on_disk: Option<&[u8]>) -> bool {
        let Ok(path) = MemoryPath::parse(path) else { return false };
        self.not_entitled(actor, &path, on_disk).is_ok_and(|reason| reason.is_none())
    }

    /// The findings that the list in a tree accepts; one that cannot be read accepts nothing, and the
    /// gate names it.
    pub(crate) fn accepted_at(
        &self,
        tree: ObjectId,
        now: Timestamp,
    ) -> Result<AllowList, SyncError> {
        let mut accepted = AllowList::default();
        if let Some(file) = self.repo.tree_file(tree, ALLOW_PATH)? {
            let content = self.repo.blob(file.id, POLICY_BYTES_MAX as u64)?;
            let read = accepted.add_yaml(ALLOW_PATH, &String::from_utf8_lossy(&content), now);
            if read.is_err() {
                return Ok(AllowList::default());
            }
        }
        Ok(accepted)
    }

    /// The members in a tree, for the gate.
    pub(crate) fn members_at(&self, tree: ObjectId) -> Members {
        let file = self.repo.tree_file(tree, ROSTER_PATH).ok().flatten();
        let content = file.map(|file| self.repo.blob(file.id, POLICY_BYTES_MAX as u64));
        members_of(content.and_then(Result::ok).as_deref())
    }
}

/// The members of a roster file; one that cannot be read has none.
fn members_of(roster: Option<&[u8]>) -> Members {
    let roster = roster.and_then(|text| Roster::parse(&String::from_utf8_lossy(text)).ok());
    roster.map_or(Members::Nobody, |roster| Members::Roster(Arc::new(roster)))
}
