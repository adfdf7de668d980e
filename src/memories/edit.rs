//! Opens a memory in the person's editor, where it lies, and takes in what became of it.
//! Border: nothing that was typed is lost: what the gate refuses stays on disk and is named.

use crate::base::display::Escaped;
use crate::base::path::MemoryPath;
use crate::local::layers::{LayerFile, Layers};
use crate::memories::error::MoveError;
use crate::memories::kept::{Change, Kept};
use crate::memories::pick::pick_any;
use crate::memories::private::follow_entry;
use crate::memories::share::Places;
use crate::memory::document::Document;
use crate::memory::kind::Scope;
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::seal::envelope::is_sealed;
use crate::sync::exchange::pull_push::commit_only;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::write::remember::check;
use crate::system::editor::{edit as edit_copy, edit_in_place};
use crate::system::env::Environment;
use crate::system::files::Root;

/// What became of an edit.
#[derive(Debug)]
pub struct Edited {
    /// The memory.
    pub file: LayerFile,
    /// Whether its text is another one now.
    pub is_changed: bool,
    /// What was committed; `None` in the private layer, and where nothing changed.
    pub exchange: Option<ExchangeOutcome>,
}

/// Lets the person edit a memory of either layer.
///
/// # Errors
/// A name that means none or several, a sealed memory, an editor that fails.
pub fn edit(
    places: Places<'_>,
    actor: &Actor,
    environment: &Environment,
    name: &str,
) -> Result<Edited, MoveError> {
    let layers = Layers::open(places.memdir)?;
    let file = pick_any(&layers, name)?;
    let missing =
        || MoveError::NoMemory { name: Escaped(name).to_string(), layer: file.layer.name() };
    let root = layers.root(file.layer).ok_or_else(missing)?;
    let before = read(root, &file)?;
    if is_sealed(&Document::parse(&before)) {
        return Err(MoveError::SealedEdit(file.file));
    }
    let kept = Kept::begin(places.memdir, Change::Edited, &[&file.file]);
    edit_in_place(environment, &root.path().join(&file.file))?;
    let after = read(root, &file)?;
    let is_changed = after != before;
    let exchange = match file.layer {
        Scope::Team if is_changed => Some(commit_only(places.team, actor)?),
        Scope::Private if is_changed => {
            follow_entry(root, &file.file, Some(&before), &after)?;
            kept.end();
            None
        }
        _ => None,
    };
    Ok(Edited { file, is_changed, exchange })
}

/// Lets the person edit a copy, and says what would become of it; nothing is changed.
///
/// # Errors
/// As for an edit, and what the gate says of the new text.
pub fn try_edit(
    places: Places<'_>,
    actor: &Actor,
    environment: &Environment,
    name: &str,
) -> Result<TriedEdit, MoveError> {
    let layers = Layers::open(places.memdir)?;
    let file = pick_any(&layers, name)?;
    let missing =
        || MoveError::NoMemory { name: Escaped(name).to_string(), layer: file.layer.name() };
    let before = read(layers.root(file.layer).ok_or_else(missing)?, &file)?;
    if is_sealed(&Document::parse(&before)) {
        return Err(MoveError::SealedEdit(file.file));
    }
    let after = edit_copy(environment, before.as_bytes())?;
    let after = String::from_utf8(after).map_err(|_| MoveError::NotUtf8(file.path()))?;
    if file.layer == Scope::Team && after != before {
        let path = MemoryPath::parse(&file.file)
            .map_err(|_| MoveError::Path(Escaped(&file.file).to_string()))?;
        Team::open(places.team)?.with_gate(actor, |_, gate| check(gate, &path, &after))?;
    }
    Ok(TriedEdit { file, before, after })
}

/// An edit of a copy.
#[derive(Debug)]
pub struct TriedEdit {
    /// The memory.
    pub file: LayerFile,
    /// Its text.
    pub before: String,
    /// What it would be.
    pub after: String,
}

fn read(root: &Root, file: &LayerFile) -> Result<String, MoveError> {
    let raw = root.read(&file.file, MEMORY_BYTES_MAX as u64)?;
    String::from_utf8(raw).map_err(|_| MoveError::NotUtf8(file.path()))
}
