//! Paths as text: what an import means, without looking at the disk.
//! Border: lexical; links are resolved by whoever gives the files.

use std::path::{Component, Path, PathBuf};

/// A path without `.` and `..`, as far as its text says.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// What an import means in a file of some folder; `None` for a home folder nobody has.
pub(super) fn target(written: &str, folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let path = match written.strip_prefix("~/") {
        Some(rest) => home?.join(rest),
        None => folder.join(written),
    };
    Some(plain(&path))
}

/// A path below a folder with `/` between its parts; `None` where it is not below it.
pub(super) fn below(path: &Path, folder: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path
        .strip_prefix(folder)
        .ok()?
        .components()
        .map(|part| part.as_os_str().to_str())
        .collect();
    Some(parts?.join("/")).filter(|path| !path.is_empty())
}
