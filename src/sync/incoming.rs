//! Fetches what the remote has and decides how much of it may be taken.
//! Border: writes objects and private refs only; nothing here reaches the work tree.
//!
//! A commit that breaks a trust, path or object rule is refused with all that descend from it;
//! what precedes it is taken. A commit that only breaks a content rule is taken and reported,
//! because others have it already and hiding it helps nobody.

use std::collections::{BTreeMap, HashMap};

use super::error::SyncError;
use super::remote::Remote;
use super::seal_authors::stranger;
use super::team::Team;
use super::trust::Judge;
use super::verified;
use crate::base::id::ObjectId;
use crate::base::path::EntryMode;
use crate::config::policy::POLICY_PATH;
use crate::gate::Gate;
use crate::gate::verdict::{Reason, Weight};
use crate::git::GitError;
use crate::git::commit::Commit;
use crate::git::tree::TreeChange;
use crate::git::write::Expected;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::store::state::RefusedIncoming;
use crate::trust::history::Judged;
use crate::trust::verdict::Authorisation;

/// Reasons about content that one pull reports; more would bury the first.
const REPORTED_MAX: usize = 100;

/// How much of the remote's history may be taken.
#[derive(Debug, Default)]
pub struct Verified {
    /// The newest commit that is good with everything before it; `None` when nothing new is.
    pub tip: Option<ObjectId>,
    /// How many new commits that is.
    pub commits: usize,
    /// How many of them nobody's signature proves.
    pub unproven: usize,
    /// Where the rest was refused.
    pub refused: Option<RefusedIncoming>,
    /// Content rules that what is taken breaks.
    pub reported: Vec<Reason>,
}

/// Fetches the shared branch; `None` when the remote does not have it yet.
pub fn fetch(team: &Team, remote: &Remote<'_>) -> Result<Option<ObjectId>, SyncError> {
    let there = team.branch_ref();
    let here = team.incoming_ref();
    if !remote.fetch(team, &[(&there, &here)])? {
        return Ok(None);
    }
    Ok(team.repo.find_ref(&here)?)
}

/// Verifies what lies between the last verified tip and an offered one.
pub fn verify(
    team: &Team,
    gate: &Gate<'_>,
    known: Option<ObjectId>,
    offered: ObjectId,
) -> Result<Verified, SyncError> {
    // A ref can be moved by plain git; it counts only when the tip was verified here before.
    let from = known.filter(|known| verified::holds(team, *known));
    if from == Some(offered) {
        return Ok(Verified::default());
    }
    if let Some(known) = known
        && !team.repo.is_ancestor(known, offered)?
    {
        keep_both(team, known, offered)?;
        return Err(SyncError::Rewritten { verified: known, offered });
    }
    let range = team.repo.range(from, offered)?;
    let judged = Judge::new(team).judge(from, &range)?;
    let mut good: HashMap<ObjectId, bool> = HashMap::new();
    let mut verified = Verified::default();
    let mut reported: BTreeMap<(String, String), Reason> = BTreeMap::new();
    let mut last = from;
    for id in range {
        let commit = team.repo.commit(id)?;
        let follows_bad = commit.parents.iter().any(|parent| good.get(parent) == Some(&false));
        let blocked = judged.get(&id).is_none_or(|judged| judged.blocked_by.is_some());
        let checked = judge(team, gate, &commit)?;
        let is_vouchable = checked.is_ok();
        let found = match checked {
            Ok(_) if blocked => Err(refusal(&judged, id)),
            other => other,
        };
        good.insert(id, found.is_ok() && !follows_bad);
        match found {
            Ok(_) if follows_bad => {}
            Ok(reasons) => {
                // The linear history of memsync makes this the tip of the good part; a side branch
                // counts only once it is merged, because the mainline is what a clone follows.
                let starts = last.is_none() && commit.parents.is_empty();
                if commit.parents.first().copied() == last || starts {
                    last = Some(id);
                }
                settle(&mut reported, &commit, team, reasons)?;
            }
            Err(reason) if verified.refused.is_none() => {
                let about = if reason.path.is_empty() {
                    String::new()
                } else {
                    format!("`{}`: ", reason.path)
                };
                verified.refused = Some(RefusedIncoming {
                    commit: id,
                    tip: offered,
                    rule: reason.rule,
                    message: format!("commit {}: {about}{}", id.short(), reason.message),
                    is_vouchable,
                });
            }
            Err(_) => {}
        }
    }
    let last = before_broken_policy(team, from, last, offered, &mut verified)?;
    if let Some(tip) = last {
        verified::remember(team, tip);
    }
    if let Some(tip) = last.filter(|tip| Some(*tip) != known) {
        verified.tip = Some(tip);
        let taken = team.repo.range(known, tip)?;
        let open = |id: &&ObjectId| {
            judged.get(id).is_some_and(|one| one.authorisation == Authorisation::Open)
        };
        (verified.commits, verified.unproven) = (taken.len(), taken.iter().filter(open).count());
    }
    reported.retain(|(path, _), _| verified.refused.is_none() || path != POLICY_PATH);
    verified.reported = reported.into_values().take(REPORTED_MAX).collect();
    Ok(verified)
}

/// The newest commit with a policy that can be read: with another one taken, nothing that comes
/// after could be judged any more, and every later command would end there.
fn before_broken_policy(
    team: &Team,
    known: Option<ObjectId>,
    last: Option<ObjectId>,
    offered: ObjectId,
    verified: &mut Verified,
) -> Result<Option<ObjectId>, SyncError> {
    let mut at = last;
    while let Some(id) = at.filter(|id| Some(*id) != known) {
        let commit = team.repo.commit(id)?;
        let message = match team.policy_at(commit.tree) {
            Ok(_) => break,
            Err(SyncError::Policy(error)) => error.to_string(),
            Err(SyncError::NotATeamRepository(_)) => format!("`{POLICY_PATH}` is gone"),
            Err(error) => return Err(error),
        };
        verified.refused = Some(RefusedIncoming {
            commit: id,
            tip: offered,
            rule: "policy".to_owned(),
            message: format!("commit {}: {message}", id.short()),
            is_vouchable: false,
        });
        at = commit.parents.first().copied();
    }
    Ok(at)
}

/// Why a commit is refused by the rule of trust.
fn refusal(judged: &HashMap<ObjectId, Judged>, id: ObjectId) -> Reason {
    let cause = judged.get(&id).and_then(|one| one.blocked_by).unwrap_or(id);
    let (rule, message) = match judged.get(&cause).map(|one| &one.authorisation) {
        Some(Authorisation::Refuse(refusal)) => (refusal.rule(), refusal.to_string()),
        _ => ("unverified", format!("it builds on {}, which is not verified", cause.short())),
    };
    Reason {
        path: String::new(),
        position: None,
        rule: rule.to_owned(),
        weight: Weight::Forbidden,
        message,
        next_step: "an admin can accept it with `memsync vouch`".to_owned(),
    }
}

/// Keeps only reasons that still hold at the commit: a later one may have corrected the file.
fn settle(
    reported: &mut BTreeMap<(String, String), Reason>,
    commit: &Commit,
    team: &Team,
    reasons: Vec<Reason>,
) -> Result<(), SyncError> {
    let parent = first_parent_tree(team, commit)?;
    for change in team.repo.tree_changes(parent, Some(commit.tree))? {
        let path = String::from_utf8_lossy(&change.path).into_owned();
        reported.retain(|(known, _), _| *known != path);
    }
    for reason in reasons {
        reported.insert((reason.path.clone(), reason.rule.clone()), reason);
    }
    Ok(())
}

fn first_parent_tree(team: &Team, commit: &Commit) -> Result<Option<ObjectId>, SyncError> {
    Ok(commit
        .parents
        .first()
        .map(|parent| team.repo.commit(*parent))
        .transpose()?
        .map(|parent| parent.tree))
}

/// The fingerprint of the key that signed a commit in canonical form; `None` when it is not so signed.
pub(super) fn signer_of(team: &Team, id: ObjectId) -> Result<Option<String>, SyncError> {
    let commit = team.repo.commit(id)?;
    let signed = crate::trust::signature::verify_commit(&commit.raw).ok();
    Ok(signed.map(|signed| signed.signer.fingerprint().to_string()))
}

/// Judges one commit: content reasons when it may be taken, the first forbidding reason when not.
fn judge(
    team: &Team,
    gate: &Gate<'_>,
    commit: &Commit,
) -> Result<Result<Vec<Reason>, Reason>, SyncError> {
    let parent = first_parent_tree(team, commit)?;
    let changes = match team.repo.tree_changes(parent, Some(commit.tree)) {
        Ok(changes) => changes,
        Err(GitError::Malformed { what }) => return Ok(Err(malformed(&what))),
        Err(error) => return Err(error.into()),
    };
    let mut reasons = Vec::new();
    let mut adds = false;
    for change in &changes {
        adds |= change.old.is_none();
        match check_change(team, gate, commit, change)? {
            Ok(found) => reasons.extend(found),
            Err(reason) => return Ok(Err(reason)),
        }
    }
    if adds && let Some(reason) = check_set(team, gate, commit)? {
        return Ok(Err(reason));
    }
    Ok(Ok(reasons))
}

/// The gate on one change of a commit: content reasons, or the reason that forbids the commit.
pub(super) fn check_change(
    team: &Team,
    gate: &Gate<'_>,
    commit: &Commit,
    change: &TreeChange,
) -> Result<Result<Vec<Reason>, Reason>, SyncError> {
    // The readers of a sealed memory are judged by the roster of the commit itself.
    let gate = &Gate { members: &|| team.members_at(commit.tree), ..*gate };
    let Some(new) = change.new else { return Ok(Ok(Vec::new())) };
    let mode = EntryMode::from_bits(new.mode);
    let size = if mode == EntryMode::File { team.repo.blob_size(new.id)? } else { 0 };
    let path = match gate.entry(&change.path, mode, size) {
        Ok(path) => path,
        Err(reason) => return Ok(Err(*reason)),
    };
    let content = team.repo.blob(new.id, POLICY_BYTES_MAX as u64)?;
    let mut reasons = gate.content(&path, &content);
    if path.is_memory() {
        reasons.extend(stranger(team, commit, change, &content)?);
    }
    reasons.retain(Reason::holds_back);
    Ok(Ok(reasons))
}

/// The rules on a whole tree: how many files, and names that cannot be told apart.
pub(super) fn check_set(
    team: &Team,
    gate: &Gate<'_>,
    commit: &Commit,
) -> Result<Option<Reason>, SyncError> {
    let files = team.repo.tree_files(commit.tree)?;
    let paths: Vec<&[u8]> = files.keys().map(Vec::as_slice).collect();
    Ok(gate.set(&paths).into_iter().next())
}

fn malformed(what: &str) -> Reason {
    Reason {
        path: what.to_owned(),
        position: None,
        rule: "malformed-tree".to_owned(),
        weight: Weight::Forbidden,
        message: "the object is not well-formed".to_owned(),
        next_step: "ask the author to make the change again".to_owned(),
    }
}

/// Keeps both sides of a rewritten history reachable, so that neither is lost whatever is decided.
fn keep_both(team: &Team, verified: ObjectId, offered: ObjectId) -> Result<(), SyncError> {
    for (name, id) in [("verified", verified), ("offered", offered)] {
        let full = format!("refs/memsync/rescue/{}-{name}", id.short());
        team.repo.update_ref(&full, id, Expected::Any, "memsync: history was rewritten")?;
    }
    Ok(())
}
