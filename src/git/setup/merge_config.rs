//! The merge driver in a repository's own configuration and its local attributes.
//! Border: two files below the shared git dir, `config` and `info/attributes`, every other line of
//! which stays as it is; what the driver does is `sync::merge_driver`.

use std::path::{Path, PathBuf};

use gix::config::File;

use crate::git::GitError;
use crate::git::repo::Repo;
use crate::git::setup::hooks_folder::around;
use crate::system::files::{Durability, Root};

/// A configuration or attributes file.
const FILE_BYTES_MAX: u64 = 4_000_000;

/// The attributes that git reads before any `.gitattributes`, below the shared git dir.
const ATTRIBUTES: &str = "info/attributes";

const CONFIG: &str = "config";
const SECTION: &str = "merge";
const DRIVER: &str = "memsync";

/// The place of the merge driver in one repository.
#[derive(Debug)]
pub struct MergeConfig {
    common_dir: Root,
    work_dir: Option<PathBuf>,
}

impl MergeConfig {
    /// Opens the repository around a folder.
    pub fn find(folder: &Path) -> Result<Self, GitError> {
        let ground = around(folder)?;
        ground.refuse_foreign_owner()?;
        let repo = Repo::open_looked_at(ground.path())?;
        let common_dir = Root::open(repo.common_dir())?;
        Ok(Self { common_dir, work_dir: repo.work_dir().map(Path::to_owned) })
    }

    /// The top of the work tree; `None` for a bare repository.
    pub fn work_dir(&self) -> Option<&Path> {
        self.work_dir.as_deref()
    }

    /// The configuration file, for messages.
    pub fn config_path(&self) -> PathBuf {
        self.common_dir.path().join(CONFIG)
    }

    /// The attributes file, for messages.
    pub fn attributes_path(&self) -> PathBuf {
        self.common_dir.path().join(ATTRIBUTES)
    }

    /// The command of the driver, when the repository itself names one.
    pub fn command(&self) -> Result<Option<String>, GitError> {
        let config = self.config()?;
        Ok(config.string(&format!("{SECTION}.{DRIVER}.driver")).map(|command| command.to_string()))
    }

    /// Names the driver and its command.
    pub fn set_command(&self, name: &str, command: &str) -> Result<(), GitError> {
        let mut config = self.config()?;
        for (key, value) in [("name", name), ("driver", command)] {
            let key = format!("{SECTION}.{DRIVER}.{key}");
            config.set_raw_value(&key, value).map_err(|source| self.unreadable(source))?;
        }
        self.write_config(&config)
    }

    /// Takes the driver out; `false` when there was none.
    pub fn remove_command(&self) -> Result<bool, GitError> {
        let mut config = self.config()?;
        let mut was_there = false;
        while config.remove_section(SECTION, DRIVER).is_some() {
            was_there = true;
        }
        if was_there {
            self.write_config(&config)?;
        }
        Ok(was_there)
    }

    /// The local attributes; `None` when there is no such file.
    pub fn attributes(&self) -> Result<Option<Vec<u8>>, GitError> {
        Ok(self.common_dir.read_if_there(ATTRIBUTES, FILE_BYTES_MAX)?)
    }

    /// Writes the local attributes; nothing left to say removes the file.
    pub fn write_attributes(&self, text: &[u8]) -> Result<(), GitError> {
        if text.is_empty() {
            return Ok(self.common_dir.remove(ATTRIBUTES)?);
        }
        Ok(self.common_dir.write_atomic(ATTRIBUTES, text, Durability::Durable)?)
    }

    fn config(&self) -> Result<File, GitError> {
        let text = self.common_dir.read_if_there(CONFIG, FILE_BYTES_MAX)?.unwrap_or_default();
        File::from_bytes_no_includes(&text, gix::config::file::Metadata::api(), Default::default())
            .map_err(|source| self.unreadable(source))
    }

    fn write_config(&self, config: &File) -> Result<(), GitError> {
        let text = config.to_bstring();
        Ok(self.common_dir.write_atomic(CONFIG, &text, Durability::Durable)?)
    }

    fn unreadable(&self, source: impl std::error::Error + Send + Sync + 'static) -> GitError {
        let what = format!("`{}`", self.config_path().display());
        GitError::Read { what, source: gix::Error::from_error(source) }
    }
}
