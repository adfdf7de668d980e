//! [`RemoteUrl`], an address that is safe to hand to the git program.
//! Border: text only; whether anything answers there is `git::command`'s business. An allowlist, and
//! stricter than git: what git would read in two ways is refused. Cases are in `url/tests.rs`.

mod parse;
#[cfg(test)]
mod tests;

use std::fmt::{self, Debug, Display};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::display::Escaped;

/// Longest address accepted, in bytes: what every web server takes.
pub const URL_BYTES_MAX: usize = 2_048;

/// How much of a refused address is shown, in characters.
const SHOWN_CHARS_MAX: usize = 120;

/// Where a team repository lives: `https`, `ssh`, `git`, `file` or a local path, and nothing else.
///
/// Holds no password and no character that a terminal, a shell or git could misread.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RemoteUrl {
    text: String,
    transport: Transport,
    user: Option<String>,
    host: Option<String>,
    path: String,
}

/// What git speaks to the remote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Smart HTTP over TLS.
    Https,
    /// Smart HTTP without TLS; only to a loopback host, for tests and local servers.
    LoopbackHttp,
    /// SSH, as `ssh://host/path` or `host:path`.
    Ssh,
    /// The unauthenticated git daemon; integrity comes from the signatures on the commits.
    Git,
    /// `file:///path`.
    File,
    /// A local path, absolute or relative.
    Path,
}

/// Why an address is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("remote address `{shown}` is not allowed: {rule}")]
#[non_exhaustive]
pub struct UrlProblem {
    /// The rule that refused it.
    pub rule: UrlRule,
    /// The address, redacted, escaped and shortened.
    pub shown: String,
}

/// The rules of [`RemoteUrl::parse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlRule {
    /// Nothing but white space.
    #[error("it is empty")]
    Empty,
    /// Over [`URL_BYTES_MAX`].
    #[error("it is longer than {URL_BYTES_MAX} bytes")]
    TooLong,
    /// A control, invisible or bidirectional character, as it is or percent-encoded.
    #[error("it holds a control or invisible character")]
    Control,
    /// White space where git or a person would misread it.
    #[error("it holds white space")]
    Space,
    /// `ext::`, `fd::` and every other remote helper.
    #[error("remote helpers (`name::…`) can run any program")]
    Helper,
    /// A scheme outside the allowlist.
    #[error("only https, ssh, git and file addresses are allowed")]
    Scheme,
    /// `http` to another machine.
    #[error("http without TLS is allowed to this machine only")]
    PlainHttp,
    /// An option to git or ssh in disguise.
    #[error("a part of it starts with a dash, which programs read as an option")]
    LeadingDash,
    /// A password or token inside the address.
    #[error("it holds a password or token")]
    Credential,
    /// A user name outside the allowlist.
    #[error("the user name is not one")]
    User,
    /// A host outside the allowlist.
    #[error("the host name is not one")]
    Host,
    /// A port that is no number from 1 to 65535.
    #[error("the port is not a number from 1 to 65535")]
    Port,
    /// No path, or one with a query, a fragment or a backslash.
    #[error("the path of the repository is missing or malformed")]
    Path,
    /// `%` without two hexadecimal digits.
    #[error("a percent sign is not followed by two hexadecimal digits")]
    Percent,
}

impl RemoteUrl {
    /// Checks an address as a person or a configuration file gives it.
    pub fn parse(text: &str) -> Result<Self, UrlProblem> {
        parse::parse(text).map_err(|rule| UrlProblem { rule, shown: shown(text) })
    }

    /// The address as git gets it; never starts with a dash.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What git speaks to it.
    pub fn transport(&self) -> Transport {
        self.transport
    }

    /// The host, without user and port; `None` for files and paths.
    pub fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }

    /// The project this repository is, the same over every transport: `github.com/acme/widgets`.
    ///
    /// `None` for files and paths, which mean nothing on another machine.
    pub fn project(&self) -> Option<String> {
        let path = self.path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        Some(format!("{}/{path}", self.host.as_deref()?).to_lowercase())
    }

    /// The user name, still percent-encoded; never a password.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// The repository on this machine, decoded; `None` when another machine or a server is asked.
    pub fn local_path(&self) -> Option<&Path> {
        matches!(self.transport, Transport::File | Transport::Path).then(|| Path::new(&self.path))
    }

    /// Whether it is a relative path, which means nothing until [`Self::resolved`].
    pub fn is_relative(&self) -> bool {
        self.transport == Transport::Path && Path::new(&self.path).is_relative()
    }

    /// The same address with a relative path made absolute below `folder`.
    pub fn resolved(&self, folder: &Path) -> Result<Self, UrlProblem> {
        if !self.is_relative() {
            return Ok(self.clone());
        }
        let mut absolute = PathBuf::from(folder);
        for part in Path::new(&self.path).components() {
            match part {
                std::path::Component::CurDir => {}
                std::path::Component::ParentDir if absolute.pop() => {}
                part => absolute.push(part),
            }
        }
        let text = absolute.to_str().ok_or_else(|| UrlProblem {
            rule: UrlRule::Path,
            shown: shown(&absolute.to_string_lossy()),
        })?;
        Self::parse(text)
    }
}

impl Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Debug for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.text, f)
    }
}

impl std::str::FromStr for RemoteUrl {
    type Err = UrlProblem;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl TryFrom<String> for RemoteUrl {
    type Error = UrlProblem;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<RemoteUrl> for String {
    fn from(url: RemoteUrl) -> Self {
        url.text
    }
}

/// A refused address made safe to show: also `user:password@host:path`, which is no URL.
fn shown(text: &str) -> String {
    let mut redacted = super::redact::redact(text);
    let authority = redacted.split('/').next().unwrap_or_default();
    if let Some(at) = authority.rfind('@').filter(|at| authority[..*at].contains(':')) {
        redacted.replace_range(..at, "***");
    }
    let short: String = redacted.chars().take(SHOWN_CHARS_MAX).collect();
    let cut = if short.len() < redacted.len() { "…" } else { "" };
    format!("{}{cut}", Escaped(&short))
}
