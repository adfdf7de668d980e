//! Why a door cannot be put in, taken out or used.
//! Border: the errors; what to do about each is `report::advice`.

use std::io;
use std::path::PathBuf;

use super::settings::json_text::JsonError;
use crate::base::display::Escaped;
use crate::folder::index::IndexError;
use crate::sync::error::SyncError;
use crate::system::files::FileError;
use crate::system::lock::LockError;

/// Why a door cannot be put in, taken out or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// A settings file is no JSON that can be changed without loss.
    #[error("`{}` is left as it is: {why}", Escaped(&path.to_string_lossy()))]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is in the way.
        why: JsonError,
    },
    /// A settings file is no text.
    #[error("`{}` is left as it is: it is not UTF-8", Escaped(&path.to_string_lossy()))]
    NotUtf8 {
        /// The file.
        path: PathBuf,
    },
    /// A settings file changes each time it is looked at.
    #[error("`{}` is being written by another program", Escaped(&path.to_string_lossy()))]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// There is no home folder to put anything below.
    #[error("there is no home folder: `HOME` is not set to an absolute path")]
    NoHome,
    /// A client has no settings of this scope.
    #[error("{client} has no hooks for {scope}")]
    NoScope {
        /// The client.
        client: &'static str,
        /// The scope.
        scope: &'static str,
    },
    /// The file system.
    #[error(transparent)]
    File(#[from] FileError),
    /// The index of the private layer.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// Another process holds a lock too long.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The team memory.
    #[error(transparent)]
    Sync(#[from] SyncError),
    /// No process can be started or ended.
    #[error("the background process cannot be {what}")]
    Process {
        /// `started` or `ended`.
        what: &'static str,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}
