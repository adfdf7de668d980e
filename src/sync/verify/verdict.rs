//! The verdict on what a remote offers: judged from a good tip below everything new, or from the
//! beginning of the history.
//! Border: which part is judged and what is said of the rest; what is taken is up to `incoming`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::base::id::ObjectId;
use crate::store::state::RefusedIncoming;
use crate::sync::error::SyncError;
use crate::sync::repo::team::Team;
use crate::sync::repo::verified_cache;
use crate::sync::verify::judge::Judge;
use crate::trust::history::{History, Judged};
use crate::trust::rights::Rights;
use crate::trust::trailers::VOUCHES_MAX;
use crate::trust::verdict::{Authorisation, Refusal};

/// A judged tip.
pub(crate) struct TipVerdict {
    /// The history it was judged in.
    pub(crate) history: History,
    /// The tip.
    pub(crate) tip: ObjectId,
    /// The good tip below everything that was judged; `None` from the beginning.
    start: Option<ObjectId>,
}

/// Judges an offered tip with everything it builds on.
///
/// The verdict does not depend on where judging starts: a start is good and everything new
/// descends from it, so nothing before it can be beside anything new.
pub(crate) fn judge_tip(team: &Team, tip: ObjectId) -> Result<TipVerdict, SyncError> {
    judge_above(team, tip, &[])
}

/// Judges a tip from a start that is below some commits as well, so that they are judged with it.
pub(crate) fn judge_above(
    team: &Team,
    tip: ObjectId,
    below: &[ObjectId],
) -> Result<TipVerdict, SyncError> {
    let mut forks = below.to_vec();
    for start in verified_cache::tips(team) {
        if !team.repo.contains(start) || !is_below(team, start, tip, &forks)? {
            continue;
        }
        let new = team.repo.range(Some(start), tip)?;
        match fork_before(team, start, &new)? {
            None => {
                let history = Judge::new(team).judge(Some(start), &new)?;
                return Ok(TipVerdict { history, tip, start: Some(start) });
            }
            Some(fork) => forks.push(fork),
        }
    }
    judge_whole(team, tip)
}

/// Whether a commit is an ancestor of a tip and of everything that forked before other starts.
fn is_below(
    team: &Team,
    start: ObjectId,
    tip: ObjectId,
    forks: &[ObjectId],
) -> Result<bool, SyncError> {
    for one in forks.iter().chain([&tip]) {
        if !team.repo.is_ancestor(start, *one)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Judges a tip from the beginning of its history.
pub(crate) fn judge_whole(team: &Team, tip: ObjectId) -> Result<TipVerdict, SyncError> {
    let history = Judge::new(team).judge(None, &team.repo.range(None, tip)?)?;
    Ok(TipVerdict { history, tip, start: None })
}

/// A commit that something new builds on past the start; the new commit itself where it is a root.
fn fork_before(
    team: &Team,
    start: ObjectId,
    new: &[ObjectId],
) -> Result<Option<ObjectId>, SyncError> {
    let listed: BTreeSet<ObjectId> = new.iter().copied().collect();
    for id in new {
        let parents = team.repo.commit(*id)?.parents;
        let is_above = |parent: &ObjectId| *parent == start || listed.contains(parent);
        if parents.is_empty() {
            return Ok(Some(*id));
        }
        let descends = parents.iter().any(is_above);
        for parent in parents.iter().filter(|parent| !is_above(parent)) {
            // An ancestor of the start does not count beside a parent that descends from it.
            if !descends || !team.repo.is_ancestor(*parent, start)? {
                return Ok(Some(*parent));
            }
        }
    }
    Ok(None)
}

impl TipVerdict {
    /// Whether all of it may be taken.
    pub(crate) fn is_good(&self) -> bool {
        self.start == Some(self.tip) || self.history.is_good(self.tip)
    }

    /// The newest commit that may be taken above a known one.
    pub(crate) fn newest(&self, known: Option<ObjectId>) -> Option<ObjectId> {
        match known {
            Some(known) if self.history.own(known).is_some() => {
                self.history.newest(Some(known), self.tip)
            }
            // Nothing was known, or it precedes the start, which is good itself.
            _ => self.history.newest(self.start, self.tip).or(self.start),
        }
    }

    /// The verdict on every commit that was judged, oldest first.
    pub(crate) fn judged(&self) -> Vec<Judged> {
        self.history.judged(self.tip)
    }

    /// Whether nobody's signature proves a commit and the team takes it all the same.
    pub(crate) fn is_unproven(&self, id: ObjectId) -> bool {
        self.history.own(id) == Some(&Authorisation::Open)
    }

    /// Every commit that is refused or in conflict and why, oldest first.
    pub(crate) fn faults(&self) -> Vec<(ObjectId, Refusal)> {
        let refused = self.history.refused(self.tip);
        let mut faults: Vec<(ObjectId, Refusal)> =
            refused.into_iter().map(|(id, refusal)| (id, refusal.clone())).collect();
        let known: BTreeSet<ObjectId> = faults.iter().map(|(id, _)| *id).collect();
        let mut conflicts = self.history.conflicts(self.tip);
        conflicts.sort_unstable();
        conflicts.retain(|conflict| !known.contains(&conflict.used));
        let by_use: BTreeMap<ObjectId, ObjectId> =
            conflicts.into_iter().map(|conflict| (conflict.used, conflict.revocation)).collect();
        faults.extend(by_use.into_iter().map(|(used, by)| (used, Refusal::Revoked(by))));
        let order: HashMap<ObjectId, usize> =
            self.judged().iter().enumerate().map(|(at, judged)| (judged.id, at)).collect();
        faults.sort_by_key(|(id, _)| order.get(id).copied());
        faults
    }

    /// Who could vouch on top of it.
    pub(crate) fn rights(&self) -> Option<&Rights> {
        self.history.rights_after(self.tip)
    }

    /// What stops here, with the way out of it; `None` when all of it may be taken.
    pub(crate) fn refusal(&self, known: Option<ObjectId>) -> Option<RefusedIncoming> {
        let faults = self.faults();
        let (commit, refusal) = faults.first()?;
        let is_lasting = |refusal: &Refusal| {
            matches!(
                refusal,
                Refusal::Forbidden(_)
                    | Refusal::OtherRoot
                    | Refusal::OtherFounder(_)
                    | Refusal::UnverifiedParent(_)
            )
        };
        let can_act = self.rights().is_some_and(|rights| rights.is_open || rights.has_admin());
        let is_vouchable = can_act
            && faults.len() <= VOUCHES_MAX
            && !faults.iter().any(|(_, refusal)| is_lasting(refusal));
        Some(RefusedIncoming {
            commit: *commit,
            tip: self.tip,
            rule: refusal.rule().to_owned(),
            message: format!("commit {}: {refusal}", commit.short()),
            is_vouchable,
            commits: faults.iter().take(NAMED_MAX).map(|(id, _)| *id).collect(),
            count: faults.len(),
            admins: self.rights().map(admins).unwrap_or_default(),
            verified: known,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

fn admins(rights: &Rights) -> Vec<String> {
    rights.admins().take(NAMED_MAX).map(ToString::to_string).collect()
}

/// Refused commits, and admins, that a record names; the rest is counted.
const NAMED_MAX: usize = 20;
