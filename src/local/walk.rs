//! A project as git sees it: which rules match a file of it, and where nested instructions are.
//! Border: walks in parallel and follows no link; what a pattern matches is `instructions::pattern`.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ignore::{DirEntry, WalkBuilder, WalkParallel, WalkState};

use crate::instructions::pattern::Patterns;

/// Entries of a project that are looked at.
const ENTRIES_MAX: usize = 2_000_000;
/// Folders with instructions of their own that are kept.
const NESTED_MAX: usize = 10_000;
/// More threads than this only wait for the disk.
const THREADS_MAX: usize = 4;

/// A rule that waits for a file to match.
#[derive(Debug)]
pub(super) struct Wanted {
    /// Where its patterns start, at or below the walked folder.
    pub base: PathBuf,
    /// Its patterns.
    pub patterns: Patterns,
    /// Whether a file was found.
    pub is_met: AtomicBool,
}

/// What a walk found beside.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Files with one of the names, in order.
    pub named: Vec<PathBuf>,
    /// Whether the project was too large to be walked to the end.
    pub is_cut: bool,
}

/// Every file of a project as git sees it; `None` where it is too large to be walked to the end.
pub(super) fn files_of(folder: &Path) -> Option<Vec<PathBuf>> {
    let (count, files) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    walker(folder).run(|| {
        Box::new(|entry| {
            if count.fetch_add(1, Ordering::Relaxed) >= ENTRIES_MAX {
                return WalkState::Quit;
            }
            if let Ok(entry) = entry
                && !entry.file_type().is_some_and(|kind| kind.is_dir())
                && let Ok(mut files) = files.lock()
            {
                files.push(entry.into_path());
            }
            WalkState::Continue
        })
    });
    (count.into_inner() <= ENTRIES_MAX).then(|| files.into_inner().unwrap_or_default())
}

/// Goes through a folder in parallel, without what git ignores.
fn walker(folder: &Path) -> WalkParallel {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    WalkBuilder::new(folder)
        .hidden(false)
        .require_git(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .threads(threads)
        .build_parallel()
}

/// Walks a folder; marks every rule that matches a file in it.
pub(super) fn walk(folder: &Path, wanted: &[Wanted], names: &[&str]) -> Walked {
    let (count, named) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    walker(folder).run(|| {
        Box::new(|entry| {
            if count.fetch_add(1, Ordering::Relaxed) >= ENTRIES_MAX {
                return WalkState::Quit;
            }
            if let Ok(entry) = entry {
                meet(&entry, wanted);
                let is_named = entry.file_name().to_str().is_some_and(|name| names.contains(&name));
                if is_named
                    && let Ok(mut named) = named.lock()
                    && named.len() < NESTED_MAX
                {
                    named.push(entry.into_path());
                }
            }
            WalkState::Continue
        })
    });
    let mut named = named.into_inner().unwrap_or_default();
    named.sort();
    Walked { named, is_cut: count.into_inner() > ENTRIES_MAX }
}

/// Marks the rules that an entry meets. A folder counts as its files do: a walk sees it only where it
/// is, and an empty one is rare.
fn meet(entry: &DirEntry, wanted: &[Wanted]) {
    let Some(kind) = entry.file_type() else { return };
    for rule in wanted.iter().filter(|rule| !rule.is_met.load(Ordering::Relaxed)) {
        let Ok(below) = entry.path().strip_prefix(&rule.base) else { continue };
        let Some(below) = below.to_str().filter(|below| !below.is_empty()) else { continue };
        #[cfg(windows)]
        let below = &below.replace('\\', "/");
        if rule.patterns.matches_one(below, kind.is_dir()) {
            rule.is_met.store(true, Ordering::Relaxed);
        }
    }
}
