//! Writes and removals that are whole or not there: temp file, sync, rename, sync of the folder.
//! Border: one file is atomic, a batch is not; the journal above makes a batch so.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::SystemTime;

use super::error::FileError;
use super::platform::Dir;
use super::root::Root;
use super::stat::{Access, Durability, FileKind};
use super::temp::temp_name;

/// From this many files on, one sync of the file system is cheaper than one per file.
///
/// Not earlier: that sync also waits for what other programs have written.
const SYNC_EACH_MAX: usize = 64;

/// One step of a batch.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// Writes a file, replacing what a regular file there held.
    Write {
        /// Where, below the root.
        path: &'a str,
        /// The whole new content.
        content: &'a [u8],
        /// Who may read it.
        access: Access,
        /// When it was last changed, for whoever looks at the file; `None` is now.
        modified: Option<SystemTime>,
    },
    /// Removes a file, and folders that become empty. Nothing there is no error.
    Remove {
        /// Where, below the root.
        path: &'a str,
    },
}

impl<'a> Change<'a> {
    /// Writes a file as everybody in the system may read it, changed now.
    pub fn shared(path: &'a str, content: &'a [u8]) -> Self {
        Self::Write { path, content, access: Access::Shared, modified: None }
    }
}

/// A written temporary file, waiting for its rename.
struct Pending<'a> {
    folder: Option<&'a str>,
    temp: String,
    name: &'a str,
    path: &'a str,
    /// Folder and file stay open in a small batch; open handles are limited.
    held: Option<(Dir, std::fs::File)>,
}

/// Folders to sync at the end, each with a path to name should that fail.
type Touched<'a> = BTreeMap<Option<&'a str>, &'a str>;

impl Root {
    /// Replaces a file as a whole (mode 0644 less the umask) and makes missing folders.
    pub fn write_atomic(
        &self,
        path: &str,
        content: &[u8],
        durability: Durability,
    ) -> Result<(), FileError> {
        self.apply(&[Change::shared(path, content)], durability)
    }

    /// Replaces a file that only its owner may read (mode 0600).
    pub fn write_private(
        &self,
        path: &str,
        content: &[u8],
        durability: Durability,
    ) -> Result<(), FileError> {
        let write = Change::Write { path, content, access: Access::Private, modified: None };
        self.apply(&[write], durability)
    }

    /// Removes a file or a symlink itself, and folders that become empty; durable.
    pub fn remove(&self, path: &str) -> Result<(), FileError> {
        let folder = self.remove_one(path)?;
        self.sync_folder(folder, path)
    }

    /// Does many changes with one sync per folder: all new content is on disk before the first rename.
    ///
    /// When writing fails (a full disk), nothing has been renamed and no temporary file stays.
    pub fn apply(&self, changes: &[Change<'_>], durability: Durability) -> Result<(), FileError> {
        let mut pending = Vec::new();
        let mut touched = BTreeMap::new();
        let written = self.write_temps(changes, durability, &mut pending, &mut touched);
        if let Err(error) = written {
            self.discard(&pending);
            return Err(error);
        }
        for at in 0..pending.len() {
            let one = &pending[at];
            if let Err(e) = self.in_folder(one, |dir| dir.rename(&one.temp, one.name)) {
                self.discard(&pending[at..]);
                return Err(self.error(one.path, e));
            }
            touched.insert(one.folder, one.path);
        }
        for change in changes {
            if let Change::Remove { path } = change {
                match self.remove_one(path) {
                    Ok(folder) => drop(touched.insert(folder, path)),
                    Err(FileError::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        if durability == Durability::Durable {
            for (folder, path) in touched {
                self.sync_folder(folder, path)?;
            }
        }
        Ok(())
    }

    fn write_temps<'a>(
        &self,
        changes: &[Change<'a>],
        durability: Durability,
        pending: &mut Vec<Pending<'a>>,
        touched: &mut Touched<'a>,
    ) -> Result<(), FileError> {
        let writes = changes.iter().filter(|c| matches!(c, Change::Write { .. })).count();
        let hold = writes <= SYNC_EACH_MAX;
        for change in changes {
            let Change::Write { path, content, access, modified } = *change else { continue };
            let error = |e| self.error(path, e);
            let (folder, name) = self.split(path)?;
            let (dir, is_new) = self.parent(folder, path)?;
            if is_new {
                // The new folder's own entry is in the folder above it, and so on up.
                touched.extend(ancestors(folder).map(|above| (above, path)));
            }
            self.refuse_target(&dir, name, path)?;
            let temp = temp_name().map_err(error)?;
            let mut file = dir.create_new(&temp, access.mode()).map_err(error)?;
            let written = file.write_all(content);
            if let Some(moment) = modified {
                // A courtesy: some file systems keep no such moments.
                drop(file.set_modified(moment));
            }
            let held = hold.then_some((dir, file));
            pending.push(Pending { folder, temp, name, path, held });
            written.map_err(error)?;
        }
        if durability == Durability::Relaxed {
            return Ok(());
        }
        if hold || !self.dir.sync_all().map_err(|e| self.error(".", e))? {
            for one in pending.iter() {
                let synced = match &one.held {
                    Some((_, file)) => file.sync_all(),
                    None => self.in_folder(one, |dir| dir.file(&one.temp)?.sync_all()),
                };
                synced.map_err(|e| self.error(one.path, e))?;
            }
        }
        Ok(())
    }

    /// Refuses to replace anything but a regular file, and the git directory under any name.
    fn refuse_target(&self, dir: &Dir, name: &str, path: &str) -> Result<(), FileError> {
        if name.eq_ignore_ascii_case(".git") {
            return Err(FileError::GitDirectory { path: self.path.join(path) });
        }
        match dir.stat(name).map(|stat| stat.kind) {
            Ok(FileKind::File) => Ok(()),
            Ok(FileKind::Symlink) => Err(FileError::Symlink { path: self.path.join(path) }),
            Ok(_) => Err(FileError::NotAFile { path: self.path.join(path) }),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(e) => Err(self.error(path, e)),
        }
    }

    /// Removes one file and gives the deepest folder above it that still is there.
    fn remove_one<'p>(&self, path: &'p str) -> Result<Option<&'p str>, FileError> {
        let (mut folder, name) = self.split(path)?;
        let error = |e| self.error(path, e);
        match folder {
            None if name.eq_ignore_ascii_case(".git") => {
                return Err(FileError::GitDirectory { path: PathBuf::from(path) });
            }
            None => self.dir.unlink(name).map_err(error)?,
            Some(folder) => {
                let dir = self.dir.folder(folder).map_err(error)?;
                self.refuse_git_directory(&dir, folder, path)?;
                dir.unlink(name).map_err(error)?;
            }
        }
        while let Some(empty) = folder {
            let (above, name) = self.split(empty)?;
            let removed = match above {
                None => self.dir.remove_folder(name),
                Some(above) => self.dir.folder(above).and_then(|d| d.remove_folder(name)),
            };
            // Not empty, or not ours to remove: the folder simply stays.
            if removed.is_err() {
                break;
            }
            folder = above;
        }
        Ok(folder)
    }

    fn sync_folder(&self, folder: Option<&str>, path: &str) -> Result<(), FileError> {
        let synced = match folder {
            None => self.dir.sync(),
            Some(folder) => match self.dir.folder(folder) {
                // Removed by a later step of the same batch; its parent is synced for that.
                Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
                dir => dir.and_then(|d| d.sync()),
            },
        };
        synced.map_err(|e| self.error(path, e))
    }

    /// Does one step in the folder of a pending file.
    fn in_folder<T>(
        &self,
        one: &Pending<'_>,
        step: impl FnOnce(&Dir) -> io::Result<T>,
    ) -> io::Result<T> {
        match (&one.held, one.folder) {
            (Some((dir, _)), _) => step(dir),
            (None, Some(folder)) => step(&self.dir.folder(folder)?),
            (None, None) => step(&self.dir),
        }
    }

    /// Removes temporary files after a failure; what cannot be removed now is removed as stale later.
    fn discard(&self, pending: &[Pending<'_>]) {
        for one in pending {
            drop(self.in_folder(one, |dir| dir.unlink(&one.temp)));
        }
    }
}

/// Every folder above a folder, up to the root (`None`).
fn ancestors(folder: Option<&str>) -> impl Iterator<Item = Option<&str>> {
    std::iter::successors(folder, |f| f.rsplit_once('/').map(|(above, _)| above))
        .skip(1)
        .map(Some)
        .chain(std::iter::once(None))
}
