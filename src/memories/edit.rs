//! Opens a memory in the person's editor, where it lies, and takes in what became of it.
//! Border: nothing that was typed is lost: what the gate refuses stays on disk and is named.

use crate::base::display::Escaped;
use crate::folder::entry::{edit_private_index, entry_line, entry_text, with_entry};
use crate::local::layers::{LayerFile, Layers};
use crate::memories::error::MoveError;
use crate::memories::pick::pick_any;
use crate::memories::share::Places;
use crate::memory::document::Document;
use crate::memory::kind::Scope;
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::seal::envelope::is_sealed;
use crate::sync::exchange::pull_push::commit_only;
use crate::sync::outcome::ExchangeOutcome;
use crate::sync::repo::team::Actor;
use crate::system::editor::edit_in_place;
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
    edit_in_place(environment, &root.path().join(&file.file))?;
    let after = read(root, &file)?;
    let is_changed = after != before;
    let exchange = match file.layer {
        Scope::Team if is_changed => Some(commit_only(places.team, actor)?),
        Scope::Private if is_changed => {
            follow(root, &file, &before, &after)?;
            None
        }
        _ => None,
    };
    Ok(Edited { file, is_changed, exchange })
}

fn read(root: &Root, file: &LayerFile) -> Result<String, MoveError> {
    let raw = root.read(&file.file, MEMORY_BYTES_MAX as u64)?;
    String::from_utf8(raw).map_err(|_| MoveError::NotUtf8(file.path()))
}

/// Keeps the private entry in step: a hook that was the description follows it, one that a person wrote
/// stays; a memory without an entry gets one.
fn follow(root: &Root, file: &LayerFile, before: &str, after: &str) -> Result<(), MoveError> {
    let line = |text: &str| {
        let document = Document::parse(text);
        let title = document.name().unwrap_or(&file.file).to_owned();
        entry_line(&title, &file.file, document.description().unwrap_or_default())
    };
    let (old, new) = (line(before), line(after));
    edit_private_index(root, |text| match entry_text(text, &file.file) {
        None => with_entry(text, &file.file, &new),
        Some(entry) if entry == old && old != new => Some(text.replacen(&old, &new, 1)),
        Some(_) => None,
    })?;
    Ok(())
}
