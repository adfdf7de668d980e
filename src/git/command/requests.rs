//! The three things memsync asks of a remote, as git command lines.
//! Border: builds and checks the arguments; `answer.rs` reads what comes back.
//! Every address and ref stands behind `--`, and none can start with a dash.

use tokio::process::Command;

use super::answer;
use super::error::GitCommandError;
use super::process::{Ran, run};
use super::program::{Git, OnProgress};
use super::scratch::Scratch;
use super::version::{GIT_VERSION_MIN, GitVersion};
use crate::base::id::ObjectId;
use crate::git::repo::Repo;
use crate::git::url::{RemoteUrl, Transport, UrlProblem, UrlRule};
use crate::git::write::Expected;

/// What to bring in.
#[derive(Clone, Copy, Debug)]
pub struct Fetch<'a> {
    /// The repository here.
    pub repo: &'a Repo,
    /// The repository there, resolved.
    pub url: &'a RemoteUrl,
    /// Full ref names there and here. The ones here are set, also backwards: use names nobody
    /// else reads, verify, and only then move the real ref.
    pub refs: &'a [(&'a str, &'a str)],
}

/// What to send.
#[derive(Clone, Copy, Debug)]
pub struct Push<'a> {
    /// The repository here.
    pub repo: &'a Repo,
    /// The repository there, resolved.
    pub url: &'a RemoteUrl,
    /// The new value. The caller has checked that `expected` is an ancestor of it: git does not
    /// check again when the expected value matches.
    pub new: ObjectId,
    /// The full ref name there.
    pub name: &'a str,
    /// The value the ref must have there; `None` when it must not exist.
    pub expected: Option<ObjectId>,
}

/// What a push did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushOutcome {
    /// The ref has moved.
    Moved,
    /// It was there already.
    UpToDate,
}

/// The branches of a remote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteRefs {
    /// The branch HEAD names there, `refs/heads/…`; `None` when it names none that exists.
    pub head: Option<String>,
    /// Full names and values, as the remote lists them.
    pub branches: Vec<(String, ObjectId)>,
}

impl Git {
    /// The async form of [`Git::fetch`].
    pub async fn fetch_async(
        &self,
        fetch: &Fetch<'_>,
        progress: Option<&mut OnProgress<'_>>,
    ) -> Result<(), GitCommandError> {
        let scratch = Scratch::create(fetch.repo, fetch.url, &self.temp())?;
        let mut command = self.command(Some((&scratch, fetch.repo)), Some(fetch.url));
        command.args(["fetch", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"]);
        command.args(["--no-recurse-submodules", "--no-show-forced-updates"]);
        command.arg(if progress.is_some() { "--progress" } else { "--quiet" });
        command.arg("--").arg(resolved(fetch.url)?);
        for (there, here) in fetch.refs {
            command.arg(format!("+{}:{}", ref_name(there)?, ref_name(here)?));
        }
        let ran = self.ask(command, fetch.url, progress).await?;
        if ran.status.success() {
            return take_refs(fetch, &scratch);
        }
        let error = answer::failure(fetch.url, &ran.stderr);
        if matches!(error, GitCommandError::MissingRef { .. }) {
            self.refuse_web_page(fetch.url).await?;
        }
        Err(self.explained(error).await)
    }

    /// The async form of [`Git::push`].
    pub async fn push_async(
        &self,
        push: &Push<'_>,
        progress: Option<&mut OnProgress<'_>>,
    ) -> Result<PushOutcome, GitCommandError> {
        let name = ref_name(push.name)?;
        let expected = push.expected.map(|id| id.to_string()).unwrap_or_default();
        let scratch = Scratch::create(push.repo, push.url, &self.temp())?;
        let mut command = self.command(Some((&scratch, push.repo)), Some(push.url));
        command.args(["push", "--porcelain", "--no-verify", "--no-follow-tags"]);
        command.args(["--no-recurse-submodules", "--no-signed"]);
        command.arg(if progress.is_some() { "--progress" } else { "--no-progress" });
        command.arg(format!("--force-with-lease={name}:{expected}"));
        command.arg("--").arg(resolved(push.url)?).arg(format!("{}:{name}", push.new));
        let ran = self.ask(command, push.url, progress).await?;
        match answer::pushed(push.url, name, &ran) {
            Ok(outcome) => Ok(outcome),
            Err(error) => Err(self.explained(error).await),
        }
    }

    /// The async form of [`Git::ls_remote`].
    pub async fn ls_remote_async(&self, url: &RemoteUrl) -> Result<RemoteRefs, GitCommandError> {
        let mut command = self.command(None, Some(url));
        command.args(["ls-remote", "--quiet", "--symref", "--"]).arg(resolved(url)?);
        command.args(["HEAD", "refs/heads/*"]);
        let ran = self.ask(command, url, None).await?;
        if ran.status.success() {
            let listed = answer::listed(&ran.stdout);
            if listed.branches.is_empty() {
                self.refuse_web_page(url).await?;
            }
            return Ok(listed);
        }
        Err(self.explained(answer::failure(url, &ran.stderr)).await)
    }

    /// The async form of [`Git::list_below`].
    pub async fn list_below_async(
        &self,
        url: &RemoteUrl,
        prefix: &str,
    ) -> Result<Vec<(String, ObjectId)>, GitCommandError> {
        let mut command = self.command(None, Some(url));
        command.args(["ls-remote", "--quiet", "--"]).arg(resolved(url)?);
        command.arg(format!("{}/*", ref_name(prefix)?));
        let ran = self.ask(command, url, None).await?;
        if ran.status.success() {
            return Ok(answer::listed_below(prefix, &ran.stdout));
        }
        Err(self.explained(answer::failure(url, &ran.stderr)).await)
    }

    /// Git takes any page without a line end for a repository without branches. A git server answers
    /// in packets, so where nothing is listed over HTTP they are looked for.
    async fn refuse_web_page(&self, url: &RemoteUrl) -> Result<(), GitCommandError> {
        if !matches!(url.transport(), Transport::Https | Transport::LoopbackHttp) {
            return Ok(());
        }
        let mut command = self.command(None, Some(url));
        command.env("GIT_TRACE_PACKET", "1");
        command.args(["ls-remote", "--quiet", "--"]).arg(resolved(url)?).arg("HEAD");
        let ran = self.ask(command, url, None).await?;
        match String::from_utf8_lossy(&ran.stderr).contains("packet:") || !ran.status.success() {
            true => Ok(()),
            false => Err(GitCommandError::WebPage { remote: url.to_string() }),
        }
    }

    pub(super) async fn ask(
        &self,
        command: Command,
        url: &RemoteUrl,
        progress: Option<&mut OnProgress<'_>>,
    ) -> Result<Ran, GitCommandError> {
        let ran = run(command, self.timeout, progress).await;
        ran.map_err(|stopped| self.stopped(stopped, url.as_str()))
    }

    /// The async form of [`Git::version`]; asked only after a request failed for no known reason: starting git
    /// costs 2 ms.
    pub async fn version_async(&self) -> Result<GitVersion, GitCommandError> {
        let mut command = self.command(None, None);
        command.arg("--version");
        let ran = run(command, self.timeout, None).await;
        let ran = ran.map_err(|stopped| self.stopped(stopped, "git --version"))?;
        let text = String::from_utf8_lossy(&ran.stdout);
        GitVersion::parse(&text).ok_or_else(|| GitCommandError::Other {
            remote: "git --version".to_owned(),
            message: crate::git::redact::foreign(&ran.stdout),
        })
    }

    /// An error without a known reason may be one of an old git that lacks an option.
    async fn explained(&self, error: GitCommandError) -> GitCommandError {
        if !matches!(error, GitCommandError::Other { .. }) {
            return error;
        }
        match self.version_async().await {
            Ok(found) if found < GIT_VERSION_MIN => GitCommandError::TooOld { found },
            _ => error,
        }
    }
}

/// Sets the refs here to what came in.
fn take_refs(fetch: &Fetch<'_>, scratch: &Scratch) -> Result<(), GitCommandError> {
    for (there, here) in fetch.refs {
        let id = scratch.value(here).ok_or_else(|| GitCommandError::MissingRef {
            remote: fetch.url.to_string(),
            name: (*there).to_owned(),
        })?;
        let moved = fetch.repo.update_ref(here, id, Expected::Any, "memsync: fetched");
        moved.map_err(|source| GitCommandError::Local { source: Box::new(source) })?;
    }
    Ok(())
}

/// The address, which must not depend on the folder git runs in.
pub(super) fn resolved(url: &RemoteUrl) -> Result<&str, UrlProblem> {
    match url.is_relative() {
        true => Err(UrlProblem { rule: UrlRule::Path, shown: url.to_string() }),
        false => Ok(url.as_str()),
    }
}

/// The full ref name of a branch, as a person names it.
pub fn branch_ref(branch: &str) -> Result<String, GitCommandError> {
    let full = format!("refs/heads/{branch}");
    // Git's own rules for branches; a full name here would become a branch called `refs/heads/…`.
    let odd = branch.starts_with(['-', '/']) || branch == "HEAD" || branch.starts_with("refs/");
    match ref_name(&full) {
        Ok(_) if !odd => Ok(full),
        _ => Err(GitCommandError::BranchName { name: branch.to_owned() }),
    }
}

/// A full ref name without wildcard.
pub(super) fn ref_name(name: &str) -> Result<&str, GitCommandError> {
    let valid = gix::validate::reference::name(name.into()).is_ok();
    match valid && name.starts_with("refs/") {
        true => Ok(name),
        false => Err(GitCommandError::RefName { name: name.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_ref_names_reach_git() {
        for bad in [
            "main",
            "HEAD",
            "-x",
            "refs/heads/a b",
            "refs/heads/*",
            "refs/heads/a:b",
            "refs/heads/../x",
            "refs/heads/x.lock",
            "+refs/heads/x",
            "^refs/heads/x",
            "refs/heads/\n",
            "",
        ] {
            assert!(ref_name(bad).is_err(), "{bad}");
        }
        assert!(ref_name("refs/heads/main").is_ok());
    }
}
