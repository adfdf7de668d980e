//! Reads a file that must belong to its reader alone: a private key, a cache that is trusted.
//! Border: permission and owner; what is in the file is the caller's business. The path is the
//! person's own choice, so symlinks to it are followed, as ssh does.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::base::display::Escaped;

/// Why a private file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrivateFileError {
    /// Nothing is there.
    #[error("there is no file `{}`", shown(.0))]
    NotFound(PathBuf),
    /// Others may read or change it.
    #[error("`{}` has mode {mode:04o}: others may read or change it", shown(.path))]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// It belongs to another user.
    #[error("`{}` belongs to another user", shown(.0))]
    Foreign(PathBuf),
    /// A folder, pipe or device, or more bytes than any such file has.
    #[error("`{}` is no regular file of at most {limit} bytes", shown(.path))]
    Unfit {
        /// The file.
        path: PathBuf,
        /// The most bytes that are read.
        limit: u64,
    },
    /// The system refuses.
    #[error("cannot read `{}`", shown(.path))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Reads a regular file of at most `limit` bytes that only this user may read or write.
///
/// Where a system has no such modes (Windows), the folder's protection has to do.
pub fn read_private(path: &Path, limit: u64) -> Result<Vec<u8>, PrivateFileError> {
    let io = |source| PrivateFileError::Io { path: path.to_owned(), source };
    let unfit = || PrivateFileError::Unfit { path: path.to_owned(), limit };
    // A pipe would block when opened; the file itself is looked at again once it is open.
    let found = path.metadata().map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => PrivateFileError::NotFound(path.to_owned()),
        _ => io(source),
    })?;
    if !found.is_file() {
        return Err(unfit());
    }
    let file = File::open(path).map_err(io)?;
    let found = file.metadata().map_err(io)?;
    if !found.is_file() || found.len() > limit {
        return Err(unfit());
    }
    check_access(path, &found)?;
    let mut content = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut content).map_err(io)?;
    if content.len() as u64 > limit { Err(unfit()) } else { Ok(content) }
}

/// Takes the right to write from everyone else in what this process and those it starts will make:
/// whoever may write into a git directory may change what is believed there.
#[cfg(unix)]
pub fn narrow_umask() {
    let others = rustix::fs::Mode::WGRP | rustix::fs::Mode::WOTH;
    // The system tells the mask only by setting one.
    let inherited = rustix::process::umask(others);
    rustix::process::umask(inherited | others);
}

/// Where a system has no such mask, the folder's protection has to do.
#[cfg(not(unix))]
pub fn narrow_umask() {}

#[cfg(unix)]
fn check_access(path: &Path, found: &std::fs::Metadata) -> Result<(), PrivateFileError> {
    use std::os::unix::fs::MetadataExt as _;
    let mode = found.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(PrivateFileError::Exposed { path: path.to_owned(), mode });
    }
    let own = found.uid() == rustix::process::geteuid().as_raw();
    if own { Ok(()) } else { Err(PrivateFileError::Foreign(path.to_owned())) }
}

#[cfg(not(unix))]
fn check_access(_: &Path, _: &std::fs::Metadata) -> Result<(), PrivateFileError> {
    Ok(())
}

fn shown(path: &Path) -> String {
    Escaped(&path.to_string_lossy()).to_string()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "sets the scene")]
    fn a_file_others_may_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        assert!(matches!(read_private(&path, 9), Err(PrivateFileError::NotFound(_))));
        std::fs::write(&path, "123456789").unwrap();
        for (mode, fine) in [(0o600, true), (0o400, true), (0o640, false), (0o602, false)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(read_private(&path, 9).is_ok(), fine, "{mode:o}");
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert!(matches!(read_private(&path, 8), Err(PrivateFileError::Unfit { .. })));
        assert!(matches!(read_private(folder.path(), 9), Err(PrivateFileError::Unfit { .. })));
    }
}
