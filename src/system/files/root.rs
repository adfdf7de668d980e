//! An open folder that all operations stay below, and what they say of a file.
//! Border: one file or folder at a time; several that change together are `batch`.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::error::FileError;
use super::platform::{self, Dir};
use super::stat::{FileKind, FileStat};

/// An open folder that all operations stay below.
#[derive(Debug)]
pub struct Root {
    pub(super) dir: Dir,
    pub(super) path: PathBuf,
}

impl Root {
    /// Opens a folder. The folder itself may not be a symlink; folders above it may.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Self::open_as(path, false)
    }

    /// Opens a folder without `openat2`, as on systems that do not have it.
    pub fn open_per_component(path: &Path) -> Result<Self, FileError> {
        Self::open_as(path, true)
    }

    fn open_as(path: &Path, per_component: bool) -> Result<Self, FileError> {
        let dir = Dir::open_root(path, per_component).map_err(|e| FileError::new(path, e))?;
        Ok(Self { dir, path: path.to_owned() })
    }

    /// Opens a folder below this one as a root of its own.
    pub fn descend(&self, path: &str) -> Result<Self, FileError> {
        self.split(path)?;
        let dir = self.dir.folder(path).map_err(|e| self.error(path, e))?;
        Ok(Self { dir, path: self.path.join(path) })
    }

    /// The path this root was opened with, for messages and for programs that are started there.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a regular file of at most `limit` bytes.
    pub fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, FileError> {
        self.split(path)?;
        let file = self.dir.file(path).map_err(|e| self.error(path, e))?;
        let stat = platform::stat_of_file(&file).map_err(|e| self.error(path, e))?;
        if stat.kind != FileKind::File {
            return Err(FileError::NotAFile { path: self.path.join(path) });
        }
        let too_large = || FileError::TooLarge { path: self.path.join(path), limit };
        if stat.size > limit {
            return Err(too_large());
        }
        let mut content = Vec::with_capacity(stat.size as usize);
        let mut rest = file.take(limit.saturating_add(1));
        rest.read_to_end(&mut content).map_err(|e| self.error(path, e))?;
        if content.len() as u64 > limit {
            return Err(too_large());
        }
        Ok(content)
    }

    /// Reads the first `limit` bytes of a regular file, and says how long it is.
    pub fn read_head(&self, path: &str, limit: usize) -> Result<(Vec<u8>, u64), FileError> {
        self.split(path)?;
        let file = self.dir.file(path).map_err(|e| self.error(path, e))?;
        let stat = platform::stat_of_file(&file).map_err(|e| self.error(path, e))?;
        if stat.kind != FileKind::File {
            return Err(FileError::NotAFile { path: self.path.join(path) });
        }
        let mut head = Vec::with_capacity(limit.min(stat.size as usize));
        file.take(limit as u64).read_to_end(&mut head).map_err(|e| self.error(path, e))?;
        Ok((head, stat.size))
    }

    /// Reads a regular file of at most `limit` bytes; `None` when nothing is there.
    pub fn read_if_there(&self, path: &str, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
        match self.read(path, limit) {
            Ok(content) => Ok(Some(content)),
            Err(FileError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Tells what is at a path; `None` when nothing is there.
    pub fn stat(&self, path: &str) -> Result<Option<FileStat>, FileError> {
        let (folder, name) = self.split(path)?;
        let stat = match folder {
            None => self.dir.stat(name),
            Some(folder) => self.dir.folder(folder).and_then(|dir| dir.stat(name)),
        };
        match stat {
            Ok(stat) => Ok(Some(stat)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.error(path, error)),
        }
    }

    /// Whether anything is at a path, be it a symlink.
    pub fn exists(&self, path: &str) -> Result<bool, FileError> {
        Ok(self.stat(path)?.is_some())
    }

    /// Makes a folder and the folders above it, as far as they are missing.
    pub fn create_folder(&self, path: &str) -> Result<(), FileError> {
        self.split(path)?;
        self.folder_for(path, path).map(drop)
    }

    /// Opens a file to lock it, creating it with mode 0600 and its folders when missing.
    pub fn open_to_lock(&self, path: &str) -> Result<File, FileError> {
        let (folder, name) = self.split(path)?;
        let (dir, _) = self.parent(folder, path)?;
        let file = dir.file_to_lock(name, 0o600).map_err(|e| self.error(path, e))?;
        let stat = platform::stat_of_file(&file).map_err(|e| self.error(path, e))?;
        if stat.kind != FileKind::File {
            return Err(FileError::NotAFile { path: self.path.join(path) });
        }
        Ok(file)
    }

    /// Splits a path into folder and name, refusing anything that is not plainly below the root.
    pub(super) fn split<'p>(&self, path: &'p str) -> Result<(Option<&'p str>, &'p str), FileError> {
        let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains('\0');
        if !path.split('/').all(plain) || platform::has_foreign_separator(path) {
            return Err(FileError::NotBeneath { path: PathBuf::from(path) });
        }
        Ok(match path.rsplit_once('/') {
            Some((folder, name)) => (Some(folder), name),
            None => (None, path),
        })
    }

    /// Opens the folder a file is written to, never the git directory; tells whether it was made.
    pub(super) fn parent(
        &self,
        folder: Option<&str>,
        path: &str,
    ) -> Result<(Dir, bool), FileError> {
        let Some(folder) = folder else {
            return Ok((self.dir.again().map_err(|e| self.error(path, e))?, false));
        };
        let (dir, is_new) = match self.dir.folder(folder) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => (self.folder_for(folder, path)?, true),
            other => (other.map_err(|e| self.error(path, e))?, false),
        };
        self.refuse_git_directory(&dir, folder, path)?;
        Ok((dir, is_new))
    }

    /// Opens a folder component by component and makes the missing ones.
    pub(super) fn folder_for(&self, folder: &str, path: &str) -> Result<Dir, FileError> {
        let error = |e| self.error(path, e);
        let mut dir = self.dir.again().map_err(error)?;
        for name in folder.split('/') {
            let next = match dir.folder(name) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => {
                    match dir.make_folder(name) {
                        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(error(e)),
                        _ => {}
                    }
                    dir.folder(name).map_err(error)?
                }
                other => other.map_err(error)?,
            };
            dir = next;
        }
        Ok(dir)
    }

    /// Compares identities, so that no alias of `.git` on any file system gets through.
    pub(super) fn refuse_git_directory(
        &self,
        dir: &Dir,
        folder: &str,
        path: &str,
    ) -> Result<(), FileError> {
        let refusal = || FileError::GitDirectory { path: self.path.join(path) };
        if folder.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
            return Err(refusal());
        }
        let (Ok(git), Ok(own)) = (self.dir.stat(".git"), dir.own_stat()) else { return Ok(()) };
        if git.inode != 0 && git.identity() == own.identity() { Err(refusal()) } else { Ok(()) }
    }

    pub(super) fn error(&self, path: &str, source: io::Error) -> FileError {
        FileError::new(self.path.join(path), source)
    }
}
