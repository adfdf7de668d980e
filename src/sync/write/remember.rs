//! `remember` and `forget`: one memory written or removed through the gate, with its index entry.
//! Border: works on this machine; sharing is `push`.

use crate::base::display::Escaped;
use crate::base::path::{EntryMode, MemoryPath};
use crate::gate::Gate;
use crate::gate::verdict::Reason;
use crate::memory::document::Document;
use crate::memory::kind::{Kind, Scope};
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::exchange::change::change;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::repo::find_path::find_path;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::worktree::writable::writable;
use crate::system::files::{Durability, Root};

/// Characters of a file stem made from a name.
const STEM_CHARS_MAX: usize = 80;

/// A memory to be written.
#[derive(Clone, Debug)]
pub struct NewMemory {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its description.
    pub description: String,
    /// Its text.
    pub body: String,
    /// Whether one of the same name may be replaced.
    pub replace: bool,
    /// Names of the memories that it takes the place of.
    pub supersedes: Vec<String>,
    /// The file of the memory of this name that is there; `None` where the name says the file.
    pub path: Option<MemoryPath>,
}

/// What was written or removed.
#[derive(Clone, Debug)]
pub struct Remembered {
    /// The file, below `team/` or the memory directory.
    pub path: MemoryPath,
    /// Where it is kept.
    pub scope: Scope,
    /// What was committed; `None` for the private layer.
    pub exchange: Option<ExchangeOutcome>,
    /// Whether others have it, or had it before it was forgotten.
    pub is_shared: bool,
}

/// Writes a team memory and commits it here.
pub fn remember_for_team(
    place: &TeamPlace,
    actor: &Actor,
    memory: &NewMemory,
) -> Result<Remembered, SyncError> {
    let mut team = writable(place, actor.wait)?;
    let path = path_of(memory)?;
    let text = compose(&team.root, &path, memory)?;
    let exchange = change(&mut team, actor, |team, gate| {
        check(gate, &path, &text)?;
        team.root.write_atomic(path.as_str(), text.as_bytes(), Durability::Durable)?;
        Ok(())
    })?;
    Ok(Remembered { path, scope: Scope::Team, exchange: Some(exchange), is_shared: false })
}

/// Removes a memory. For the team it is a commit, so the text stays in history.
pub fn forget_for_team(
    place: &TeamPlace,
    actor: &Actor,
    name: &str,
) -> Result<Remembered, SyncError> {
    let mut team = writable(place, actor.wait)?;
    let (path, is_shared) = to_forget(&team, name)?;
    let exchange = change(&mut team, actor, |team, _| Ok(team.root.remove(path.as_str())?))?;
    Ok(Remembered { path, scope: Scope::Team, exchange: Some(exchange), is_shared })
}

/// Which memory would be removed, and whether others have it; nothing is changed.
pub fn look_to_forget(place: &TeamPlace, name: &str) -> Result<(MemoryPath, bool), SyncError> {
    to_forget(&Team::open(place)?, name)
}

fn to_forget(team: &Team, name: &str) -> Result<(MemoryPath, bool), SyncError> {
    let path = match find_path(team, team.tip()?, name) {
        Err(SyncError::NoMemory(_)) => on_disk(team, name)?,
        found => found?,
    };
    if !path.is_memory() {
        return Err(SyncError::NoMemory(name.to_owned()));
    }
    let is_shared = team.is_shared(path.as_str())?;
    Ok((path, is_shared))
}

/// A memory that was never committed, by its path or file stem.
fn on_disk(team: &Team, name: &str) -> Result<MemoryPath, SyncError> {
    for path in [name.to_owned(), format!("{name}.md")] {
        if let Ok(path) = MemoryPath::parse(&path)
            && path.is_memory()
            && team.root.exists(path.as_str())?
        {
            return Ok(path);
        }
    }
    Err(SyncError::NoMemory(Escaped(name).to_string()))
}

pub(crate) fn check(gate: &Gate<'_>, path: &MemoryPath, text: &str) -> Result<(), SyncError> {
    let entry = gate.entry(path.as_str().as_bytes(), EntryMode::File, text.len() as u64);
    let mut reasons =
        entry.map_or_else(|reason| vec![*reason], |path| gate.content(&path, text.as_bytes()));
    reasons.retain(Reason::holds_back);
    if reasons.is_empty() { Ok(()) } else { Err(SyncError::Refused(reasons)) }
}

/// The file a memory goes to.
pub(crate) fn path_of(memory: &NewMemory) -> Result<MemoryPath, SyncError> {
    memory.path.clone().map_or_else(|| path_for(&memory.name), Ok)
}

/// The file a name goes to: letters and digits of any script kept, everything else a dash.
pub fn path_for(name: &str) -> Result<MemoryPath, SyncError> {
    use unicode_normalization::UnicodeNormalization;
    let mut stem = String::new();
    for c in name.nfkc().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() || c == '_' {
            stem.push(c);
        } else if !stem.is_empty() && !stem.ends_with('-') {
            stem.push('-');
        }
    }
    let stem: String = stem.chars().take(STEM_CHARS_MAX).collect();
    let stem = stem.trim_matches('-').nfc().collect::<String>();
    let bad = || SyncError::BadName(Escaped(name).to_string());
    if stem.is_empty() || stem == "memory" {
        return Err(bad());
    }
    MemoryPath::parse(&format!("{stem}.md")).map_err(|_| bad())
}

/// The text of the memory; an existing one keeps its other fields.
pub(crate) fn compose(
    root: &Root,
    path: &MemoryPath,
    memory: &NewMemory,
) -> Result<String, SyncError> {
    let old = root.read_if_there(path.as_str(), MEMORY_BYTES_MAX as u64)?;
    if old.is_some() && !memory.replace {
        return Err(SyncError::NameTaken {
            name: Escaped(&memory.name).to_string(),
            path: path.to_string(),
        });
    }
    let new = || {
        let body = memory.body.trim_end();
        Document::compose(&memory.name, memory.kind, &memory.description, body)
    };
    let text = old.and_then(|old| renewed(&old, memory)).unwrap_or_else(new);
    Ok(with_superseded(&text, &memory.supersedes))
}

/// An existing memory with another text; `None` where its frontmatter cannot hold what is new.
fn renewed(old: &[u8], memory: &NewMemory) -> Option<String> {
    let document = Document::parse(&String::from_utf8_lossy(old));
    let mut frontmatter = document.frontmatter()?.clone();
    let kind_key: &[&str] = if frontmatter.field(&["metadata", "type"]).is_some() {
        &["metadata", "type"]
    } else {
        &["type"]
    };
    let is_set = frontmatter.set(&["name"], &memory.name)
        && frontmatter.set(&["description"], &memory.description)
        && frontmatter.set(kind_key, memory.kind.name());
    let body = format!("{}\n", memory.body.trim_end());
    is_set.then(|| Document::from_parts(&frontmatter, &body).render())
}

/// Adds names to those that a memory takes the place of.
fn with_superseded(text: &str, names: &[String]) -> String {
    let document = Document::parse(text);
    let Some(frontmatter) = document.frontmatter().filter(|_| !names.is_empty()) else {
        return text.to_owned();
    };
    let mut frontmatter = frontmatter.clone();
    let mut all = frontmatter.names(&["supersedes"]);
    all.extend(names.iter().filter(|name| !all.contains(name)).cloned().collect::<Vec<_>>());
    match frontmatter.set_list(&["supersedes"], &all) {
        true => Document::from_parts(&frontmatter, document.body()).render(),
        false => text.to_owned(),
    }
}
