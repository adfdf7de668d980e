//! What can go wrong with a file beneath a root, in the words a person needs.
//! Border: names the path and the cause; what to do about it is `report::advice`.

use std::io;
use std::path::PathBuf;

use crate::base::display::Escaped;

/// A file operation that failed. Every variant names the path it was about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Nothing is there.
    #[error("`{}` does not exist", shown(path))]
    NotFound {
        /// The path that was asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The path, or a folder on the way to it, is a symbolic link.
    #[error("`{}` is a symbolic link or lies behind one", shown(path))]
    Symlink {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// Something other than a regular file is there, for example a folder or a pipe.
    #[error("`{}` is not a regular file", shown(path))]
    NotAFile {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// Something other than a folder is where a folder is needed.
    #[error("`{}` is not a folder, or a part of it is not", shown(path))]
    NotADirectory {
        /// The path that was asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The path is absolute, empty, or has an empty, `.` or `..` component.
    #[error("`{}` does not name a file below the folder", shown(path))]
    NotBeneath {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The path leads into the git directory of the root, under whatever name.
    #[error("`{}` leads into the git directory", shown(path))]
    GitDirectory {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The file is longer than the caller accepts.
    #[error("`{}` has more than {limit} bytes", shown(path))]
    TooLarge {
        /// The path that was asked for.
        path: PathBuf,
        /// The largest size that would have been accepted, in bytes.
        limit: u64,
    },
    /// There are more files than the caller accepts.
    #[error("`{}` holds more than {limit} files", shown(path))]
    TooMany {
        /// The folder that was walked.
        path: PathBuf,
        /// The largest number that would have been accepted.
        limit: usize,
    },
    /// Folders are nested deeper than the caller accepts.
    #[error("`{}` is nested more than {limit} folders deep", shown(path))]
    TooDeep {
        /// The folder that is too deep.
        path: PathBuf,
        /// The largest depth that would have been accepted.
        limit: usize,
    },
    /// The system denies access.
    #[error("no permission for `{}`", shown(path))]
    Permission {
        /// The path that was asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file system is mounted read-only.
    #[error("`{}` is on a read-only file system", shown(path))]
    ReadOnly {
        /// The path that was asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk or the quota is full.
    #[error("no space left to write `{}`", shown(path))]
    NoSpace {
        /// The path that was asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Anything else the system says.
    #[error("cannot access `{}`", shown(path))]
    Io {
        /// The path that was asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl FileError {
    /// Sorts what the system said into a variant.
    pub(crate) fn new(path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        if super::platform::is_symlink_refusal(&source) {
            return Self::Symlink { path };
        }
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path, source },
            io::ErrorKind::NotADirectory => Self::NotADirectory { path, source },
            io::ErrorKind::IsADirectory => Self::NotAFile { path },
            io::ErrorKind::PermissionDenied => Self::Permission { path, source },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path, source },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::NoSpace { path, source }
            }
            _ => Self::Io { path, source },
        }
    }

    /// Whether this says that nothing is there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }
}

/// The path as it may be shown in a message.
fn shown(path: &std::path::Path) -> String {
    Escaped(&path.to_string_lossy()).to_string()
}
