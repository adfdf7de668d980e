//! Git's own index file: a cache of what is on disk, kept right so that plain `git status` is clean and fast.
//! Border: no content is read; callers bring file states they took before they read the content.

use std::collections::HashMap;

use gix::index::entry::{Flags, Mode, Stat, stat::Time};

use super::repo::Repo;
use super::{GitError, from_gix, to_gix};
use crate::base::id::ObjectId;
use crate::system::files::FileStat;

/// File states that are known to belong to a blob.
#[derive(Debug, Default)]
pub struct IndexCache {
    entries: HashMap<Vec<u8>, (ObjectId, Stat)>,
    written: i64,
}

impl IndexCache {
    /// The blob a file holds if its state says that it was not touched since; `None`: read it.
    ///
    /// A file changed in the same moment the index was written may look untouched (git calls it
    /// racy), so such a state proves nothing.
    pub fn blob_of(&self, path: &[u8], stat: &FileStat) -> Option<ObjectId> {
        let (id, known) = self.entries.get(path)?;
        let current = to_stat(stat);
        let is_racy = stat.modified_ns >= self.written;
        (*known == current && !is_racy).then_some(*id)
    }

    /// Whether the index holds exactly these files and blobs.
    pub fn holds<'a>(&self, files: impl ExactSizeIterator<Item = (&'a Vec<u8>, ObjectId)>) -> bool {
        let mut files = files;
        self.entries.len() == files.len()
            && files.all(|(path, id)| self.entries.get(path).is_some_and(|(known, _)| *known == id))
    }
}

impl Repo {
    /// Reads the index; an unreadable or absent one is an empty cache, because it is only a cache.
    pub fn index_cache(&self) -> IndexCache {
        let Ok(index) = self.inner.open_index() else { return IndexCache::default() };
        let backing = index.path_backing();
        let plain =
            |entry: &&gix::index::Entry| entry.flags.stage_raw() == 0 && entry.mode == Mode::FILE;
        let known = |entry: &gix::index::Entry| {
            (entry.path_in(backing).to_vec(), (from_gix(entry.id), entry.stat))
        };
        let entries = index.entries().iter().filter(plain).map(known).collect();
        let stamp = index.timestamp();
        let written = stamp.unix_seconds() * 1_000_000_000 + i64::from(stamp.nanoseconds());
        IndexCache { entries, written }
    }

    /// Writes the index to match a tree, with the file states that are known.
    ///
    /// An entry without a known state is read again by the next `git status`, which is right.
    pub fn write_index(
        &self,
        tree: ObjectId,
        states: &HashMap<Vec<u8>, (ObjectId, FileStat)>,
    ) -> Result<(), GitError> {
        let error = |source| GitError::Write { what: "the index".to_owned(), source };
        let mut index = self.inner.index_from_tree(&to_gix(tree)).map_err(error)?;
        for (entry, path) in index.entries_mut_with_paths() {
            if let Some((id, stat)) =
                states.get(&path.to_vec()).filter(|(id, _)| *id == from_gix(entry.id))
            {
                debug_assert_eq!(to_gix(*id), entry.id, "a state belongs to its blob");
                entry.stat = to_stat(stat);
                entry.flags.remove(Flags::UPDATE);
            }
        }
        let lock = self.git_dir().join("index.lock");
        index.write(gix::index::write::Options::default()).map_err(|source| {
            if lock.exists() { GitError::Locked { path: lock } } else { error(source) }
        })
    }
}

/// The state as git's index keeps it: seconds and nanoseconds, numbers cut to 32 bits.
fn to_stat(stat: &FileStat) -> Stat {
    let time =
        |ns: i64| Time { secs: (ns / 1_000_000_000) as u32, nsecs: (ns % 1_000_000_000) as u32 };
    Stat {
        mtime: time(stat.modified_ns),
        ctime: time(stat.changed_ns),
        dev: stat.device as u32,
        ino: stat.inode as u32,
        uid: stat.user,
        gid: stat.group,
        size: stat.size as u32,
    }
}
