//! Writes the few settings a team repository needs, once, at `init` and `join`; reads which project a
//! folder is.
//! Border: never on the hot path, and never more than memsync's own sections.

use std::path::Path;

use gix::config::File;

use crate::git::repo::Repo;
use crate::git::url::RemoteUrl;
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

    /// Gives the remote `origin` another address; everything else in the file stays byte for byte.
    ///
    /// # Errors
    /// A file that is no git configuration is not written over.
    pub fn set_remote_url(
        &self,
        git_dir: &Root,
        url: &RemoteUrl,
        branch: &str,
    ) -> Result<(), ConfigError> {
        let bytes = git_dir.read_if_there("config", CONFIG_BYTES_MAX)?.unwrap_or_default();
        let text = String::from_utf8(bytes).map_err(|_| ConfigError::Malformed)?;
        let mut config = File::try_from(text.as_str()).map_err(|_| ConfigError::Malformed)?;
        let origins: Vec<_> = config
            .sections_and_ids_by_name("remote")
            .into_iter()
            .flatten()
            .filter(|(section, _)| {
                section.header().subsection_name().is_some_and(|name| name == "origin")
            })
            .map(|(_, id)| id)
            .collect();
        let mut is_set = false;
        for id in origins {
            let Some(mut section) = config.section_mut_by_id(id) else { continue };
            // Several addresses would all be pushed to by plain git.
            while section.values("url").len() > 1 {
                section.remove("url");
            }
            match is_set {
                true => drop(section.remove("url")),
                false => drop(section.set("url", url.as_str())),
            }
            is_set = true;
        }
        if !is_set {
            return Ok(self.write_remote_config(git_dir, url, branch)?);
        }
        Ok(git_dir.write_atomic("config", &config.to_bstring(), Durability::Durable)?)
    }
}

/// Why the configuration of a repository could not be changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// It is no git configuration.
    #[error("`.git/config` of the team memory cannot be read as a git configuration")]
    Malformed,
    /// The file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The projects a folder is a clone of, by its remotes, `origin` first; none when it has no remote that
/// means something elsewhere. The repository is not opened and no include is followed.
pub fn projects_of(root: &Path) -> Vec<String> {
    let Ok(git_dir) = Root::open(&root.join(".git")) else { return Vec::new() };
    let Ok(Some(bytes)) = git_dir.read_if_there("config", CONFIG_BYTES_MAX) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let Ok(config) = File::try_from(text.as_str()) else { return Vec::new() };
    let mut found: Vec<(bool, String)> = Vec::new();
    for section in config.sections_by_name("remote").into_iter().flatten() {
        let is_origin = section.header().subsection_name().is_some_and(|name| name == "origin");
        for url in section.values("url") {
            let url = without_credentials(&url.to_string());
            let project = RemoteUrl::parse(&url).ok().and_then(|url| url.project());
            found.extend(project.map(|project| (!is_origin, project)));
        }
    }
    found.sort();
    found.dedup();
    found.into_iter().map(|(_, project)| project).collect()
}

/// An address without user and password: CI puts tokens there.
fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => url.to_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_the_same_over_every_transport_and_holds_no_token() {
        let config = |urls: &[&str]| {
            let remotes: String =
                urls.iter().map(|url| format!("[remote \"r\"]\n\turl = {url}\n")).collect();
            let folder = tempfile::tempdir().unwrap();
            Root::create(&folder.path().join(".git")).unwrap();
            let git_dir = Root::open(&folder.path().join(".git")).unwrap();
            git_dir.write_atomic("config", remotes.as_bytes(), Durability::Relaxed).unwrap();
            projects_of(folder.path())
        };
        for url in [
            "https://github.com/acme/widgets.git",
            "https://github.com/Acme/widgets/",
            "git@github.com:acme/widgets.git",
            "ssh://git@github.com:22/acme/widgets",
            "https://x-access-token:aaaa@github.com/acme/widgets",
        ] {
            assert_eq!(config(&[url]), ["github.com/acme/widgets"], "{url}");
        }
        for url in ["/srv/git/x.git", "../x", "file:///x", "ext::sh -c x", ""] {
            assert!(config(&[url]).is_empty(), "{url}");
        }
        let two = config(&["https://b.org/x", "https://a.org/x", "https://a.org/x"]);
        assert_eq!(two, ["a.org/x", "b.org/x"]);
    }
}
