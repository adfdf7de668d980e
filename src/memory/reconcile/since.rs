//! What became of the memories since the index was last in line with them: deleted, renamed, edited.
//! Border: compares two states of a folder; what an entry does about it is decided in `reconcile`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::path::MemoryPath;
use crate::memory::document::Document;
use crate::memory::index::mentions;

/// What became of the memories. Nothing is known of a folder without history: then no entry goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// Memories that were there and are gone, with their `name`.
    pub(super) deleted: BTreeMap<String, Option<String>>,
    /// Memories that have another path now: old path, new path.
    pub(super) renamed: BTreeMap<String, String>,
    /// What memories said of themselves that say something else now, by their path now.
    pub(super) said: BTreeMap<String, Vec<Said>>,
}

/// What a memory says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
}

impl Since {
    /// Compares two states of a folder, each given by what is at a path. Only `changed` paths are
    /// looked at; `renamed` gives the new path of each old one.
    pub fn between<'p>(
        before: impl Fn(&MemoryPath) -> Option<Arc<[u8]>>,
        after: impl Fn(&MemoryPath) -> Option<Arc<[u8]>>,
        changed: impl Iterator<Item = &'p MemoryPath>,
        renamed: &BTreeMap<MemoryPath, MemoryPath>,
    ) -> Self {
        let mut since = Self::default();
        for path in changed.filter(|path| path.is_memory()) {
            let Some(old) = before(path) else { continue };
            let was = Said::of(&old);
            let now = renamed.get(path).unwrap_or(path);
            match after(now) {
                None => drop(since.deleted.insert(path.to_string(), was.name)),
                Some(new) if Said::of(&new) != was => {
                    since.said.insert(now.to_string(), vec![was]);
                }
                Some(_) => {}
            }
        }
        // Of two memories that met in one name, one has another now and no past.
        for (old, new) in renamed.iter().filter(|(old, _)| after(old).is_none()) {
            since.renamed.insert(old.to_string(), new.to_string());
        }
        since
    }

    /// Adds what became of the memories of another, older state. What the newer one says goes first.
    pub fn merge(&mut self, older: Self) {
        for (path, name) in older.deleted {
            self.deleted.entry(path).or_insert(name);
        }
        for (old, new) in older.renamed {
            self.renamed.entry(old).or_insert(new);
        }
        for (path, said) in older.said {
            let known = self.said.entry(path).or_default();
            let new: Vec<Said> = said.into_iter().filter(|said| !known.contains(said)).collect();
            known.extend(new);
        }
    }

    /// Adds a memory that nobody but this machine ever had.
    pub fn add_deleted(&mut self, path: &MemoryPath) {
        self.deleted.insert(path.to_string(), None);
    }
}

/// Whether an edit of a memory leaves every index as it is: the memory says the same of itself and
/// leads to the same files.
pub fn is_quiet_edit(old: &[u8], new: &[u8]) -> bool {
    let leads = |content: &[u8]| {
        let text = String::from_utf8_lossy(content);
        let document = Document::parse(&text);
        let body = mentions(document.body()).into_iter();
        body.map(|mention| (mention.target, mention.is_wiki)).collect::<BTreeSet<_>>()
    };
    Said::of(old) == Said::of(new) && leads(old) == leads(new)
}

impl Said {
    pub(super) fn of(content: &[u8]) -> Self {
        let document = Document::parse(&String::from_utf8_lossy(content));
        Self {
            name: document.name().map(str::to_owned),
            description: document.description().map(str::to_owned),
        }
    }
}
