//! A push to a team's server: every ref, tag and commit of it, by the policy that is in force there.
//! Border: what plain content rules say; signatures, roles and rewritten history are `trust`'s.
//!
//! **Whose lists count.** The policy of the shared branch before the push, as in every member's pull; on an
//! empty server that of the first push. Findings that `allow.yaml` accepts there count, and for the
//! shared branch also those that it accepts after the push: only an admin's change of it is taken, and
//! with it the whole push or nothing. What a proposal accepts itself counts for nothing.

use super::HooksError;
use super::allow_lists::accepted;
use super::hub::{BRANCHES, Hub, RefUpdate, signer_of};
use super::run::Check;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::time::Timestamp;
use crate::config::policy::POLICY_PATH;
use crate::gate::Gate;
use crate::gate::envelope::{of_commit, of_tag};
use crate::gate::reference::check_reference;
use crate::gate::verdict::{Reason, ReasonKind, Weight};
use crate::git::quarantine::HookRepo;
use crate::secrets::allow::AllowList;
use crate::secrets::finding::Finding;
use crate::secrets::masking::without_values;
use crate::store::pin::ServerPin;
use crate::sync::membership::requests::{REQUESTS, ref_of};
use crate::trust::request::MemberRequest;

/// Where a team's refs are. Others (`refs/replace`, `refs/notes`, …) carry content that nobody judges, or
/// change how git reads what was judged.
const PLACES: [&str; 2] = [BRANCHES, "refs/tags/"];

/// A message that holds a request line and nothing else.
const REQUEST_BYTES_MAX: usize = 10_000;

impl Check<'_> {
    /// Checks all refs of a push.
    pub(crate) fn receive(
        &mut self,
        repo: &HookRepo,
        hub: &Hub,
        updates: &[RefUpdate],
    ) -> Result<(), HooksError> {
        let known = repo.real.commits_of_refs("refs/")?;
        for update in updates {
            self.reference(repo, hub, update)?;
            let Some(new) = update.new else { continue };
            if is_request(&update.name) {
                self.request(hub, update, new)?;
                continue;
            }
            self.tags(hub, new)?;
            let Some(tip) = self.repo.peel_to_commit(new)? else {
                let message = format!("object {new} leads to no commit");
                self.refuse_ref(update, "not-a-commit", &message, "push a commit or a tag of one");
                continue;
            };
            // What another branch brought before the hook was there, or as a proposal, is new here.
            let hidden: Vec<ObjectId> = match hub.is_shared(&update.name) {
                true => update.old.into_iter().collect(),
                false => known.iter().copied().chain(update.old).collect(),
            };
            let lists = self.lists(hub, update, tip)?;
            self.seen.clear();
            for id in self.repo.new_commits(&[tip], &hidden)? {
                self.team_commit(hub, id, &lists, hub.is_shared(&update.name))?;
            }
            let files = self.repo.tree_files(self.repo.commit(tip)?.tree)?;
            let paths: Vec<&[u8]> = files.keys().map(Vec::as_slice).collect();
            self.say(None, gate(hub, self.now).set(&paths));
        }
        let refusals = super::trust::refusals(repo, hub, updates);
        for (commit, reason) in refusals.map_err(|error| HooksError::Trust(Box::new(error)))? {
            self.say(commit, vec![reason]);
        }
        Ok(())
    }

    /// The ref itself: its place and name, and that the shared branch stays.
    fn reference(
        &mut self,
        repo: &HookRepo,
        hub: &Hub,
        update: &RefUpdate,
    ) -> Result<(), HooksError> {
        let name = update.name.as_str();
        if update.new.is_none() {
            if hub.is_shared(name) {
                self.refuse_ref(
                    update,
                    "shared-branch-deleted",
                    "the branch is what the team shares",
                    "leave it there; whoever runs the server can move it aside",
                );
            }
            return Ok(());
        }
        if !PLACES.iter().any(|place| name.starts_with(place)) && !is_request(name) {
            let next = "push to a branch or a tag";
            self.refuse_ref(update, "ref-place", "a team memory has no refs there", next);
        }
        if repo.real.is_symbolic(name)? {
            let next = "push to the branch it stands for";
            self.refuse_ref(update, "symbolic-ref", "the ref stands for another one", next);
        }
        let is_like =
            |shared: &&String| **shared != name && shared.to_lowercase() == name.to_lowercase();
        if hub.shared.iter().any(|shared| is_like(&shared)) && !hub.is_shared(name) {
            let message = "the name cannot be told from the shared branch on every disk";
            self.refuse_ref(update, "ref-name", message, "choose another name");
        }
        let reason = check_reference(&gate(hub, self.now), name);
        self.say(None, reason.into_iter().collect());
        Ok(())
    }

    /// A request for membership: one line, made by the key its ref is named after, and no files.
    fn request(&mut self, hub: &Hub, update: &RefUpdate, new: ObjectId) -> Result<(), HooksError> {
        let is_request = match (self.repo.commit(new), &hub.start) {
            (Ok(commit), Some(start)) => {
                let lines = commit.message.lines();
                let mut found =
                    lines.filter_map(|line| MemberRequest::parse(line, start.root_commit).ok());
                let is_signed = found.any(|request| ref_of(&request.key) == update.name);
                let is_small = commit.raw.len() <= REQUEST_BYTES_MAX;
                let is_empty = self.repo.tree_files(commit.tree)?.is_empty();
                is_signed && is_small && is_empty && commit.parents.is_empty()
            }
            _ => false,
        };
        if !is_request {
            let message =
                "the commit is no request for membership by the key the ref is named after";
            self.refuse_ref(
                update,
                "not-a-request",
                message,
                "run `memsync member request --push`",
            );
            return Ok(());
        }
        self.commits.insert(new);
        let raw = self.repo.commit(new)?.raw;
        self.say(Some(new), gate(hub, self.now).envelope(&of_commit(&raw)));
        Ok(())
    }

    /// The annotated tags on the way to a commit.
    fn tags(&mut self, hub: &Hub, new: ObjectId) -> Result<(), HooksError> {
        for (_, raw) in self.repo.annotations(new)? {
            self.say(None, gate(hub, self.now).envelope(&of_tag(&raw)));
        }
        Ok(())
    }

    /// What `allow.yaml` accepts before the push, for the shared branch also after it.
    fn lists(
        &mut self,
        hub: &Hub,
        update: &RefUpdate,
        tip: ObjectId,
    ) -> Result<Vec<AllowList>, HooksError> {
        // A list that cannot be read accepts nothing; the push may be the one that corrects it.
        let before = hub.ruling.map(|tree| accepted(self.repo, Some(tree), &[], self.now));
        let mut lists: Vec<AllowList> = before.and_then(Result::ok).into_iter().collect();
        if hub.is_shared(&update.name) {
            let tree = self.repo.commit(tip)?.tree;
            match accepted(self.repo, Some(tree), &[], self.now) {
                Ok(list) => lists.push(list),
                Err(error) => self.refuse(Some(tip), "allow-list", error.to_string()),
            }
        }
        Ok(lists)
    }

    fn team_commit(
        &mut self,
        hub: &Hub,
        id: ObjectId,
        lists: &[AllowList],
        is_shared: bool,
    ) -> Result<(), HooksError> {
        self.commits.insert(id);
        let commit = self.repo.commit(id)?;
        // Only there a change of the list is judged by who may make it: see `secrets::allow`.
        let own = is_shared.then(|| accepted(self.repo, Some(commit.tree), &[], self.now));
        let own = own.and_then(Result::ok);
        let lists: Vec<&AllowList> = lists.iter().chain(&own).collect();
        if commit.parents.is_empty() {
            self.root(hub, id)?;
        }
        if self.repo.blob_at(commit.tree, POLICY_PATH)?.is_none() {
            let message = "the commit has no policy, so it is no team memory";
            self.refuse(Some(id), "policy-removed", message.to_owned());
        }
        let is_allowed =
            |finding: &Finding| lists.iter().any(|list| list.allows(finding, "", None));
        let travels = Gate { is_allowed: &is_allowed, ..gate(hub, self.now) }
            .envelope(&of_commit(&commit.raw));
        self.say(Some(id), travels);
        let files = self.repo.introduced(id)?;
        self.team_files(Some(id), &files, &hub.policy, &lists)
    }

    /// A history that starts anew must start as the team's does.
    fn root(&mut self, hub: &Hub, id: ObjectId) -> Result<(), HooksError> {
        let Some(start) = &hub.start else { return Ok(()) };
        let found = ServerPin { root_commit: id, root_signer: signer_of(self.repo, id)? };
        if found != *start {
            let message = "the history starts at another commit than the team's";
            self.refuse(Some(id), "other-root", message.to_owned());
        }
        Ok(())
    }

    fn refuse_ref(&mut self, update: &RefUpdate, rule: &str, message: &str, next_step: &str) {
        let reason = Reason {
            kind: ReasonKind::Rule,
            path: Escaped(&without_values(&update.name, b"", &[])).to_string(),
            position: None,
            rule: rule.to_owned(),
            weight: Weight::Forbidden,
            message: message.to_owned(),
            next_step: next_step.to_owned(),
        };
        self.say(None, vec![reason]);
    }
}

fn is_request(name: &str) -> bool {
    name.strip_prefix(REQUESTS).is_some_and(|rest| rest.starts_with('/'))
}

/// The gate for names.
fn gate(hub: &Hub, now: Timestamp) -> Gate<'_> {
    Gate::of(&hub.policy, now)
}
