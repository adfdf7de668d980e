//! Tells a server where its team's history starts, so that the hook there takes no other one.
//! Border: compares with what the server holds and writes the record; the hook reads it.

use std::path::Path;

use super::HooksError;
use super::hub::{BRANCHES, start_of};
use crate::base::id::ObjectId;
use crate::config::policy::POLICY_PATH;
use crate::git::command::RemoteRefs;
use crate::git::repo::Repo;
use crate::git::setup::hooks_folder::HooksFolder;
use crate::store::pin::ServerPin;
use crate::store::state;
use crate::sync::error::SyncError;
use crate::sync::membership::arrival::default_branch;
use crate::sync::repo::introduction::shown_introduction;
use crate::system::files::Root;

/// What a server knows about where its team's history starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pinned {
    /// It was told, now or before.
    Told(String),
    /// Nobody said it, so what the server holds was taken.
    Found(String),
    /// There is no team memory yet, and nobody said how it starts: the first push decides.
    Open,
}

/// Pins the introduction of a bare repository: the given one, else what is there.
///
/// # Errors
/// The server holds a team memory that starts otherwise.
pub fn pin(
    repository: &Path,
    introduction: Option<(ObjectId, Option<String>)>,
) -> Result<Pinned, HooksError> {
    let folder = HooksFolder::find(repository)?;
    let (repo, root) = (Repo::open(&folder.common_dir)?, Root::open(&folder.common_dir)?);
    let known = state::read::<ServerPin>(&root)?;
    let found = found(&repo)?;
    let told =
        introduction.map(|(root_commit, root_signer)| ServerPin { root_commit, root_signer });
    let was_told = told.is_some() || known.is_some();
    let Some(mut wanted) = told.or_else(|| known.clone()).or_else(|| found.clone()) else {
        return Ok(Pinned::Open);
    };
    if let Some(found) = found {
        let is_same = wanted.root_commit == found.root_commit
            && (wanted.root_signer.is_none() || wanted.root_signer == found.root_signer);
        if !is_same {
            return Err(HooksError::Trust(Box::new(SyncError::WrongIntroduction {
                expected: shown(&wanted),
                found: shown(&found),
            })));
        }
        wanted = found;
    }
    if known.as_ref() != Some(&wanted) {
        state::write(&root, &wanted)?;
    }
    Ok(if was_told { Pinned::Told(shown(&wanted)) } else { Pinned::Found(shown(&wanted)) })
}

/// What a repository was told, as `join --introduction` takes it.
pub fn pinned(repository: &Path) -> Result<Option<String>, HooksError> {
    let root = Root::open(&HooksFolder::find(repository)?.common_dir)?;
    Ok(state::read::<ServerPin>(&root)?.as_ref().map(shown))
}

/// Forgets it.
pub(crate) fn unpin(folder: &HooksFolder) -> Result<(), HooksError> {
    Ok(state::remove::<ServerPin>(&Root::open(&folder.common_dir)?)?)
}

/// What the team memory there starts with.
fn found(repo: &Repo) -> Result<Option<ServerPin>, HooksError> {
    let branches = repo.refs_below(BRANCHES)?;
    let head = repo.branch()?.map(|branch| format!("{BRANCHES}{branch}"));
    let head = head.filter(|head| branches.iter().any(|(name, _)| name == head));
    let refs = RemoteRefs { head, branches };
    let Some(branch) = default_branch(&refs) else { return Ok(None) };
    let Some(tip) = repo.find_ref(&format!("{BRANCHES}{branch}"))? else { return Ok(None) };
    match repo.blob_at(repo.commit(tip)?.tree, POLICY_PATH)? {
        Some(_) => Ok(start_of(repo, tip)?),
        None => Ok(None),
    }
}

fn shown(pin: &ServerPin) -> String {
    shown_introduction(pin.root_commit, pin.root_signer.as_deref())
}
