//! Decides how much of what the remote offers may be taken.
//! Border: writes objects and private refs only; nothing here reaches the work tree.
//!
//! What comes in is judged as a set: the offered tip is taken when everything it brings is good. Else
//! the last good tip through which all the rest runs is, and what stops there is said. A commit that
//! only breaks a content rule is taken and reported, because others have it already.

use super::fetch::{fetch, first_parent_tree};
use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::records::{Holder, judge_record};
use super::verdict::judge_tip;
use crate::base::id::ObjectId;
use crate::base::path::EntryMode;
use crate::gate::Gate;
use crate::gate::verdict::Reason;
use crate::git::command::Git;
use crate::git::commit::Commit;
use crate::git::tree::TreeChange;
use crate::memory::limits::FILE_BYTES_MAX;
use crate::secrets::finding::Finding;
use crate::store::locate::TeamPlace;
use crate::store::state::{self, LastContact, RefusedIncoming};
use crate::sync::error::SyncError;
use crate::sync::rebase::non_reader_authors::non_reader_author;
use crate::sync::repo::remote::Remote;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::repo::verified_cache;
use crate::sync::verify::apart::{apart, foreign, without_branch};
use crate::sync::worktree::writable::writable;

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

/// Opens a team repository under its lock with what its remote offers now.
pub(crate) fn open_offered<'g>(
    place: &TeamPlace,
    actor: &Actor,
    git: &'g Git,
) -> Result<(Team, Remote<'g>, ObjectId), SyncError> {
    let team = writable(place, actor.wait)?;
    let url = team.remote()?.ok_or_else(|| SyncError::NoRemote(team.path.clone()))?;
    let remote = Remote { git, url };
    let Some(offered) = fetch(&team, &remote)? else {
        let branch = team.branch.clone();
        return Err(match team.tracking()? {
            Some(verified) => without_branch(&team, &remote, verified)?.into(),
            None => SyncError::NoRemoteBranch { remote: remote.url.to_string(), branch },
        });
    };
    Ok((team, remote, offered))
}

/// Verifies what lies between the last verified tip and an offered one.
///
/// Either the offered tip is taken, or the result says where it is refused.
pub fn verify(
    team: &Team,
    gate: &Gate<'_>,
    known: Option<ObjectId>,
    offered: ObjectId,
) -> Result<Verified, SyncError> {
    // A ref can be moved by plain git; it counts only when the tip was verified here before.
    let proven = known.filter(|known| verified_cache::holds(team, *known));
    if proven == Some(offered) {
        return Ok(Verified::default());
    }
    if let Some(known) = known
        && !team.repo.is_ancestor(known, offered)?
    {
        return Err(apart(team, Some(known), offered)?);
    }
    if known.is_none() && foreign(team, "", offered)?.is_some() {
        return Err(apart(team, None, offered)?);
    }
    if let Some(refused) = refused_before(team, proven, offered) {
        return Ok(Verified { refused: Some(refused), ..Verified::default() });
    }
    let verdict = judge_tip(team, offered)?;
    // A tip that was not verified here says nothing of what precedes it.
    let newest = verdict.newest(proven);
    if let Some(tip) = newest {
        verified_cache::remember(team, tip);
    }
    let mut verified = Verified { tip: newest, ..Verified::default() };
    if !verdict.is_good() {
        verified.refused = verdict.refusal(newest.or(proven));
    } else if newest.is_none() {
        verified_cache::remember(team, offered);
    }
    if let Some(tip) = newest {
        let taken = team.repo.range(known, tip)?;
        verified.commits = taken.len();
        verified.unproven = taken.iter().filter(|id| verdict.is_unproven(**id)).count();
        verified.reported = reported(team, gate, &taken)?;
    }
    Ok(verified)
}

/// The refusal of a tip that was judged before, on top of the same verified tip.
fn refused_before(
    team: &Team,
    known: Option<ObjectId>,
    offered: ObjectId,
) -> Option<RefusedIncoming> {
    let last = state::read::<LastContact>(&team.git_root).ok().flatten()?;
    let is_same = |refused: &RefusedIncoming| {
        refused.tip == offered
            && refused.verified == known
            && known.is_some()
            && refused.version == env!("CARGO_PKG_VERSION")
    };
    last.refused.filter(is_same)
}

/// The content rules that hold no more after some commits, which others have already.
fn reported(team: &Team, gate: &Gate<'_>, taken: &[ObjectId]) -> Result<Vec<Reason>, SyncError> {
    let mut reported: BTreeMap<(String, String), Reason> = BTreeMap::new();
    for id in taken {
        let commit = team.repo.commit(*id)?;
        let parent = first_parent_tree(team, &commit)?;
        let mut reasons = Vec::new();
        for change in team.repo.tree_changes(parent, Some(commit.tree))? {
            match check_change(team, gate, &commit, &change)? {
                Ok(found) => reasons.extend(found),
                Err(reason) => reasons.push(reason),
            }
        }
        settle(&mut reported, &commit, team, reasons)?;
    }
    Ok(reported.into_values().take(REPORTED_MAX).collect())
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

/// The gate on one change of a commit: content reasons, or the reason that forbids the commit.
pub(crate) fn check_change(
    team: &Team,
    gate: &Gate<'_>,
    commit: &Commit,
    change: &TreeChange,
) -> Result<Result<Vec<Reason>, Reason>, SyncError> {
    // See `secrets::allow`.
    let own = OnceCell::new();
    let own = || own.get_or_init(|| team.accepted_at(commit.tree, gate.now).unwrap_or_default());
    let is_allowed = |one: &Finding| (gate.is_allowed)(one) || own().allows(one, "", None);
    check_by_lists_here(team, &Gate { is_allowed: &is_allowed, ..*gate }, commit, change)
}

/// The same without the commit's own list: what nobody trusts yet accepts nothing for itself.
pub(crate) fn check_by_lists_here(
    team: &Team,
    gate: &Gate<'_>,
    commit: &Commit,
    change: &TreeChange,
) -> Result<Result<Vec<Reason>, Reason>, SyncError> {
    // The readers of a sealed memory are judged by the roster of the commit itself.
    let members = || team.members_at(commit.tree);
    let gate = &Gate { members: &members, ..*gate };
    let Some(new) = change.new else {
        let removed = gate.removal(&String::from_utf8_lossy(&change.path));
        return Ok(Ok(removed.into_iter().collect()));
    };
    let mode = EntryMode::from_bits(new.mode);
    let size = if mode == EntryMode::File { team.repo.blob_size(new.id)? } else { 0 };
    let path = match gate.entry(&change.path, mode, size) {
        Ok(path) => path,
        Err(reason) => return Ok(Err(*reason)),
    };
    let content = team.repo.blob(new.id, FILE_BYTES_MAX as u64)?;
    let mut reasons = gate.content(&path, &content);
    let (author, seconds) = (commit.author.name.as_str(), commit.author_time.seconds);
    let holder = Holder { at: commit.id, author, seconds };
    reasons.extend(judge_record(team, holder, path.as_str(), &content)?);
    if path.is_memory() {
        reasons.extend(non_reader_author(team, commit, change, &content)?);
    }
    reasons.retain(Reason::holds_back);
    Ok(Ok(reasons))
}

/// The rules on a whole tree: how many files, and names that cannot be told apart.
pub(crate) fn check_set(
    team: &Team,
    gate: &Gate<'_>,
    commit: &Commit,
) -> Result<Option<Reason>, SyncError> {
    let files = team.repo.tree_files(commit.tree)?;
    let paths: Vec<&[u8]> = files.keys().map(Vec::as_slice).collect();
    Ok(gate.set(&paths).into_iter().next())
}
