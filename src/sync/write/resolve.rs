//! `resolve`: lists open conflicts and closes them, through the gate and in a commit of its own.
//! Border: what a choice makes of a file is `merge::resolve`'s rule.

use serde::Serialize;

use crate::base::id::ObjectId;
use crate::base::path::{EntryMode, MemoryPath};
use crate::config::effect::{effect, steers};
use crate::gate::verdict::Reason;
use crate::memory::document::Document;
use crate::memory::limits::{FILE_BYTES_MAX, POLICY_BYTES_MAX};
use crate::merge::conflict::resolve::{Choice, resolve};
use crate::merge::conflict::{CONFLICTS_FOLDER, Conflict, Content, Part};
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::exchange::change::commit;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::records::{Holder, lie_of};
use crate::sync::worktree::writable::writable;
use crate::system::files::Durability;

/// Shortest part of an id that names a conflict.
const ID_PREFIX_MIN: usize = 4;

/// An open conflict with what each side wanted.
#[derive(Clone, Debug)]
pub struct Open {
    /// The id.
    pub id: String,
    /// The record; an error text when it cannot be used.
    pub conflict: Result<Box<Conflict>, String>,
    /// The file as it is on disk now.
    pub current: Option<Vec<u8>>,
    /// Why the record is not what it claims; then no side of it is taken.
    pub doubt: Option<String>,
    /// What taking the other side would change in a file that steers the team; ready to show.
    pub effect: Vec<String>,
}

/// What the file holds now of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The text that was kept, or too much to tell.
    Kept,
    /// What was set aside took its place: somebody corrected the file by hand.
    Other,
    /// Neither: somebody wrote something else.
    Neither,
}

impl Open {
    /// What the file holds now.
    pub fn holds(&self) -> Holds {
        let Ok(conflict) = &self.conflict else { return Holds::Kept };
        let bytes = |content: &Option<Content>| content.as_ref().map(|c| c.as_bytes().to_vec());
        let (kept, other) = (bytes(&conflict.kept.content), bytes(&conflict.other.content));
        let has = |part: &Option<Vec<u8>>| match (&conflict.part, part, &self.current) {
            (Part::File, part, current) => part == current,
            (_, Some(part), Some(current)) => {
                !part.is_empty() && current.windows(part.len()).any(|window| window == part)
            }
            (_, None, _) => true,
            (_, Some(_), None) => false,
        };
        match (has(&kept), has(&other)) {
            (true, _) => Holds::Kept,
            (false, true) => Holds::Other,
            (false, false) => Holds::Neither,
        }
    }
}

/// The conflicts that a text names: the start of an id, or a memory by path, file name or `name`.
pub fn named<'o>(all: &'o [Open], wanted: &str) -> Vec<&'o Open> {
    let by_id = wanted.len() >= ID_PREFIX_MIN;
    let ids: Vec<&Open> = all.iter().filter(|open| by_id && open.id.starts_with(wanted)).collect();
    if !ids.is_empty() {
        return ids;
    }
    let is_of = |open: &&Open| {
        let Ok(conflict) = &open.conflict else { return false };
        let path = conflict.path.as_str();
        let file = path.rsplit('/').next().unwrap_or(path);
        let text = open.current.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let name = text.and_then(|text| Document::parse(text).name().map(str::to_owned));
        [path, file]
            .iter()
            .any(|known| *known == wanted || known.strip_suffix(".md") == Some(wanted))
            || name.as_deref() == Some(wanted)
    };
    all.iter().filter(is_of).collect()
}

/// How a conflict is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// By one of the sides.
    Choice(Choice),
    /// By this text for the whole file.
    Text(Vec<u8>),
}

/// What was closed.
#[derive(Clone, Debug, Serialize)]
pub struct Resolved {
    /// The id.
    pub id: String,
    /// The file.
    pub path: String,
    /// The commit and what it holds.
    #[serde(flatten)]
    pub exchange: ExchangeOutcome,
}

/// Every open conflict, by id.
pub fn open(place: &TeamPlace) -> Result<Vec<Open>, SyncError> {
    let team = Team::open(place)?;
    let files = team.repo.tree_files(team.repo.commit(team.tip()?)?.tree)?;
    let mut found = Vec::new();
    for (raw, file) in files.iter().filter(|(raw, _)| raw.starts_with(CONFLICTS_FOLDER.as_bytes()))
    {
        let path = String::from_utf8_lossy(raw).into_owned();
        let content = team.repo.blob(file.id, POLICY_BYTES_MAX as u64)?;
        let conflict =
            Conflict::parse(&path, &content).map(Box::new).map_err(|error| error.to_string());
        let id = path.trim_start_matches(CONFLICTS_FOLDER).trim_end_matches(".yaml").to_owned();
        let current = match &conflict {
            Ok(conflict) => {
                team.root.read_if_there(conflict.path.as_str(), FILE_BYTES_MAX as u64)?
            }
            Err(_) => None,
        };
        let (doubt, effect) = match &conflict {
            Ok(conflict) => {
                let holder = team.repo.commit(brought_by(&team, &path)?)?;
                let (author, seconds) = (holder.author.name.as_str(), holder.author_time.seconds);
                let holder = Holder { at: holder.id, author, seconds };
                let other = resolve(current.as_deref(), conflict, Choice::Other).ok();
                let effect = other.map(|new| said(conflict, current.as_deref(), new.as_deref()));
                (lie_of(&team, holder, conflict)?, effect.unwrap_or_default())
            }
            Err(_) => (None, Vec::new()),
        };
        found.push(Open { id, conflict, current, doubt, effect });
    }
    Ok(found)
}

/// The newest commit that put a file there.
fn brought_by(team: &Team, path: &str) -> Result<ObjectId, SyncError> {
    let mut at = team.tip()?;
    let there = |id: ObjectId| -> Result<_, SyncError> {
        let commit = team.repo.commit(id)?;
        Ok((team.repo.tree_file(commit.tree, path)?.map(|file| file.id), commit.parents))
    };
    let (wanted, mut parents) = there(at)?;
    'back: loop {
        for parent in &parents {
            let (known, above) = there(*parent)?;
            if known == wanted {
                (at, parents) = (*parent, above);
                continue 'back;
            }
        }
        return Ok(at);
    }
}

/// What a new text would change, where the file steers the team.
fn said(conflict: &Conflict, current: Option<&[u8]>, new: Option<&[u8]>) -> Vec<String> {
    if steers(&conflict.path) { effect(&conflict.path, current, new) } else { Vec::new() }
}

/// The one open conflict that a text names.
pub fn find<'a>(all: &'a [Open], wanted: &str) -> Result<&'a Open, SyncError> {
    let shown = || crate::base::display::Escaped(wanted).to_string();
    match named(all, wanted).as_slice() {
        [only] => Ok(only),
        [] => Err(SyncError::NoConflict(shown())),
        several => Err(SyncError::Ambiguous {
            text: shown(),
            candidates: several.iter().map(|open| open.id.clone()).collect(),
        }),
    }
}

/// Closes one conflict; the record goes and the file becomes what was decided, in one commit.
pub fn close(
    place: &TeamPlace,
    actor: &Actor,
    id: &str,
    decision: &Decision,
) -> Result<Resolved, SyncError> {
    let mut team = writable(place, actor.wait)?;
    let all = open(place)?;
    let only = find(&all, id)?;
    let record = format!("{CONFLICTS_FOLDER}{}.yaml", only.id);
    if let Ok(path) = MemoryPath::parse(&record)
        && let Some(reason) = team.not_entitled(actor, &path, None)?
    {
        return Err(SyncError::NotEntitled(Box::new(reason)));
    }
    // What was kept out under this name before it was committed is not merged with its removal.
    team.state.bases.remove(&record);
    let conflict = match &only.conflict {
        Ok(conflict) => conflict,
        // A record that cannot be read proposes nothing; only its removal makes sense.
        Err(_) if *decision == Decision::Choice(Choice::Kept) => {
            team.root.remove(&record)?;
            let exchange = commit(&mut team, actor)?;
            return Ok(Resolved { id: only.id.clone(), path: record, exchange });
        }
        Err(why) => return Err(SyncError::BadRecord(why.clone())),
    };
    if let (Some(doubt), Decision::Choice(Choice::Other | Choice::Both)) = (&only.doubt, decision) {
        return Err(SyncError::BadRecord(format!("the record `{}` is not true: {doubt}", only.id)));
    }
    let new = match decision {
        Decision::Text(text) => Some(text.clone()),
        Decision::Choice(choice) => {
            let problem =
                |problem| SyncError::Unresolvable { path: conflict.path.to_string(), problem };
            resolve(only.current.as_deref(), conflict, *choice).map_err(problem)?
        }
    };
    let changes = said(conflict, only.current.as_deref(), new.as_deref());
    if !changes.is_empty() {
        let path = conflict.path.to_string();
        let question = format!("Closing it changes `{path}`: {}. Do it?", changes.join("; "));
        if !actor.confirms(&question) {
            return Err(SyncError::UnconfirmedEffect { path, changes });
        }
    }
    write(&mut team, actor, conflict, new.as_deref())?;
    team.root.remove(&record)?;
    let exchange = commit(&mut team, actor)?;
    Ok(Resolved { id: only.id.clone(), path: conflict.path.to_string(), exchange })
}

/// Writes what was decided, if the gate lets it.
fn write(
    team: &mut Team,
    actor: &Actor,
    conflict: &Conflict,
    new: Option<&[u8]>,
) -> Result<(), SyncError> {
    let path = conflict.path.clone();
    let Some(new) = new else {
        let needed = team.with_gate(actor, |_, gate| Ok(gate.removal(path.as_str())))?;
        if let Some(reason) = needed {
            return Err(SyncError::Refused(vec![reason]));
        }
        if team.root.exists(path.as_str())? {
            team.root.remove(path.as_str())?;
        }
        return Ok(());
    };
    team.with_gate(actor, |team, gate| {
        let entry = gate.entry(path.as_str().as_bytes(), EntryMode::File, new.len() as u64);
        let mut reasons =
            entry.map_or_else(|reason| vec![*reason], |path| gate.content(&path, new));
        reasons.retain(Reason::holds_back);
        if !reasons.is_empty() {
            return Err(SyncError::Refused(reasons));
        }
        Ok(team.root.write_atomic(path.as_str(), new, Durability::Durable)?)
    })
}
