//! Reads git's answers: porcelain status first, the text of its messages second.
//! Border: pure; bytes in, outcome or error out. What a server says (`remote: …`) is shown but never
//! decides which error it is.

use super::process::{Ran, Stopped};
use super::{Credential, Git, GitCommandError, PushOutcome, RemoteRefs};
use crate::base::id::ObjectId;
use crate::git::redact::foreign;
use crate::git::url::{RemoteUrl, Transport};

/// What a message of git, ssh or curl means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Protocol,
    ForeignOwner,
    MissingRef,
    HostileObjects,
    DiskFull,
    HostKey,
    Certificate,
    Authentication,
    Refused,
    WebPage,
    NotARepository,
    Unreachable,
}

/// Phrases in lower case, and what they mean. The first that occurs decides, so the specific ones
/// stand before the general ones.
const PHRASES: &[(&str, Meaning)] = &[
    ("' not allowed", Meaning::Protocol),
    ("dubious ownership", Meaning::ForeignOwner),
    ("couldn't find remote ref", Meaning::MissingRef),
    ("fsck error", Meaning::HostileObjects),
    ("no space left on device", Meaning::DiskFull),
    ("disk quota exceeded", Meaning::DiskFull),
    ("host key verification failed", Meaning::HostKey),
    ("certificate", Meaning::Certificate),
    ("permission denied (", Meaning::Authentication),
    ("could not read username", Meaning::Authentication),
    ("could not read password", Meaning::Authentication),
    ("authentication failed", Meaning::Authentication),
    ("too many authentication failures", Meaning::Authentication),
    ("returned error: 401", Meaning::Authentication),
    ("returned error: 403", Meaning::Refused),
    ("returned error: 407", Meaning::Refused),
    ("returned error: 413", Meaning::Refused),
    ("error: permission to", Meaning::Refused),
    ("marked as read only", Meaning::Refused),
    ("write access", Meaning::Refused),
    ("access denied", Meaning::Refused),
    ("not allowed to push", Meaning::Refused),
    ("service not enabled", Meaning::Refused),
    ("repository not exported", Meaning::Refused),
    ("does not appear to be a git repository", Meaning::NotARepository),
    ("not a git repository", Meaning::NotARepository),
    ("is this a git repository", Meaning::WebPage),
    ("unable to update url base from redirection", Meaning::WebPage),
    ("http-push", Meaning::WebPage),
    ("repository not found", Meaning::NotARepository),
    ("' not found", Meaning::NotARepository),
    ("could not be found", Meaning::NotARepository),
    ("returned error: 404", Meaning::NotARepository),
    ("permission denied", Meaning::Refused),
    ("could not resolve", Meaning::Unreachable),
    ("connect", Meaning::Unreachable),
    ("unable to look up", Meaning::Unreachable),
    ("timed out", Meaning::Unreachable),
    ("network is unreachable", Meaning::Unreachable),
    ("no route to host", Meaning::Unreachable),
    ("hung up unexpectedly", Meaning::Unreachable),
    ("early eof", Meaning::Unreachable),
    ("unexpected eof", Meaning::Unreachable),
    ("empty reply", Meaning::Unreachable),
    ("rpc failed", Meaning::Unreachable),
    ("broken pipe", Meaning::Unreachable),
    ("unable to access", Meaning::Unreachable),
    ("could not read from remote repository", Meaning::Unreachable),
];

/// Reasons in a push status line that mean someone else moved the ref.
const LOST_RACE: &[&str] = &[
    "stale info",
    "fetch first",
    "non-fast-forward",
    "already exists",
    "failed to update ref",
    "cannot lock ref",
    "incorrect old value",
];

/// Reasons in a push status line that mean that the server's own rules keep the ref as it is: hooks
/// (git, GitLab, Gitea, Bitbucket), protected branches and rulesets (GitHub), policies (Azure).
const DECLINED: &[&str] = &["declined", "protected branch", "pull request"];

/// Lines of git that say nothing about the cause.
const BOILERPLATE: &[&str] = &[
    "Please make sure you have the correct access rights",
    "and the repository exists.",
    "error: failed to push some refs to",
    "error: unable to read askpass response",
];

/// What git says, beside its boilerplate, when a server ends an ssh session early.
const HUNG_UP: &str = "fatal: could not read from remote repository.\n\nplease make sure you have the \
                       correct access rights\nand the repository exists.";

/// The error behind a failed fetch or listing.
pub(super) fn failure(url: &RemoteUrl, stderr: &[u8]) -> GitCommandError {
    let own = own_words(stderr).to_lowercase();
    let meaning = PHRASES.iter().find(|(phrase, _)| own.contains(phrase)).map(|(_, m)| *m);
    // A server that has something to say was reached; `ssh` only tells that it then hung up.
    let is_reached =
        String::from_utf8_lossy(stderr).lines().any(|line| line.starts_with("remote: "));
    let meaning = match meaning {
        Some(Meaning::Unreachable) if is_reached && own.trim() == HUNG_UP => Some(Meaning::Refused),
        meaning => meaning,
    };
    let (remote, message) = (url.to_string(), message(stderr));
    match meaning {
        Some(Meaning::Protocol) => GitCommandError::Protocol { remote, message },
        Some(Meaning::ForeignOwner) => GitCommandError::ForeignOwner { remote },
        Some(Meaning::MissingRef) => {
            GitCommandError::MissingRef { remote, name: missing_ref(stderr) }
        }
        Some(Meaning::HostileObjects) => GitCommandError::HostileObjects { remote, message },
        Some(Meaning::DiskFull) => GitCommandError::DiskFull { remote, message },
        Some(Meaning::HostKey) => GitCommandError::HostKey { remote, message },
        Some(Meaning::Certificate) => GitCommandError::Certificate { remote, message },
        Some(Meaning::Authentication) => {
            let credential = match url.transport() {
                Transport::Ssh => Credential::SshKey,
                _ => Credential::Password,
            };
            GitCommandError::Authentication { remote, credential, message }
        }
        Some(Meaning::Refused) => GitCommandError::Refused { remote, message },
        Some(Meaning::WebPage) => GitCommandError::WebPage { remote },
        Some(Meaning::NotARepository) => GitCommandError::NotARepository { remote, message },
        Some(Meaning::Unreachable) => GitCommandError::Unreachable { remote, message },
        None => GitCommandError::Other { remote, message },
    }
}

/// The outcome of `push --porcelain`: one line `flag TAB from:to TAB summary (reason)` per ref.
pub(super) fn pushed(
    url: &RemoteUrl,
    name: &str,
    ran: &Ran,
) -> Result<PushOutcome, GitCommandError> {
    let stdout = String::from_utf8_lossy(&ran.stdout);
    let suffix = format!(":{name}");
    let status = stdout.lines().find_map(|line| {
        let (flag, rest) = line.split_once('\t')?;
        let (refs, summary) = rest.split_once('\t')?;
        refs.ends_with(&suffix).then_some((flag, summary))
    });
    match status {
        Some(("!", summary)) => Err(rejected(url, name, summary, &ran.stderr)),
        Some(("=", _)) if ran.status.success() => Ok(PushOutcome::UpToDate),
        Some((" " | "+" | "*", _)) if ran.status.success() => Ok(PushOutcome::Moved),
        _ => Err(failure(url, &ran.stderr)),
    }
}

/// The error behind a rejected ref.
fn rejected(url: &RemoteUrl, name: &str, summary: &str, stderr: &[u8]) -> GitCommandError {
    let remote = url.to_string();
    let text = String::from_utf8_lossy(stderr).to_lowercase();
    if text.contains("no space left on device") || text.contains("disk quota exceeded") {
        return GitCommandError::DiskFull { remote, message: message(stderr) };
    }
    let lasting = ["permission denied", "read-only file system"];
    // A reason that the server words itself must not look like a race, or it is tried for ever.
    let declined = DECLINED.iter().any(|reason| summary.contains(reason));
    let race = LOST_RACE.iter().any(|reason| summary.contains(reason));
    if race && !declined && !lasting.iter().any(|reason| text.contains(reason)) {
        return GitCommandError::LostRace { remote, name: name.to_owned() };
    }
    let said = message(stderr);
    let reason = foreign(summary.as_bytes());
    let message = if said.is_empty() { reason } else { format!("{reason}\n{said}") };
    if declined {
        return GitCommandError::Declined { remote, message };
    }
    GitCommandError::Refused { remote, message }
}

/// Reads `ls-remote --symref`.
pub(super) fn listed(stdout: &[u8]) -> RemoteRefs {
    let mut refs = RemoteRefs::default();
    for line in String::from_utf8_lossy(stdout).lines() {
        let Some((value, name)) = line.split_once('\t') else { continue };
        match value.strip_prefix("ref: ") {
            Some(target) if name == "HEAD" => refs.head = Some(target.to_owned()),
            Some(_) => {}
            None if name.starts_with("refs/heads/") => {
                refs.branches.extend(value.parse().ok().map(|id| (name.to_owned(), id)));
            }
            None => {}
        }
    }
    refs
}

/// The refs of a remote below a prefix that are no symbolic ones.
pub(super) fn listed_below(prefix: &str, stdout: &[u8]) -> Vec<(String, ObjectId)> {
    let text = String::from_utf8_lossy(stdout);
    let found = text.lines().filter_map(|line| {
        let (value, name) = line.split_once('\t')?;
        let below = name.strip_prefix(prefix)?.starts_with('/');
        below.then_some((name.to_owned(), value.parse().ok()?))
    });
    found.collect()
}

impl Git {
    /// The error for a program that did not come to its own end.
    pub(super) fn stopped(&self, stopped: Stopped, remote: &str) -> GitCommandError {
        let remote = remote.to_owned();
        match stopped {
            Stopped::Start(source) if source.kind() == std::io::ErrorKind::NotFound => {
                GitCommandError::Missing { source }
            }
            Stopped::Start(source) => GitCommandError::Start { source },
            Stopped::Output(source) => GitCommandError::Output { remote, source },
            Stopped::TooMuchOutput => GitCommandError::TooMuchOutput { remote },
            Stopped::TimedOut => GitCommandError::TimedOut { remote, limit: self.timeout },
            Stopped::Cancelled => GitCommandError::Cancelled { remote },
        }
    }
}

/// The lines that come from git, ssh or curl on this machine.
fn own_words(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr).replace('\r', "\n");
    let own = text.lines().filter(|line| !line.starts_with("remote:"));
    own.collect::<Vec<_>>().join("\n")
}

/// What is shown: without boilerplate and progress, redacted and escaped.
fn message(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr).replace('\r', "\n");
    let telling = |line: &&str| {
        let line = line.trim();
        !line.is_empty()
            && line != "remote:"
            && !BOILERPLATE.iter().any(|words| line.starts_with(words))
    };
    let progress = |line: &&str| !(line.contains("% (") || line.starts_with("remote: Enumerating"));
    let lines: Vec<&str> =
        text.lines().filter(telling).filter(progress).map(str::trim_end).collect();
    foreign(lines.join("\n").as_bytes())
}

/// The ref named in `fatal: couldn't find remote ref NAME`.
fn missing_ref(stderr: &[u8]) -> String {
    let text = own_words(stderr);
    let name = text.split("remote ref ").nth(1).and_then(|rest| rest.lines().next());
    foreign(name.unwrap_or_default().as_bytes())
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
