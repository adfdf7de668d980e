//! Git's own index file: a cache of what is on disk, kept right so that plain `git status` is clean and fast.
//! Border: no content is read; callers bring file states they took before they read the content.

use std::cell::Cell;
use std::collections::HashMap;

use gix::bstr::ByteSlice as _;
use gix::index::Entry;
use gix::index::entry::{Flags, Mode, Stat, stat::Time};

use crate::base::id::ObjectId;
use crate::git::repo::Repo;
use crate::git::{GitError, from_gix, to_gix};
use crate::system::files::FileStat;

/// File states that are known to belong to a blob.
#[derive(Default)]
pub struct IndexCache {
    index: Option<gix::index::File>,
    /// Where the next path is looked for first: who asks goes through a folder in order.
    next: Cell<usize>,
    written: i64,
}

impl IndexCache {
    /// The blob a file holds if its state says that it was not touched since; `None`: read it.
    ///
    /// A file changed in the same moment the index was written may look untouched (git calls it
    /// racy), so such a state proves nothing.
    pub fn blob_of(&self, path: &[u8], stat: &FileStat) -> Option<ObjectId> {
        let entry = self.entry(path)?;
        let is_racy = stat.modified_ns >= self.written;
        (entry.stat == to_stat(stat) && !is_racy).then(|| from_gix(entry.id))
    }

    fn entry(&self, path: &[u8]) -> Option<&Entry> {
        let index = self.index.as_ref()?;
        let is_it = |at: &usize| {
            index.entries().get(*at).is_some_and(|entry| entry.path(index) == path.as_bstr())
        };
        let found = Some(self.next.get()).filter(is_it);
        let at = found.or_else(|| index.entry_index_by_path(path.as_bstr()).ok())?;
        self.next.set(at + 1);
        Some(&index.entries()[at]).filter(|entry| is_plain(entry))
    }

    /// Whether the index holds exactly these files and blobs, given in path order.
    pub fn holds<'a>(&self, files: impl ExactSizeIterator<Item = (&'a Vec<u8>, ObjectId)>) -> bool {
        let Some(index) = &self.index else { return files.len() == 0 };
        let plain = index.entries().iter().filter(|entry| is_plain(entry));
        plain
            .map(|entry| (<[u8]>::as_ref(entry.path(index)), from_gix(entry.id)))
            .eq(files.map(|(path, id)| (path.as_slice(), id)))
    }
}

/// Whether an entry is a regular file that is not in conflict.
fn is_plain(entry: &Entry) -> bool {
    entry.flags.stage_raw() == 0 && entry.mode == Mode::FILE
}

impl Repo {
    /// Reads the index; an unreadable or absent one is an empty cache, because it is only a cache.
    pub fn index_cache(&self) -> IndexCache {
        let Ok(index) = self.inner.open_index() else { return IndexCache::default() };
        let stamp = index.timestamp();
        let written = stamp.unix_seconds() * 1_000_000_000 + i64::from(stamp.nanoseconds());
        IndexCache { index: Some(index), next: Cell::new(0), written }
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
                states.get::<[u8]>(path.as_ref()).filter(|(id, _)| *id == from_gix(entry.id))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::path::MemoryPath;
    use crate::git::repo::ObjectFormat;
    use crate::system::files::FileKind;

    #[test]
    fn a_state_is_found_in_any_order_and_only_for_its_own_path() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repo::create(folder.path(), ObjectFormat::Sha1).unwrap();
        let names = ["a.md", "b.md", "b/c.md", "c.md"];
        let state = |size: u64| FileStat {
            kind: FileKind::File,
            size,
            modified_ns: 1_000_000_007,
            changed_ns: 2,
            device: 3,
            inode: size,
            user: 4,
            group: 5,
            is_executable: false,
            is_private: false,
        };
        let mut states = HashMap::new();
        let mut edits = Vec::new();
        for (size, name) in (1..).zip(names) {
            let id = repo.write_blob(name.as_bytes()).unwrap();
            states.insert(name.as_bytes().to_vec(), (id, state(size)));
            edits.push((MemoryPath::parse(name).unwrap(), Some(id)));
        }
        let tree = repo.write_tree(None, &edits).unwrap();
        repo.write_index(tree, &states).unwrap();
        let cache = repo.index_cache();
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 2, 0, 3]] {
            for at in order {
                let (id, stat) = states[names[at].as_bytes()];
                assert_eq!(cache.blob_of(names[at].as_bytes(), &stat), Some(id), "{}", names[at]);
                assert_eq!(cache.blob_of(names[at].as_bytes(), &state(9)), None);
            }
            assert_eq!(cache.blob_of(b"b.mdx", &state(1)), None);
        }
        let files = repo.tree_files(tree).unwrap();
        let blobs = || files.iter().map(|(path, file)| (path, file.id));
        assert!(cache.holds(blobs()));
        let mut fewer = files.clone();
        fewer.pop_last();
        assert!(!cache.holds(fewer.iter().map(|(path, file)| (path, file.id))));
        let mut others = files.clone();
        others.get_mut(&b"a.md"[..]).unwrap().id = tree;
        assert!(!cache.holds(others.iter().map(|(path, file)| (path, file.id))));
    }
}
