//! Writes the few settings a team repository needs, once, at `init` and `join`.
//! Border: never on the hot path, and never more than memsync's own sections.

use super::GitError;
use super::repo::Repo;
use super::url::RemoteUrl;
use crate::system::files::{Durability, FileError, Root};

/// A `.git/config` file.
const CONFIG_BYTES_MAX: u64 = 1_000_000;

/// Settings that keep plain git from changing bytes in team memory or following hostile names.
const CORE: &str =
    "[core]\n\tautocrlf = false\n\tprotectHFS = true\n\tprotectNTFS = true\n\tsymlinks = false\n";

impl Repo {
    /// Adds what plain git needs to treat the work tree as memsync does, and to check signatures
    /// with the signers file at `allowed_signers` below the git dir.
    pub fn write_core_config(
        &self,
        git_dir: &Root,
        allowed_signers: &str,
    ) -> Result<(), FileError> {
        let signers = git_dir.path().join(allowed_signers);
        let signers = quote(&signers.to_string_lossy());
        append(git_dir, &format!("{CORE}[gpg \"ssh\"]\n\tallowedSignersFile = {signers}\n"))
    }

    /// Sets the remote `origin` and makes the branch track it.
    pub fn write_remote_config(
        &self,
        git_dir: &Root,
        url: &RemoteUrl,
        branch: &str,
    ) -> Result<(), FileError> {
        let url = quote(url.as_str());
        append(
            git_dir,
            &format!(
                "[remote \"origin\"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
                 [branch {}]\n\tremote = origin\n\tmerge = {}\n",
                quote(branch),
                quote(&format!("refs/heads/{branch}")),
            ),
        )
    }
}

fn append(git_dir: &Root, text: &str) -> Result<(), FileError> {
    let mut config = git_dir.read_if_there("config", CONFIG_BYTES_MAX)?.unwrap_or_default();
    if config.last().is_some_and(|byte| *byte != b'\n') {
        config.push(b'\n');
    }
    config.extend_from_slice(text.as_bytes());
    git_dir.write_atomic("config", &config, Durability::Durable)
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Name and e-mail from the person's own git configuration (`~/.gitconfig`, XDG, system).
pub fn person_from_global_config() -> Result<(Option<String>, Option<String>), GitError> {
    let error = |source: gix::Error| GitError::Read {
        what: "the person's configuration".to_owned(),
        source,
    };
    let config = gix::config::File::from_globals().map_err(|e| error(gix::Error::from_error(e)))?;
    let get = |key: &str| {
        config.string(key).map(|value| value.to_string()).filter(|value| !value.trim().is_empty())
    };
    Ok((get("user.name"), get("user.email")))
}
