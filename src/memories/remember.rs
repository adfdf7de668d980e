//! Writes a memory of either layer: where one of its name lies already, what it takes the place of, the entry.
//! Border: finds and prepares; the team's part is `sync::write::remember`.

use std::path::Path;

use crate::base::display::Escaped;
use crate::base::path::MemoryPath;
use crate::base::time::Timestamp;
use crate::config::policy::{Policy, Trust};
use crate::gate::Gate;
use crate::gate::members::Members;
use crate::local::layers::{LayerFile, Layers, bears, stem};
use crate::memories::error::MoveError;
use crate::memories::kept::{Change, Kept};
use crate::memories::pick::{pick, pick_any};
use crate::memories::private::follow_entry;
use crate::memories::share::Places;
use crate::memory::kind::{Kind, Scope};
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::write::remember::{
    NewMemory, Remembered, check, compose, path_of, remember_for_team as write_for_team,
};
use crate::system::files::{Durability, Root};

/// What would be written.
#[derive(Clone, Debug)]
pub struct Preview {
    /// The layer.
    pub scope: Scope,
    /// The file, below the layer's folder.
    pub path: MemoryPath,
    /// The whole text.
    pub text: String,
    /// Whether it takes the place of a memory of the same name.
    pub replaces: bool,
}

/// Writes a team memory and commits it here; one of the same name is found wherever its file lies.
///
/// # Errors
/// A name that is taken, and what the gate says.
pub fn remember_for_team(
    places: Places<'_>,
    actor: &Actor,
    memory: &NewMemory,
) -> Result<Remembered, MoveError> {
    let memory = found(places.memdir, Scope::Team, memory)?;
    Ok(write_for_team(places.team, actor, &memory)?)
}

/// Writes a memory into the private layer, which never leaves this machine, and keeps its entry in step.
///
/// # Errors
/// A name that is taken, and what the gate says.
pub fn remember_privately(memdir: &Path, memory: &NewMemory) -> Result<Remembered, MoveError> {
    let root = Root::create(memdir).and_then(|()| Root::open(memdir))?;
    let memory = found(memdir, Scope::Private, memory)?;
    let preview = in_private(&root, &memory)?;
    let path = preview.path.as_str();
    let before = root.read_if_there(path, MEMORY_BYTES_MAX as u64)?;
    let before = before.map(|raw| String::from_utf8_lossy(&raw).into_owned());
    let kept = Kept::begin(memdir, Change::Remembered, &[path]);
    root.write_atomic(path, preview.text.as_bytes(), Durability::Durable)?;
    follow_entry(&root, path, before.as_deref(), &preview.text)?;
    kept.end();
    let (scope, path) = (Scope::Private, preview.path);
    Ok(Remembered { path, scope, exchange: None, is_shared: false })
}

/// What would be written, and whether it may be; nothing is changed.
///
/// # Errors
/// As for writing it.
pub fn preview(
    places: Places<'_>,
    actor: &Actor,
    memory: &NewMemory,
    scope: Scope,
) -> Result<Preview, MoveError> {
    let memory = found(places.memdir, scope, memory)?;
    if scope == Scope::Private {
        return match Root::open(places.memdir) {
            Ok(root) => in_private(&root, &memory),
            Err(error) => Err(error.into()),
        };
    }
    let mut team = Team::open(places.team)?;
    let path = path_of(&memory)?;
    let text = compose(&team.root, &path, &memory)?;
    team.with_gate(actor, |_, gate| check(gate, &path, &text))?;
    let replaces = team.root.exists(path.as_str())?;
    Ok(Preview { scope, path, text, replaces })
}

fn in_private(root: &Root, memory: &NewMemory) -> Result<Preview, MoveError> {
    let path = path_of(memory)?;
    let text = compose(root, &path, memory)?;
    let policy = Policy { kinds: Kind::ALL.into(), ..Policy::new(Trust::Open, None) };
    let gate = Gate {
        policy: &policy,
        is_allowed: &|_| false,
        members: &|| Members::Nobody,
        now: Timestamp::utc(0),
    };
    check(&gate, &path, &text)?;
    let replaces = root.exists(path.as_str())?;
    Ok(Preview { scope: Scope::Private, path, text, replaces })
}

/// The memory with the file of the one that bears its name, where that lies elsewhere than it would.
pub fn found(memdir: &Path, scope: Scope, memory: &NewMemory) -> Result<NewMemory, MoveError> {
    let mut memory = memory.clone();
    let layers = Layers::open(memdir)?;
    let Some(root) = layers.root(scope) else { return Ok(memory) };
    if memory.path.is_some() || root.exists(path_of(&memory)?.as_str())? {
        return Ok(memory);
    }
    let mut named = layers.bearing(scope, &memory.name)?;
    memory.path = match named.len() {
        0 => None,
        1 => MemoryPath::parse(&named.remove(0).file).ok(),
        _ => {
            let name = Escaped(&memory.name).to_string();
            let candidates = named.iter().map(LayerFile::path).collect();
            return Err(MoveError::Ambiguous { name, candidates });
        }
    };
    Ok(memory)
}

/// The names by which memories are known that another one takes the place of. A team memory names only
/// the team's: what is private stays unnamed there.
///
/// # Errors
/// A name that means none or several.
pub fn superseded(memdir: &Path, scope: Scope, names: &[String]) -> Result<Vec<String>, MoveError> {
    let layers = Layers::open(memdir)?;
    let of = |name: &String| {
        let file = match scope {
            Scope::Team => pick(&layers, Scope::Team, name)?,
            Scope::Private => pick_any(&layers, name)?,
        };
        let name = layers.root(file.layer).and_then(|root| bears(root, &file));
        Ok(name.unwrap_or_else(|| stem(&file.file).to_owned()))
    };
    names.iter().map(of).collect()
}
