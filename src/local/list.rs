//! Lists the memories of both layers, with what people ask of each.
//! Border: reads the head of each file; which of them are shown is the caller's choice.

use std::collections::HashSet;
use std::path::Path;

use rayon::prelude::*;

use crate::base::time::Timestamp;
use crate::local::layers::{HEAD_BYTES_MAX, LayerFile, Layers, stem};
use crate::local::open_conflicts::open_conflicts;
use crate::memory::document::Document;
use crate::memory::index::Index;
use crate::memory::kind::{Kind, Scope};
use crate::memory::limits::INDEX_FILE_BYTES_MAX;
use crate::recall::excerpt::age_days;
use crate::seal::envelope::is_sealed;
use crate::system::files::{FileError, Root};

/// A memory in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Below the memory directory: `x.md`, `team/x.md`.
    pub path: String,
    /// Its `name`, else the file's.
    pub name: String,
    /// Its kind, if it is one of the four.
    pub kind: Option<Kind>,
    /// The layer it is in.
    pub layer: Scope,
    /// Whole days since it last changed.
    pub age_days: u64,
    /// What it says it is about.
    pub description: String,
    /// Who wrote it, where the memory says so.
    pub author: Option<String>,
    /// Whether an agent sees its entry: the index has one, within the caps.
    pub is_visible: bool,
    /// Whether its text is sealed.
    pub is_sealed: bool,
    /// Whether a conflict about it is open.
    pub has_conflict: bool,
    /// Names of the memories that it takes the place of.
    pub supersedes: Vec<String>,
    /// The memory that takes its place.
    pub superseded_by: Option<String>,
}

/// A list, and what could not be read.
#[derive(Debug, Default)]
pub struct List {
    /// By layer, then path.
    pub memories: Vec<Listed>,
    /// What could not be read, and why.
    pub notes: Vec<String>,
}

/// Lists both layers. `now` is in seconds since the epoch.
///
/// # Errors
/// A memory directory that is there and cannot be opened.
pub fn list(memdir: &Path, now: i64) -> Result<List, FileError> {
    let layers = Layers::open(memdir)?;
    let mut notes = Vec::new();
    let conflicts: HashSet<String> = match layers.root(Scope::Team) {
        Some(team) => open_conflicts(team, &mut notes).into_iter().collect(),
        None => HashSet::new(),
    };
    let mut seen =
        |layer| layers.root(layer).map(|root| visible(root, &mut notes)).unwrap_or_default();
    let (private, team) = (seen(Scope::Private), seen(Scope::Team));
    let one = |file: LayerFile| -> Result<Listed, String> {
        let root = layers.root(file.layer).ok_or_else(|| file.path())?;
        let listed = read(root, &file, now);
        let mut listed = listed.map_err(|error| format!("`{}`: {error}", file.path()))?;
        let visible = if file.layer == Scope::Private { &private } else { &team };
        listed.is_visible = visible.contains(&file.file);
        listed.has_conflict = file.layer == Scope::Team && conflicts.contains(&file.file);
        Ok(listed)
    };
    let read: Vec<Result<Listed, String>> = layers.files()?.into_par_iter().map(one).collect();
    let mut list = List { memories: Vec::new(), notes };
    for one in read {
        match one {
            Ok(listed) => list.memories.push(listed),
            Err(note) => list.notes.push(note),
        }
    }
    let is_team = |one: &Listed| one.layer == Scope::Team;
    list.memories.sort_by(|a, b| (is_team(a), &a.path).cmp(&(is_team(b), &b.path)));
    follow_supersedes(&mut list.memories);
    Ok(list)
}

/// The memories whose entries an agent sees, by their path in the folder.
fn visible(root: &Root, notes: &mut Vec<String>) -> HashSet<String> {
    let raw = match root.read_if_there("MEMORY.md", INDEX_FILE_BYTES_MAX as u64) {
        Ok(raw) => raw.unwrap_or_default(),
        Err(error) => {
            notes.push(error.to_string());
            return HashSet::new();
        }
    };
    let index = Index::parse(&String::from_utf8_lossy(&raw));
    let hidden: HashSet<usize> = index.invisible().iter().map(|entry| entry.line).collect();
    let entries = index.entries().filter(|entry| !hidden.contains(&entry.line));
    entries.map(|entry| entry.target.clone()).collect()
}

fn read(root: &Root, file: &LayerFile, now: i64) -> Result<Listed, FileError> {
    let (head, _) = root.read_head(&file.file, HEAD_BYTES_MAX)?;
    let document = Document::parse(&String::from_utf8_lossy(&head));
    let front = document.frontmatter();
    let scalar = |key: &str| {
        let top = front?.scalar(&[key]).filter(|value| !value.is_empty());
        top.or_else(|| front?.scalar(&["metadata", key]).filter(|value| !value.is_empty()))
    };
    let modified = scalar("modified").and_then(Timestamp::parse);
    let modified = modified.map_or(file.modified_ns / 1_000_000_000, |time| time.seconds);
    Ok(Listed {
        path: file.path(),
        name: scalar("name").unwrap_or_else(|| stem(&file.file)).to_owned(),
        kind: scalar("type").and_then(Kind::parse),
        layer: file.layer,
        age_days: age_days(modified, now),
        description: scalar("description").unwrap_or_default().to_owned(),
        author: scalar("author").map(str::to_owned),
        is_visible: false,
        is_sealed: is_sealed(&document),
        has_conflict: false,
        supersedes: front.map(|front| front.names(&["supersedes"])).unwrap_or_default(),
        superseded_by: None,
    })
}

/// Names in each memory the one that takes its place.
fn follow_supersedes(memories: &mut [Listed]) {
    let retired: Vec<(String, String)> = memories
        .iter()
        .flat_map(|one| one.supersedes.iter().map(|name| (name.clone(), one.path.clone())))
        .collect();
    for one in memories {
        let names =
            |name: &str| name == one.name || name == one.path || stem(name) == stem(&one.path);
        let by = retired.iter().find(|(name, by)| *by != one.path && names(name));
        one.superseded_by = by.map(|(_, by)| by.clone());
    }
}
