//! The project a memory directory belongs to: its canonical root, its key, its worktrees.
//! Border: reads `.git` files by hand so that a project repository is never opened.

use std::fs;
use std::path::{Path, PathBuf};

use crate::system::reading::read_bounded;

/// Units of a key before it is cut and hashed.
const KEY_UNITS_MAX: usize = 200;

/// The text of a `.git` or `commondir` file.
const POINTER_BYTES_MAX: u64 = 4096;

/// Linked work trees, and folders of projects that one key may mean.
const ENTRIES_MAX: usize = 100_000;

/// The project root for a folder: the main worktree of the git repository around it, else the folder.
///
/// All worktrees of one repository share one project, because they share one common git dir.
pub fn project_root(folder: &Path) -> PathBuf {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let Some(worktree) = folder.ancestors().find(|dir| dir.join(".git").exists()) else {
        return folder;
    };
    let dot_git = worktree.join(".git");
    if dot_git.is_dir() {
        return worktree.to_owned();
    }
    let common =
        read_pointer(&dot_git, "gitdir:").and_then(|git_dir| common_dir(worktree, &git_dir));
    match common {
        Some(common) if common.file_name().is_some_and(|name| name == ".git") => {
            common.parent().unwrap_or(worktree).to_owned()
        }
        // A bare repository with worktrees, or a submodule: the worktree itself is the project.
        _ => worktree.to_owned(),
    }
}

fn common_dir(worktree: &Path, git_dir: &Path) -> Option<PathBuf> {
    let git_dir = worktree.join(git_dir);
    let common = read_pointer(&git_dir.join("commondir"), "")?;
    fs::canonicalize(git_dir.join(common)).ok()
}

fn read_pointer(file: &Path, prefix: &str) -> Option<PathBuf> {
    let text = read_bounded(file, POINTER_BYTES_MAX).ok()??;
    let text = String::from_utf8(text).ok()?;
    Some(PathBuf::from(text.trim().strip_prefix(prefix)?.trim()))
}

/// The other worktrees of the repository at `root`, as their folders.
pub fn linked_worktrees(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join(".git/worktrees")).into_iter().flatten().flatten();
    let entries = entries.take(ENTRIES_MAX);
    let folder = |entry: fs::DirEntry| {
        let dot_git = read_pointer(&entry.path().join("gitdir"), "")?;
        Some(dot_git.parent()?.to_owned())
    };
    let mut found: Vec<PathBuf> = entries.filter_map(folder).collect();
    found.sort();
    found
}

/// The folder name Claude Code gives a project: every UTF-16 unit outside `[A-Za-z0-9]` becomes `-`.
///
/// Over 200 units the rest is replaced by a hash that differs between versions of Claude Code,
/// so such keys are matched by prefix: see [`KeyMatch`].
pub fn project_key(root: &Path) -> KeyMatch {
    let text = root.to_string_lossy();
    let units: Vec<u16> = text.encode_utf16().collect();
    let letter = |unit: &u16| match char::from_u32(u32::from(*unit)) {
        Some(c) if c.is_ascii_alphanumeric() => c,
        _ => '-',
    };
    let key: String = units.iter().map(letter).collect();
    if units.len() <= KEY_UNITS_MAX {
        return KeyMatch { key, prefix: None };
    }
    let prefix = format!("{}-", &key[..KEY_UNITS_MAX]);
    let hash =
        units.iter().fold(0_i32, |h, unit| h.wrapping_mul(31).wrapping_add(i32::from(*unit)));
    KeyMatch { key: format!("{prefix}{}", base36(hash.unsigned_abs())), prefix: Some(prefix) }
}

/// A project key, and the prefix by which an existing folder is recognised when the key was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyMatch {
    /// The key as computed here.
    pub key: String,
    /// The first 200 units and a dash, for long paths only.
    pub prefix: Option<String>,
}

impl KeyMatch {
    /// The folder below `projects` that this key names: an existing one by prefix, else the computed one.
    pub fn folder(&self, projects: &Path) -> PathBuf {
        let exact = projects.join(&self.key);
        let Some(prefix) = self.prefix.as_deref().filter(|_| !exact.exists()) else { return exact };
        let entries = fs::read_dir(projects).into_iter().flatten().flatten();
        let entries = entries.take(ENTRIES_MAX);
        let matches = |name: &str| name.starts_with(prefix);
        let mut names: Vec<String> =
            entries.filter_map(|e| e.file_name().into_string().ok()).collect();
        names.retain(|name| matches(name));
        names.sort();
        names.first().map_or(exact, |name| projects.join(name))
    }
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits
            .push(char::from_digit(number % 36, 36).expect("because a remainder of 36 is a digit"));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_as_claude_code_makes_them() {
        for (path, key) in [
            ("/home/u/my_proj", "-home-u-my-proj"),
            ("/Users/me/proj/.worktrees/2573", "-Users-me-proj--worktrees-2573"),
            ("/home/u/新聞", "-home-u---"),
            ("/home/u/😀", "-home-u---"),
            ("C:\\Users\\a b\\x", "C--Users-a-b-x"),
        ] {
            assert_eq!(
                project_key(Path::new(path)),
                KeyMatch { key: key.to_owned(), prefix: None }
            );
        }
        let long = project_key(Path::new(&format!("/home/u/{}", "a".repeat(210))));
        assert_eq!(long.key.len(), 207);
        assert!(long.key.ends_with("aaaaa-xxyti3"), "{}", long.key);
    }
}
