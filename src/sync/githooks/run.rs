//! What the hooks check: the index before a commit, every new commit before a push or on a server.
//! Border: finds what is new and asks the gate; in a repository that is no team memory, only the
//! secret scanner with what is there for it (`other`). Also what one commit adds and the next
//! removes is checked: it travels all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::HooksError;
use super::allow_lists::accepted;
use super::code_repository::{Rules, Text, groups};
use super::hub::{Hub, RefUpdate, policy_at};
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::EntryMode;
use crate::base::time::Timestamp;
use crate::config::policy::{POLICY_PATH, Policy};
use crate::gate::Gate;
use crate::gate::envelope::{Piece, of_commit, of_ref, of_tag};
use crate::gate::members::Members;
use crate::gate::verdict::{Reason, ReasonKind, Weight};
use crate::git::GitError;
use crate::git::outgoing::Introduced;
use crate::git::quarantine::HookRepo;
use crate::git::repo::Repo;
use crate::scan::setup::{Named, root_of};
use crate::secrets::allow::AllowList;
use crate::secrets::finding::Finding;
use crate::secrets::masking::without_values;
use crate::system::clock::Clock;
use crate::system::env::Environment;

/// Largest file of a repository that is no team memory that is scanned; larger ones are no text.
const SCANNED_BYTES_MAX: u64 = 10_000_000;

/// What git asks, with what it gives the hook.
#[derive(Clone, Copy, Debug)]
pub enum Question<'a> {
    /// `pre-commit`.
    Commit,
    /// `pre-push`: the name or address of the remote, and the lines on stdin.
    Push {
        /// The first argument of the hook.
        remote: &'a str,
        /// `local-ref local-id remote-ref remote-id` per line.
        input: &'a str,
    },
    /// `pre-receive`: the lines on stdin.
    Receive {
        /// `old-id new-id ref` per line.
        input: &'a str,
    },
}

/// What the hook found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookOutcome {
    /// How many commits were looked at; none before a commit.
    pub commits: usize,
    /// Why the answer is no, or what is worth a look, each with the commit it is in.
    pub reasons: Vec<(Option<ObjectId>, Reason)>,
    /// Files too large to be scanned, escaped.
    pub skipped: Vec<String>,
}

impl HookOutcome {
    /// Whether git may go on.
    pub fn allows(&self) -> bool {
        !self.reasons.iter().any(|(_, reason)| reason.holds_back())
    }
}

/// Answers what git asks in the folder it started the hook in.
pub fn run(
    question: Question<'_>,
    current: &Path,
    environment: &Environment,
) -> Result<HookOutcome, HooksError> {
    let repo = HookRepo::open(current, environment)?;
    let gitleaks = match question {
        // On a server the environment may be whoever's pushes.
        Question::Receive { .. } => None,
        _ => environment.path("GITLEAKS_CONFIG").map(|file| current.join(file)),
    };
    let mut check = Check {
        repo: repo.objects(),
        now: Clock::from_environment(environment)?.now(),
        named: Named { gitleaks, rules: None },
        newest: Arc::default(),
        rules: Arc::default(),
        outcome: HookOutcome::default(),
        commits: BTreeSet::new(),
        seen: BTreeSet::new(),
    };
    match question {
        Question::Commit => {
            let files = repo.real.staged(&repo.index_path(current, environment))?;
            let head = repo.real.head()?.map(|head| repo.real.commit(head)).transpose()?;
            let tree = head.map(|head| head.tree);
            let policy = tree.map(|tree| policy_at(&repo.real, tree)).transpose()?.flatten();
            if policy.is_none() {
                let (names, top) = ((&check.named, check.now), root_of(current));
                let rules = Rules::of_next_commit(&repo.real, &top, (tree, &files), names)?;
                check.rules = Arc::new(rules);
            }
            check.files(None, &files, policy.as_ref(), tree)?;
        }
        Question::Push { remote, input } => {
            let updates = updates(input, |words| match words {
                [_, new, name, old] => Some([*name, *new, *old]),
                _ => None,
            })?;
            // A name of options could not be a ref; an address has no tracking refs.
            let tracked = repo.real.commits_of_refs(&format!("refs/remotes/{remote}/"));
            check.updates(&updates, tracked.unwrap_or_default())?;
        }
        Question::Receive { input } => {
            let updates = updates(input, |words| match words {
                [old, new, name] => Some([*name, *new, *old]),
                _ => None,
            })?;
            match Hub::find(&repo, &updates)? {
                Some(hub) => check.receive(&repo, &hub, &updates)?,
                None => check.updates(&updates, repo.real.commits_of_refs("refs/")?)?,
            }
        }
    }
    let mut outcome = check.outcome;
    outcome.commits = check.commits.len();
    Ok(outcome)
}

/// Reads the lines git gives; `pick` finds name, new and old value in the words of one.
fn updates(
    input: &str,
    pick: impl for<'a> Fn(&[&'a str]) -> Option<[&'a str; 3]>,
) -> Result<Vec<RefUpdate>, HooksError> {
    let malformed = |line: &str| HooksError::Input { line: Escaped(line).to_string() };
    let value = |word: &str| match word.bytes().all(|b| b == b'0') {
        true => Some(None),
        false => word.parse::<ObjectId>().ok().map(Some),
    };
    let mut updates = Vec::new();
    for line in input.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, new, old] = pick(&words).ok_or_else(|| malformed(line))?;
        let new = value(new).ok_or_else(|| malformed(line))?;
        let old = value(old).ok_or_else(|| malformed(line))?;
        updates.push(RefUpdate { name: name.to_owned(), old, new });
    }
    Ok(updates)
}

/// One run over one repository.
pub(crate) struct Check<'a> {
    pub(crate) repo: &'a Repo,
    pub(crate) now: Timestamp,
    /// Files that the environment names.
    named: Named,
    /// What the one tip of a push accepts, for all its commits.
    newest: Arc<AllowList>,
    /// What counts outside a team memory.
    rules: Arc<Rules>,
    outcome: HookOutcome,
    /// Commits that were looked at.
    pub(crate) commits: BTreeSet<ObjectId>,
    /// Blobs that were looked at, by path: most commits of a range repeat them.
    pub(crate) seen: BTreeSet<(Vec<u8>, ObjectId)>,
}

impl Check<'_> {
    /// Checks every commit that the updates bring in, and what the refs and tags say.
    fn updates(&mut self, updates: &[RefUpdate], known: Vec<ObjectId>) -> Result<(), HooksError> {
        let (mut tips, mut said) = (Vec::new(), Vec::new());
        for update in updates {
            let Some(new) = update.new else { continue };
            let Some(commit) = self.repo.peel_to_commit(new)? else {
                self.refuse(None, "not-a-commit", format!("object {new} leads to no commit"));
                continue;
            };
            tips.push(commit);
            let tags = self.repo.annotations(new)?;
            let tags = tags.iter().flat_map(|(_, raw)| of_tag(raw));
            said.push((commit, of_ref(&update.name).into_iter().chain(tags).collect::<Vec<_>>()));
        }
        let mut hidden = known;
        hidden.extend(updates.iter().filter_map(|update| update.old));
        let mut policies = BTreeMap::new();
        // Of several tips each is judged by what it holds itself.
        if let [only] = tips.as_slice() {
            let tree = Some(self.repo.commit(*only)?.tree);
            self.newest = Arc::new(accepted(self.repo, tree, &[], self.now).unwrap_or_default());
        }
        for group in groups(self.repo, &tips, (&self.named, self.now))? {
            let new = self.repo.new_commits(&group.tips, &hidden)?;
            let (is_team, members) = (group.is_team(), group.tips.clone());
            self.rules = Arc::new(group.rules(self.repo, &new, (&self.named, self.now))?);
            self.seen.clear();
            for (tip, pieces) in said.iter().filter(|(tip, _)| members.contains(tip)) {
                let tree = self.repo.commit(*tip)?.tree;
                let policy = if is_team { policy_at(self.repo, tree)? } else { None };
                let reasons = self.envelope((*tip, tree), pieces, &[], policy.as_ref());
                self.say(None, reasons);
            }
            for commit in new {
                self.commit(commit, &mut policies)?;
            }
        }
        for tip in tips {
            self.set(self.repo.commit(tip)?.tree)?;
        }
        Ok(())
    }

    fn commit(
        &mut self,
        id: ObjectId,
        policies: &mut BTreeMap<ObjectId, Option<Policy>>,
    ) -> Result<(), HooksError> {
        self.commits.insert(id);
        let commit = self.repo.commit(id)?;
        // The policy in force is the parent's: a commit must not allow itself.
        let ruling = match commit.parents.first() {
            Some(parent) => self.repo.commit(*parent)?.tree,
            None => commit.tree,
        };
        if let std::collections::btree_map::Entry::Vacant(entry) = policies.entry(ruling) {
            entry.insert(policy_at(self.repo, ruling)?);
        }
        let policy = policies[&ruling].as_ref();
        if policy.is_some() && self.repo.blob_at(commit.tree, POLICY_PATH)?.is_none() {
            self.refuse(
                Some(id),
                "policy-removed",
                "the commit removes the policy of the team".to_owned(),
            );
        }
        let files = self.repo.introduced(id)?;
        let pieces = of_commit(&commit.raw);
        let envelope = self.envelope((id, commit.tree), &pieces, &files, policy);
        self.say(Some(id), envelope);
        self.files(Some(id), &files, policy, Some(commit.tree))
    }

    /// What travels beside files, with a commit or a ref that leads to it.
    fn envelope(
        &self,
        (commit, tree): (ObjectId, ObjectId),
        pieces: &[Piece],
        files: &[Introduced],
        policy: Option<&Policy>,
    ) -> Vec<Reason> {
        let Some(policy) = policy else { return self.rules.envelope(commit, pieces) };
        let members = || Members::Unknown;
        let now = self.now;
        let gate = Gate { policy, is_allowed: &|_| false, members: &members, now };
        if gate.envelope(pieces).is_empty() {
            return Vec::new();
        }
        let accepted = accepted(self.repo, Some(tree), files, self.now).unwrap_or_default();
        let lists = [&accepted, &*self.newest];
        let is_allowed =
            |finding: &Finding| lists.iter().any(|list| list.allows(finding, "", None));
        Gate { is_allowed: &is_allowed, ..gate }.envelope(pieces)
    }

    fn files(
        &mut self,
        commit: Option<ObjectId>,
        files: &[Introduced],
        policy: Option<&Policy>,
        tree: Option<ObjectId>,
    ) -> Result<(), HooksError> {
        if let Some(policy) = policy {
            let list = accepted(self.repo, tree, files, self.now).unwrap_or_else(|error| {
                self.refuse(commit, "allow-list", error.to_string());
                AllowList::default()
            });
            let newest = Arc::clone(&self.newest);
            return self.team_files(commit, files, policy, &[&list, &newest]);
        }
        self.seen.retain(|_| !self.rules.looks_at_commits());
        for file in files {
            if self.seen.insert((file.path.clone(), file.id)) {
                let path = String::from_utf8_lossy(&file.path).into_owned();
                let reasons = self.other_file(commit, file, &path)?;
                self.say(commit, reasons);
            }
        }
        Ok(())
    }

    /// Adds reasons; a commit of two refs with different rules may give one twice.
    pub(crate) fn say(&mut self, commit: Option<ObjectId>, reasons: Vec<Reason>) {
        for reason in reasons {
            let entry = (commit, reason);
            if !self.outcome.reasons.contains(&entry) {
                self.outcome.reasons.push(entry);
            }
        }
    }

    /// Secrets that the version before did not hold.
    fn other_file(
        &mut self,
        commit: Option<ObjectId>,
        file: &Introduced,
        path: &str,
    ) -> Result<Vec<Reason>, GitError> {
        if EntryMode::from_bits(file.mode) == EntryMode::Gitlink {
            return Ok(Vec::new());
        }
        if self.repo.blob_size(file.id)? > SCANNED_BYTES_MAX {
            self.outcome.skipped.push(Escaped(&without_values(path, b"", &[])).to_string());
            return Ok(Vec::new());
        }
        let content = self.repo.blob(file.id, SCANNED_BYTES_MAX)?;
        let old = file.before.and_then(|id| self.repo.blob(id, SCANNED_BYTES_MAX).ok());
        Ok(self.rules.judge(Text { path, commit, content: &content, old: old.as_deref() }))
    }

    /// The names of a team memory's tree together.
    pub(crate) fn set(&mut self, tree: ObjectId) -> Result<(), HooksError> {
        let Some(policy) = policy_at(self.repo, tree)? else { return Ok(()) };
        let gate = Gate::of(&policy, self.now);
        let files = self.repo.tree_files(tree)?;
        let paths: Vec<&[u8]> = files.keys().map(Vec::as_slice).collect();
        self.outcome.reasons.extend(gate.set(&paths).into_iter().map(|reason| (None, reason)));
        Ok(())
    }

    pub(crate) fn refuse(&mut self, commit: Option<ObjectId>, rule: &str, message: String) {
        let reason = Reason {
            kind: ReasonKind::Rule,
            path: String::new(),
            position: None,
            rule: rule.to_owned(),
            weight: Weight::Forbidden,
            message,
            next_step: "take it out of the push".to_owned(),
        };
        self.outcome.reasons.push((commit, reason));
    }
}
