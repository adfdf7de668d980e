//! `init` makes a team repository, `join` takes part in one that others made.
//! Border: happens once per machine; everything after it is `exchange`.

use super::arrival::{JoinOptions, default_branch, introduction, memories, refuse_foreign_project};
use std::path::Path;

use super::adopt::{adopt, is_plain_clone};
use super::members::founding_roster;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::config::policy::{POLICY_PATH, Policy, Trust};
use crate::gate::{GITATTRIBUTES, Gate};
use crate::git::command::{Git, RemoteRefs};
use crate::git::repo::{ObjectFormat, Repo};
use crate::git::url::RemoteUrl;
use crate::git::write::Expected;
use crate::memory::limits::{FILE_BYTES_MAX, POLICY_BYTES_MAX};
use crate::memory::reconcile::IndexChange;
use crate::store::locate::TeamPlace;
use crate::store::state::{LocalState, STATE_FOLDER};
use crate::sync::error::SyncError;
use crate::sync::exchange::change::commit;
use crate::sync::exchange::checkout::ALLOWED_SIGNERS;
use crate::sync::exchange::pull_push::{Direction, exchange_locked};
use crate::sync::exchange::stage::FILE_MODE;
use crate::sync::outcome::SetupOutcome;
use crate::sync::repo::incomplete_setup::clear_incomplete_setup;
use crate::sync::repo::message;
use crate::sync::repo::remote::Remote;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::incoming::verify;
use crate::sync::worktree::apply::{FileWrite, Step, apply};
use crate::sync::worktree::tree_overlay::parse_tree_path;
use crate::system::files::Root;
use crate::trust::roster::ROSTER_PATH;

/// What `init` is asked for.
#[derive(Clone, Debug)]
pub struct InitOptions {
    /// Where to share; `None` keeps it on this machine for now.
    pub remote: Option<RemoteUrl>,
    /// Who may change it.
    pub trust: Trust,
    /// The hash of the repository.
    pub format: ObjectFormat,
    /// The project, for the policy.
    pub project: Option<String>,
}

/// Makes the team memory at `team` and, with a remote, shares it.
pub fn init(
    place: &TeamPlace,
    actor: &Actor,
    git: &Git,
    options: InitOptions,
) -> Result<SetupOutcome, SyncError> {
    let team = place.folder.as_path();
    clear_incomplete_setup(team, actor.wait)?;
    if let Some(url) = &options.remote {
        let refs = Remote { git, url: url.clone() }.branches()?;
        if !refs.branches.is_empty() {
            return Err(SyncError::RemoteNotEmpty(url.to_string()));
        }
    }
    confirm_index(team, actor)?;
    make_folder(team)?;
    let repo = Repo::create(team, options.format)?;
    let git_root = Root::open(&team.join(".git"))?;
    // Marks the git dir as ours, should we be cut short.
    git_root.create_folder(STATE_FOLDER)?;
    repo.write_core_config(&git_root, ALLOWED_SIGNERS)?;
    if let Some(url) = &options.remote {
        repo.write_remote_config(&git_root, url, "main")?;
    }
    repo.set_head("main")?;
    drop((repo, git_root));
    let mut opened = Team::open_locked(&TeamPlace::alone(team), actor.wait)?;
    let root_signer =
        actor.signer.as_ref().map(|signer| signer.public_key().fingerprint().to_string());
    let state = LocalState {
        project_root: place.project_root.clone(),
        root_signer: root_signer.clone(),
        branch: Some(opened.branch.clone()),
        ..LocalState::default()
    };
    let root_commit = write_root_commit(&mut opened, actor, &options, state)?;
    let exchange = match options.remote.clone() {
        Some(url) => exchange_locked(&mut opened, actor, &Remote { git, url }, Direction::Push)?,
        None => commit(&mut opened, actor)?,
    };
    let remote = options.remote.map(|url| url.to_string());
    let memories = memories(&opened)?;
    Ok(SetupOutcome { team: team.to_owned(), root_commit, root_signer, remote, memories, exchange })
}

/// The index of a folder that was never reconciled is changed only when the person says so, and
/// before anything else is made.
fn confirm_index(team: &Path, actor: &Actor) -> Result<(), SyncError> {
    // A folder that is not there or cannot be read has no index to lose.
    let Ok((Some(before), reconciled)) = crate::folder::index::preview(team) else {
        return Ok(());
    };
    let lines: Vec<String> = reconciled.changes.iter().map(IndexChange::shown).collect();
    if before.trim().is_empty() || lines.is_empty() {
        return Ok(());
    }
    let error = SyncError::FirstReconciliation { team: team.to_owned(), lines };
    if actor.confirms(&format!("{error}\nDo it?")) { Ok(()) } else { Err(error) }
}

/// Makes `team/` and the memory directory around it where they are missing.
fn make_folder(team: &Path) -> Result<(), SyncError> {
    Ok(Root::create(team)?)
}

/// Random characters for the fingerprints of findings. A system without randomness makes no key
/// either; the team is then founded by somebody whose key is there, and goes without.
fn salt() -> Option<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The commit everyone's history starts from: policy and git attributes, nothing else.
fn write_root_commit(
    team: &mut Team,
    actor: &Actor,
    options: &InitOptions,
    state: LocalState,
) -> Result<ObjectId, SyncError> {
    let mut policy = Policy::new(options.trust, options.project.clone());
    policy.secrets.salt = salt();
    let mut edits = Vec::new();
    let mut writes = Vec::new();
    let policy_path = MemoryPath::parse(POLICY_PATH).expect("because the policy has a valid path");
    let mut files = vec![
        (policy_path, policy.render()),
        (MemoryPath::git_attributes(), GITATTRIBUTES.to_owned()),
    ];
    if options.trust == Trust::Roster {
        let path = MemoryPath::parse(ROSTER_PATH).expect("because the roster has a valid path");
        files.push((path, founding_roster(actor)?.render()));
    }
    for (path, content) in files {
        let id = team.repo.write_blob(content.as_bytes())?;
        edits.push((path.clone(), Some(id)));
        let old = team
            .root
            .read_if_there(path.as_str(), POLICY_BYTES_MAX as u64)?
            .map(|old| team.repo.blob_id(&old));
        writes.push(FileWrite {
            path,
            old,
            new: Some((id, content.into_bytes().into())),
            base: None,
        });
    }
    let tree = team.repo.write_tree(None, &edits)?;
    let draft = actor.draft(
        tree,
        Vec::new(),
        message::with_trailers(team, actor, None, "Start team memory"),
    );
    let commit = team.commit(&draft, actor)?;
    // Before the branch is there: a team memory without it would not know where it starts.
    team.save_state(LocalState { root_commit: Some(commit), ..state })?;
    let step =
        Step { old: None, new: commit, reason: "memsync: init", writes, bases: Default::default() };
    drop(apply(team, step, &mut Default::default())?);
    Ok(commit)
}

/// Takes part in a team memory that is there already. What is in `team/` stays and is merged.
pub fn join(
    place: &TeamPlace,
    actor: &Actor,
    git: &Git,
    options: JoinOptions,
) -> Result<SetupOutcome, SyncError> {
    let team = place.folder.as_path();
    if is_plain_clone(team) {
        return adopt(place, actor, git, &options);
    }
    clear_incomplete_setup(team, actor.wait)?;
    let remote = Remote { git, url: options.remote.clone() };
    let refs = remote.branches()?;
    let branch = default_branch(&refs).ok_or_else(|| SyncError::NoRemoteBranch {
        remote: options.remote.to_string(),
        branch: "main".to_owned(),
    })?;
    let existed = team.exists();
    make_folder(team)?;
    let joined = clone_into(place, actor, &remote, &options, &refs, &branch);
    if joined.is_err() {
        // Nothing but our own half-made git dir is taken away again; memories stay.
        drop(Root::open(team).map(|root| root.remove_folder(".git")));
        if !existed {
            drop(std::fs::remove_dir(team));
        }
    }
    joined
}

fn clone_into(
    place: &TeamPlace,
    actor: &Actor,
    remote: &Remote<'_>,
    options: &JoinOptions,
    refs: &RemoteRefs,
    branch: &str,
) -> Result<SetupOutcome, SyncError> {
    let team = place.folder.as_path();
    let is_sha256 = refs.branches.first().is_some_and(|(_, id)| id.as_bytes().len() == 32);
    let format = if is_sha256 { ObjectFormat::Sha256 } else { ObjectFormat::Sha1 };
    let repo = Repo::create(team, format)?;
    let git_root = Root::open(&team.join(".git"))?;
    // Marks the git dir as ours, should we be cut short.
    git_root.create_folder(STATE_FOLDER)?;
    repo.write_core_config(&git_root, ALLOWED_SIGNERS)?;
    repo.write_remote_config(&git_root, &options.remote, branch)?;
    repo.set_head(branch)?;
    drop((repo, git_root));
    let mut opened = Team::open_locked(&TeamPlace::alone(team), actor.wait)?;
    let offered = crate::sync::verify::fetch::fetch(&opened, remote)?;
    let offered = offered.ok_or_else(|| SyncError::NoRemoteBranch {
        remote: remote.url.to_string(),
        branch: branch.to_owned(),
    })?;
    let root_commit = introduction(&opened, actor, options, offered)?;
    let root_signer = crate::sync::verify::fetch::signer_of(&opened, root_commit)?;
    opened.save_state(LocalState {
        project_root: place.project_root.clone(),
        root_commit: Some(root_commit),
        root_signer: root_signer.clone(),
        branch: Some(branch.to_owned()),
        ..LocalState::default()
    })?;
    let policy = opened.policy_at(opened.repo.commit(root_commit)?.tree)?;
    let gate = Gate::of(&policy, actor.clock.now());
    let verified = verify(&opened, &gate, None, offered)?;
    let Some(tip) = verified.tip else {
        let refused = verified.refused.map(|refused| refused.message).unwrap_or_default();
        return Err(SyncError::NothingAcceptable { remote: remote.url.to_string(), refused });
    };
    refuse_foreign_project(&opened.policy_at(opened.repo.commit(tip)?.tree)?, options)?;
    check_out(&mut opened, tip)?;
    for name in [opened.tracking_ref(), opened.shown_ref()] {
        opened.repo.update_ref(&name, tip, Expected::Any, "memsync: join")?;
    }
    let exchange = exchange_locked(&mut opened, actor, remote, Direction::Pull)?;
    Ok(SetupOutcome {
        team: team.to_owned(),
        root_commit,
        root_signer,
        remote: Some(remote.url.to_string()),
        memories: memories(&opened)?,
        exchange,
    })
}

/// Writes every file that is not on disk yet; one that differs stays as an edit made from nothing.
fn check_out(team: &mut Team, tip: ObjectId) -> Result<(), SyncError> {
    let files = team.repo.tree_files(team.repo.commit(tip)?.tree)?;
    let mut writes = Vec::new();
    let mut bases = std::collections::BTreeMap::new();
    for (raw, file) in &files {
        debug_assert_eq!(file.mode, FILE_MODE, "verified trees hold plain files");
        let path = parse_tree_path(raw)?;
        if team.root.exists(path.as_str())? {
            bases.insert(path.to_string(), None);
        } else {
            let content = team.repo.blob(file.id, FILE_BYTES_MAX as u64)?;
            writes.push(FileWrite { path, old: None, new: Some((file.id, content)), base: None });
        }
    }
    let step = Step { old: None, new: tip, reason: "memsync: join", writes, bases };
    drop(apply(team, step, &mut Default::default())?);
    Ok(())
}
