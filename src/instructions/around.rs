//! Everything beside the files that decides what a session is told: folders, settings, switches.
//! Border: values; whoever asks reads them from the machine.

use std::path::PathBuf;

use crate::instructions::exclude::Excludes;

/// Whether instructions of other agents are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Foreign {
    /// Where neither the project nor the person has written any for this client.
    #[default]
    WhereNone,
    /// Beside the client's own.
    Beside,
    /// Never.
    Never,
    /// Never, nor anything but the organisation's.
    ManagedOnly,
}

/// Everything beside the files that decides what is loaded.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The folder the client runs in, links resolved.
    pub folder: PathBuf,
    /// The client's own folder, such as `~/.claude`; `None` without a home.
    pub user: Option<PathBuf>,
    /// The home folder.
    pub home: Option<PathBuf>,
    /// The organisation's folder.
    pub managed: Option<PathBuf>,
    /// Instructions inside the organisation's settings.
    pub managed_text: Option<String>,
    /// A work tree inside the main one: the main one, and the work tree.
    pub nested: Option<(PathBuf, PathBuf)>,
    /// What settings leave out.
    pub excludes: Excludes,
    /// Whether the person approved imports from outside the project.
    pub may_reach_outside: bool,
    /// Whether instructions of other agents are read.
    pub foreign: Foreign,
    /// The index of the private memory.
    pub memory: Option<PathBuf>,
    /// Why the memory is not loaded.
    pub memory_off: Option<String>,
    /// Why nothing at all is loaded.
    pub off: Option<String>,
}
