//! `log` and `show`: who changed which memory, when and through which agent.
//! Border: reads commits and trees; the verdict on them is `trust`'s.

use crate::store::locate::TeamPlace;
use crate::sync::repo::find_path::find_path;

use serde::Serialize;

use std::collections::HashMap;

use super::diff::{FileDiff, committed_diff};
use crate::audit::trail::Trail;
use crate::audit::verdict::Verdict;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::git::tree::TreeChange;
use crate::memory::limits::FILE_BYTES_MAX;
use crate::secrets::masking::masked;
use crate::sync::error::SyncError;
use crate::sync::exchange::stage::change_kind;
use crate::sync::outcome::FileChange;
use crate::sync::repo::changed_files::touched;
use crate::sync::repo::team::Team;
use crate::sync::verify::fetch::signer_of;
use crate::sync::verify::judge::Judge;
use crate::sync::verify::verdict::{judge_above, judge_whole};
use crate::trust::history::Judged;
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
    /// The member its trailer names; `verdict` says whether that is proven.
    pub member: Option<String>,
    /// The agent that wrote it.
    pub agent: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// The fingerprint of the key that signed it; `None` when it is unsigned or the signature is bad.
    pub signer: Option<String>,
    /// Whether it is proven and may stand.
    pub verdict: Verdict,
    /// The first line of the message, escaped.
    pub subject: String,
    /// What it changed; for a merge, beside what its parents merge to.
    pub changes: Vec<FileChange>,
    /// Memories that got a new name; they are among `changes` as deleted and added, too.
    pub renamed: Vec<Renamed>,
}

/// A memory that got a new name in a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Renamed {
    /// Its name before.
    pub from: String,
    /// Its name after.
    pub to: String,
}

/// The changes of a team memory, newest first; of one memory, under all names it had, when a name
/// is given.
pub fn log(
    place: &TeamPlace,
    memory: Option<&str>,
    limit: usize,
) -> Result<Vec<LogEntry>, SyncError> {
    let team = Team::open(place)?.looking();
    log_of(&team, memory, limit)
}

fn log_of(team: &Team, memory: Option<&str>, limit: usize) -> Result<Vec<LogEntry>, SyncError> {
    let tip = team.tip()?;
    let judge = Judge::new(team);
    let mut ids = team.repo.range(None, tip)?;
    ids.reverse();
    let path = memory.map(|name| name_in(team, &judge, &ids, tip, name)).transpose()?;
    let mut trail = path.map(|path| Trail::new(tip, &path));
    let mut wanted = Vec::new();
    for id in ids {
        if let Some(trail) = &mut trail {
            let commit = team.repo.commit(id)?;
            let files = touched(&team.repo, &judge.own_changes(&commit)?)?;
            if trail.step(id, &commit.parents, &files).is_empty() {
                if trail.is_over() {
                    break;
                }
                continue;
            }
        }
        wanted.push(id);
        if wanted.len() == limit {
            break;
        }
    }
    entries_of(team, tip, &wanted)
}

/// The newest path of a memory that is there, or was once: by path, file stem or name.
fn name_in(
    team: &Team,
    judge: &Judge<'_>,
    newest_first: &[ObjectId],
    tip: ObjectId,
    name: &str,
) -> Result<String, SyncError> {
    let missing = match find_path(team, tip, name) {
        Ok(path) => return Ok(path.to_string()),
        Err(error) => error,
    };
    let is_meant = |path: &MemoryPath| path.as_str() == name || path.stem() == name;
    for id in newest_first {
        for change in judge.own_changes(&team.repo.commit(*id)?)? {
            let path = MemoryPath::parse_bytes(&change.path).ok().filter(&is_meant);
            if let Some(path) = path {
                return Ok(path.to_string());
            }
        }
    }
    Err(missing)
}

/// Changes as entries, in the order given, each judged.
///
/// What lies before the oldest of them is trusted where it was verified at a pull; else the whole
/// history is judged, as `audit` does it.
pub(crate) fn entries_of(
    team: &Team,
    tip: ObjectId,
    newest_first: &[ObjectId],
) -> Result<Vec<LogEntry>, SyncError> {
    let Some(oldest) = newest_first.last() else { return Ok(Vec::new()) };
    let judge = Judge::new(team);
    let before = team.repo.commit(*oldest)?.parents;
    let judged = match before.is_empty() {
        true => judge_whole(team, tip)?.judged(),
        false => judge_above(team, tip, &before)?.judged(),
    };
    let judged: HashMap<ObjectId, Judged> =
        judged.into_iter().map(|judged| (judged.id, judged)).collect();
    let verdict = |id: &ObjectId| judged.get(id).map_or_else(Verdict::unjudged, Verdict::of);
    newest_first.iter().map(|id| entry(team, &judge, *id, verdict(id))).collect()
}

fn entry(
    team: &Team,
    judge: &Judge<'_>,
    id: ObjectId,
    verdict: Verdict,
) -> Result<LogEntry, SyncError> {
    let commit = team.repo.commit(id)?;
    let own = judge.own_changes(&commit)?;
    let change = |change: &TreeChange| FileChange {
        path: shown(&String::from_utf8_lossy(&change.path)),
        kind: change_kind(change.old, change.new),
    };
    let renamed = touched(&team.repo, &own)?.into_iter();
    let renamed = renamed.filter_map(|file| Some((file.from?, file.path)));
    let renamed = renamed.map(|(from, to)| Renamed { from: masked(&from), to: masked(&to) });
    let trailers = Trailers::parse(&commit.message).unwrap_or_default();
    Ok(LogEntry {
        commit: id,
        time: commit.author_time.to_string(),
        author: shown(&commit.author.name),
        email: shown(&commit.author.email),
        member: trailers.member.map(|member| member.to_string()),
        agent: trailers.agent.as_deref().map(masked),
        session: trailers.session.as_deref().map(masked),
        signer: signer_of(team, id)?,
        verdict,
        subject: Escaped(masked(&commit.message).lines().next().unwrap_or_default()).to_string(),
        changes: own.iter().map(change).collect(),
        renamed: renamed.collect(),
    })
}

/// Foreign text in one line: a credential in it masked, the rest escaped.
fn shown(text: &str) -> String {
    Escaped(&masked(text)).to_string()
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
        /// The whole message, for a block; credentials masked.
        message: String,
        /// The files before and after.
        diffs: Vec<FileDiff>,
    },
}

/// Shows a memory by name, file stem or path, or a change by commit id (at least 7 digits);
/// `NAME@COMMIT` is a memory as it was then.
pub fn show(place: &TeamPlace, what: &str) -> Result<Shown, SyncError> {
    let team = Team::open(place)?.looking();
    let tip = team.tip()?;
    let then = match what.rsplit_once('@') {
        Some((name, commit)) => find_commit(&team, tip, commit)?.map(|id| (name, id)),
        None => None,
    };
    let (what, at) = then.unwrap_or((what, tip));
    match find_path(&team, at, what) {
        Ok(path) => {
            let files = team.repo.tree_files(team.repo.commit(at)?.tree)?;
            let file = files
                .get(path.as_str().as_bytes())
                .ok_or_else(|| SyncError::NoMemory(what.to_owned()))?;
            let content = team.repo.blob(file.id, FILE_BYTES_MAX as u64)?;
            let last = log_of(&team, Some(path.as_str()), 1)?.into_iter().next().map(Box::new);
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
            let mut entries = entries_of(&team, tip, &[id])?;
            let entry = entries.pop().map(Box::new).ok_or(error)?;
            Ok(Shown::Change { entry, message: masked(&commit.message), diffs })
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
