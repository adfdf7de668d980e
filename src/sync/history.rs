//! `log` and `show`: who changed which memory, when and through which agent.
//! Border: reads commits and trees; the verdict on them is `trust`'s and `audit`'s.

use std::path::Path;

use serde::Serialize;

use super::error::SyncError;
use super::incoming::signer_of;
use super::outcome::FileChange;
use super::stage::change_kind;
use super::status::{FileDiff, committed_diff};
use super::team::Team;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::base::time::Timestamp;
use crate::git::commit::Commit;
use crate::memory::document::Document;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::trust::trailers::Trailers;

/// One change of team memory.
#[derive(Clone, Debug, Serialize)]
pub struct LogEntry {
    /// The commit.
    pub commit: ObjectId,
    /// When the change was written.
    pub time: String,
    /// Who wrote it, escaped.
    pub author: String,
    /// Their address, escaped.
    pub email: String,
    /// The member it was written for.
    pub member: Option<String>,
    /// The agent that wrote it.
    pub agent: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// The fingerprint of the key that signed it; `None` when it is unsigned or the signature is bad.
    pub signer: Option<String>,
    /// The first line of the message, escaped.
    pub subject: String,
    /// What it changed.
    pub changes: Vec<FileChange>,
}

/// The changes of a team memory, newest first; of one memory when a name is given.
pub fn log(
    team_path: &Path,
    project_root: Option<&Path>,
    memory: Option<&str>,
    limit: usize,
) -> Result<Vec<LogEntry>, SyncError> {
    let team = Team::open(team_path, project_root)?;
    let tip = team.tip()?;
    let wanted = memory.map(|name| find_path(&team, tip, name)).transpose()?;
    let mut entries = Vec::new();
    let mut ids = team.repo.range(None, tip)?;
    ids.reverse();
    for id in ids {
        let commit = team.repo.commit(id)?;
        let changes = changes_of(&team, &commit)?;
        if wanted
            .as_ref()
            .is_some_and(|path| !changes.iter().any(|change| change.path == path.as_str()))
        {
            continue;
        }
        entries.push(entry(&team, &commit, changes)?);
        if entries.len() == limit {
            break;
        }
    }
    Ok(entries)
}

fn changes_of(team: &Team, commit: &Commit) -> Result<Vec<FileChange>, SyncError> {
    let parent = commit
        .parents
        .first()
        .map(|id| team.repo.commit(*id))
        .transpose()?
        .map(|parent| parent.tree);
    let changes = team.repo.tree_changes(parent, Some(commit.tree))?;
    Ok(changes
        .iter()
        .map(|change| FileChange {
            path: Escaped(&String::from_utf8_lossy(&change.path)).to_string(),
            kind: change_kind(change.old, change.new),
        })
        .collect())
}

fn entry(team: &Team, commit: &Commit, changes: Vec<FileChange>) -> Result<LogEntry, SyncError> {
    let trailers = Trailers::parse(&commit.message).unwrap_or_default();
    let time: Timestamp = commit.author_time;
    Ok(LogEntry {
        commit: commit.id,
        time: time.to_string(),
        author: Escaped(&commit.author.name).to_string(),
        email: Escaped(&commit.author.email).to_string(),
        member: trailers.member.map(|member| member.to_string()),
        agent: trailers.agent,
        session: trailers.session,
        signer: signer_of(team, commit.id)?,
        subject: Escaped(commit.subject()).to_string(),
        changes,
    })
}

/// What `show` found.
#[derive(Clone, Debug)]
pub enum Shown {
    /// A memory as it is committed now.
    Memory {
        /// Which file.
        path: MemoryPath,
        /// Its content.
        content: std::sync::Arc<[u8]>,
        /// The change that last touched it.
        last: Option<Box<LogEntry>>,
    },
    /// One change with everything it did.
    Change {
        /// The change.
        entry: Box<LogEntry>,
        /// The whole message, for a block.
        message: String,
        /// The files before and after.
        diffs: Vec<FileDiff>,
    },
}

/// Shows a memory by name, file stem or path, or a change by commit id (at least 7 digits).
pub fn show(team_path: &Path, project_root: Option<&Path>, what: &str) -> Result<Shown, SyncError> {
    let team = Team::open(team_path, project_root)?;
    let tip = team.tip()?;
    match find_path(&team, tip, what) {
        Ok(path) => {
            let files = team.repo.tree_files(team.repo.commit(tip)?.tree)?;
            let file = files
                .get(path.as_str().as_bytes())
                .ok_or_else(|| SyncError::NoMemory(what.to_owned()))?;
            let content = team.repo.blob(file.id, POLICY_BYTES_MAX as u64)?;
            let last = log(team_path, project_root, Some(path.as_str()), 1)?
                .into_iter()
                .next()
                .map(Box::new);
            Ok(Shown::Memory { path, content, last })
        }
        Err(error) => {
            let Some(id) = find_commit(&team, tip, what)? else { return Err(error) };
            let commit = team.repo.commit(id)?;
            let parent = commit
                .parents
                .first()
                .map(|id| team.repo.commit(*id))
                .transpose()?
                .map(|parent| parent.tree);
            let diffs = committed_diff(&team, parent, Some(commit.tree))?;
            let changes = changes_of(&team, &commit)?;
            let message = commit.message.clone();
            Ok(Shown::Change { entry: Box::new(entry(&team, &commit, changes)?), message, diffs })
        }
    }
}

/// Shortest abbreviation of a commit id, git's own default.
const ABBREVIATION_MIN: usize = 7;

fn find_commit(team: &Team, tip: ObjectId, text: &str) -> Result<Option<ObjectId>, SyncError> {
    let is_hex = text.len() >= ABBREVIATION_MIN && text.bytes().all(|b| b.is_ascii_hexdigit());
    if !is_hex {
        return Ok(None);
    }
    let text = text.to_ascii_lowercase();
    let found: Vec<ObjectId> = team
        .repo
        .range(None, tip)?
        .into_iter()
        .filter(|id| id.to_string().starts_with(&text))
        .collect();
    Ok(match found.as_slice() {
        [only] => Some(*only),
        _ => None,
    })
}

/// Finds a memory of a commit by path, file stem or frontmatter name, in this order.
pub(super) fn find_path(team: &Team, tip: ObjectId, name: &str) -> Result<MemoryPath, SyncError> {
    let missing = || SyncError::NoMemory(Escaped(name).to_string());
    let files = team.repo.tree_files(team.repo.commit(tip)?.tree)?;
    let paths: Vec<(MemoryPath, ObjectId)> = files
        .iter()
        .filter_map(|(raw, file)| Some((MemoryPath::parse_bytes(raw).ok()?, file.id)))
        .collect();
    let by_path = paths.iter().find(|(path, _)| path.as_str() == name);
    let by_stem = || paths.iter().find(|(path, _)| path.is_memory() && path.stem() == name);
    if let Some((path, _)) = by_path.or_else(by_stem) {
        return Ok(path.clone());
    }
    for (path, id) in paths.iter().filter(|(path, _)| path.is_memory()) {
        let content = team.repo.blob(*id, POLICY_BYTES_MAX as u64)?;
        let document = Document::parse(&String::from_utf8_lossy(&content));
        if document.name() == Some(name) {
            return Ok(path.clone());
        }
    }
    Err(missing())
}
