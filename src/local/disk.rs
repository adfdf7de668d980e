//! Instruction files as they lie on the disk: regular files only, read as far as they may be large.
//! Border: reads; links are followed, because the clients follow them.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::instructions::{Files, Item, Unread};
use crate::system::reading::read_bounded;

/// The disk.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Files for Disk {
    fn real(&self, path: &Path) -> Option<PathBuf> {
        fs::canonicalize(path).ok()
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, Unread> {
        let refused = |error: std::io::Error| Unread::Refused(error.to_string());
        match fs::metadata(path) {
            Err(error) if is_nothing(error.kind()) => return Err(Unread::NotThere),
            Err(error) => return Err(refused(error)),
            Ok(metadata) if !metadata.is_file() => return Err(Unread::NoFile),
            Ok(metadata) if metadata.len() > limit => return Err(Unread::TooLarge),
            Ok(_) => {}
        }
        // What was swapped meanwhile is refused here again, and nothing waits for a pipe.
        read_bounded(path, limit).map_err(refused)?.ok_or(Unread::NotThere)
    }

    fn list(&self, folder: &Path, limit: usize) -> Vec<Item> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(limit);
        let item = |entry: fs::DirEntry| {
            let kind = entry.file_type().ok()?;
            let is_folder = match kind.is_symlink() {
                true => fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_dir()),
                false => kind.is_dir(),
            };
            // A name that is no text can be in no import, and no client shows it.
            Some(Item { name: entry.file_name().into_string().ok()?, is_folder })
        };
        entries.filter_map(item).collect()
    }
}

fn is_nothing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}
