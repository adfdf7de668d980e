//! Git hooks that check what plain git commits, pushes and receives.
//! Border: the gate decides; here is how hooks and the merge driver get into a repository
//! ([`install`], [`install_merge_driver`]), and what is new for the gate to judge when git starts a hook ([`run`]).

pub mod merge_driver;
pub mod install_merge_driver;
pub(crate) mod allow_lists;
pub(crate) mod hub;
pub(crate) mod code_repository;
pub mod pin;
pub mod script;
pub mod install;
pub(crate) mod trust;
pub mod run;
pub(crate) mod receive;
pub(crate) mod team_files;

use std::path::PathBuf;

use crate::config::policy::PolicyError;
use crate::git::GitError;
use crate::system::files::FileError;

/// Why hooks could not be installed, removed or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HooksError {
    /// There is no repository, or it cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A hook file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The team's policy cannot be read, so nothing can be judged.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// Rules or lists of the repository cannot be used, so nothing can be judged.
    #[error(transparent)]
    Setup(#[from] crate::scan::setup_error::SetupError),
    /// The clock cannot be read, so nobody knows which accepted findings have expired.
    #[error(transparent)]
    Clock(#[from] crate::system::clock::ClockError),
    /// What the server was told about its team memory cannot be read.
    #[error(transparent)]
    State(#[from] crate::store::state::StateError),
    /// The history could not be judged.
    #[error(transparent)]
    Trust(Box<crate::sync::error::SyncError>),
    /// Git gave a hook something else than its manual says.
    #[error("git gave the hook a line that is not understood: `{line}`")]
    Input {
        /// The line, escaped.
        line: String,
    },
    /// `core.hooksPath` is set.
    #[error("git looks for hooks in `{}`, because `core.hooksPath` is set", path.display())]
    ForeignFolder {
        /// That folder.
        path: PathBuf,
        /// Whether it is inside the repository.
        is_inside: bool,
    },
    /// A hook exists that git does not run; a block in it would start it.
    #[error("the hook `{}` is there but not executable, so git does not run it", path.display())]
    NotExecutable {
        /// The hook file.
        path: PathBuf,
    },
    /// The existing hook is in another language.
    #[error("the hook `{}` is not a shell script, so memsync cannot be put into it", path.display())]
    NotAShellScript {
        /// The hook file.
        path: PathBuf,
        /// Its name.
        hook: &'static str,
    },
    /// The block has lost its end.
    #[error("the block of memsync in `{}` is damaged", path.display())]
    BrokenBlock {
        /// The hook file.
        path: PathBuf,
    },
}
