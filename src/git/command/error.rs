//! What can go wrong between the git program and a remote.
//! Border: types and texts; which error it is, `answer.rs` decides. Every `message` is redacted,
//! escaped and bounded.

use std::io;
use std::time::Duration;

use super::version::{GIT_VERSION_MIN, GitVersion};
use crate::base::display::Escaped;
use crate::git::url::UrlProblem;

/// Why a request to a remote failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitCommandError {
    /// There is no git program.
    #[error("the git program was not found")]
    Missing {
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The git program is older than [`GIT_VERSION_MIN`].
    #[error("git {found} is too old: memsync needs {GIT_VERSION_MIN} or later")]
    TooOld {
        /// What is there.
        found: GitVersion,
    },
    /// The git program could not be started.
    #[error("cannot start the git program")]
    Start {
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// No git dir for the transfer could be made.
    #[error("cannot make a folder for the transfer in `{}`", path.display())]
    Scratch {
        /// The folder for temporary files.
        path: std::path::PathBuf,
        /// The cause.
        #[source]
        source: crate::system::files::FileError,
    },
    /// What came in could not be noted here.
    #[error("cannot note what came in")]
    Local {
        /// The cause.
        #[source]
        source: Box<crate::git::GitError>,
    },
    /// The output of the git program could not be read.
    #[error("cannot read what git says about `{remote}`")]
    Output {
        /// The remote.
        remote: String,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The address is relative and was not resolved, or is none.
    #[error(transparent)]
    Url(#[from] UrlProblem),
    /// A ref name that is not one.
    #[error("`{}` is not a full ref name", Escaped(name))]
    RefName {
        /// The name.
        name: String,
    },
    /// A name that no branch can have.
    #[error("`{}` is not a name that a branch can have", Escaped(name))]
    BranchName {
        /// The name.
        name: String,
    },
    /// Nobody answers, or the connection broke.
    #[error("cannot reach `{remote}`: {message}")]
    Unreachable {
        /// The remote.
        remote: String,
        /// What git says.
        message: String,
    },
    /// The certificate of a web server is not trusted.
    #[error("the certificate of `{remote}` is not trusted: {message}")]
    Certificate {
        /// The remote.
        remote: String,
        /// What git says.
        message: String,
    },
    /// The host key of an ssh server is unknown or changed.
    #[error("the ssh host key of `{remote}` is unknown or has changed: {message}")]
    HostKey {
        /// The remote.
        remote: String,
        /// What ssh says.
        message: String,
    },
    /// The remote wants to know who asks.
    #[error("`{remote}` did not accept who asks: {credential} is missing or wrong: {message}")]
    Authentication {
        /// The remote.
        remote: String,
        /// Which credential is missing.
        credential: Credential,
        /// What git says.
        message: String,
    },
    /// The remote knows who asks, and says no: 403, read-only.
    #[error("`{remote}` refused: {message}")]
    Refused {
        /// The remote.
        remote: String,
        /// What the server says.
        message: String,
    },
    /// The server's own rules keep the ref as it is: a protected branch, a hook.
    #[error("`{remote}` refused: {message}")]
    Declined {
        /// The remote.
        remote: String,
        /// What the server says.
        message: String,
    },
    /// Someone else was faster: the ref is not at the expected value.
    #[error("`{name}` at `{remote}` has changed in the meantime")]
    LostRace {
        /// The remote.
        remote: String,
        /// The ref.
        name: String,
    },
    /// The remote has no such ref; a new repository has none.
    #[error("`{remote}` has no ref `{name}`")]
    MissingRef {
        /// The remote.
        remote: String,
        /// The ref.
        name: String,
    },
    /// There is no repository at the address, or none that one may see.
    #[error("`{remote}` is not a git repository{}", reply(message))]
    NotARepository {
        /// The remote.
        remote: String,
        /// What git says.
        message: String,
    },
    /// What answers is no git server: a sign-in page, the page of a project, a proxy.
    #[error("`{remote}` answers with a web page, not as a git server")]
    WebPage {
        /// The remote.
        remote: String,
    },
    /// A local repository belongs to another user.
    #[error("the repository `{remote}` belongs to another user of this machine")]
    ForeignOwner {
        /// The remote.
        remote: String,
    },
    /// The person's git configuration rewrites the address to a forbidden transport.
    #[error("git may not use the transport that `{remote}` leads to: {message}")]
    Protocol {
        /// The remote.
        remote: String,
        /// What git says.
        message: String,
    },
    /// What came in is no sound git data: hostile names, broken objects.
    #[error("`{remote}` sent objects that git's own check refuses: {message}")]
    HostileObjects {
        /// The remote.
        remote: String,
        /// What git says.
        message: String,
    },
    /// No room, here or there.
    #[error("no space left while talking to `{remote}`: {message}")]
    DiskFull {
        /// The remote.
        remote: String,
        /// What git says.
        message: String,
    },
    /// The time limit passed.
    #[error("`{remote}` did not answer within {} seconds", limit.as_secs_f32())]
    TimedOut {
        /// The remote.
        remote: String,
        /// The limit.
        limit: Duration,
    },
    /// Ctrl-C or SIGTERM.
    #[error("cancelled while talking to `{remote}`")]
    Cancelled {
        /// The remote.
        remote: String,
    },
    /// The remote sent more than any sane remote.
    #[error("`{remote}` sent more than memsync reads")]
    TooMuchOutput {
        /// The remote.
        remote: String,
    },
    /// None of the known reasons.
    #[error("git failed for `{remote}`: {message}")]
    Other {
        /// The remote.
        remote: String,
        /// What git says.
        message: String,
    },
}

/// Which credential a remote asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Credential {
    /// A key that the ssh server knows.
    #[error("an ssh key")]
    SshKey,
    /// A user name with password or token.
    #[error("a user name with password or token")]
    Password,
}

/// What a server said beyond what the error says itself: its first line.
fn reply(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let line = ["fatal: ", "ERROR: ", "remote: "]
        .iter()
        .fold(line, |line, sign| line.strip_prefix(sign).unwrap_or(line));
    match line.is_empty() || line.contains("does not appear to be a git repository") {
        true => String::new(),
        false => format!(": {line}"),
    }
}
