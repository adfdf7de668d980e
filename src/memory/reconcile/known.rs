//! Which files there are, what an entry means by its target, and what became of memories that are gone.
//! Border: looks at names; reads frontmatter only where a wiki link needs it. Which memories no entry
//! leads to is `reach`'s business.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::Setting;
use super::since::Said;
use crate::base::path::MemoryPath;
use crate::memory::head::Head;
use crate::memory::index::{Block, Entry, Mention, is_inside};

/// Names of folders that hold a team memory. A target written from above such a folder
/// (`.memory/a.md`) means the file in it, on every machine the same.
const OWN_FOLDERS: [&str; 4] = ["team", "memory", ".memory", "memories"];

/// What an entry means in this folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning<'a> {
    /// A file that is there.
    File(&'a str),
    /// A folder that is there, without the final `/`.
    Folder(&'a str),
    /// A memory that was renamed, by its new path.
    Renamed(&'a str),
    /// A memory, or a folder of memories, that was there and was deleted.
    Deleted,
    /// Something that is no memory of this folder: outside it, the index itself, a README.
    Other,
    /// A memory or folder that is not there and, as far as is known, never was.
    Absent,
}

/// The names in a folder.
pub(super) struct Known<'a> {
    setting: &'a Setting<'a>,
    /// Every file by its path.
    paths: HashMap<&'a str, &'a MemoryPath>,
    /// The memories that need a way from the index, in path order.
    pub(super) memories: Vec<&'a MemoryPath>,
    /// Files, and other names an entry may mean.
    names: HashSet<&'a str>,
    folders: HashSet<&'a str>,
    /// Memories by frontmatter `name`, for wiki links. Read on first use.
    by_name: OnceCell<HashMap<String, &'a str>>,
}

impl<'a> Known<'a> {
    pub(super) fn new(setting: &'a Setting<'a>) -> Self {
        let paths: Vec<&'a MemoryPath> = setting.files.paths().collect();
        let others = setting.others;
        let names =
            || paths.iter().map(|path| path.as_str()).chain(others.iter().map(String::as_str));
        let indexes: HashSet<&str> =
            names().filter_map(|name| name.strip_suffix("/MEMORY.md")).collect();
        let listed_below = |path: &MemoryPath| parents(path.as_str()).any(|p| indexes.contains(p));
        let wanted = |path: &&&MemoryPath| path.is_memory() && !listed_below(path);
        Self {
            setting,
            folders: names().flat_map(parents).collect(),
            names: names().collect(),
            memories: paths.iter().filter(wanted).copied().collect(),
            paths: paths.iter().map(|path| (path.as_str(), *path)).collect(),
            by_name: OnceCell::new(),
        }
    }

    /// What an entry means. Names are compared in NFC, case counts.
    pub(super) fn meaning(&self, block: &Block, entry: &Entry) -> Meaning<'a> {
        let target = composed(&entry.target);
        let stem = target.strip_suffix(".md").unwrap_or(&target);
        let is_wiki = block.raw.contains(&format!("[[{stem}"));
        if let Some(found) = self.there(&target, is_wiki) {
            return found;
        }
        if let Some(new) =
            self.past(&target, |path| Some(self.setting.since.renamed.get(path)?.as_str()))
        {
            return Meaning::Renamed(new);
        }
        let was_there = self.past(&target, |path| self.was_there(path).then_some(())).is_some();
        let names = || self.setting.since.deleted.values().flatten();
        if was_there || (is_wiki && names().any(|name| name == stem)) {
            return Meaning::Deleted;
        }
        if is_inside(&target) { Meaning::Absent } else { Meaning::Other }
    }

    /// The file or folder that a target means; `None` when nothing of that name is there.
    pub(super) fn there(&self, target: &str, is_wiki: bool) -> Option<Meaning<'a>> {
        let target = composed(target);
        if let Some(name) = self.names.get(target.as_ref()) {
            return Some(Meaning::File(name));
        }
        if let Some(folder) = self.folders.get(target.trim_end_matches('/')) {
            return Some(Meaning::Folder(folder));
        }
        if let Some(name) = self.past(&target, |rest| self.names.get(rest).copied()) {
            return Some(Meaning::File(name));
        }
        let stem = target.strip_suffix(".md").unwrap_or(&target);
        let named = (is_wiki && is_inside(&target)).then(|| self.by_name().get(stem).copied());
        named.flatten().map(Meaning::File)
    }

    /// The file a path means that a memory links: from its own folder, else from the root.
    pub(super) fn linked(
        &self,
        from: &MemoryPath,
        target: &str,
        wiki: bool,
    ) -> Option<Meaning<'a>> {
        let folder = from.as_str().rsplit_once('/').map(|(folder, _)| folder);
        let beside = folder.and_then(|folder| self.there(&joined(folder, target)?, false));
        beside.or_else(|| self.there(target, wiki))
    }

    /// The path of a file as the folder has it.
    pub(super) fn path(&self, name: &str) -> Option<&'a MemoryPath> {
        self.paths.get(name).copied()
    }

    /// What a memory says of itself.
    pub(super) fn head(&self, path: &MemoryPath) -> Head {
        self.setting.files.head(path)
    }

    /// The files that a memory names.
    pub(super) fn mentions(&self, path: &MemoryPath) -> Arc<[Mention]> {
        self.setting.files.mentions(path)
    }

    /// The `name` of a memory.
    pub(super) fn name(&self, path: &str) -> Option<String> {
        Said::of(&self.setting.files.content(self.path(path)?)?).name
    }

    /// What a memory said of itself and says now; `None` where that is the same or not known.
    pub(super) fn said(&self, path: &str) -> Option<(&[Said], Said)> {
        let was = self.setting.since.said.get(path)?;
        Some((was, Said::of(&self.setting.files.content(self.path(path)?)?)))
    }

    /// Whether a target means one of some files, which need not be there.
    pub(super) fn means_one_of(&self, target: &str, files: &HashSet<&str>) -> bool {
        self.past(target, |path| files.contains(path).then_some(())).is_some()
    }

    /// Looks a target up as it is, then without each leading part that is this folder's own path.
    fn past<T>(&self, target: &str, look: impl Fn(&str) -> Option<T>) -> Option<T> {
        let parts = target.match_indices('/').map(|(at, _)| (&target[..at], &target[at + 1..]));
        look(target).or_else(|| {
            parts.filter(|(head, _)| self.is_own(head)).find_map(|(_, rest)| look(rest))
        })
    }

    /// Whether a path leads to this folder: the end of its own path, or a name such folders have.
    fn is_own(&self, head: &str) -> bool {
        let last = head.rsplit('/').next().unwrap_or(head);
        let rest = self.setting.own.strip_suffix(head);
        OWN_FOLDERS.contains(&last)
            || rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    }

    fn was_there(&self, path: &str) -> bool {
        let deleted = &self.setting.since.deleted;
        deleted.contains_key(path)
            || (path.ends_with('/') && deleted.keys().any(|gone| gone.starts_with(path)))
    }

    fn by_name(&self) -> &HashMap<String, &'a str> {
        self.by_name.get_or_init(|| {
            let name = |path: &&'a MemoryPath| Some((self.head(path).name?, path.as_str()));
            self.memories.iter().rev().filter_map(name).collect()
        })
    }
}

/// A name as the folder has names.
fn composed(name: &str) -> std::borrow::Cow<'_, str> {
    if is_nfc(name) { name.into() } else { name.nfc().collect::<String>().into() }
}

/// A relative target from a folder; `None` where it climbs out of the root.
fn joined(folder: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()?),
            "." => {}
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folders a path lies in.
pub(super) fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}
