//! Which memories the index leads to: named by an entry, linked anywhere in it, or linked from a
//! memory it leads to. The others get an entry.
//! Border: memories are read only while one is still without a way, the nearest first.

use std::collections::HashSet;

use super::known::{Known, Meaning, parents};
use crate::base::path::MemoryPath;
use crate::memory::head::Head;
use crate::memory::index::mentions;
use crate::memory::kind::Kind;

/// A memory that nothing leads to.
pub(super) struct Orphan<'a> {
    pub(super) path: &'a MemoryPath,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) kind: Option<Kind>,
}

/// The memories that nothing leads to, in path order.
pub(super) fn orphans<'a>(
    known: &Known<'a>,
    pointed: &[Meaning<'a>],
    index: &str,
) -> Vec<Orphan<'a>> {
    let mut reached = Reached {
        known,
        files: HashSet::new(),
        folders: HashSet::new(),
        next: Vec::new(),
        left: known.memories.iter().map(|memory| memory.as_str()).collect(),
    };
    for meaning in pointed {
        reached.add(meaning);
    }
    if !reached.left.is_empty() {
        for mention in mentions(index) {
            known.there(&mention.target, mention.is_wiki).iter().for_each(|m| reached.add(m));
        }
    }
    let mut at = 0;
    while at < reached.next.len() && !reached.left.is_empty() {
        let from = reached.next[at];
        at += 1;
        for mention in known.mentions(from).iter() {
            let linked = known.linked(from, &mention.target, mention.is_wiki);
            linked.iter().for_each(|meaning| reached.add(meaning));
        }
    }
    let orphans = known.memories.iter().filter(|memory| reached.left.contains(memory.as_str()));
    orphans.map(|path| orphan(known, path)).collect()
}

/// What the index leads to so far.
struct Reached<'k, 'a> {
    known: &'k Known<'a>,
    files: HashSet<&'a str>,
    folders: HashSet<&'a str>,
    /// Files in the order they were reached, to be read for links.
    next: Vec<&'a MemoryPath>,
    /// Memories that nothing leads to so far.
    left: HashSet<&'a str>,
}

impl<'a> Reached<'_, 'a> {
    fn add(&mut self, meaning: &Meaning<'a>) {
        match meaning {
            Meaning::File(path) | Meaning::Renamed(path) => {
                if self.files.insert(path) {
                    self.left.remove(path);
                    self.next.extend(self.known.path(path).filter(|path| !path.is_index()));
                }
            }
            Meaning::Folder(path) => {
                if self.folders.insert(path) {
                    let below =
                        |memory: &&&MemoryPath| parents(memory.as_str()).any(|p| p == *path);
                    let below: Vec<_> = self.known.memories.iter().filter(below).copied().collect();
                    for memory in below {
                        if self.files.insert(memory.as_str()) {
                            self.left.remove(memory.as_str());
                            self.next.push(memory);
                        }
                    }
                }
            }
            Meaning::Deleted | Meaning::Other | Meaning::Absent => {}
        }
    }
}

fn orphan<'a>(known: &Known<'a>, path: &'a MemoryPath) -> Orphan<'a> {
    let Head { name, description, kind } = known.head(path);
    Orphan { path, name, description, kind }
}
