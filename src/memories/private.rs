//! A private memory that a person reads or removes; what the team has is `sync`'s.
//! Border: the private layer alone. It has no history; copies beside it let the last changes be taken back.

use std::path::Path;

use crate::folder::entry::{edit_private_index, entry_line, entry_text, with_entry, without_entry};
use crate::local::layers::{LayerFile, Layers};
use crate::memories::error::MoveError;
use crate::memories::kept::{Change, Kept};
use crate::memories::pick::pick;
use crate::memory::document::Document;
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
    let kept = Kept::begin(memdir, Change::Forgotten, &[&file.file]);
    edit_private_index(&root, |text| without_entry(text, &file.file))?;
    root.remove(&file.file)?;
    kept.end();
    Ok(())
}

/// Keeps the private entry in step: a hook that was the description follows it, one that a person wrote
/// stays; a memory without an entry gets one.
///
/// # Errors
/// An index that cannot be changed.
pub fn follow_entry(
    root: &Root,
    file: &str,
    before: Option<&str>,
    after: &str,
) -> Result<(), MoveError> {
    let line = |text: &str| {
        let document = Document::parse(text);
        let title = document.name().unwrap_or(file).to_owned();
        entry_line(&title, file, document.description().unwrap_or_default())
    };
    let (old, new) = (before.map(line), line(after));
    edit_private_index(root, |text| match (entry_text(text, file), &old) {
        (None, _) => with_entry(text, file, &new),
        (Some(entry), Some(old)) if entry == *old && *old != new => {
            Some(text.replacen(old, &new, 1))
        }
        _ => None,
    })?;
    Ok(())
}
