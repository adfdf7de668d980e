//! The memory that a person means, in one layer or in both.
//! Border: finds; several that a name may mean are offered, never chosen from.

use std::path::Path;

use crate::base::display::Escaped;
use crate::base::path::{MemoryPath, collisions};
use crate::local::layers::{Found, LayerFile, Layers};
use crate::memories::error::MoveError;
use crate::memory::kind::Scope;

/// The memory of one layer.
///
/// # Errors
/// A name that means none, or several.
pub fn pick(layers: &Layers, layer: Scope, name: &str) -> Result<LayerFile, MoveError> {
    let shown = || Escaped(name).to_string();
    match layers.find(layer, name)? {
        Found::One(file) => Ok(file),
        Found::None => Err(MoveError::NoMemory { name: shown(), layer: layer.name() }),
        Found::Several(candidates) => Err(MoveError::Ambiguous { name: shown(), candidates }),
    }
}

/// The memory of either layer.
///
/// # Errors
/// A name that means none, or several; `team/x.md` names one of two with the same file.
pub fn pick_any(layers: &Layers, name: &str) -> Result<LayerFile, MoveError> {
    let shown = || Escaped(name).to_string();
    match (layers.find(Scope::Private, name)?, layers.find(Scope::Team, name)?) {
        (Found::One(file), Found::None) | (Found::None, Found::One(file)) => Ok(file),
        (Found::None, Found::None) => {
            Err(MoveError::NoMemory { name: shown(), layer: "private or team" })
        }
        (one, other) => {
            let mut candidates = Vec::new();
            for found in [one, other] {
                match found {
                    Found::One(file) => candidates.push(file.path()),
                    Found::Several(paths) => candidates.extend(paths),
                    Found::None => {}
                }
            }
            Err(MoveError::Ambiguous { name: shown(), candidates })
        }
    }
}

/// [`pick_any`] in a memory directory.
///
/// # Errors
/// As there.
pub fn find_any(memdir: &Path, name: &str) -> Result<LayerFile, MoveError> {
    pick_any(&Layers::open(memdir)?, name)
}

/// A name that some system takes for another memory's is taken.
///
/// # Errors
/// [`MoveError::Taken`], with the other memory.
pub fn refuse_meeting(
    others: &[LayerFile],
    to: &MemoryPath,
    layer: Scope,
) -> Result<(), MoveError> {
    let mut paths: Vec<&str> = others.iter().map(|one| one.file.as_str()).collect();
    paths.push(to.as_str());
    let new = paths.len() - 1;
    match collisions(&paths).into_iter().find(|(_, later)| *later == new) {
        Some((at, _)) => Err(MoveError::Taken { path: paths[at].to_owned(), layer: layer.name() }),
        None => Ok(()),
    }
}
