//! Opens a team repository under its lock, with everything the flows need at hand.
//! Border: opening and small writes every flow shares; no fetch, no merge.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::incomplete_setup::is_unfinished;
use super::lock::lock;
use super::stale_locks;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::config::policy::{POLICY_PATH, Policy, Trust};
use crate::gate::Gate;
use crate::gate::envelope::{Piece, of_commit};
use crate::gate::members::Members;
use crate::git::GitError;
use crate::git::commit::{CommitDraft, Person};
use crate::git::repo::Repo;
use crate::git::url::RemoteUrl;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::seal::unlock::Keys;
use crate::secrets::masking::masked;
use crate::store::locate::TeamPlace;
use crate::store::state::{self, LocalState, STATE_FOLDER};
use crate::sync::error::SyncError;
use crate::sync::remote_state::RemoteState;
use crate::system::clock::Clock;
use crate::system::files::{FileError, Root};
use crate::system::lock::Lock;
use crate::trust::commit::COMMIT_BYTES_MAX;
use crate::trust::key::AgeRecipient;
use crate::trust::signature::{Signer, sign_commit};

/// The only remote memsync uses.
pub const REMOTE: &str = "origin";

/// Who asks, and how patient they are.
pub struct Actor {
    /// Name and e-mail for commits.
    pub person: Person,
    /// The member id, where the person has more than one or a program acts for a member.
    pub member: Option<String>,
    /// The agent that wrote the change.
    pub agent: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// The key to sign with; `None` in an open team without a key.
    pub signer: Option<Box<dyn Signer>>,
    /// Where that key should be.
    pub key_path: Option<PathBuf>,
    /// The keys that open sealed memories.
    pub keys: Box<dyn Keys>,
    /// The age recipient to be sealed to, for a person whose key cannot open anything.
    pub age: Option<AgeRecipient>,
    /// The clock.
    pub clock: Clock,
    /// How long to wait for a lock, a remote, or other writers.
    pub wait: Duration,
    /// Answers questions.
    pub ask: Box<dyn Ask>,
}

/// Someone who can answer a question with yes or no.
pub trait Ask {
    /// Whether the answer is yes. Without anyone to ask it is no.
    fn confirms(&self, question: &str) -> bool;
}

/// Nobody is there to ask: every answer is the same.
#[derive(Clone, Copy, Debug)]
pub struct Always(pub bool);

impl Ask for Always {
    fn confirms(&self, _question: &str) -> bool {
        self.0
    }
}

impl Actor {
    /// A commit of this person, now.
    pub(crate) fn draft(
        &self,
        tree: ObjectId,
        parents: Vec<ObjectId>,
        message: String,
    ) -> CommitDraft {
        let (person, now) = (self.person.clone(), self.clock.now());
        CommitDraft {
            tree,
            parents,
            author: person.clone(),
            author_time: now,
            committer: person,
            committer_time: now,
            message,
        }
    }

    /// Asks a question.
    pub fn confirms(&self, question: &str) -> bool {
        self.ask.confirms(question)
    }
}

impl std::fmt::Debug for Actor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Actor").field("person", &self.person).finish_non_exhaustive()
    }
}

/// An open team repository.
#[derive(Debug)]
pub struct Team {
    /// The folder.
    pub path: PathBuf,
    /// The work tree.
    pub root: Root,
    /// The git dir.
    pub git_root: Root,
    /// The repository.
    pub repo: Repo,
    /// The branch that is shared.
    pub branch: String,
    /// This machine's records.
    pub state: LocalState,
    /// The sealed memory that the running command opens for everyone.
    pub(crate) opens: Option<MemoryPath>,
    /// Held until the value goes.
    lock: Option<Lock>,
}

impl Team {
    /// Opens for reading, without the lock.
    pub fn open(place: &TeamPlace) -> Result<Self, SyncError> {
        let (root, git_root) = Self::folders(&place.folder)?;
        Self::open_in(place, root, git_root)
    }

    /// The same for who only looks, and leaves nothing behind: what merges are compared with stays in
    /// memory.
    #[must_use]
    pub(crate) fn looking(self) -> Self {
        Self { repo: self.repo.aside(), ..self }
    }

    /// The work tree and the git dir, as they are now.
    fn folders(team: &Path) -> Result<(Root, Root), SyncError> {
        let memdir = team.parent().unwrap_or(team);
        let root = match Root::open(team) {
            Ok(root) => root,
            Err(FileError::NotFound { .. }) if memdir.is_dir() => {
                return Err(SyncError::NoTeam(team.to_owned()));
            }
            Err(FileError::NotFound { .. }) => {
                return Err(SyncError::NoMemoryDirectory(memdir.to_owned()));
            }
            Err(FileError::Symlink { .. }) => return Err(SyncError::TeamIsLink(team.to_owned())),
            Err(error) => return Err(error.into()),
        };
        let git_root = match root.descend(".git") {
            Ok(git_root) => git_root,
            Err(FileError::NotFound { .. }) => {
                return Err(SyncError::NotARepository(team.to_owned()));
            }
            Err(error) => return Err(error.into()),
        };
        Ok((root, git_root))
    }

    fn open_in(place: &TeamPlace, root: Root, git_root: Root) -> Result<Self, SyncError> {
        let team = place.folder.as_path();
        let repo = match Repo::open_own(team) {
            Err(GitError::Open { .. }) if is_unfinished(&git_root)? => {
                return Err(SyncError::Unborn(team.to_owned()));
            }
            other => other?,
        };
        let branch = repo.branch()?.ok_or_else(|| match repo.unfinished_operation() {
            // A rebase leaves the branch for a while; ending it is what helps.
            Some(operation) => SyncError::Unfinished { team: team.to_owned(), operation },
            None => SyncError::Detached(team.to_owned()),
        })?;
        let state: LocalState = state::read(&git_root)?.unwrap_or_default();
        let opened = Self {
            path: team.to_owned(),
            root,
            git_root,
            repo,
            branch,
            state,
            opens: None,
            lock: None,
        };
        opened.refuse_other_branch()?;
        opened.refuse_other_project(place.project_root.as_deref())?;
        Ok(opened)
    }

    /// Opens a plain checkout of a team repository, as CI makes one: on any commit or none, with no
    /// records. What is trusted is up to the caller.
    pub(crate) fn of_checkout(folder: &Path, branch: String) -> Result<Self, SyncError> {
        let repo = Repo::open_owned(folder)?.aside();
        let (root, git_root) = (Root::open(folder)?, Root::open(repo.git_dir())?);
        let (path, state) = (folder.to_owned(), LocalState::default());
        Ok(Self { path, root, git_root, repo, branch, state, opens: None, lock: None })
    }

    /// Opens for changing: waits for the lock, then reads everything.
    pub fn open_locked(place: &TeamPlace, wait: Duration) -> Result<Self, SyncError> {
        let (root, git_root) = Self::folders(&place.folder)?;
        if !git_root.exists(STATE_FOLDER)? {
            // A repository that is no team memory is not marked as one.
            Self::open(place)?.tip()?;
            git_root.create_folder(STATE_FOLDER)?;
        }
        let lock = lock(&git_root, &place.folder, wait)?;
        let mut opened = Self::open_in(place, root, git_root)?;
        if lock.was_abandoned() {
            stale_locks::clear(&opened.repo, &opened.root, &opened.git_root)?;
        }
        opened.lock = Some(lock);
        if let Some(operation) = opened.repo.unfinished_operation() {
            return Err(SyncError::Unfinished { team: place.folder.clone(), operation });
        }
        Ok(opened)
    }

    /// Commits are signed for the shared branch: on another one nothing could be shared.
    fn refuse_other_branch(&self) -> Result<(), SyncError> {
        let Some(shared) = &self.state.branch else { return Ok(()) };
        if *shared == self.branch {
            return Ok(());
        }
        let (team, shared) = (self.path.clone(), Escaped(shared).to_string());
        Err(RemoteState::OtherBranch { team, shared, here: masked(&self.branch) }.into())
    }

    /// A clone made by plain git says nothing of where its history must start.
    pub(crate) fn refuse_plain_clone(&self) -> Result<(), SyncError> {
        if self.state.root_commit.is_some() {
            return Ok(());
        }
        let remote = self.remote().ok().flatten().map(|url| url.to_string());
        Err(RemoteState::PlainClone { team: self.path.clone(), remote }.into())
    }

    /// Two projects can share one memory directory, because keys are lossy; their memories must not mix.
    fn refuse_other_project(&self, project_root: Option<&Path>) -> Result<(), SyncError> {
        let (Some(here), Some(owner)) = (project_root, self.state.project_root.as_deref()) else {
            return Ok(());
        };
        // A project folder that is gone was renamed or moved: `doctor` re-links it.
        if here == owner || !owner.exists() {
            return Ok(());
        }
        Err(SyncError::OtherProject {
            team: self.path.clone(),
            owner: format!("`{}`", owner.display()),
            here: format!("`{}`", here.display()),
        })
    }

    /// The full name of the shared branch.
    pub fn branch_ref(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }

    /// Where the last verified tip of the remote is kept.
    ///
    /// Not below `refs/remotes/`: a plain `git fetch` moves that to what nobody verified.
    pub fn tracking_ref(&self) -> String {
        format!("refs/memsync/verified/{}", self.branch)
    }

    /// Where plain git keeps the remote's branch; follows the verified tip so that `git status` is right.
    pub fn shown_ref(&self) -> String {
        format!("refs/remotes/{REMOTE}/{}", self.branch)
    }

    /// Where a fetch puts what is not verified yet.
    pub fn incoming_ref(&self) -> String {
        format!("refs/memsync/incoming/{}", self.branch)
    }

    /// Our tip.
    pub fn tip(&self) -> Result<ObjectId, SyncError> {
        let tip = self.repo.find_ref(&self.branch_ref())?;
        tip.ok_or_else(|| SyncError::Unborn(self.path.clone()))
    }

    /// The last verified tip of the remote; `None` before the first exchange.
    pub fn tracking(&self) -> Result<Option<ObjectId>, SyncError> {
        Ok(self.repo.find_ref(&self.tracking_ref())?)
    }

    /// Whether others have a file, as far as was seen.
    pub(crate) fn is_shared(&self, path: &str) -> Result<bool, SyncError> {
        let Some(known) = self.tracking()? else { return Ok(false) };
        let here = self.repo.commit(self.tip()?)?.tree;
        let here = self.repo.tree_file(here, path)?.map(|file| file.id);
        let shared = self.repo.tree_files(self.repo.commit(known)?.tree)?;
        // Under another name it was shared as well.
        if shared.iter().any(|(_, file)| Some(file.id) == here) {
            return Ok(true);
        }
        for id in self.repo.range(None, known)? {
            if self.repo.tree_file(self.repo.commit(id)?.tree, path)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The remote's address; `None` when none is set.
    pub fn remote(&self) -> Result<Option<RemoteUrl>, SyncError> {
        let Some(text) = self.repo.config(&format!("remote.{REMOTE}.url")) else { return Ok(None) };
        Ok(Some(RemoteUrl::parse(&text)?))
    }

    /// The policy at a commit's tree. A team repository without one is refused.
    pub fn policy_at(&self, tree: ObjectId) -> Result<Policy, SyncError> {
        let Some(file) = self.repo.tree_file(tree, POLICY_PATH)? else {
            return Err(SyncError::NotATeamRepository(self.path.display().to_string()));
        };
        let content = self.repo.blob(file.id, POLICY_BYTES_MAX as u64)?;
        Policy::parse_agreed(&String::from_utf8_lossy(&content)).map_err(SyncError::Policy)
    }

    /// The policy that counts: the one others agreed to, before the first exchange our own.
    ///
    /// A policy that was only edited here must not let through what the team's would refuse.
    pub fn policy(&self) -> Result<Policy, SyncError> {
        let agreed = self.tracking()?.map_or_else(|| self.tip(), Ok)?;
        self.policy_at(self.repo.commit(agreed)?.tree)
    }

    /// Encodes, signs and writes a commit.
    pub fn commit(&self, draft: &CommitDraft, actor: &Actor) -> Result<ObjectId, SyncError> {
        let unsigned = draft.encode();
        self.refuse_envelope(&of_commit(&unsigned), actor)?;
        debug_assert!(unsigned.len() <= COMMIT_BYTES_MAX, "messages are composed within limits");
        let raw = match &actor.signer {
            Some(signer) => sign_commit(signer.as_ref(), &unsigned)?,
            None => unsigned,
        };
        Ok(self.repo.write_commit(&raw)?)
    }

    /// Refuses texts that would travel and hold a credential, before anything is made of them.
    pub(crate) fn refuse_envelope(&self, pieces: &[Piece], actor: &Actor) -> Result<(), SyncError> {
        // Without a policy that can be read the built-in rules count, and no list accepts anything.
        let policy = self.policy().unwrap_or_else(|_| Policy::new(Trust::Roster, None));
        let accepted = self.accepted_findings(actor).unwrap_or_default();
        let gate = Gate {
            policy: &policy,
            is_allowed: &|finding| accepted.allows(finding, "", None),
            members: &|| Members::Unknown,
            now: actor.clock.now(),
        };
        let reasons = gate.envelope(pieces);
        if reasons.is_empty() { Ok(()) } else { Err(SyncError::EnvelopeRefused(reasons)) }
    }

    /// Writes the state record if it changed.
    pub fn save_state(&mut self, state: LocalState) -> Result<(), SyncError> {
        if state != self.state {
            state::write(&self.git_root, &state)?;
            self.state = state;
        }
        Ok(())
    }
}
