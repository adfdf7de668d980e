//! What stands on disk where a repository is said to be, looked at before any reader opens it.
//! Border: kinds, sizes, owners and a few settings; no object is read. The one place that keeps pipes,
//! devices, foreign owners and borrowed objects from whoever opens a repository after it.
//!
//! gix and git open these files as they find them: a pipe waits for ever, a link to `/dev/zero` fills the
//! memory. They may still be swapped between this look and theirs, by whoever writes at that moment.

use std::path::{Path, PathBuf};

use gix::config::File;
use gix::config::file::Metadata;

use crate::git::GitError;
use crate::git::setup::owner;
use crate::system::reading;

/// A `.git` file, `commondir` or `gitdir`, a loose ref.
const POINTER_BYTES_MAX: u64 = 65_536;

/// A configuration file, and the list of alternates.
const CONFIG_BYTES_MAX: u64 = 4_000_000;

/// The list of a shallow clone: a line for each branch that was cut.
const SHALLOW_BYTES_MAX: u64 = 64_000_000;

/// Files below `refs` and `logs`; a repository with more packs its refs.
const REFS_MAX: usize = 200_000;

/// Single files that are read whole, and how large each may be.
const FILES: [(&str, u64); 14] = [
    ("HEAD", POINTER_BYTES_MAX),
    ("config", CONFIG_BYTES_MAX),
    ("config.worktree", CONFIG_BYTES_MAX),
    ("commondir", POINTER_BYTES_MAX),
    ("gitdir", POINTER_BYTES_MAX),
    ("shallow", SHALLOW_BYTES_MAX),
    ("index", u64::MAX),
    ("packed-refs", u64::MAX),
    ("FETCH_HEAD", u64::MAX),
    ("MERGE_HEAD", POINTER_BYTES_MAX),
    ("info/attributes", CONFIG_BYTES_MAX),
    ("info/exclude", CONFIG_BYTES_MAX),
    ("objects/info/alternates", CONFIG_BYTES_MAX),
    ("objects/info/commit-graph", u64::MAX),
];

/// Folders whose files are opened by name, and how large each may be.
const FOLDERS: [(&str, u64); 5] = [
    ("refs", POINTER_BYTES_MAX),
    ("logs", u64::MAX),
    ("reftable", u64::MAX),
    ("objects/pack", u64::MAX),
    ("objects/info", u64::MAX),
];

/// Where a repository is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::git) struct Ground {
    /// The git dir: of a linked work tree its own.
    pub(in crate::git) git_dir: PathBuf,
    /// The git dir that all work trees share.
    pub(in crate::git) common_dir: PathBuf,
    /// The folder that holds `.git`; `None` where the git dir was named itself.
    work_dir: Option<PathBuf>,
}

impl Ground {
    /// Looks at the repository whose work tree or git dir is exactly `path`.
    ///
    /// What is no repository passes: whoever opens it says why it is none.
    pub(in crate::git) fn at(path: &Path) -> Result<Self, GitError> {
        let dot_git = path.join(".git");
        let (git_dir, work_dir) = match std::fs::symlink_metadata(&dot_git) {
            Ok(_) => (dot_git, Some(path.to_owned())),
            Err(_) => (path.to_owned(), None),
        };
        let git_dir = pointer(&git_dir, "gitdir:")?.map_or(git_dir, |to| path.join(to));
        let common_dir = pointer(&git_dir.join("commondir"), "")?;
        let common_dir = common_dir.map_or_else(|| git_dir.clone(), |to| git_dir.join(to));
        let ground = Self { git_dir, common_dir, work_dir };
        ground.refuse_what_is_no_file()?;
        ground.refuse_settings()?;
        Ok(ground)
    }

    /// Looks at the repository around a folder, as git finds it; `None` where there is none.
    pub(in crate::git) fn around(folder: &Path) -> Result<Option<Self>, GitError> {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let is_bare = |dir: &Path| {
            dir.join("HEAD").exists() && dir.join("objects").is_dir() && dir.join("refs").is_dir()
        };
        let found = folder
            .ancestors()
            .find(|dir| std::fs::symlink_metadata(dir.join(".git")).is_ok() || is_bare(dir));
        found.map(Self::at).transpose()
    }

    /// The path to open.
    pub(in crate::git) fn path(&self) -> &Path {
        self.work_dir.as_deref().unwrap_or(&self.git_dir)
    }

    /// Refuses a repository of another owner, as git does.
    pub(in crate::git) fn refuse_foreign_owner(&self) -> Result<(), GitError> {
        let dot_git = self.work_dir.as_ref().map(|dir| dir.join(".git"));
        let places = [dot_git.as_deref(), self.work_dir.as_deref(), Some(&self.git_dir)];
        owner::refuse_foreign(places.into_iter().flatten(), self.path())
    }

    /// Refuses objects that come from another repository, for one whose objects are all its own.
    pub(in crate::git) fn refuse_borrowed_objects(&self) -> Result<(), GitError> {
        let borrowed = |file: &str| GitError::Borrowed { path: self.git_dir.join(file) };
        if self.common_dir != self.git_dir {
            return Err(borrowed("commondir"));
        }
        let file = self.git_dir.join("objects/info/alternates");
        let text = read(&file, CONFIG_BYTES_MAX)?.unwrap_or_default();
        match text.iter().all(u8::is_ascii_whitespace) {
            true => Ok(()),
            false => Err(borrowed("objects/info/alternates")),
        }
    }

    fn refuse_what_is_no_file(&self) -> Result<(), GitError> {
        let mut folders = vec![&self.git_dir];
        folders.extend((self.common_dir != self.git_dir).then_some(&self.common_dir));
        for folder in folders {
            for (name, limit) in FILES {
                refuse(&folder.join(name), limit)?;
            }
            for (name, limit) in FOLDERS {
                refuse_below(&folder.join(name), limit)?;
            }
        }
        Ok(())
    }

    /// Settings that only gix knows change what it sees and what git does not: they are nobody's wish.
    fn refuse_settings(&self) -> Result<(), GitError> {
        for file in [self.common_dir.join("config"), self.git_dir.join("config.worktree")] {
            let Some(text) = read(&file, CONFIG_BYTES_MAX)? else { continue };
            // What is no configuration is said by whoever opens the repository.
            let parsed = File::from_bytes_no_includes(&text, Metadata::api(), Default::default());
            if parsed.is_ok_and(|config| config.sections_by_name("gitoxide").is_some()) {
                return Err(GitError::Setting { path: file, name: "gitoxide".to_owned() });
            }
        }
        Ok(())
    }
}

/// Refuses files that a configuration includes and that are none, however deep.
pub(in crate::git) fn refuse_includes(ground: &Ground) -> Result<(), GitError> {
    const DEPTH_MAX: usize = 10;
    let mut open = vec![(ground.common_dir.join("config"), 0)];
    open.push((ground.git_dir.join("config.worktree"), 0));
    while let Some((file, depth)) = open.pop() {
        let Some(text) = read(&file, CONFIG_BYTES_MAX)? else { continue };
        let parsed = File::from_bytes_no_includes(&text, Metadata::api(), Default::default());
        let Ok(config) = parsed else { continue };
        let sections = ["include", "includeIf"].into_iter();
        let sections = sections.filter_map(|name| config.sections_by_name(name)).flatten();
        for path in sections.flat_map(|section| section.values("path")) {
            let path = path.to_string();
            let home = gix::path::env::home_dir().unwrap_or_default();
            let path = match path.strip_prefix("~/") {
                Some(rest) => home.join(rest),
                None => file.parent().unwrap_or(&file).join(&path),
            };
            if depth >= DEPTH_MAX {
                return Err(GitError::Setting { path: file, name: "include.path".to_owned() });
            }
            open.push((path, depth + 1));
        }
    }
    Ok(())
}

/// Where a file of one line leads; `None` where there is no such file.
fn pointer(file: &Path, prefix: &str) -> Result<Option<PathBuf>, GitError> {
    if file.is_dir() {
        return Ok(None);
    }
    let Some(text) = read(file, POINTER_BYTES_MAX)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(text.trim_end().strip_prefix(prefix).map(|to| PathBuf::from(to.trim_start())))
}

/// A small file, whatever it turns out to be; `None` when nothing is there.
fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, GitError> {
    refuse(path, limit)?;
    reading::read_bounded(path, limit)
        .map_err(|source| GitError::Unreadable { path: path.to_owned(), source })
}

/// Refuses what is there and is no file of at most `limit` bytes. Folders pass: they do not wait.
fn refuse(path: &Path, limit: u64) -> Result<(), GitError> {
    let Ok(stat) = std::fs::metadata(path) else { return Ok(()) };
    if stat.is_dir() || stat.is_file() && stat.len() <= limit {
        return Ok(());
    }
    Err(GitError::NotAFile { path: path.to_owned(), limit })
}

/// The same for everything below a folder. Links to folders are not followed.
fn refuse_below(folder: &Path, limit: u64) -> Result<(), GitError> {
    let mut open = vec![folder.to_owned()];
    let mut count = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            count += 1;
            if count > REFS_MAX {
                return Err(GitError::ManyFiles { path: folder, limit: REFS_MAX });
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                // A size needs a look of its own; what may have any needs none.
                Ok(kind) if kind.is_file() && limit == u64::MAX => {}
                _ => refuse(&entry.path(), limit)?,
            }
        }
    }
    Ok(())
}
