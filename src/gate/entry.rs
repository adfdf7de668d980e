//! Gate points 1 and 2 on values: what the entries of a tree are called, are, weigh, and whether
//! they can exist side by side.
//! Border: no content but its length and encoding; documents, index and secrets are judged elsewhere.

use serde::Serialize;

use crate::base::display::Escaped;
use crate::base::path::{EntryMode, MemoryPath, PathProblem, collisions, lookalikes};
use crate::memory::limits::{FILES_MAX, INDEX_FILE_BYTES_MAX, MEMORY_BYTES_MAX, POLICY_BYTES_MAX};

/// The root `.gitattributes`: memsync writes a few lines.
pub const GIT_ATTRIBUTES_BYTES_MAX: usize = 4_000;

/// One file of a tree, as git or the disk gives it.
#[derive(Clone, Copy, Debug)]
pub struct TreeEntry<'a> {
    /// The path from the root of the tree, raw.
    pub path: &'a [u8],
    /// What it is.
    pub mode: EntryMode,
    /// Its length in bytes.
    pub size: u64,
}

/// A reason to refuse an entry or a set of entries. Texts are ready to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntryProblem {
    /// The path, escaped; empty when it is about the tree as a whole.
    pub path: String,
    /// A stable name, for example `symlink` or `collision`.
    pub rule: &'static str,
    /// What is wrong, one sentence without full stop.
    pub message: String,
    /// What the person can do about it.
    pub next_step: &'static str,
    /// The two paths, unescaped, where it is about two.
    #[serde(skip)]
    pub pair: Option<Box<[String; 2]>>,
}

/// How much a tree may hold; policy may ask for less than the default, never for more.
#[derive(Clone, Copy, Debug)]
pub struct EntryLimits {
    /// Number of files.
    pub files_max: usize,
    /// Bytes of one memory.
    pub memory_bytes_max: usize,
}

impl Default for EntryLimits {
    fn default() -> Self {
        Self { files_max: FILES_MAX, memory_bytes_max: MEMORY_BYTES_MAX }
    }
}

const RENAME: &str = "Rename the file: letters, digits, `-` and `_`, ending in `.md`.";
const RENAME_ONE: &str = "Rename one of the two.";
const REPLACE: &str = "Replace it by a plain file that is not executable.";
const SPLIT: &str = "Split the file into several memories.";
const REMOVE: &str = "Remove or merge memories that are no longer needed.";
const REWRITE: &str = "Write the tree again with git or memsync.";
const REENCODE: &str = "Save the file as UTF-8.";

/// Checks how many files a tree may have.
pub fn check_count(files: usize) -> Option<EntryProblem> {
    count_over(files, FILES_MAX)
}

fn count_over(files: usize, limit: usize) -> Option<EntryProblem> {
    let message = || format!("the team memory has more than {limit} files");
    (files > limit).then(|| whole("count", message(), REMOVE))
}

/// Checks one entry by itself: path, kind and size.
pub fn check_entry(entry: &TreeEntry<'_>, limits: &EntryLimits) -> Option<EntryProblem> {
    let path = match MemoryPath::parse_tracked(entry.path, entry.mode) {
        Ok(path) => path,
        Err(problem) => return Some(EntryProblem::from(problem)),
    };
    let limit = bytes_max(&path, limits);
    (entry.size > limit as u64).then(|| EntryProblem {
        path: path.to_string(),
        rule: "size",
        message: format!("`{path}` has {} bytes, more than {limit}", entry.size),
        next_step: SPLIT,
        pair: None,
    })
}

/// Checks what an entry holds: only text in UTF-8 passes.
pub fn check_content(path: &MemoryPath, content: &[u8]) -> Option<EntryProblem> {
    let message = match std::str::from_utf8(content) {
        Err(error) => {
            let line = content[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
            format!("`{path}` is not UTF-8 text from line {line} on")
        }
        Ok(text) if text.contains('\0') => format!("`{path}` holds a NUL character"),
        Ok(_) => return None,
    };
    let rule = "content-utf8";
    Some(EntryProblem { path: path.to_string(), rule, message, next_step: REENCODE, pair: None })
}

/// Checks whether paths, given in tree order, can be one tree on every system; worst reason first.
pub fn check_set(paths: &[&[u8]]) -> Vec<EntryProblem> {
    let texts: Vec<_> = paths.iter().map(|path| String::from_utf8_lossy(path)).collect();
    let pair = |rule, (a, b): (usize, usize), what: &str, next_step| {
        let pair = Some(Box::new([texts[a].to_string(), texts[b].to_string()]));
        let (a, b) = (Escaped(&texts[a]).to_string(), Escaped(&texts[b]).to_string());
        EntryProblem { message: format!("`{a}` and `{b}` {what}"), path: b, rule, next_step, pair }
    };
    let mut problems = Vec::new();
    let (twins, collisions): (Vec<_>, Vec<_>) =
        collisions(&texts).into_iter().partition(|(a, b)| is_malformed(paths[*a], paths[*b]));
    for twin in twins {
        problems.push(pair("malformed-tree", twin, "are one entry twice", REWRITE));
    }
    for collision in collisions {
        problems.push(pair("collision", collision, "are one file on some systems", RENAME_ONE));
    }
    for at in 1..paths.len() {
        if paths[at - 1] > paths[at] {
            problems.push(pair("malformed-tree", (at - 1, at), "are not in git's order", REWRITE));
        }
    }
    for likeness in lookalikes(&texts) {
        problems.push(pair("confusable", likeness, "look the same", RENAME_ONE));
    }
    problems
}

/// Whether two paths cannot be in one tree object at all: the same, or a file and its own folder.
fn is_malformed(a: &[u8], b: &[u8]) -> bool {
    let below = |file: &[u8], path: &[u8]| {
        path.strip_prefix(file).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    };
    below(a, b) || below(b, a)
}

fn bytes_max(path: &MemoryPath, limits: &EntryLimits) -> usize {
    if path.is_policy() {
        POLICY_BYTES_MAX
    } else if path.is_git_attributes() {
        GIT_ATTRIBUTES_BYTES_MAX
    } else if path.is_index() {
        INDEX_FILE_BYTES_MAX
    } else {
        limits.memory_bytes_max
    }
}

fn whole(rule: &'static str, message: String, next_step: &'static str) -> EntryProblem {
    EntryProblem { path: String::new(), rule, message, next_step, pair: None }
}

impl From<PathProblem> for EntryProblem {
    fn from(problem: PathProblem) -> Self {
        let next_step = match problem.rule {
            "symlink" | "gitlink" | "mode" => REPLACE,
            _ => RENAME,
        };
        let message = problem.reason.to_owned();
        Self { path: problem.shown, rule: problem.rule, message, next_step, pair: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, size: u64) -> TreeEntry<'_> {
        TreeEntry { path: path.as_bytes(), mode: EntryMode::File, size }
    }

    fn rules(entries: &[TreeEntry<'_>], limits: &EntryLimits) -> Vec<&'static str> {
        let each = entries.iter().filter_map(|entry| check_entry(entry, limits));
        let paths: Vec<_> = entries.iter().map(|entry| entry.path).collect();
        let all = each.chain(check_set(&paths)).chain(count_over(entries.len(), limits.files_max));
        all.map(|problem| problem.rule).collect()
    }

    #[test]
    fn every_size_limit_holds_on_both_sides() {
        let limits = EntryLimits::default();
        for (path, max) in [
            ("a.md", MEMORY_BYTES_MAX),
            ("MEMORY.md", INDEX_FILE_BYTES_MAX),
            (".memsync/roster.yaml", POLICY_BYTES_MAX),
            (".gitattributes", GIT_ATTRIBUTES_BYTES_MAX),
        ] {
            assert!(rules(&[entry(path, max as u64)], &limits).is_empty(), "{path}");
            assert_eq!(rules(&[entry(path, max as u64 + 1)], &limits), ["size"], "{path}");
        }
    }

    #[test]
    fn the_number_of_files_is_limited_on_both_sides() {
        let two = [entry("a.md", 10), entry("b.md", 10)];
        let limits = |files_max| EntryLimits { files_max, ..EntryLimits::default() };
        assert!(rules(&two, &limits(2)).is_empty());
        assert_eq!(rules(&two, &limits(1)), ["count"]);
    }

    #[test]
    fn all_reasons_are_given_at_once() {
        let mut entries = [entry("a.md", 1), entry("b/../x.md", 1), entry("A.md", 1)];
        entries[0].mode = EntryMode::Symlink;
        let expected = ["symlink", "relative", "collision", "malformed-tree"];
        assert_eq!(rules(&entries, &EntryLimits::default()), expected);
    }

    #[test]
    fn content_must_be_utf_8_text() {
        let path = MemoryPath::parse("a.md").unwrap();
        assert_eq!(check_content(&path, "ok ünï\r\n".as_bytes()), None);
        let problem = check_content(&path, b"ok\nx\xff").unwrap();
        assert!(problem.message.contains("line 2"), "{}", problem.message);
        assert!(check_content(&path, b"a\0b").is_some());
    }
}
