//! Which files there are, what an entry means by its target, and which memories have no entry.
//! Border: looks at names; reads frontmatter only where an entry is missing or a wiki link needs it.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::base::path::MemoryPath;
use crate::memory::document::Document;
use crate::memory::index::{Block, Entry, is_inside};
use crate::memory::kind::Kind;
use crate::memory::snapshot::Files;

/// What an entry means in this folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning<'a> {
    /// A file that is there.
    File(&'a str),
    /// A folder that is there, without the final `/`.
    Folder(&'a str),
    /// Something that is no memory of this folder: outside it, the index itself, a README.
    Other,
    /// A memory or folder that is not there.
    Gone,
}

/// A memory without an entry.
pub(super) struct Orphan<'a> {
    pub(super) path: &'a MemoryPath,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) kind: Option<Kind>,
}

/// The names in a folder.
pub(super) struct Known<'a> {
    files: &'a dyn Files,
    memories: Vec<&'a MemoryPath>,
    names: HashSet<&'a str>,
    folders: HashSet<&'a str>,
    /// Memories by frontmatter `name`, for wiki links. Read on first use.
    by_name: OnceCell<HashMap<String, &'a str>>,
}

impl<'a> Known<'a> {
    /// Knows the files of a folder, and `others`: names that are no memories but that an entry may
    /// mean. One that ends in `/` is a folder.
    pub(super) fn new(files: &'a dyn Files, others: &'a [String]) -> Self {
        let paths: Vec<&'a MemoryPath> = files.paths().collect();
        let names =
            || paths.iter().map(|path| path.as_str()).chain(others.iter().map(String::as_str));
        let indexes: HashSet<&str> =
            names().filter_map(|name| name.strip_suffix("/MEMORY.md")).collect();
        let listed_below = |path: &MemoryPath| parents(path.as_str()).any(|p| indexes.contains(p));
        let wanted = |path: &&&MemoryPath| path.is_memory() && !listed_below(path);
        Self {
            files,
            folders: names().flat_map(parents).collect(),
            names: names().collect(),
            memories: paths.iter().filter(wanted).copied().collect(),
            by_name: OnceCell::new(),
        }
    }

    /// What an entry means. Names are compared in NFC, case counts.
    pub(super) fn meaning(&self, block: &Block, entry: &Entry) -> Meaning<'a> {
        let composed: String;
        let target = if is_nfc(&entry.target) {
            entry.target.as_str()
        } else {
            composed = entry.target.nfc().collect();
            &composed
        };
        if let Some(name) = self.names.get(target) {
            return Meaning::File(name);
        }
        if let Some(folder) = self.folders.get(target.trim_end_matches('/')) {
            return Meaning::Folder(folder);
        }
        if !is_inside(target) {
            return Meaning::Other;
        }
        let stem = target.strip_suffix(".md").unwrap_or(target);
        if block.raw.contains(&format!("[[{stem}"))
            && let Some(path) = self.by_name().get(stem)
        {
            return Meaning::File(path);
        }
        Meaning::Gone
    }

    /// The memories that no entry means, in path order.
    pub(super) fn orphans(&self, pointed: &[Meaning<'a>]) -> Vec<Orphan<'a>> {
        let mut files = HashSet::new();
        let mut folders = HashSet::new();
        for meaning in pointed {
            match meaning {
                Meaning::File(path) => files.insert(*path),
                Meaning::Folder(path) => folders.insert(*path),
                Meaning::Other | Meaning::Gone => false,
            };
        }
        let is_covered = |path: &str| {
            files.contains(path)
                || (!folders.is_empty() && parents(path).any(|parent| folders.contains(parent)))
        };
        let left = self.memories.iter().filter(|path| !is_covered(path.as_str()));
        left.map(|path| self.orphan(path)).collect()
    }

    fn orphan(&self, path: &'a MemoryPath) -> Orphan<'a> {
        let document = self.document(path);
        Orphan {
            path,
            name: document.name().map(str::to_owned),
            description: document.description().map(str::to_owned),
            kind: document.kind().and_then(Result::ok),
        }
    }

    fn document(&self, path: &MemoryPath) -> Document {
        let content = self.files.content(path).unwrap_or_default();
        Document::parse(&String::from_utf8_lossy(&content))
    }

    fn by_name(&self) -> &HashMap<String, &'a str> {
        self.by_name.get_or_init(|| {
            let name = |path: &&'a MemoryPath| {
                Some((self.document(path).name()?.to_owned(), path.as_str()))
            };
            self.memories.iter().rev().filter_map(name).collect()
        })
    }
}

/// The folders a path lies in.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}
