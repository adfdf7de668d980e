//! `remember` and `forget`: one memory written or removed through the gate, with its index entry.
//! Border: works on this machine; sharing is `push`.

use std::path::Path;

use crate::base::display::Escaped;
use crate::base::path::{EntryMode, MemoryPath};
use crate::base::time::Timestamp;
use crate::config::policy::{Policy, Trust};
use crate::folder::entry::{edit_private_index, entry_line, with_entry};
use crate::folder::index::IndexError;
use crate::gate::Gate;
use crate::gate::members::Members;
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
    let path = path_for(&memory.name)?;
    let text = compose(&team.root, &path, memory)?;
    let exchange = change(&mut team, actor, |team, gate| {
        check(gate, &path, &text)?;
        team.root.write_atomic(path.as_str(), text.as_bytes(), Durability::Durable)?;
        Ok(())
    })?;
    Ok(Remembered { path, scope: Scope::Team, exchange: Some(exchange), is_shared: false })
}

/// Writes a memory into the private layer, which never leaves this machine.
pub fn remember_privately(memdir: &Path, memory: &NewMemory) -> Result<Remembered, SyncError> {
    let root = Root::create(memdir).and_then(|()| Root::open(memdir))?;
    let path = path_for(&memory.name)?;
    let text = compose(&root, &path, memory)?;
    let policy = Policy { kinds: Kind::ALL.into(), ..Policy::new(Trust::Open, None) };
    let gate = Gate {
        policy: &policy,
        is_allowed: &|_| false,
        members: &|| Members::Nobody,
        now: Timestamp::utc(0),
    };
    check(&gate, &path, &text)?;
    root.write_atomic(path.as_str(), text.as_bytes(), Durability::Durable)?;
    add_private_entry(&root, &path, memory)?;
    Ok(Remembered { path, scope: Scope::Private, exchange: None, is_shared: false })
}

/// Removes a memory. For the team it is a commit, so the text stays in history.
pub fn forget_for_team(
    place: &TeamPlace,
    actor: &Actor,
    name: &str,
) -> Result<Remembered, SyncError> {
    let mut team = writable(place, actor.wait)?;
    let tip = team.tip()?;
    let path = match find_path(&team, tip, name) {
        Err(SyncError::NoMemory(_)) => on_disk(&team, name)?,
        found => found?,
    };
    if !path.is_memory() {
        return Err(SyncError::NoMemory(name.to_owned()));
    }
    let is_shared = team.is_shared(path.as_str())?;
    let exchange = change(&mut team, actor, |team, _| Ok(team.root.remove(path.as_str())?))?;
    Ok(Remembered { path, scope: Scope::Team, exchange: Some(exchange), is_shared })
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
    let body = memory.body.trim_end();
    let Some(old) = old else {
        return Ok(Document::compose(&memory.name, memory.kind, &memory.description, body));
    };
    if !memory.replace {
        return Err(SyncError::NameTaken {
            name: Escaped(&memory.name).to_string(),
            path: path.to_string(),
        });
    }
    let document = Document::parse(&String::from_utf8_lossy(&old));
    let Some(frontmatter) = document.frontmatter() else {
        return Ok(Document::compose(&memory.name, memory.kind, &memory.description, body));
    };
    let mut frontmatter = frontmatter.clone();
    let kind_key: &[&str] = if frontmatter.field(&["metadata", "type"]).is_some() {
        &["metadata", "type"]
    } else {
        &["type"]
    };
    let is_set = frontmatter.set(&["name"], &memory.name)
        && frontmatter.set(&["description"], &memory.description)
        && frontmatter.set(kind_key, memory.kind.name());
    if !is_set {
        return Ok(Document::compose(&memory.name, memory.kind, &memory.description, body));
    }
    Ok(Document::from_parts(&frontmatter, &format!("{body}\n")).render())
}

/// Adds one line to the private index. It is never reconciled as a whole: it is the agent's own.
fn add_private_entry(root: &Root, path: &MemoryPath, memory: &NewMemory) -> Result<(), SyncError> {
    let line = entry_line(&memory.name, path.as_str(), &memory.description);
    match edit_private_index(root, |text| with_entry(text, path.as_str(), &line)) {
        Ok(_) => Ok(()),
        Err(IndexError::File(error)) => Err(error.into()),
        Err(_) => Err(SyncError::IndexNotUtf8(root.path().join("MEMORY.md"))),
    }
}
