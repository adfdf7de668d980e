//! Files that are a table, and what a session over them is told: helpers of the tests here.
//! Border: tests only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::instructions::around::Surroundings;
use crate::instructions::entry::State;
use crate::instructions::profile::SAMPLE;
use crate::instructions::reader::{Files, Item, Unread};
use crate::instructions::session::session;

/// Files and links of a table; the project is `/w/p`, home is `/h`.
#[derive(Default)]
pub(super) struct Table {
    files: BTreeMap<PathBuf, Vec<u8>>,
    links: BTreeMap<PathBuf, PathBuf>,
}

pub(super) fn at(name: &str) -> PathBuf {
    match name.chars().next() {
        Some('~') => PathBuf::from(name.replacen('~', "/h", 1)),
        Some('/') => PathBuf::from(name),
        _ => crate::instructions::paths::plain(&Path::new("/w/p").join(name)),
    }
}

impl Table {
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let mut table = Self::default();
        for (name, text) in files {
            match text.strip_prefix("-> ") {
                Some(target) => drop(table.links.insert(at(name), at(target))),
                None => drop(table.files.insert(at(name), text.as_bytes().to_vec())),
            }
        }
        table
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        let mut path = path.to_owned();
        for _ in 0..8 {
            let hit =
                path.ancestors().find_map(|part| Some((part.to_owned(), self.links.get(part)?)));
            let Some((part, target)) = hit else { return path };
            path = target.join(path.strip_prefix(part).unwrap());
        }
        PathBuf::from("/nowhere")
    }
}

impl Files for Table {
    fn real(&self, path: &Path) -> Option<PathBuf> {
        let path = self.resolve(path);
        let mut from = self.files.range(path.clone()..).map(|(file, _)| file);
        from.next().is_some_and(|file| file.starts_with(&path)).then_some(path)
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, Unread> {
        let Some(path) = self.real(path) else { return Err(Unread::NotThere) };
        let content = self.files.get(&path).ok_or(Unread::NoFile)?;
        if content.len() as u64 > limit { Err(Unread::TooLarge) } else { Ok(content.clone()) }
    }

    fn list(&self, folder: &Path, limit: usize) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        for path in self.files.keys().chain(self.links.keys()) {
            let Ok(rest) = path.strip_prefix(folder) else { continue };
            let Some(name) = rest.iter().next().and_then(|name| name.to_str()) else { continue };
            if !items.iter().any(|item| item.name == name) {
                let is_folder = self.files.contains_key(&self.resolve(&folder.join(name)));
                items.push(Item { name: name.to_owned(), is_folder: !is_folder });
            }
        }
        items.truncate(limit);
        items
    }
}

pub(super) fn around() -> Surroundings {
    Surroundings {
        folder: PathBuf::from("/w/p"),
        user: Some(PathBuf::from("/h/.claude")),
        home: Some(PathBuf::from("/h")),
        managed: Some(PathBuf::from("/etc/cc")),
        memory: Some(PathBuf::from("/h/m/MEMORY.md")),
        ..Surroundings::default()
    }
}

pub(super) fn short(path: &Path) -> String {
    let path = path.to_str().unwrap();
    let inside = path.strip_prefix("/w/p/").map(str::to_owned);
    inside.unwrap_or_else(|| path.replacen("/h/", "~/", 1))
}

pub(super) fn loaded(table: &Table, around: &Surroundings, touched: &[&str]) -> Vec<String> {
    let touched: Vec<PathBuf> = touched.iter().map(|name| at(name)).collect();
    let entries = session(table, &SAMPLE, around, &touched);
    entries.iter().filter(|e| e.state.is_loaded()).map(|e| short(&e.path)).collect()
}

pub(super) fn check(files: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(loaded(&Table::of(files), &around(), &[]), expected, "{files:?}");
}

pub(super) fn check_touched(files: &[(&str, &str)], touched: &[&str], expected: &[&str]) {
    assert_eq!(loaded(&Table::of(files), &around(), touched), expected, "{files:?}");
}

pub(super) fn left(files: &[(&str, &str)], around: &Surroundings) -> Vec<(String, State)> {
    let entries = session(&Table::of(files), &SAMPLE, around, &[]);
    let left = entries.into_iter().filter(|entry| !entry.state.is_loaded());
    left.map(|entry| (short(&entry.path), entry.state)).collect()
}
