//! Opening and creating a repository with settings that no user or repository configuration can weaken.
//! Border: no objects are read or written here.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use gix::odb::pack::cache::lru::MemoryCappedHashmap;
use gix::open::Options;

use crate::git::GitError;
use crate::git::level::Levels;
use crate::git::setup::ground::Ground;

/// Settings forced on every repository: trees cannot smuggle look-alikes of `.git` past gix,
/// and a failed lock is reported instead of waited for.
const OVERRIDES: [&str; 8] = [
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "gitoxide.core.protectWindows=true",
    "core.filesRefLockTimeout=2000",
    "core.packedRefsTimeout=2000",
    "gc.auto=0",
    // Objects as they are sent: nothing in place of another, no parents from a file beside them.
    "core.useReplaceRefs=false",
    "core.commitGraph=false",
];

/// Packs one process may see. Every large fetch leaves one; gix fixes the number at open and its
/// default of 32 was reached by sixteen agents in a minute.
const PACK_SLOTS: u16 = 512;

/// Which hash a new repository uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ObjectFormat {
    /// SHA-1, what every host takes today.
    #[default]
    Sha1,
    /// SHA-256, the default of git 3.
    Sha256,
}

/// An open repository.
pub struct Repo {
    pub(super) inner: gix::Repository,
    /// Objects written since the last [`Repo::make_objects_durable`].
    pub(super) fresh: RefCell<Vec<gix::ObjectId>>,
    /// Trees that were read.
    pub(super) levels: RefCell<Levels>,
    /// Whether what is written stays in memory.
    is_aside: bool,
}

impl std::fmt::Debug for Repo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repo").field("git_dir", &self.git_dir()).finish_non_exhaustive()
    }
}

fn options() -> Options {
    // `isolated` reads no system, global or environment configuration.
    let slots = gix::odb::store::init::Slots::Given(PACK_SLOTS);
    Options::isolated().config_overrides(OVERRIDES).object_store_slots(slots).strict_config(false)
}

/// Objects that were written to memory and are kept there: those of some hundred merges.
const WRITTEN_OBJECTS_MAX: usize = 256;

/// Objects of packs that are kept unpacked, for the deltas that build on them.
const DELTA_BASE_BYTES: usize = 16 * 1024 * 1024;

impl Repo {
    /// Opens the repository whose work tree or git dir is exactly `path`, to read it.
    pub fn open(path: &Path) -> Result<Self, GitError> {
        Ground::at(path)?;
        Self::open_looked_at(path)
    }

    /// The same for a repository that belongs to this user, as git asks before it does anything there.
    pub fn open_owned(path: &Path) -> Result<Self, GitError> {
        Ground::at(path)?.refuse_foreign_owner()?;
        Self::open_looked_at(path)
    }

    /// The same where every object must be the repository's own as well.
    pub fn open_own(path: &Path) -> Result<Self, GitError> {
        let ground = Ground::at(path)?;
        ground.refuse_foreign_owner()?;
        ground.refuse_borrowed_objects()?;
        Self::open_looked_at(path)
    }

    /// Opens what was looked at a moment ago.
    pub(super) fn open_looked_at(path: &Path) -> Result<Self, GitError> {
        let opened = options().open(path);
        let opened = opened.map_err(|source| GitError::Open { path: path.to_owned(), source })?;
        Ok(Self::new(opened.to_thread_local()))
    }

    /// The same repository for another thread, which reads every object once. The threads share
    /// what one alone keeps of delta bases.
    pub fn open_again(git_dir: &Path, threads: usize) -> Result<Self, GitError> {
        let mut again = Self::open_looked_at(git_dir)?;
        again.inner.object_cache_size(None);
        let bytes = DELTA_BASE_BYTES / threads.max(1);
        again.inner.objects.set_pack_cache(move || Box::new(MemoryCappedHashmap::new(bytes)));
        Ok(again)
    }

    /// The same repository for judging and showing: what is written to it stays in memory.
    #[must_use]
    pub fn aside(&self) -> Self {
        Self { is_aside: true, ..Self::new(self.inner.clone().with_object_memory()) }
    }

    /// Whether what is written stays in memory.
    pub fn is_aside(&self) -> bool {
        self.is_aside
    }

    /// Forgets what was written to memory, once that is much.
    pub fn forget_written(&self) {
        if self.is_aside && self.inner.objects.num_objects_in_memory() > WRITTEN_OBJECTS_MAX {
            drop(self.inner.objects.reset_object_memory());
        }
    }

    /// Creates a repository with a work tree at `path`, its HEAD on `main`.
    pub fn create(path: &Path, format: ObjectFormat) -> Result<Self, GitError> {
        Self::create_kind(path, format, gix::create::Kind::WithWorktree)
    }

    /// Creates a bare repository at `path`, as a place to share over.
    pub fn create_bare(path: &Path, format: ObjectFormat) -> Result<Self, GitError> {
        Self::create_kind(path, format, gix::create::Kind::Bare)
    }

    fn create_kind(
        path: &Path,
        format: ObjectFormat,
        kind: gix::create::Kind,
    ) -> Result<Self, GitError> {
        let object_hash = match format {
            ObjectFormat::Sha1 => None,
            ObjectFormat::Sha256 => Some(gix::hash::Kind::Sha256),
        };
        let create = gix::create::Options { object_hash, ..Default::default() };
        let made = gix::ThreadSafeRepository::init_opts(path, kind, create, options());
        let made = made.map_err(|source| GitError::Create { path: path.to_owned(), source })?;
        Ok(Self::new(made.to_thread_local()))
    }

    fn new(mut inner: gix::Repository) -> Self {
        // Commit walks look every commit up twice; 4 MiB hold tens of thousands of them.
        inner.object_cache_size_if_unset(4 * 1024 * 1024);
        // Without it every object of a delta chain is put together from the chain's first one.
        inner.objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(DELTA_BASE_BYTES)));
        let (fresh, levels) = (RefCell::default(), RefCell::default());
        Self { inner, fresh, levels, is_aside: false }
    }

    /// The git dir.
    pub fn git_dir(&self) -> &Path {
        self.inner.git_dir()
    }

    /// The git dir that all work trees share.
    pub fn common_dir(&self) -> &Path {
        self.inner.common_dir()
    }

    /// Where objects are.
    pub fn objects_dir(&self) -> &Path {
        self.inner.objects.store_ref().path()
    }

    /// The work tree; `None` for a bare repository.
    pub fn work_dir(&self) -> Option<&Path> {
        self.inner.workdir()
    }

    /// Whether history is cut off somewhere, as `git clone --depth` leaves it.
    pub fn is_shallow(&self) -> bool {
        // What cannot be told is treated as cut off, so that it is never taken for whole.
        self.inner.is_shallow().unwrap_or(true)
    }

    /// The hash the repository uses.
    pub fn object_format(&self) -> ObjectFormat {
        match self.inner.object_hash() {
            gix::hash::Kind::Sha256 => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        }
    }

    /// A string from the repository's own configuration.
    pub fn config(&self, key: &str) -> Option<String> {
        self.inner.config_snapshot().string(key).map(|value| value.to_string())
    }

    /// Where an unfinished plain git operation shows itself, for example `MERGE_HEAD`.
    pub fn unfinished_operation(&self) -> Option<&'static str> {
        const SIGNS: [(&str, &str); 6] = [
            ("MERGE_HEAD", "merge"),
            ("rebase-merge", "rebase"),
            ("rebase-apply", "rebase"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
            ("BISECT_LOG", "bisect"),
        ];
        SIGNS.into_iter().find(|(file, _)| self.git_dir().join(file).exists()).map(|(_, name)| name)
    }

    /// Lock files of git that exist now, whoever made them.
    pub fn lock_files(&self) -> Vec<PathBuf> {
        let dir = self.git_dir();
        let names = ["index.lock", "HEAD.lock", "config.lock", "packed-refs.lock"];
        let mut found: Vec<PathBuf> = names.iter().map(|name| dir.join(name)).collect();
        found.retain(|path| path.exists());
        let mut open = vec![dir.join("refs")];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    open.push(path);
                } else if path.extension().is_some_and(|end| end == "lock") {
                    found.push(path);
                }
            }
        }
        found
    }
}
