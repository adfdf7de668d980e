//! The objects a running git process can see: a push that is not accepted yet lies in a quarantine.
//! Border: reads only. gix knows no `GIT_OBJECT_DIRECTORY`, so a throw-away git dir names the
//! quarantine and the real objects as its alternates, which every git implementation understands.

use std::path::{Path, PathBuf};

use crate::git::GitError;
use crate::git::repo::{ObjectFormat, Repo};
use crate::system::env::Environment;
use crate::system::files::{Durability, FileError, Root};

/// A repository as a hook sees it.
#[derive(Debug)]
pub struct HookRepo {
    /// Refs and configuration.
    pub real: Repo,
    view: Option<View>,
}

/// The throw-away git dir.
#[derive(Debug)]
struct View {
    repo: Repo,
    parent: Root,
    name: String,
}

impl HookRepo {
    /// Opens the repository of a hook: `GIT_DIR`, else the one around the current folder.
    pub fn open(current: &Path, environment: &Environment) -> Result<Self, GitError> {
        let folder = match environment.path("GIT_DIR") {
            Some(git_dir) => current.join(git_dir),
            None => crate::git::setup::hooks_folder::git_dir_around(current)?,
        };
        let real = Repo::open(&folder)?;
        real.refuse_grafts()?;
        let view = match environment.path("GIT_OBJECT_DIRECTORY") {
            Some(objects) => {
                Some(View::create(&real, current, &current.join(objects), environment)?)
            }
            None => None,
        };
        Ok(Self { real, view })
    }

    /// Where every object that the running git process sees can be read.
    pub fn objects(&self) -> &Repo {
        self.view.as_ref().map_or(&self.real, |view| &view.repo)
    }

    /// The index git is about to commit: `GIT_INDEX_FILE`, else the repository's.
    pub fn index_path(&self, current: &Path, environment: &Environment) -> PathBuf {
        let default = || self.real.git_dir().join("index");
        environment.path("GIT_INDEX_FILE").map_or_else(default, |path| current.join(path))
    }
}

impl View {
    fn create(
        real: &Repo,
        current: &Path,
        objects: &Path,
        environment: &Environment,
    ) -> Result<Self, GitError> {
        let mut alternates = vec![objects.to_owned()];
        if let Some(others) = environment.os("GIT_ALTERNATE_OBJECT_DIRECTORIES") {
            alternates.extend(std::env::split_paths(others).map(|path| current.join(path)));
        }
        alternates.push(real.common_dir().join("objects"));
        let temp = environment.path("TMPDIR").unwrap_or_else(std::env::temp_dir);
        let fail = |source| GitError::View { path: temp.clone(), source };
        let parent = Root::open(&temp.canonicalize().unwrap_or(temp.clone())).map_err(fail)?;
        let name = view_name().map_err(|source| GitError::Disk {
            what: "a name for the view of the objects".to_owned(),
            source,
        })?;
        let view = Unfinished { parent: Some(parent), name };
        let lines: String = alternates.iter().map(|path| line(path)).collect();
        let format = match real.object_format() {
            ObjectFormat::Sha1 => "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
            ObjectFormat::Sha256 => {
                "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
            }
        };
        view.write("objects/info/alternates", &lines).map_err(fail)?;
        view.write("config", format).map_err(fail)?;
        view.write("HEAD", "ref: refs/heads/main\n").map_err(fail)?;
        view.write("refs/keep", "").map_err(fail)?;
        let repo = Repo::open(&view.path())?;
        Ok(view.finish(repo))
    }
}

/// Files of a view. Removing the last one removes the folders too.
const VIEW_FILES: [&str; 4] = ["objects/info/alternates", "config", "HEAD", "refs/keep"];

/// A view whose repository is not open yet; removed when that fails.
struct Unfinished {
    parent: Option<Root>,
    name: String,
}

impl Unfinished {
    fn write(&self, file: &str, text: &str) -> Result<(), FileError> {
        let parent = self.parent.as_ref().expect("because it is taken at the end only");
        parent.write_private(&format!("{}/{file}", self.name), text.as_bytes(), Durability::Relaxed)
    }

    fn path(&self) -> PathBuf {
        let parent = self.parent.as_ref().expect("because it is taken at the end only");
        parent.path().join(&self.name)
    }

    fn finish(mut self, repo: Repo) -> View {
        let parent = self.parent.take().expect("because it is taken here only");
        View { repo, parent, name: self.name.clone() }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(parent) = &self.parent {
            remove(parent, &self.name);
        }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        remove(&self.parent, &self.name);
    }
}

/// Leftovers in the folder for temporary files do no harm, so failing is not reported.
fn remove(parent: &Root, name: &str) {
    // What was found in it is remembered beside it, as in any repository.
    drop(parent.remove_folder(&format!("{name}/memsync")));
    for file in VIEW_FILES {
        drop(parent.remove(&format!("{name}/{file}")));
    }
}

fn view_name() -> std::io::Result<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(format!("memsync-view-{:016x}", u64::from_le_bytes(bytes)))
}

/// A line of `objects/info/alternates`, quoted as git quotes it.
fn line(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{text}\"\n")
}
