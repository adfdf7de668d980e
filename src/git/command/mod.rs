//! The git program, for the network alone: [`Git::fetch`], [`Git::push`], [`Git::ls_remote`].
//! Border: the only place that starts a program. Hermetic (`hermetic.rs`), bounded in time and output
//! (`process.rs`), and every answer is classified (`answer.rs`) before anyone sees it.

mod version;
mod error;
mod progress;
mod interrupt;
mod hermetic;
mod program;
mod process;
mod scratch;
mod answer;
mod requests;
mod delete;
mod blocking;

pub use error::{Credential, GitCommandError};
pub use program::{Git, OnProgress, TIMEOUT};
pub use progress::Progress;
pub use requests::{Fetch, Push, PushOutcome, RemoteRefs, branch_ref};
pub use version::{GIT_VERSION_MIN, GitVersion};
