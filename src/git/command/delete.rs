//! Takes refs away on a remote, each only while it still is what was seen.
//! Border: as `requests.rs`, which builds the other requests.

use super::answer;
use super::error::GitCommandError;
use super::program::Git;
use super::requests::{ref_name, resolved};
use super::scratch::Scratch;
use crate::base::id::ObjectId;
use crate::git::repo::Repo;
use crate::git::url::RemoteUrl;

impl Git {
    /// The async form of [`Git::delete`].
    pub async fn delete_async(
        &self,
        repo: &Repo,
        url: &RemoteUrl,
        refs: &[(String, ObjectId)],
    ) -> Result<(), GitCommandError> {
        let scratch = Scratch::create(repo, url, &self.temp())?;
        let mut command = self.command(Some((&scratch, repo)), Some(url));
        command.args(["push", "--porcelain", "--no-verify", "--no-progress", "--no-signed"]);
        for (name, expected) in refs {
            command.arg(format!("--force-with-lease={}:{expected}", ref_name(name)?));
        }
        command.arg("--").arg(resolved(url)?);
        for (name, _) in refs {
            command.arg(format!(":{}", ref_name(name)?));
        }
        let ran = self.ask(command, url, None).await?;
        if ran.status.success() {
            return Ok(());
        }
        let stdout = String::from_utf8_lossy(&ran.stdout);
        if let Some((name, _)) = refs.iter().find(|_| stdout.contains("(stale info)")) {
            return Err(GitCommandError::LostRace { remote: url.to_string(), name: name.clone() });
        }
        Err(answer::failure(url, &ran.stderr))
    }
}
