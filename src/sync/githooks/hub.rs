//! What a server holds for a team: which branch is shared, where its history starts, and whose policy
//! counts for what comes in.
//! Border: reads refs, the pinned introduction and trees; the checks are in `receive` and `trust`.
//!
//! The shared branch is found as `join` finds it, before the push and after it. So is every branch whose
//! commits are signed for that very branch: a server's HEAD may name another one than members share.

use std::collections::{BTreeMap, BTreeSet};

use super::HooksError;
use crate::base::id::ObjectId;
use crate::config::policy::{POLICY_PATH, Policy, Trust};
use crate::git::GitError;
use crate::git::command::RemoteRefs;
use crate::git::quarantine::HookRepo;
use crate::git::repo::Repo;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::store::pin::ServerPin;
use crate::store::state;
use crate::sync::membership::arrival::default_branch;
use crate::system::files::Root;
use crate::trust::signature::verify_commit;
use crate::trust::trailers::Trailers;

/// Where branches are.
pub(crate) const BRANCHES: &str = "refs/heads/";

/// Unsigned merges and commits by others that are looked through for one that names its branch.
const UNNAMED_MAX: usize = 100;

/// A ref that is to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefUpdate {
    /// Its full name.
    pub(crate) name: String,
    /// Where it is; `None` when it is new.
    pub(crate) old: Option<ObjectId>,
    /// Where it is to go; `None` when it is to be deleted.
    pub(crate) new: Option<ObjectId>,
}

/// A server's repository of a team.
#[derive(Debug)]
pub(crate) struct Hub {
    /// The branches that are judged as the shared one.
    pub(crate) shared: BTreeSet<String>,
    /// The tree whose policy and accepted findings count.
    pub(crate) ruling: Option<ObjectId>,
    /// The policy there.
    pub(crate) policy: Policy,
    /// Where the history must start; `None` when nothing is there yet and nobody said it.
    pub(crate) start: Option<ServerPin>,
}

impl Hub {
    /// Looks at a server before and after a push; `None` when it is no team's.
    pub(crate) fn find(repo: &HookRepo, updates: &[RefUpdate]) -> Result<Option<Self>, HooksError> {
        let pin = state::read::<ServerPin>(&Root::open(repo.real.common_dir())?)?;
        let before: BTreeMap<String, ObjectId> =
            repo.real.refs_below(BRANCHES)?.into_iter().collect();
        let mut after = before.clone();
        for update in updates.iter().filter(|update| update.name.starts_with(BRANCHES)) {
            match update.new {
                Some(new) => after.insert(update.name.clone(), new),
                None => after.remove(&update.name),
            };
        }
        let head = repo.real.branch()?.map(|branch| format!("{BRANCHES}{branch}"));
        let chosen = [chosen(&head, &before), chosen(&head, &after)];
        let mut shared: BTreeSet<String> = chosen.iter().flatten().chain(&head).cloned().collect();
        for update in updates {
            let mut values = [update.old, update.new].into_iter().flatten();
            if values.any(|tip| is_signed_for(repo.objects(), tip, &update.name)) {
                shared.insert(update.name.clone());
            }
        }
        // The shared branch first: what is only signed for itself comes after it.
        let first = chosen[0].iter().filter_map(|name| before.get(name));
        let rest = shared.iter().filter_map(|name| before.get(name));
        let new = chosen[1].iter().chain(&shared).filter_map(|name| after.get(name));
        let mut tips = first.chain(rest).chain(new);
        let ruling = tips.find(|tip| has_policy(repo.objects(), **tip)).copied();
        let start = match (pin, ruling) {
            (Some(pin), _) => Some(pin),
            (None, Some(tip)) => start_of(repo.objects(), tip)?,
            (None, None) => return Ok(None),
        };
        let ruling = ruling.map(|tip| repo.objects().commit(tip)).transpose()?;
        let ruling = ruling.map(|commit| commit.tree);
        // One that cannot be read switches nothing off; the push may be the one that corrects it.
        let policy = ruling.and_then(|tree| policy_at(repo.objects(), tree).ok().flatten());
        let policy = policy.filter(|policy| policy.prove().is_ok());
        let policy = policy.unwrap_or_else(|| Policy::new(Trust::Roster, None));
        Ok(Some(Self { shared, ruling, policy, start }))
    }

    /// Whether a ref is judged as the shared branch.
    pub(crate) fn is_shared(&self, name: &str) -> bool {
        self.shared.contains(name)
    }
}

/// The branch a newcomer would be led to.
fn chosen(head: &Option<String>, branches: &BTreeMap<String, ObjectId>) -> Option<String> {
    let head = head.clone().filter(|name| branches.contains_key(name));
    let branches = branches.iter().map(|(name, id)| (name.clone(), *id)).collect();
    Some(format!("{BRANCHES}{}", default_branch(&RemoteRefs { head, branches })?))
}

/// Whether the newest commit that names its branch names this one.
fn is_signed_for(repo: &Repo, tip: ObjectId, name: &str) -> bool {
    let mut at = Some(tip);
    for _ in 0..UNNAMED_MAX {
        let Some(commit) = at.and_then(|id| repo.commit(id).ok()) else { return false };
        if let Ok(Trailers { reference: Some(reference), .. }) = Trailers::parse(&commit.message) {
            return reference == name;
        }
        at = commit.parents.first().copied();
    }
    false
}

fn has_policy(repo: &Repo, tip: ObjectId) -> bool {
    let tree = repo.commit(tip).map(|commit| commit.tree);
    tree.and_then(|tree| repo.blob_at(tree, POLICY_PATH)).is_ok_and(|blob| blob.is_some())
}

/// The policy in a tree; `None` when it is no team memory. An unreadable one refuses everything.
pub(crate) fn policy_at(repo: &Repo, tree: ObjectId) -> Result<Option<Policy>, HooksError> {
    let Some(blob) = repo.blob_at(tree, POLICY_PATH)? else { return Ok(None) };
    let content = repo.blob(blob, POLICY_BYTES_MAX as u64)?;
    Ok(Some(Policy::parse_agreed(&String::from_utf8_lossy(&content))?))
}

/// What a history starts with.
pub(crate) fn start_of(repo: &Repo, tip: ObjectId) -> Result<Option<ServerPin>, GitError> {
    let Some(root_commit) = repo.range(None, tip)?.first().copied() else { return Ok(None) };
    let root_signer = signer_of(repo, root_commit)?;
    Ok(Some(ServerPin { root_commit, root_signer }))
}

/// The fingerprint of the key that signed a commit in canonical form.
pub(crate) fn signer_of(repo: &Repo, id: ObjectId) -> Result<Option<String>, GitError> {
    let commit = repo.commit(id)?;
    let signed = verify_commit(&commit.raw).ok();
    Ok(signed.map(|signed| signed.signer.fingerprint().to_string()))
}
