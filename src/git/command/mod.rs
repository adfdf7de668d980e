//! The git program, for the network alone: [`Git::fetch`], [`Git::push`], [`Git::ls_remote`].
//! Border: the only place that starts a program. Hermetic (`hermetic.rs`), bounded in time and output
//! (`process.rs`), and every answer is classified (`answer.rs`) before anyone sees it.

mod answer;
mod error;
mod hermetic;
mod interrupt;
mod process;
mod progress;
mod scratch;
mod requests;
mod version;

pub use error::{Credential, GitCommandError};
pub use progress::Progress;
pub use requests::{Fetch, Push, PushOutcome, RemoteRefs, branch_ref};
pub use version::{GIT_VERSION_MIN, GitVersion};

use std::ffi::OsString;
use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::system::env::Environment;

/// How long one request may take before the program is ended. A memory repository is small; what
/// takes longer hangs on a dead connection or on a prompt nobody sees.
pub const TIMEOUT: Duration = Duration::from_secs(120);

/// Called with each step of a transfer.
pub type OnProgress<'a> = dyn FnMut(Progress) + 'a;

/// Called with each step of every transfer that is given no callback of its own.
type Watch = Arc<dyn Fn(Progress) + Send + Sync>;

/// The git program as memsync calls it.
///
/// Each request has an async form and a blocking one. The blocking forms must not be called from
/// inside an async runtime. Ctrl-C and SIGTERM end a running request with
/// [`GitCommandError::Cancelled`]; between requests they keep their default meaning.
#[derive(Clone)]
pub struct Git {
    program: OsString,
    environment: Vec<(OsString, OsString)>,
    timeout: Duration,
    watch: Option<Watch>,
}

impl std::fmt::Debug for Git {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Git").field("program", &self.program).finish_non_exhaustive()
    }
}

impl Git {
    /// The `git` in `PATH`, with what is safe of an environment.
    pub fn new(environment: &Environment) -> Self {
        let program = hermetic::find_git(environment).unwrap_or_else(|| "git".into());
        let environment = hermetic::environment(environment);
        Self { program, environment, timeout: TIMEOUT, watch: None }
    }

    /// Another time limit for each request.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Another program in place of `git`.
    #[must_use]
    pub fn program(self, program: impl Into<OsString>) -> Self {
        Self { program: program.into(), ..self }
    }

    /// Tells someone about every blocking transfer, so that flows need not hand a callback through.
    #[must_use]
    pub fn watched(self, watch: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self { watch: Some(Arc::new(watch)), ..self }
    }

    /// Brings refs and their objects into a repository; refs of the same names elsewhere stay.
    pub fn fetch(
        &self,
        fetch: &Fetch<'_>,
        progress: Option<&mut OnProgress<'_>>,
    ) -> Result<(), GitCommandError> {
        match (progress, &self.watch) {
            (None, Some(watch)) => {
                let mut tell = |step| watch(step);
                block_on(self.fetch_async(fetch, Some(&mut tell)))
            }
            (progress, _) => block_on(self.fetch_async(fetch, progress)),
        }
    }

    /// Moves one ref of the remote from an expected value to a new one.
    pub fn push(
        &self,
        push: &Push<'_>,
        progress: Option<&mut OnProgress<'_>>,
    ) -> Result<PushOutcome, GitCommandError> {
        match (progress, &self.watch) {
            (None, Some(watch)) => {
                let mut tell = |step| watch(step);
                block_on(self.push_async(push, Some(&mut tell)))
            }
            (progress, _) => block_on(self.push_async(push, progress)),
        }
    }

    /// Lists the branches of a remote; needs no repository here.
    pub fn ls_remote(&self, url: &super::url::RemoteUrl) -> Result<RemoteRefs, GitCommandError> {
        block_on(self.ls_remote_async(url))
    }

    /// Lists the refs of a remote below a prefix such as `refs/memsync/requests`.
    pub fn list_below(
        &self,
        url: &super::url::RemoteUrl,
        prefix: &str,
    ) -> Result<Vec<(String, crate::base::id::ObjectId)>, GitCommandError> {
        block_on(self.list_below_async(url, prefix))
    }

    /// The version of the git program.
    pub fn version(&self) -> Result<GitVersion, GitCommandError> {
        block_on(self.version_async())
    }
}

/// Drives a future on the one runtime of the blocking forms.
fn block_on<T>(
    future: impl Future<Output = Result<T, GitCommandError>>,
) -> Result<T, GitCommandError> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    let runtime = match RUNTIME.get() {
        Some(runtime) => runtime,
        None => {
            let made = Builder::new_current_thread().enable_all().build();
            let made = made.map_err(|source| GitCommandError::Start { source })?;
            RUNTIME.get_or_init(|| made)
        }
    };
    runtime.block_on(future)
}
