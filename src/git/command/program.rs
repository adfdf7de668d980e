//! The git program as memsync calls it: which one, in what environment, how long it may take.
//! Border: a value that is made once; what is asked of it is `requests`, and `blocking` for flows.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use super::hermetic;
use super::progress::Progress;
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
/// [`super::GitCommandError::Cancelled`]; between requests they keep their default meaning.
#[derive(Clone)]
pub struct Git {
    pub(super) program: OsString,
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) timeout: Duration,
    pub(super) watch: Option<Watch>,
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
}
