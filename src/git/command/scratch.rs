//! The git dir that a transfer runs in: made by us, with our configuration, and gone afterwards.
//! Border: shares nothing with the team's git dir but its objects, the values of its refs and where
//! history is cut off; which refs come back is `requests`'s.
//!
//! The configuration of a repository is a file in it, and who may write files there (an agent in its memory
//! directory) would choose programs that git runs, where it connects and what it sends: `core.sshCommand`,
//! `credential.helper`, `url.*.insteadOf`, `include.path`, hooks, grafts, replacements, and whatever later
//! versions add. So git does not see it. The person's own configuration counts as ever.

use std::path::{Path, PathBuf};

use super::GitCommandError;
use crate::base::id::ObjectId;
use crate::git::repo::{ObjectFormat, Repo};
use crate::git::url::RemoteUrl;
use crate::system::files::{Durability, FileError, Root};

/// A file with one id in it.
const REF_BYTES_MAX: u64 = 1_000;

/// Refs that are told to the other side, so that it sends only what is missing here.
const HAVES_MAX: usize = 2_000;

/// The throw-away git dir.
#[derive(Debug)]
pub(super) struct Scratch {
    parent: Root,
    name: String,
}

impl Scratch {
    /// Makes one below a folder for temporary files.
    pub(super) fn create(
        repo: &Repo,
        url: &RemoteUrl,
        temp: &Path,
    ) -> Result<Self, GitCommandError> {
        let fail = |source| GitCommandError::Scratch { path: temp.to_owned(), source };
        let real = temp.canonicalize().unwrap_or_else(|_| temp.to_owned());
        let parent = Root::open(&real).map_err(fail)?;
        let scratch = Self { parent, name: name()? };
        scratch.fill(repo, url).map_err(fail)?;
        Ok(scratch)
    }

    fn fill(&self, repo: &Repo, url: &RemoteUrl) -> Result<(), FileError> {
        self.write("config", &config(repo, url))?;
        let branch = repo.branch().ok().flatten().unwrap_or_else(|| "main".to_owned());
        self.write("HEAD", &format!("ref: refs/heads/{branch}\n"))?;
        self.parent.create_folder(&format!("{}/refs", self.name))?;
        let ids = repo.all_tips().unwrap_or_default();
        let lines = ids.iter().take(HAVES_MAX).enumerate();
        let lines: String = lines.map(|(at, id)| format!("{id} refs/have/{at:06}\n")).collect();
        self.write("packed-refs", &format!("# pack-refs with: sorted \n{lines}"))?;
        let cut = repo.cut_text().unwrap_or_default();
        if cut.is_empty() { Ok(()) } else { self.write("shallow", &cut) }
    }

    fn write(&self, file: &str, text: &str) -> Result<(), FileError> {
        let path = format!("{}/{file}", self.name);
        self.parent.write_private(&path, text.as_bytes(), Durability::Relaxed)
    }

    /// Where it is.
    pub(super) fn path(&self) -> PathBuf {
        self.parent.path().join(&self.name)
    }

    /// The value a transfer gave to a ref; `None` when it has none.
    pub(super) fn value(&self, name: &str) -> Option<ObjectId> {
        let file = self.parent.read(&format!("{}/{name}", self.name), REF_BYTES_MAX).ok()?;
        std::str::from_utf8(&file).ok()?.trim().parse().ok()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left in the folder for temporary files does no harm.
        drop(self.parent.remove_folder(&self.name));
    }
}

/// What git must know, and the address for those whose own configuration asks for it
/// (`includeIf "hasconfig:remote.*.url:…"`).
fn config(repo: &Repo, url: &RemoteUrl) -> String {
    let format = match repo.object_format() {
        ObjectFormat::Sha1 => "\trepositoryformatversion = 0\n",
        ObjectFormat::Sha256 => {
            "\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n[core]\n"
        }
    };
    let url = url.as_str().replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "[core]\n{format}\tbare = true\n\tlogAllRefUpdates = false\n[remote \"origin\"]\n\turl = \"{url}\"\n"
    )
}

fn name() -> Result<String, GitCommandError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| GitCommandError::Start { source: std::io::Error::other(error) })?;
    Ok(format!("memsync-transfer-{:016x}", u64::from_le_bytes(bytes)))
}
