//! What history keeps readable: versions from before a memory was sealed, and versions that a former
//! reader could open.
//! Border: reads commits; sealing a memory again changes none of this, and nothing here claims so.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::memory::document::Document;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::seal::envelope::{Envelope, is_sealed_text};
use crate::sync::error::SyncError;
use crate::sync::repo::team::Team;
use crate::trust::roster::MemberId;

/// Versions of a memory that are not sealed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PlainHistory {
    /// Commits that brought one, oldest first.
    pub commits: Vec<ObjectId>,
    /// How many of them the remote has not; the next push shares them.
    pub unshared: usize,
}

/// A memory that a member could open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exposed {
    /// The file.
    pub path: String,
    /// How many versions of it.
    pub versions: usize,
}

/// The versions of a memory that everyone with the repository can read.
pub(crate) fn plain_history(team: &Team, path: &MemoryPath) -> Result<PlainHistory, SyncError> {
    let tracking = team.tracking()?;
    let unshared: BTreeSet<ObjectId> =
        team.repo.range(tracking, team.tip()?)?.into_iter().collect();
    let mut history = PlainHistory::default();
    let mut last = None;
    for id in team.repo.range(None, team.tip()?)? {
        let file = team.repo.tree_file(team.repo.commit(id)?.tree, path.as_str())?;
        let blob = file.map(|file| file.id);
        if blob == last {
            continue;
        }
        last = blob;
        let Some(blob) = blob else { continue };
        let content = team.repo.blob(blob, POLICY_BYTES_MAX as u64)?;
        if !is_sealed_text(&String::from_utf8_lossy(&content)) {
            history.commits.push(id);
            history.unshared += usize::from(unshared.contains(&id));
        }
    }
    Ok(history)
}

/// Every memory, sealed again or deleted since or not, of which a member could open some version.
pub(crate) fn exposed_to(team: &Team, member: &MemberId) -> Result<Vec<Exposed>, SyncError> {
    let mut versions: BTreeMap<String, BTreeSet<ObjectId>> = BTreeMap::new();
    let mut seen: BTreeSet<ObjectId> = BTreeSet::new();
    for id in team.repo.range(None, team.tip()?)? {
        let commit = team.repo.commit(id)?;
        let parent = commit.parents.first().map(|id| team.repo.commit(*id)).transpose()?;
        for change in team.repo.tree_changes(parent.map(|p| p.tree), Some(commit.tree))? {
            let Some(new) = change.new else { continue };
            let Ok(path) = MemoryPath::parse_bytes(&change.path) else { continue };
            if !path.is_memory() || !seen.insert(new.id) {
                continue;
            }
            let content = team.repo.blob(new.id, POLICY_BYTES_MAX as u64)?;
            let text = String::from_utf8_lossy(&content);
            let names = |text: &str| {
                let envelope = Envelope::read(&Document::parse(text)).ok();
                envelope.is_some_and(|envelope| envelope.audience.readers.contains(member))
            };
            if is_sealed_text(&text) && names(&text) {
                versions.entry(path.to_string()).or_default().insert(new.id);
            }
        }
    }
    let one = |(path, ids): (String, BTreeSet<ObjectId>)| Exposed { path, versions: ids.len() };
    Ok(versions.into_iter().map(one).collect())
}
