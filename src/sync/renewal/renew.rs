//! Starts a team's history anew: without a value that leaked, or under an admin after the last one
//! lost the key. The new beginning names the one it replaces, and every commit is signed again.
//! Border: rewriting and sending; what goes out of the texts is `leaked`'s, following is `rewrite`'s.
//!
//! Policy and roster are today's from the first commit on: who signs the old changes again must have
//! the right to from there, and what people were allowed once is nobody's right now. What each change
//! did to memories stays, with its author and date.

use std::collections::HashMap;

use serde::Serialize;

use super::leaked::Leaked;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::base::text::count;
use crate::config::policy::POLICY_PATH;
use crate::git::command::{Git, GitCommandError};
use crate::git::commit::{Commit, CommitDraft, Person};
use crate::store::locate::TeamPlace;
use crate::store::state::LocalState;
use crate::sync::error::SyncError;
use crate::sync::exchange::pull_push::{Direction, exchange_locked};
use crate::sync::exchange::rewrite::follow;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::renew_error::RenewError;
use crate::sync::repo::introduction::shown_introduction;
use crate::sync::repo::message;
use crate::sync::repo::remote::{Remote, Sent};
use crate::sync::repo::roster::roster_at;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::fetch::signer_of;
use crate::sync::verify::outgoing::refused;
use crate::sync::worktree::tree_overlay::parse_tree_path;
use crate::trust::roster::{MemberId, ROSTER_PATH, Role, Roster};
use crate::trust::trailers::Trailers;

/// Why a history is started anew.
#[derive(Debug)]
pub enum Renewal {
    /// Some values go out of every text of it.
    Purge {
        /// Fingerprints of findings, as a scan of the history prints them.
        fingerprints: Vec<String>,
        /// Values that no rule knows.
        values: Vec<Vec<u8>>,
    },
    /// No admin can act any more: the caller becomes the admin, and those before lose their keys.
    Restart,
}

/// What was started anew.
#[derive(Debug, Serialize)]
pub struct RenewOutcome {
    /// What the history starts with now.
    pub introduction: String,
    /// What it started with before.
    pub replaced: String,
    /// How many commits were made again.
    pub commits: usize,
    /// How many texts held a value: versions of files and messages.
    pub texts: usize,
    /// Other branches at the remote; each may still hold the old history.
    pub branches: Vec<String>,
    /// What was done here.
    pub exchange: ExchangeOutcome,
}

/// Starts the history anew and puts it in the place of the old one, for everybody.
pub fn renew(
    place: &TeamPlace,
    actor: &Actor,
    git: &Git,
    renewal: &Renewal,
) -> Result<RenewOutcome, SyncError> {
    let mut team = Team::open_locked(place, actor.wait)?;
    let url = team.remote()?.ok_or_else(|| SyncError::NoRemote(team.path.clone()))?;
    let remote = Remote { git, url };
    // Nothing that somebody shared, and nothing of our own, may get lost on the way.
    let exchange = exchange_locked(&mut team, actor, &remote, Direction::Pull)?;
    if let Some(refused) = exchange.refused {
        return Err(RenewError::Refused(refused.message).into());
    }
    if exchange.ahead > 0 {
        return Err(RenewError::Unshared(exchange.ahead).into());
    }
    let old = team.tracking()?.ok_or_else(|| SyncError::Unborn(team.path.clone()))?;
    let roster = roster(&team, actor, renewal, old)?;
    let commits = team.repo.range(None, old)?;
    let leaked = match renewal {
        Renewal::Purge { fingerprints, values } => {
            Leaked::find(&team, actor, &commits, fingerprints, values)?
        }
        Renewal::Restart => Leaked::default(),
    };
    let replaced = introduction(&team);
    confirm(actor, renewal, &remote, commits.len())?;
    let mut work = Rewriting { team: &mut team, actor, leaked, roster, made: HashMap::new(), old };
    let (tip, state) = work.rewrite(&commits)?;
    let texts = work.leaked.texts();
    refused_by_own_rules(&team, &state, tip)?;
    team.repo.make_objects_durable()?;
    replace(&team, &remote, old, tip)?;
    let exchange = follow(&mut team, actor, tip, Some(state))?;
    let others = remote.branches()?.branches.into_iter().map(|(name, _)| name);
    let branches = others
        .filter(|name| *name != team.branch_ref())
        .map(|name| Escaped(name.trim_start_matches("refs/heads/")).to_string())
        .collect();
    let introduction = introduction(&team);
    Ok(RenewOutcome { introduction, replaced, commits: commits.len(), texts, branches, exchange })
}

/// Puts the new history in the place of the old one, which few servers take as they are.
fn replace(
    team: &Team,
    remote: &Remote<'_>,
    old: ObjectId,
    tip: ObjectId,
) -> Result<(), SyncError> {
    let url = remote.url.to_string();
    match remote.push(team, tip, Some(old)) {
        Ok(Sent::Accepted) => Ok(()),
        Ok(Sent::LostRace) => Err(RenewError::NotTaken(url).into()),
        // What the hook of memsync says of another beginning.
        Err(SyncError::Command(GitCommandError::Declined { message, .. }))
            if message.contains("[other-root]") =>
        {
            Err(RenewError::HeldByHook(url).into())
        }
        Err(SyncError::Command(GitCommandError::Declined { message, .. })) => {
            Err(RenewError::Declined { remote: url, message }.into())
        }
        Err(error) => Err(error),
    }
}

fn introduction(team: &Team) -> String {
    let signer = team.state.root_signer.as_deref();
    team.state.root_commit.map(|root| shown_introduction(root, signer)).unwrap_or_default()
}

/// The roster that the new history has from its beginning; `None` in an open team without one.
fn roster(
    team: &Team,
    actor: &Actor,
    renewal: &Renewal,
    tip: ObjectId,
) -> Result<Option<Roster>, SyncError> {
    let Some(mut roster) = roster_at(team, team.repo.commit(tip)?.tree)? else { return Ok(None) };
    let key = actor.signer.as_ref().ok_or(SyncError::NoKey)?.public_key();
    let holder = roster.holder(&key).filter(|(_, entry)| entry.revoked.is_none());
    let own = holder.map(|(member, _)| (member.id.clone(), member.role));
    let admins: Vec<MemberId> = roster
        .members()
        .iter()
        .filter(|member| member.role == Role::Admin)
        .map(|member| member.id.clone())
        .collect();
    match (renewal, own) {
        (Renewal::Purge { .. }, Some((_, Role::Admin))) => Ok(Some(roster)),
        (Renewal::Purge { .. }, _) => {
            Err(RenewError::NotAdmin(admins.iter().map(ToString::to_string).collect()).into())
        }
        (Renewal::Restart, Some((id, Role::Admin))) => Err(RenewError::HasAdmin(id).into()),
        (Renewal::Restart, None) => Err(RenewError::NotAMember.into()),
        (Renewal::Restart, Some((id, _))) => {
            let day = crate::sync::membership::members::today(actor);
            let change = |roster: &mut Roster| {
                roster.set_role(&id, Role::Admin)?;
                for admin in &admins {
                    // Whoever finds a lost key must not be able to use it.
                    let keys: Vec<_> =
                        roster.member(admin).into_iter().flat_map(|m| &m.keys).collect();
                    let keys: Vec<_> = keys.into_iter().map(|entry| entry.key).collect();
                    roster.set_role(admin, Role::Writer)?;
                    for key in keys {
                        roster.revoke(&key, day.clone())?;
                    }
                }
                Ok(())
            };
            change(&mut roster).map_err(SyncError::RosterChange)?;
            Ok(Some(roster))
        }
    }
}

fn confirm(
    actor: &Actor,
    renewal: &Renewal,
    remote: &Remote<'_>,
    commits: usize,
) -> Result<(), SyncError> {
    let what = match renewal {
        Renewal::Purge { .. } => "without that text",
        Renewal::Restart => "with you as its admin",
    };
    let commits = count(commits, "commit", "commits");
    let question = format!(
        "The history at {} ({commits}) is replaced by one {what}, signed by you; every member must follow \
         it once. Clones, forks, caches and backups keep the old one. Do it?",
        remote.url
    );
    match actor.confirms(&question) {
        true => Ok(()),
        false => Err(RenewError::Unconfirmed.into()),
    }
}

/// A history that is being made again.
struct Rewriting<'a> {
    team: &'a mut Team,
    actor: &'a Actor,
    leaked: Leaked,
    roster: Option<Roster>,
    /// What each commit of the old history became.
    made: HashMap<ObjectId, ObjectId>,
    old: ObjectId,
}

impl Rewriting<'_> {
    /// Makes every commit again, parents first; gives the new tip and what is to be remembered.
    fn rewrite(&mut self, commits: &[ObjectId]) -> Result<(ObjectId, LocalState), SyncError> {
        let before = self.team.state.clone();
        let Some((first, rest)) = commits.split_first() else {
            return Err(SyncError::Unborn(self.team.path.clone()));
        };
        let made = self.root(*first).and_then(|root| {
            let signer = signer_of(self.team, root)?;
            let state =
                LocalState { root_commit: Some(root), root_signer: signer, ..before.clone() };
            // The trailers of everything after it name the new beginning.
            self.team.state = state.clone();
            for id in rest {
                self.one(*id)?;
            }
            let tip = self.made.get(&self.old).copied().ok_or(SyncError::Unrelated)?;
            Ok((tip, state))
        });
        // Remembered only when the remote has it.
        self.team.state = before;
        made
    }

    /// The first commit: it names every beginning it stands for.
    fn root(&mut self, id: ObjectId) -> Result<ObjectId, SyncError> {
        let old = self.team.repo.commit(id)?;
        let mut replaces = Trailers::parse(&old.message).map(|t| t.replaces).unwrap_or_default();
        replaces.push(id);
        let tree = self.tree(&old, None)?;
        let text = "Start team memory again";
        let message = message::of_renewal(self.team, self.actor, tree, replaces, text);
        let new = self.commit(&old, tree, Vec::new(), message)?;
        self.made.insert(id, new);
        Ok(new)
    }

    fn one(&mut self, id: ObjectId) -> Result<(), SyncError> {
        let old = self.team.repo.commit(id)?;
        let mut parents: Vec<ObjectId> = Vec::new();
        for parent in &old.parents {
            let new = self.made.get(parent).copied().ok_or(SyncError::Unrelated)?;
            if !parents.contains(&new) {
                parents.push(new);
            }
        }
        let first = parents.first().copied().ok_or(SyncError::Unrelated)?;
        let before = self.team.repo.commit(first)?.tree;
        let tree = self.tree(&old, Some(before))?;
        // A change of the roster or the policy alone is none of the new history.
        if parents.len() == 1 && tree == before {
            self.made.insert(id, first);
            return Ok(());
        }
        let text = self.leaked.scrubbed_text(&old.message);
        let message = message::again(self.team, self.actor, tree, &text);
        let new = self.commit(&old, tree, parents, message)?;
        self.made.insert(id, new);
        Ok(())
    }

    /// What a commit changes, made again on a tree of the new history.
    fn tree(&mut self, old: &Commit, onto: Option<ObjectId>) -> Result<ObjectId, SyncError> {
        let parent =
            old.parents.first().map(|parent| self.team.repo.commit(*parent)).transpose()?;
        let mut edits: Vec<(MemoryPath, Option<ObjectId>)> = Vec::new();
        let changes =
            self.team.repo.tree_changes(parent.map(|parent| parent.tree), Some(old.tree))?;
        for change in changes {
            let path = parse_tree_path(&change.path)?;
            if is_standing(path.as_str()) {
                continue;
            }
            let new =
                change.new.map(|file| self.leaked.scrubbed(self.team, file.id)).transpose()?;
            edits.push((path, new));
        }
        if onto.is_none() {
            let today = self.team.repo.commit(self.old)?.tree;
            for name in [POLICY_PATH, ROSTER_PATH] {
                let path =
                    MemoryPath::parse(name).expect("because policy and roster have valid paths");
                let blob = match (&self.roster, self.team.repo.tree_file(today, name)?) {
                    (Some(roster), _) if name == ROSTER_PATH => {
                        Some(self.team.repo.write_blob(roster.render().as_bytes())?)
                    }
                    (_, Some(file)) => Some(self.leaked.scrubbed(self.team, file.id)?),
                    _ => None,
                };
                edits.extend(blob.map(|blob| (path, Some(blob))));
            }
        }
        Ok(self.team.repo.write_tree(onto, &edits)?)
    }

    fn commit(
        &self,
        old: &Commit,
        tree: ObjectId,
        parents: Vec<ObjectId>,
        message: String,
    ) -> Result<ObjectId, SyncError> {
        let author = Person {
            name: self.leaked.scrubbed_text(&old.author.name),
            email: self.leaked.scrubbed_text(&old.author.email),
        };
        let draft = CommitDraft {
            tree,
            parents,
            author,
            author_time: old.author_time,
            committer: self.actor.person.clone(),
            committer_time: self.actor.clock.now(),
            message,
        };
        self.team.commit(&draft, self.actor)
    }
}

/// Whether a file says who may do what: it is today's throughout.
fn is_standing(path: &str) -> bool {
    path == POLICY_PATH || path == ROSTER_PATH
}

/// Judges the new history as every member will, before it replaces anything.
fn refused_by_own_rules(team: &Team, state: &LocalState, tip: ObjectId) -> Result<(), SyncError> {
    let mut seen = Team::open(&TeamPlace::alone(&team.path))?;
    seen.state = state.clone();
    let ids = seen.repo.range(None, tip)?;
    refused(&seen, None, &ids)
}
