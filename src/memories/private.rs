//! A private memory that a person reads or removes; what the team has is `sync`'s.
//! Border: the private layer alone. There is no history of it: what is removed is gone.

use std::path::Path;

use crate::folder::entry::{edit_private_index, without_entry};
use crate::local::layers::{LayerFile, Layers};
use crate::memories::error::MoveError;
use crate::memories::pick::pick;
use crate::memory::kind::Scope;
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::system::files::Root;

/// A private memory and its bytes.
///
/// # Errors
/// A name that means none or several, a file that cannot be read.
pub fn read_private(memdir: &Path, name: &str) -> Result<(LayerFile, Vec<u8>), MoveError> {
    let layers = Layers::open(memdir)?;
    let file = pick(&layers, Scope::Private, name)?;
    let raw = Root::open(memdir)?.read(&file.file, MEMORY_BYTES_MAX as u64)?;
    Ok((file, raw))
}

/// Removes a private memory that is as it was read, and its entry.
///
/// # Errors
/// A memory that was written meanwhile, files that cannot be changed.
pub fn forget_private(memdir: &Path, file: &LayerFile, read: &[u8]) -> Result<(), MoveError> {
    let root = Root::open(memdir)?;
    if root.read(&file.file, MEMORY_BYTES_MAX as u64)? != read {
        return Err(MoveError::Changed(file.path()));
    }
    edit_private_index(&root, |text| without_entry(text, &file.file))?;
    Ok(root.remove(&file.file)?)
}
