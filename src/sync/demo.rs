//! The world that `memsync demo` plays in: a hub, two people's folders, and what the story checks.
//! Border: sets the scene, plays the editor and the attacker, and looks; every step between is the
//! real program.

use std::path::{Path, PathBuf};

use crate::base::id::ObjectId;
use crate::base::path::EntryMode;
use crate::git::GitError;
use crate::git::commit::{CommitDraft, Person};
use crate::git::repo::{ObjectFormat, Repo};
use crate::git::write::Expected;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::secrets::rules::sample::expand;
use crate::store::state::{self, LocalState, StateError};
use crate::sync::repo::introduction::shown_introduction;
use crate::system::clock::Clock;
use crate::system::files::{Durability, FileError, Root, WalkLimits};

/// The shared branch of the hub.
const BRANCH: &str = "refs/heads/main";

/// Why the demo stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DemoError {
    /// The folder to keep is in use.
    #[error("`{}` is not empty", .0.display())]
    NotEmpty(PathBuf),
    /// The system's folder for temporary files cannot be used.
    #[error("the folder for temporary files, `{}`, cannot be used", path.display())]
    Temporary {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A repository could not be read or written.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A record of memsync could not be read.
    #[error(transparent)]
    State(#[from] StateError),
    /// A claim of the story did not hold.
    #[error("the demo found that this does not hold: {0}")]
    Untrue(String),
}

/// A throw-away world, gone when the value goes unless it is kept.
#[derive(Debug)]
pub struct World {
    folder: PathBuf,
    is_kept: bool,
}

impl World {
    /// Makes the folders and the empty hub, in `keep` or in a new folder below `temporary`.
    pub fn create(keep: Option<&Path>, temporary: &Path) -> Result<Self, DemoError> {
        let world = match keep {
            Some(folder) => {
                Root::create(folder)?;
                Self { folder: real(folder)?, is_kept: true }
            }
            None => {
                let mut bytes = [0_u8; 8];
                getrandom::fill(&mut bytes).map_err(|error| DemoError::Temporary {
                    path: temporary.to_owned(),
                    source: std::io::Error::other(error),
                })?;
                let name = format!("memsync-demo-{:016x}", u64::from_le_bytes(bytes));
                let folder = real(temporary)?.join(name);
                Root::create(&folder)?;
                Self { folder, is_kept: false }
            }
        };
        let mut inside = std::fs::read_dir(&world.folder)
            .map_err(|source| DemoError::Temporary { path: world.folder.clone(), source })?;
        if inside.next().is_some() {
            // What was there before is nobody's to take away.
            let folder = world.folder.clone();
            std::mem::forget(world);
            return Err(DemoError::NotEmpty(folder));
        }
        for name in ["ada", "ben"] {
            Root::create(&world.home(name))?;
        }
        let hub = Repo::create_bare(&world.hub(), ObjectFormat::Sha1)?;
        hub.set_head("main")?;
        Ok(world)
    }

    /// The whole world's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A person's home, in which all that is theirs lies.
    pub fn home(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A person's memory directory.
    pub fn memdir(&self, name: &str) -> PathBuf {
        self.home(name).join("memory")
    }

    fn team(&self, name: &str) -> PathBuf {
        self.memdir(name).join("team")
    }

    fn hub(&self) -> PathBuf {
        self.folder.join("hub.git")
    }

    /// What a person tells others about the start of the team memory.
    pub fn introduction(&self, name: &str) -> Result<String, DemoError> {
        let git_dir = Root::open(&self.team(name))?.descend(".git")?;
        let state = state::read::<LocalState>(&git_dir)?.unwrap_or_default();
        let root = state.root_commit;
        self.claim(root.is_some(), || format!("{name} has a team memory with a first commit"))?;
        let shown = root.map(|root| shown_introduction(root, state.root_signer.as_deref()));
        Ok(shown.unwrap_or_default())
    }

    /// Saves a team file as an editor would, past memsync.
    pub fn save(&self, name: &str, path: &str, text: &str) -> Result<(), DemoError> {
        let root = Root::open(&self.team(name))?;
        Ok(root.write_atomic(path, text.as_bytes(), Durability::Relaxed)?)
    }

    /// Replaces a piece of a team file as an editor would.
    pub fn edit(&self, name: &str, path: &str, from: &str, to: &str) -> Result<(), DemoError> {
        let text = self.read(name, path)?;
        self.claim(text.contains(from), || format!("{path} of {name} has the text `{from}`"))?;
        self.save(name, path, &text.replacen(from, to, 1))
    }

    /// A team file as it is on disk.
    pub fn read(&self, name: &str, path: &str) -> Result<String, DemoError> {
        let root = Root::open(&self.team(name))?;
        Ok(String::from_utf8_lossy(&root.read(path, POLICY_BYTES_MAX as u64)?).into_owned())
    }

    /// Pushes a commit straight into the hub, as someone who may push and means harm: it adds a
    /// link that leads out of the folder.
    pub fn attack(&self, path: &str, target: &str) -> Result<ObjectId, DemoError> {
        let hub = Repo::open(&self.hub())?;
        let tip = self.hub_tip(&hub)?;
        let tree = hub.commit(tip)?.tree;
        let tree = hub.danger_write_unchecked(tree, path, target.as_bytes(), EntryMode::Symlink)?;
        let person = Person { name: "Mallory".to_owned(), email: "mallory@example.com".to_owned() };
        let now = Clock::System.now();
        let draft = CommitDraft {
            tree,
            parents: vec![tip],
            author: person.clone(),
            author_time: now,
            committer: person,
            committer_time: now,
            message: "Add notes".to_owned(),
        };
        let commit = hub.write_commit(&draft.encode())?;
        hub.update_ref(BRANCH, commit, Expected::At(tip), "push")?;
        Ok(commit)
    }

    fn hub_tip(&self, hub: &Repo) -> Result<ObjectId, DemoError> {
        hub.find_ref(BRANCH)?.ok_or_else(|| DemoError::Untrue("the hub has a branch".to_owned()))
    }

    /// Fails with the claim unless it is so.
    pub fn claim(&self, is_so: bool, claim: impl FnOnce() -> String) -> Result<(), DemoError> {
        if is_so { Ok(()) } else { Err(DemoError::Untrue(claim())) }
    }

    /// Checks that both people have the same files, byte for byte, and no conflict marker anywhere.
    pub fn both_agree(&self) -> Result<(), DemoError> {
        let (ada, ben) = (self.files("ada")?, self.files("ben")?);
        self.claim(ada == ben, || "Ada and Ben have the same files".to_owned())?;
        let is_marked = ada.iter().any(|(_, text)| {
            text.lines().any(|line| line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>"))
        });
        self.claim(!is_marked, || "no file holds a conflict marker".to_owned())
    }

    /// Every team file of a person on disk; links are read as nothing.
    fn files(&self, name: &str) -> Result<Vec<(String, String)>, DemoError> {
        let root = Root::open(&self.team(name))?;
        let paths = root.walk(WalkLimits::default())?;
        let text = |file: crate::system::files::WalkedFile| {
            let path = String::from_utf8_lossy(&file.path).into_owned();
            let text = self.read(name, &path)?;
            Ok((path, text))
        };
        paths.into_iter().map(text).collect()
    }

    /// Whether a person has something at a path of the team folder, a link included.
    pub fn has(&self, name: &str, path: &str) -> Result<bool, DemoError> {
        Ok(Root::open(&self.team(name))?.stat(path)?.is_some())
    }

    /// Whether any version of any file in the hub holds a text.
    pub fn hub_ever_held(&self, text: &str) -> Result<bool, DemoError> {
        let hub = Repo::open(&self.hub())?;
        for id in hub.range(None, self.hub_tip(&hub)?)? {
            for file in hub.tree_files(hub.commit(id)?.tree)?.values() {
                let content = hub.blob(file.id, POLICY_BYTES_MAX as u64)?;
                if String::from_utf8_lossy(&content).contains(text) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether any version in the hub had a file of this name.
    pub fn hub_ever_had(&self, name: &str) -> Result<bool, DemoError> {
        let hub = Repo::open(&self.hub())?;
        for id in hub.range(None, self.hub_tip(&hub)?)? {
            if hub.tree_files(hub.commit(id)?.tree)?.contains_key(name.as_bytes()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes the world away, unless it is kept. Gives the folder that stays.
    pub fn close(mut self) -> Result<Option<PathBuf>, DemoError> {
        if self.is_kept {
            return Ok(Some(self.folder.clone()));
        }
        self.is_kept = true;
        self.remove()?;
        Ok(None)
    }

    fn remove(&self) -> Result<(), FileError> {
        let name = self.folder.file_name().and_then(|name| name.to_str());
        let (Some(parent), Some(name)) = (self.folder.parent(), name) else { return Ok(()) };
        Root::open(parent)?.remove_folder(name)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if !self.is_kept {
            // The story failed before its end; the error it failed with is the one to show.
            drop(self.remove());
        }
    }
}

fn real(path: &Path) -> Result<PathBuf, DemoError> {
    path.canonicalize().map_err(|source| DemoError::Temporary { path: path.to_owned(), source })
}

/// A token that looks real and opens nothing, made at run time so that no file of memsync holds one.
pub fn invented_token() -> String {
    expand("ghp_{alnum:30}{crc62:30}").expect("because the template is well-formed")
}
