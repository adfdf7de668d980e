//! What a newcomer must know before a team memory is taken: which branch, which beginning, whose project.
//! Border: looks and asks; nothing is taken here.

use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::config::policy::{Policy, Trust};
use crate::git::command::RemoteRefs;
use crate::git::url::RemoteUrl;
use crate::sync::error::SyncError;
use crate::sync::repo::introduction::shown_introduction;
use crate::sync::repo::team::{Actor, Team};

/// What `join` is asked for.
#[derive(Clone, Debug)]
pub struct JoinOptions {
    /// Where the team repository is.
    pub remote: RemoteUrl,
    /// The root commit and the fingerprint of its signer, as another member told them.
    pub introduction: Option<(ObjectId, Option<String>)>,
    /// Whether an introduction may be taken as found.
    pub accept_introduction: bool,
    /// What the project here is called; a team memory for another one is refused. None is no claim.
    pub projects: Vec<String>,
}

/// The branch that a newcomer takes: what HEAD names there, else `main`, else the first.
pub(crate) fn default_branch(refs: &RemoteRefs) -> Option<String> {
    let names = || refs.branches.iter().filter_map(|(name, _)| name.strip_prefix("refs/heads/"));
    let head = refs.head.as_deref().and_then(|name| name.strip_prefix("refs/heads/"));
    let found = head.or_else(|| names().find(|name| *name == "main")).or_else(|| names().next());
    found.map(str::to_owned)
}

/// The root commit, compared with what was introduced.
pub(crate) fn introduction(
    team: &Team,
    actor: &Actor,
    options: &JoinOptions,
    tip: ObjectId,
) -> Result<ObjectId, SyncError> {
    let root = team.repo.range(None, tip)?.first().copied().ok_or(SyncError::Unrelated)?;
    let commit = team.repo.commit(root)?;
    let policy = match team.policy_at(commit.tree) {
        Err(SyncError::NotATeamRepository(_)) => {
            return Err(SyncError::NotATeamRepository(options.remote.to_string()));
        }
        other => other?,
    };
    let signer = crate::sync::verify::fetch::signer_of(team, root)?;
    let found = shown_introduction(root, signer.as_deref());
    if let Some((expected, expected_signer)) = &options.introduction {
        let matches =
            *expected == root && (expected_signer.is_none() || *expected_signer == signer);
        let expected = shown_introduction(*expected, expected_signer.as_deref());
        return if matches {
            Ok(root)
        } else {
            Err(SyncError::WrongIntroduction { expected, found })
        };
    }
    let question = format!("This team memory starts with {found}. Is that what a member told you?");
    if policy.trust == Trust::Roster && !options.accept_introduction && !actor.confirms(&question) {
        return Err(SyncError::UnconfirmedIntroduction(found));
    }
    Ok(root)
}

/// Memories of two projects must not mix: agents would take one's facts for the other's.
pub(crate) fn refuse_foreign_project(
    policy: &Policy,
    options: &JoinOptions,
) -> Result<(), SyncError> {
    let Some(owner) = &policy.project else { return Ok(()) };
    let is_here = |here: &String| here.to_lowercase() == owner.to_lowercase();
    if options.projects.is_empty() || options.projects.iter().any(is_here) {
        return Ok(());
    }
    Err(SyncError::ForeignProject {
        remote: options.remote.to_string(),
        owner: Escaped(owner).to_string(),
        here: options.projects.join("`, `"),
    })
}

/// How many memories the tip holds.
pub(crate) fn memories(team: &Team) -> Result<usize, SyncError> {
    let files = team.repo.tree_files(team.repo.commit(team.tip()?)?.tree)?;
    let is_memory = |raw: &Vec<u8>| MemoryPath::parse_bytes(raw).is_ok_and(|path| path.is_memory());
    Ok(files.keys().filter(|raw| is_memory(raw)).count())
}
