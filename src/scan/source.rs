//! Where the files that steer a scan are read: a folder on disk, or what a commit or the index holds.
//! Border: texts by their path, and which of them differ elsewhere; what they mean is `setup`'s.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::setup_error::SetupError;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::git::outgoing::Introduced;
use crate::git::repo::Repo;
use crate::secrets::finding::fingerprint;
use crate::system::files::Root;

/// Lists and baselines are small; a baseline of 100,000 findings has some 40 MB.
pub(super) const LIST_BYTES_MAX: u64 = 64_000_000;

/// A place to read such files from. Remembers what was asked for.
#[derive(Debug)]
pub struct Source<'a> {
    place: Place<'a>,
    /// What stood at each path that was asked for; `None` where nothing did.
    seen: RefCell<BTreeMap<String, Option<String>>>,
}

#[derive(Debug)]
enum Place<'a> {
    Folder(PathBuf),
    Tree { repo: &'a Repo, tree: Option<ObjectId>, over: &'a [Introduced] },
}

impl<'a> Source<'a> {
    /// A folder on disk.
    pub fn folder(root: &Path) -> Self {
        Self::new(Place::Folder(root.to_owned()))
    }

    /// The tree of a commit, `None` for an empty one, with some files in place of its own: those
    /// that are staged.
    pub fn tree(repo: &'a Repo, tree: Option<ObjectId>, over: &'a [Introduced]) -> Self {
        Self::new(Place::Tree { repo, tree, over })
    }

    fn new(place: Place<'a>) -> Self {
        Self { place, seen: RefCell::default() }
    }

    /// The text of a file; `None` when nothing is there.
    ///
    /// # Errors
    /// A path that leads out of a tree, a symlink, anything that cannot be read.
    pub(super) fn read(&self, path: &str) -> Result<Option<String>, SetupError> {
        let bytes = self.bytes(path)?;
        let mark = bytes.as_ref().map(|bytes| fingerprint(b"source", bytes));
        self.seen.borrow_mut().insert(path.to_owned(), mark);
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn bytes(&self, path: &str) -> Result<Option<Vec<u8>>, SetupError> {
        match &self.place {
            Place::Folder(root) => {
                let file = root.join(path);
                // A path that a person wrote may lead anywhere; what is opened is no symlink.
                let parent = file.parent().unwrap_or(root);
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let inside =
                    Path::new(path).components().all(|c| matches!(c, Component::Normal(_)));
                let read = match inside {
                    true => Root::open(root)?.read_if_there(path, LIST_BYTES_MAX)?,
                    false if !parent.is_dir() => None,
                    false => Root::open(parent)?.read_if_there(&name, LIST_BYTES_MAX)?,
                };
                Ok(read)
            }
            Place::Tree { repo, tree, over } => {
                let plain = plain(path)
                    .ok_or_else(|| SetupError::OutsideCommit { path: Escaped(path).to_string() })?;
                let brought = over.iter().find(|file| file.path == plain.as_bytes());
                let found = match (brought, tree) {
                    (Some(file), _) => Some((file.mode, file.id)),
                    (None, Some(tree)) => {
                        repo.tree_file(*tree, &plain)?.map(|file| (file.mode, file.id))
                    }
                    (None, None) => None,
                };
                let Some((mode, id)) = found else { return Ok(None) };
                if mode & 0o170_000 != 0o100_000 {
                    return Err(SetupError::NoFile { path: Escaped(path).to_string() });
                }
                Ok(Some(repo.blob(id, LIST_BYTES_MAX)?.to_vec()))
            }
        }
    }

    /// Whether a path was asked for.
    pub fn has_seen(&self, path: &[u8]) -> bool {
        std::str::from_utf8(path).is_ok_and(|path| self.seen.borrow().contains_key(path))
    }

    /// The paths that were asked for and hold something else in another place. What cannot be read
    /// there differs.
    pub fn differing(&self, other: &Source<'_>) -> Vec<String> {
        let seen = self.seen.borrow();
        let mark = |path: &str| {
            let bytes = other.bytes(path)?;
            Ok::<_, SetupError>(bytes.map(|bytes| fingerprint(b"source", &bytes)))
        };
        let differs = |(path, here): &(&String, &Option<String>)| {
            mark(path).map_or(true, |there| there != **here)
        };
        seen.iter().filter(differs).map(|(path, _)| path.clone()).collect()
    }
}

/// A path below the root of a repository without `.`; `None` when it leads out of it.
fn plain(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." if !path.starts_with('/') => {}
            "" | "." | ".." => return None,
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_path_in_a_tree_stays_in_it() {
        assert_eq!(plain("./config//gitleaks.toml").as_deref(), Some("config/gitleaks.toml"));
        for out in ["/etc/gitleaks.toml", "../gitleaks.toml", "a/../../b", ".", ""] {
            assert_eq!(plain(out), None, "{out}");
        }
    }
}
