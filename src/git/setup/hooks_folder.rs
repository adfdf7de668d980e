//! Where git looks for hooks in a repository, and which hooks its configuration names.
//! Border: reads; the only place that honours the person's own git configuration through gix, because
//! the question is what plain git would do.

use std::path::{Path, PathBuf};

use crate::git::GitError;
use crate::git::setup::ground::{Ground, refuse_includes};

/// Where the hooks of a repository are.
#[derive(Clone, Debug)]
pub struct HooksFolder {
    /// The git dir all work trees share.
    pub common_dir: PathBuf,
    /// The work tree; `None` for a bare repository.
    pub work_dir: Option<PathBuf>,
    /// The folder named by `core.hooksPath`, absolute; `None` when it is not set.
    pub configured: Option<PathBuf>,
    /// Hooks that the configuration names (`hook.*`, run by git 2.54 and later).
    pub from_configuration: Vec<ConfiguredHook>,
}

/// A hook of git's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredHook {
    /// Its name in the configuration.
    pub name: String,
    /// When it runs, for example `pre-commit`.
    pub event: String,
    /// What it runs.
    pub command: String,
}

impl HooksFolder {
    /// Looks at the repository around a folder.
    pub fn find(folder: &Path) -> Result<Self, GitError> {
        let error = |source| GitError::Open { path: folder.to_owned(), source };
        let ground = around(folder)?;
        ground.refuse_foreign_owner()?;
        refuse_includes(&ground)?;
        let repo = gix::open(ground.path()).map_err(error)?;
        let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let common_dir = absolute(repo.common_dir());
        let work_dir = repo.workdir().map(absolute);
        let config = repo.config_snapshot();
        // Relative to where hooks run: the top of the work tree, or the bare repository.
        let base = work_dir.as_deref().unwrap_or(&common_dir);
        let configured = config.trusted_path("core.hooksPath").map_err(error)?;
        let configured = configured.map(|path| base.join(path));
        Ok(Self { configured, from_configuration: configured_hooks(&config), common_dir, work_dir })
    }

    /// The folder git reads hooks from.
    pub fn path(&self) -> PathBuf {
        self.configured.clone().unwrap_or_else(|| self.common_dir.join("hooks"))
    }

    /// Whether `core.hooksPath` names a folder inside this repository.
    pub fn is_configured_inside(&self) -> bool {
        let Some(path) = self.configured.as_deref() else { return false };
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        path.starts_with(&self.common_dir)
            || self.work_dir.as_deref().is_some_and(|work_dir| path.starts_with(work_dir))
    }
}

/// The git dir of the repository around a folder.
pub(in crate::git) fn git_dir_around(folder: &Path) -> Result<PathBuf, GitError> {
    let ground = around(folder)?;
    ground.refuse_foreign_owner()?;
    Ok(ground.git_dir)
}

/// The repository around a folder. Where there is none, the folder itself: opening it says so.
pub(in crate::git) fn around(folder: &Path) -> Result<Ground, GitError> {
    Ground::around(folder)?.map_or_else(|| Ground::at(folder), Ok)
}

fn configured_hooks(config: &gix::config::Snapshot<'_>) -> Vec<ConfiguredHook> {
    let mut hooks = Vec::new();
    for section in config.plumbing().sections_by_name("hook").into_iter().flatten() {
        let Some(name) = section.header().subsection_name().map(ToString::to_string) else {
            continue;
        };
        let command = section.value("command").map(|command| command.to_string());
        for event in section.values("event") {
            let (name, event) = (name.clone(), event.to_string());
            hooks.push(ConfiguredHook {
                name,
                event,
                command: command.clone().unwrap_or_default(),
            });
        }
    }
    hooks
}
