//! The blocking forms of what is asked of a remote, for flows without an async runtime.
//! Border: drives `requests` on one runtime; decides nothing.

use std::future::Future;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};

use super::error::GitCommandError;
use super::program::{Git, OnProgress};
use super::requests::{Fetch, Push, PushOutcome, RemoteRefs};
use super::version::GitVersion;
use crate::base::id::ObjectId;
use crate::git::repo::Repo;
use crate::git::url::RemoteUrl;

impl Git {
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
    pub fn ls_remote(&self, url: &RemoteUrl) -> Result<RemoteRefs, GitCommandError> {
        block_on(self.ls_remote_async(url))
    }

    /// Deletes refs of a remote. One that meanwhile points elsewhere stays, and is an error.
    pub fn delete(
        &self,
        repo: &Repo,
        url: &RemoteUrl,
        refs: &[(String, ObjectId)],
    ) -> Result<(), GitCommandError> {
        block_on(self.delete_async(repo, url, refs))
    }

    /// Lists the refs of a remote below a prefix such as `refs/memsync/requests`.
    pub fn list_below(
        &self,
        url: &RemoteUrl,
        prefix: &str,
    ) -> Result<Vec<(String, ObjectId)>, GitCommandError> {
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
