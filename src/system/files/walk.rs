//! Lists every file below a root with one stat each and no read.
//! Border: reports what is there, links and pipes too; opens no file and follows no link.

use super::error::FileError;
use super::platform;
use super::root::Root;
use super::stat::{FileKind, FileStat};
use super::temp::is_temp;

/// How much a walk accepts before it gives up.
#[derive(Clone, Copy, Debug)]
pub struct WalkLimits {
    /// The number of files.
    pub files_max: usize,
    /// How deep folders may be nested.
    pub depth_max: usize,
    /// What becomes of a folder that is too deep or may not be read.
    pub closed: ClosedFolder,
}

/// What a walk does with a folder that it does not go into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosedFolder {
    /// The walk fails.
    Fail,
    /// The folder is listed like a file, so that it can be named and the rest goes on.
    List,
}

impl Default for WalkLimits {
    /// Far above what the gate allows, so that the gate can say what is wrong.
    fn default() -> Self {
        Self { files_max: 100_000, depth_max: 64, closed: ClosedFolder::Fail }
    }
}

/// A file that a walk found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedFile {
    /// Its path below the root, `/` between components; any bytes but NUL.
    pub path: Vec<u8>,
    /// What it is; [`FileKind::Directory`] only where the walk lists folders that it does not go into.
    pub stat: FileStat,
}

impl Root {
    /// Every file below, ordered by path bytes. Symlinks and special files are listed with their kind.
    ///
    /// Leaves out `.git` at the root, folders as such, and memsync's own temporary files.
    pub fn walk(&self, limits: WalkLimits) -> Result<Vec<WalkedFile>, FileError> {
        self.walk_except(limits, &[])
    }

    /// The same without what has one of these names at the root.
    pub fn walk_except(
        &self,
        limits: WalkLimits,
        except: &[&str],
    ) -> Result<Vec<WalkedFile>, FileError> {
        let is_left_out =
            |name: &[u8]| name == b".git" || except.iter().any(|out| out.as_bytes() == name);
        let mut files = Vec::new();
        let dir = self.dir.again().map_err(|e| self.error(".", e))?;
        let mut open = vec![(dir, Vec::new(), 0)];
        while let Some((dir, prefix, depth)) = open.pop() {
            let shown = |path: &[u8]| self.path.join(platform::os_name(path));
            for entry in dir.entries().map_err(|e| FileError::new(shown(&prefix), e))? {
                if depth == 0 && is_left_out(&entry.name) || is_temp(&entry.name) {
                    continue;
                }
                let mut path = Vec::with_capacity(prefix.len() + entry.name.len() + 1);
                path.extend_from_slice(&prefix);
                path.extend_from_slice(&entry.name);
                if entry.stat.kind != FileKind::Directory {
                    files.push(WalkedFile { path, stat: entry.stat });
                    if files.len() > limits.files_max {
                        let limit = limits.files_max;
                        return Err(FileError::TooMany { path: self.path.clone(), limit });
                    }
                    continue;
                }
                let is_listed = limits.closed == ClosedFolder::List;
                if depth >= limits.depth_max && is_listed {
                    files.push(WalkedFile { path, stat: entry.stat });
                    continue;
                }
                if depth >= limits.depth_max {
                    return Err(FileError::TooDeep { path: shown(&path), limit: limits.depth_max });
                }
                match dir.folder_raw(&entry.name) {
                    Ok(below) => {
                        path.push(b'/');
                        open.push((below, path, depth + 1));
                    }
                    // It was removed meanwhile; the next walk tells.
                    Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                    Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied && is_listed => {
                        files.push(WalkedFile { path, stat: entry.stat });
                    }
                    Err(e) => return Err(FileError::new(shown(&path), e)),
                }
            }
        }
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }
}
