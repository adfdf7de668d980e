//! Folders by path, for systems without directory handles in the standard library (Windows).
//! Border: weaker than `unix.rs` on purpose and said so: each component is checked for links and
//! junctions before use, so a link that is there is refused, but one swapped in between is not.

use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::stat::{Entry, FileKind, FileStat};

/// A folder that was checked when it was opened.
#[derive(Debug)]
pub(super) struct Dir {
    path: PathBuf,
}

impl Dir {
    /// Opens a root; its own last component may not be a link.
    pub(super) fn open_root(path: &Path, _per_component: bool) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        require_folder(&path)?;
        Ok(Self { path })
    }

    /// Opens a folder below this one; `path` has plain components only.
    pub(super) fn folder(&self, path: &str) -> io::Result<Self> {
        let mut at = self.path.clone();
        for name in path.split('/') {
            at.push(name);
            require_folder(&at)?;
        }
        Ok(Self { path: at })
    }

    /// A second handle on the same folder.
    pub(super) fn again(&self) -> io::Result<Self> {
        Ok(Self { path: self.path.clone() })
    }

    /// Opens an existing file for reading.
    pub(super) fn file(&self, path: &str) -> io::Result<File> {
        File::open(self.checked(path)?)
    }

    /// Opens a file of this folder for reading and writing, creating it when it is not there.
    pub(super) fn file_to_lock(&self, name: &str, _mode: u32) -> io::Result<File> {
        let path = self.checked(name)?;
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
    }

    /// Creates a file of this folder that must not exist yet.
    pub(super) fn create_new(&self, name: &str, _mode: u32) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(self.path.join(name))
    }

    /// Creates a folder in this one.
    pub(super) fn make_folder(&self, name: &str) -> io::Result<()> {
        std::fs::create_dir(self.path.join(name))
    }

    /// Renames within this folder, replacing what is there.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        std::fs::rename(self.path.join(from), self.path.join(to))
    }

    /// Removes a file of this folder, or a link itself.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
    pub(super) fn unlink(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.path.join(name))
    }

    /// Removes an empty folder of this one.
    pub(super) fn remove_folder(&self, name: &str) -> io::Result<()> {
        std::fs::remove_dir(self.path.join(name))
    }

    /// What an entry of this folder is, links not followed.
    pub(super) fn stat(&self, name: &str) -> io::Result<FileStat> {
        Ok(stat_of(&std::fs::symlink_metadata(self.path.join(name))?))
    }

    /// What this folder itself is.
    pub(super) fn own_stat(&self) -> io::Result<FileStat> {
        Ok(stat_of(&std::fs::symlink_metadata(&self.path)?))
    }

    /// Every entry with what it is, in no order.
    pub(super) fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            let name = entry.file_name().into_encoded_bytes();
            entries.push(Entry { name, stat: stat_of(&entry.metadata()?) });
        }
        Ok(entries)
    }

    /// Opens a folder of this one by raw name.
    pub(super) fn folder_raw(&self, name: &[u8]) -> io::Result<Self> {
        let path = self.path.join(os_name(name));
        require_folder(&path)?;
        Ok(Self { path })
    }

    /// Removes a file of this folder by raw name.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
    pub(super) fn unlink_raw(&self, name: &[u8]) -> io::Result<()> {
        std::fs::remove_file(self.path.join(os_name(name)))
    }

    /// Folders cannot be synced here; NTFS journals renames itself.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Syncs the whole file system at once: not possible here.
    pub(super) fn sync_all(&self) -> io::Result<bool> {
        Ok(false)
    }

    fn checked(&self, path: &str) -> io::Result<PathBuf> {
        let (folder, name) = match path.rsplit_once('/') {
            Some((folder, name)) => (self.folder(folder)?, name),
            None => (self.again()?, path),
        };
        let path = folder.path.join(name);
        match std::fs::symlink_metadata(&path) {
            Ok(found) if is_link(&found) => Err(symlink_refusal()),
            _ => Ok(path),
        }
    }
}

/// Marks a refusal to follow a link.
#[derive(Debug, thiserror::Error)]
#[error("symbolic link")]
struct SymlinkRefused;

fn symlink_refusal() -> io::Error {
    io::Error::other(SymlinkRefused)
}

fn require_folder(path: &Path) -> io::Result<()> {
    let found = std::fs::symlink_metadata(path)?;
    if is_link(&found) {
        return Err(symlink_refusal());
    }
    if found.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

/// Whether this is a symlink, a junction or another reparse point.
fn is_link(found: &Metadata) -> bool {
    #[cfg(windows)]
    {
        use std::os::windows::fs::MetadataExt;
        const FILE_ATTRIBUTE_REPARSE_POINT: u32 = 0x400;
        if found.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
            return true;
        }
    }
    found.is_symlink()
}

/// What was said when a link was met.
pub(super) fn is_symlink_refusal(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<SymlinkRefused>())
}

/// What an open file is.
pub(super) fn stat_of_file(file: &File) -> io::Result<FileStat> {
    Ok(stat_of(&file.metadata()?))
}

fn stat_of(found: &Metadata) -> FileStat {
    let kind = if is_link(found) {
        FileKind::Symlink
    } else if found.is_dir() {
        FileKind::Directory
    } else if found.is_file() {
        FileKind::File
    } else {
        FileKind::Other
    };
    let modified = found.modified().ok();
    let since = modified.and_then(|m| m.duration_since(std::time::UNIX_EPOCH).ok());
    let modified_ns = since.map_or(0, |d| i64::try_from(d.as_nanos()).unwrap_or(i64::MAX));
    let size = found.len();
    FileStat {
        kind,
        user: 0,
        group: 0,
        size,
        modified_ns,
        changed_ns: modified_ns,
        device: 0,
        inode: 0,
        is_executable: false,
        is_private: false,
    }
}

/// A raw name as a part of a path for messages and for the calls above.
pub(super) fn os_name(name: &[u8]) -> OsString {
    String::from_utf8_lossy(name).into_owned().into()
}

/// Whether a path holds a backslash or a colon: a separator, a drive or a stream on Windows.
pub(super) fn has_foreign_separator(path: &str) -> bool {
    path.contains(['\\', ':'])
}
