//! `ci`: everything a pull request on the team repository must pass, in a checkout as CI makes it.
//! Border: reads only; needs no memory directory, key, or branch. Trust is judged over the whole history,
//! because a CI machine remembers nothing; the other rules over what the range brings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::check::{check_commit, check_merge};
use super::error::SyncError;
use super::history::{LogEntry, entries_of};
use super::incoming::{check_set, signer_of};
use super::outcome::OpenConflict;
use super::settle::open_conflicts;
use super::setup::shown_introduction;
use super::team::{ALLOW_PATH, Team};
use super::trust::Judge;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::time::Timestamp;
use crate::config::policy::{Policy, Trust};
use crate::gate::Gate;
use crate::gate::envelope::of_commit;
use crate::gate::sealed::Members;
use crate::gate::verdict::{Reason, Weight};
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::secrets::Scanner;
use crate::secrets::allowlist::AllowList;
use crate::secrets::finding::Finding;
use crate::store::state::LocalState;
use crate::trust::verdict::Authorisation;

/// What to check.
#[derive(Clone, Debug)]
pub struct CiOptions {
    /// The checkout.
    pub folder: PathBuf,
    /// Where the range begins; `None` for the whole history.
    pub base: Option<String>,
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
        self.problems.iter().any(|problem| problem.check == CiCheck::Trust)
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
    let base = options.base.as_deref().map(|base| commit(&team, base)).transpose()?;
    let whole = whole_history(&team, head)?;
    let root = *whole.first().ok_or(SyncError::Unrelated)?;
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
        changes: Vec::new(),
        problems: Vec::new(),
        conflicts: open_conflicts(&team, &team.repo.tree_files(tree)?)?,
    };
    judge(&team, &whole, &mut report)?;
    let range = team.repo.range(base, head)?;
    // What counts is the policy before the range: a commit must not allow itself.
    let before = team.repo.commit(base.unwrap_or(root))?.tree;
    let policy = team.policy_at(before)?;
    report.trust = policy.trust;
    let accepted = accepted(&team, before, options.now)?;
    check(&team, &policy, &accepted, &range, &mut report)?;
    let newest_first: Vec<ObjectId> = range.iter().rev().copied().collect();
    report.changes = entries_of(&team, head, &newest_first)?;
    report.changes.reverse();
    Ok(report)
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
    let judged = Judge::new(team).judge(None, whole)?;
    for id in whole {
        match judged.get(id).map(|one| &one.authorisation) {
            Some(Authorisation::Refuse(refusal)) => report.problems.push(CiProblem {
                commit: Some(*id),
                check: CiCheck::Trust,
                reason: Reason {
                    path: String::new(),
                    position: None,
                    rule: refusal.rule().to_owned(),
                    weight: Weight::Forbidden,
                    message: refusal.to_string(),
                    next_step:
                        "make the change with memsync, which signs it, and merge it without \
                                squash or rebase, which unsign it; an admin can accept what is \
                                merged already with `memsync vouch`"
                            .to_owned(),
                },
            }),
            Some(Authorisation::Open) => report.unproven += 1,
            _ => {}
        }
    }
    Ok(())
}

/// The gate on every commit of the range, its merges made again, and the names of the last tree together.
fn check(
    team: &Team,
    policy: &Policy,
    accepted: &AllowList,
    range: &[ObjectId],
    report: &mut CiReport,
) -> Result<(), SyncError> {
    let is_allowed = |finding: &Finding| accepted.allows(finding, "", None);
    let scanner = Scanner::builtin;
    let nobody = || Members::Unknown;
    let gate = Gate { policy, scanner, is_allowed: &is_allowed, members: &nobody };
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

/// The findings that the list in a tree accepts.
fn accepted(team: &Team, tree: ObjectId, now: Timestamp) -> Result<AllowList, SyncError> {
    let mut accepted = AllowList::default();
    if let Some(file) = team.repo.tree_file(tree, ALLOW_PATH)? {
        let content = team.repo.blob(file.id, POLICY_BYTES_MAX as u64)?;
        let text = String::from_utf8_lossy(&content);
        accepted.add_yaml(ALLOW_PATH, &text, now).map_err(SyncError::Allow)?;
    }
    Ok(accepted)
}

/// What CI systems say about the run, by the variables they set: branch and base of the range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CiPlace {
    /// The branch the changes are for.
    pub branch: Option<String>,
    /// Where the range begins.
    pub base: Option<String>,
}

impl CiPlace {
    /// Reads the variables of GitHub Actions and GitLab CI.
    pub fn of(variables: &BTreeMap<&str, &str>) -> Self {
        let text = |name: &str| variables.get(name).copied().filter(|text| !text.is_empty());
        let is_branch = text("GITHUB_REF_TYPE").is_none_or(|kind| kind == "branch");
        let branch = text("GITHUB_BASE_REF")
            .or_else(|| text("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"))
            .or_else(|| text("GITHUB_REF_NAME").filter(|_| is_branch))
            .or_else(|| text("CI_COMMIT_BRANCH"));
        let remote = |name: &str| format!("refs/remotes/origin/{name}");
        let base = text("CI_MERGE_REQUEST_DIFF_BASE_SHA")
            .map(str::to_owned)
            .or_else(|| text("GITHUB_BASE_REF").map(remote))
            .or_else(|| text("CI_MERGE_REQUEST_TARGET_BRANCH_NAME").map(remote))
            .or_else(|| text("CI_COMMIT_BEFORE_SHA").map(str::to_owned));
        Self { branch: branch.map(str::to_owned), base: base.filter(|base| !is_nothing(base)) }
    }

    /// The variables that are looked at.
    pub const VARIABLES: [&'static str; 8] = [
        "GITHUB_BASE_REF",
        "GITHUB_REF_NAME",
        "GITHUB_REF_TYPE",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA",
        "CI_COMMIT_BRANCH",
        "CI_COMMIT_BEFORE_SHA",
        "GITHUB_ACTIONS",
    ];
}

/// Whether a base is none: empty, or the zeros that CI gives for a branch that is new.
pub fn is_nothing(base: &str) -> bool {
    base.bytes().all(|byte| byte == b'0')
}

/// The branch a checkout is on, else `main`.
pub fn branch_of(folder: &Path) -> String {
    let repo = crate::git::repo::Repo::open(folder).ok();
    repo.and_then(|repo| repo.branch().ok().flatten()).unwrap_or_else(|| "main".to_owned())
}
