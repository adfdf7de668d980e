//! `ci`: everything a pull request on the team repository must pass, in a checkout as CI makes it.
//! Border: reads only; needs no memory directory, key, or branch. Trust is judged over the whole history,
//! because a CI machine remembers nothing; the other rules over what the range brings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::ci_effect::{Effect, effect};
use super::log::{LogEntry, entries_of};
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::time::Timestamp;
use crate::config::policy::{Policy, Trust};
use crate::gate::Gate;
use crate::gate::envelope::of_commit;
use crate::gate::members::Members;
use crate::gate::verdict::{Reason, ReasonKind, Weight};
use crate::secrets::allow::AllowList;
use crate::secrets::finding::Finding;
use crate::store::state::LocalState;
use crate::sync::error::SyncError;
use crate::sync::exchange::check::{check_commit, check_merge};
use crate::sync::exchange::checkout::open_conflicts;
use crate::sync::outcome::OpenConflict;
use crate::sync::repo::introduction::shown_introduction;
use crate::sync::repo::team::Team;
use crate::sync::verify::fetch::signer_of;
use crate::sync::verify::incoming::check_set;
use crate::sync::verify::verdict::judge_whole;
use crate::trust::verdict::Authorisation;

/// What to check.
#[derive(Clone, Debug)]
pub struct CiOptions {
    /// The checkout.
    pub folder: PathBuf,
    /// Where the range begins, as somebody named it.
    pub base: Option<String>,
    /// Where it begins otherwise: the first of these that is in the checkout; with none of them named,
    /// the whole history.
    pub bases: Vec<String>,
    /// Where the shared branch was before the push that is looked at.
    pub before: Option<String>,
    /// Where it ends.
    pub head: String,
    /// The branch the changes are for.
    pub branch: String,
    /// Where trust starts; `None` takes the root as it is found.
    pub introduction: Option<(ObjectId, Option<String>)>,
    /// When it is, for accepted findings that expire.
    pub now: Timestamp,
}

/// Which part of the check found something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CiCheck {
    /// Signatures, roster, roles, place.
    Trust,
    /// Paths, objects, documents, secrets.
    Gate,
    /// A merge made without memsync.
    Merge,
}

/// One thing that is wrong.
#[derive(Clone, Debug, Serialize)]
pub struct CiProblem {
    /// The commit; `None` for the tree as a whole.
    pub commit: Option<ObjectId>,
    /// Which part found it.
    pub check: CiCheck,
    /// What is wrong.
    #[serde(flatten)]
    pub reason: Reason,
}

/// What was checked and found.
#[derive(Clone, Debug, Serialize)]
pub struct CiReport {
    /// Where the range begins.
    pub base: Option<ObjectId>,
    /// Where it ends.
    pub head: ObjectId,
    /// The branch the changes are for.
    pub branch: String,
    /// Where trust starts, as `join --introduction` takes it.
    pub introduction: String,
    /// Whether the introduction was given; else it was taken as found, and proves nothing.
    pub is_pinned: bool,
    /// Who may change the team memory.
    pub trust: Trust,
    /// Commits whose trust was judged.
    pub judged: usize,
    /// How many of them nobody's signature proves; an open team takes such commits.
    pub unproven: usize,
    /// What the range does, for a reviewer.
    pub effect: Effect,
    /// The changes of the range, oldest first.
    pub changes: Vec<LogEntry>,
    /// What is wrong.
    pub problems: Vec<CiProblem>,
    /// Conflicts that are open at its end.
    pub conflicts: Vec<OpenConflict>,
}

impl CiReport {
    /// Whether nothing is refused; `strict` also counts advice, open conflicts and a missing introduction.
    pub fn passes(&self, strict: bool) -> bool {
        let is_refused = self.problems.iter().any(|problem| problem.reason.holds_back());
        let is_rough = !self.problems.is_empty() || !self.conflicts.is_empty() || !self.is_pinned;
        !(is_refused || strict && is_rough)
    }

    /// Whether something is not proven that must be.
    pub fn breaks_trust(&self) -> bool {
        let is_broken = |one: &CiProblem| one.check == CiCheck::Trust && one.reason.holds_back();
        self.problems.iter().any(is_broken)
    }
}

/// Checks a range of commits in a checkout.
pub fn ci(options: &CiOptions) -> Result<CiReport, SyncError> {
    // A bare repository has its HEAD at the top; a damaged one is told by opening it.
    if ![".git", "HEAD"].iter().any(|name| options.folder.join(name).exists()) {
        return Err(SyncError::NotACheckout(options.folder.clone()));
    }
    let mut team = Team::of_checkout(&options.folder, options.branch.clone())?;
    if team.repo.is_shallow() {
        return Err(SyncError::MissingHistory("the checkout is shallow".to_owned()));
    }
    let head = commit(&team, &options.head)?;
    let start = start_of_range(&team, options, head)?;
    let base = start.base;
    let whole = whole_history(&team, head)?;
    // What the shared branch starts with: a proposal does not say how the team starts.
    let start_of_team = match base {
        Some(base) => whole_history(&team, base)?.first().copied(),
        None => whole.first().copied(),
    };
    let root = start_of_team.ok_or(SyncError::Unrelated)?;
    let tree = team.repo.commit(head)?.tree;
    let root_policy = team.policy_at(team.repo.commit(root)?.tree)?;
    let signer = introduced(&team, root, options)?;
    team.state = LocalState { root_commit: Some(root), root_signer: signer, ..Default::default() };
    let introduction = shown_introduction(root, team.state.root_signer.as_deref());
    let mut report = CiReport {
        base,
        head,
        branch: options.branch.clone(),
        introduction,
        is_pinned: options.introduction.is_some(),
        trust: root_policy.trust,
        judged: whole.len(),
        unproven: 0,
        effect: Effect::default(),
        changes: Vec::new(),
        problems: Vec::new(),
        conflicts: open_conflicts(&team, &team.repo.tree_files(tree)?)?,
    };
    judge(&team, &whole, &mut report)?;
    report.problems.extend(rewritten(&team, &start)?);
    let range = team.repo.range(base, head)?;
    // What counts is the policy before the range: a commit must not allow itself.
    let before = team.repo.commit(base.unwrap_or(root))?.tree;
    let policy = team.policy_at(before)?;
    report.trust = policy.trust;
    let accepted = team.accepted_at(tree, options.now)?;
    check(&team, (&policy, &accepted, options.now), &range, &mut report)?;
    let newest_first: Vec<ObjectId> = range.iter().rev().copied().collect();
    report.changes = entries_of(&team, head, &newest_first)?;
    report.changes.reverse();
    report.effect = effect(&team, base, head, &report.changes)?;
    Ok(report)
}

/// Where a range begins.
#[derive(Default)]
struct RangeStart {
    base: Option<ObjectId>,
    /// Where the shared branch was, when what it holds now does not build on that.
    left: Option<(String, Option<ObjectId>)>,
}

fn start_of_range(
    team: &Team,
    options: &CiOptions,
    head: ObjectId,
) -> Result<RangeStart, SyncError> {
    let at = |base| Ok(RangeStart { base: Some(base), left: None });
    if let Some(base) = &options.base {
        return at(commit(team, base)?);
    }
    if let Some(before) = &options.before {
        // Not there though the checkout is whole: no branch leads to it any more.
        let found = team.repo.find_commit(before)?;
        let base = found.map(|found| team.repo.merge_base(found, head)).transpose()?.flatten();
        return match found {
            Some(found) if base == Some(found) => at(found),
            _ => Ok(RangeStart { base, left: Some((before.clone(), found)) }),
        };
    }
    for base in &options.bases {
        if let Some(found) = team.repo.find_commit(base)? {
            return at(found);
        }
    }
    match options.bases.first() {
        Some(first) => at(commit(team, first)?),
        None => Ok(RangeStart::default()),
    }
}

/// That the shared branch was put somewhere else; allowed where nobody takes what it held before.
fn rewritten(team: &Team, start: &RangeStart) -> Result<Option<CiProblem>, SyncError> {
    let Some((before, found)) = &start.left else { return Ok(None) };
    let is_way_out = match found {
        Some(found) => !is_good(team, *found)?,
        None => false,
    };
    let shown = Escaped(before).to_string();
    let (weight, message, next_step) = match is_way_out {
        true => (
            Weight::Advice,
            format!("the shared branch was put back from {shown}, which is refused"),
            "nothing: members follow by themselves",
        ),
        false => (
            Weight::Forbidden,
            format!(
                "the shared branch was rewritten: it was at {shown} and does not hold that now"
            ),
            "ask who rewrote it and why. A member whose clone has the old history puts it back with plain \
             git, or everybody follows with `memsync accept-rewrite`. If what was there is refused \
             and `memsync push --over-refused` took it back, members follow by themselves",
        ),
    };
    let reason = Reason {
        kind: ReasonKind::Rule,
        path: String::new(),
        position: None,
        rule: "rewritten".to_owned(),
        weight,
        message,
        next_step: next_step.to_owned(),
    };
    Ok(Some(CiProblem { commit: None, check: CiCheck::Trust, reason }))
}

/// Whether every member takes a tip.
fn is_good(team: &Team, tip: ObjectId) -> Result<bool, SyncError> {
    Ok(judge_whole(team, tip)?.is_good())
}

fn commit(team: &Team, text: &str) -> Result<ObjectId, SyncError> {
    let missing = || format!("there is no commit `{}` in the checkout", Escaped(text));
    team.repo.find_commit(text)?.ok_or_else(|| SyncError::MissingHistory(missing()))
}

/// All commits up to the head. A parent that is missing without being marked is said as such.
fn whole_history(team: &Team, head: ObjectId) -> Result<Vec<ObjectId>, SyncError> {
    team.repo.range(None, head).map_err(|error| {
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        SyncError::MissingHistory(cause.unwrap_or_else(|| error.to_string()))
    })
}

/// The founder's key, compared with what was introduced.
fn introduced(
    team: &Team,
    root: ObjectId,
    options: &CiOptions,
) -> Result<Option<String>, SyncError> {
    let signer = signer_of(team, root)?;
    let Some((commit, key)) = &options.introduction else { return Ok(signer) };
    if *commit == root && (key.is_none() || *key == signer) {
        return Ok(signer);
    }
    Err(SyncError::WrongIntroduction {
        expected: shown_introduction(*commit, key.as_deref()),
        found: shown_introduction(root, signer.as_deref()),
    })
}

/// Every commit that the rule of trust refuses and nobody vouches for.
fn judge(team: &Team, whole: &[ObjectId], report: &mut CiReport) -> Result<(), SyncError> {
    let Some(tip) = whole.last() else { return Ok(()) };
    for judged in judge_whole(team, *tip)?.judged() {
        match &judged.authorisation {
            Authorisation::Refuse(refusal) => report.problems.push(CiProblem {
                commit: Some(judged.id),
                check: CiCheck::Trust,
                reason: Reason {
                    kind: ReasonKind::Rule,
                    path: String::new(),
                    position: None,
                    rule: refusal.rule().to_owned(),
                    weight: Weight::Forbidden,
                    message: refusal.to_string(),
                    next_step: way_out(team.repo.commit(judged.id)?.parents.len()).to_owned(),
                },
            }),
            Authorisation::Open => report.unproven += 1,
            _ => {}
        }
    }
    Ok(())
}

/// What helps against a commit that is refused.
fn way_out(parents: usize) -> &'static str {
    match parents {
        0 | 1 => {
            "make the change with memsync, which signs it, and merge it without squash or rebase, which \
             unsign it; an admin can accept what is merged already with `memsync vouch`"
        }
        _ => {
            "bring the branch up to date with `memsync push --branch NAME`, which merges as memsync does, \
             and let the host merge that; an admin can accept what is merged already with `memsync vouch`"
        }
    }
}

/// The gate on every commit of the range, its merges made again, and the names of the last tree together.
fn check(
    team: &Team,
    (policy, accepted, now): (&Policy, &AllowList, Timestamp),
    range: &[ObjectId],
    report: &mut CiReport,
) -> Result<(), SyncError> {
    let is_allowed = |finding: &Finding| accepted.allows(finding, "", None);
    let nobody = || Members::Unknown;
    let gate = Gate { policy, is_allowed: &is_allowed, members: &nobody, now };
    let mut said = BTreeSet::new();
    let mut add = |commit: Option<ObjectId>, check, reasons: Vec<Reason>| {
        for reason in reasons {
            // A merge brings what its side branch had; one place is named once.
            let place = (reason.path.clone(), reason.rule.clone(), reason.place());
            if said.insert(place) {
                report.problems.push(CiProblem { commit, check, reason });
            }
        }
    };
    let mut files = 0;
    for id in range {
        let commit = team.repo.commit(*id)?;
        let gate = Gate { members: &|| team.members_at(commit.tree), ..gate };
        let reasons = check_commit(team, &gate, &commit, &mut files)?;
        add(Some(*id), CiCheck::Gate, reasons);
        add(Some(*id), CiCheck::Gate, gate.envelope(&of_commit(&commit.raw)));
        add(Some(*id), CiCheck::Merge, check_merge(team, &commit)?);
    }
    if let Some(last) = range.last() {
        let set = check_set(team, &gate, &team.repo.commit(*last)?)?;
        add(None, CiCheck::Gate, set.into_iter().collect());
    }
    Ok(())
}

/// The branch a checkout is on, else `main`.
pub fn branch_of(folder: &Path) -> String {
    let repo = crate::git::repo::Repo::open(folder).ok();
    repo.and_then(|repo| repo.branch().ok().flatten()).unwrap_or_else(|| "main".to_owned())
}
