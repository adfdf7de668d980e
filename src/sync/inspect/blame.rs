//! `blame`: for each line of a memory, or each entry of the index, the change it comes from.
//! Border: walks the history, across renames and merges; what stayed the same is `audit::blame`'s.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Serialize;

use super::log::{LogEntry, entries_of};
use crate::audit::blame::{Before, entries_before, lines_before};
use crate::audit::event::ChangeKind;
use crate::base::id::ObjectId;
use crate::git::commit::Commit;
use crate::memory::index::{Entry, Index};
use crate::memory::limits::INDEX_FILE_BYTES_MAX;
use crate::seal::envelope::without_armor;
use crate::secrets::Scanner;
use crate::secrets::masking::without_values;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::repo::changed_files::touched;
use crate::sync::repo::find_path::find_path;
use crate::sync::repo::team::Team;

/// One line of a memory, or one entry of the index.
#[derive(Clone, Debug, Serialize)]
pub struct BlamedPart {
    /// The line, from 1; of an entry the first.
    pub line: usize,
    /// The line without its ending; of an entry `[title](target) — hook` as it reads.
    pub text: String,
    /// What an entry points at; `None` for a line.
    pub target: Option<String>,
    /// The change that added it, or edited it last.
    pub commit: ObjectId,
    /// `added` or `edited`; lines are always `added`: a changed line is a new one.
    pub deed: ChangeKind,
}

/// A memory with the change behind each part.
#[derive(Clone, Debug, Serialize)]
pub struct Blamed {
    /// The file.
    pub path: String,
    /// Its lines, or for `MEMORY.md` its entries, in order.
    pub parts: Vec<BlamedPart>,
    /// The changes that are named, newest first.
    pub changes: Vec<LogEntry>,
}

/// Finds the change behind each part of a memory, given by name, file stem or path.
///
/// # Errors
/// A memory that is not there, a repository that cannot be read.
pub fn blame(place: &TeamPlace, name: &str) -> Result<Blamed, SyncError> {
    let team = Team::open(place)?.looking();
    let tip = team.tip()?;
    let path = find_path(&team, tip, name)?;
    let newest_first: Vec<ObjectId> = team.repo.range(None, tip)?.into_iter().rev().collect();
    let mut walk = Walk { team: &team, suspects: HashMap::new(), found: BTreeMap::new() };
    let commit = team.repo.commit(tip)?;
    let file = team.repo.tree_file(commit.tree, path.as_str())?;
    let file = file.ok_or_else(|| SyncError::NoMemory(path.to_string()))?;
    let version = walk.version(path.as_str(), file.id)?;
    let items = (0..version.len()).map(|at| Item { part: at, place: at }).collect();
    walk.suspects.insert(tip, BTreeMap::from([(path.to_string(), items)]));
    for id in &newest_first {
        walk.step(*id)?;
    }
    let found = walk.found;
    let content = team.repo.blob(file.id, INDEX_FILE_BYTES_MAX as u64)?;
    let secrets = Scanner::builtin().scan(path.as_str(), &content);
    let part = |(at, mut part): (usize, BlamedPart)| {
        part.text = without_values(&part.text, &content, &secrets);
        (part.commit, part.deed) = found.get(&at).copied().unwrap_or((tip, ChangeKind::Added));
        part
    };
    let parts: Vec<BlamedPart> = version.parts(tip).into_iter().enumerate().map(part).collect();
    let named: std::collections::HashSet<ObjectId> = parts.iter().map(|part| part.commit).collect();
    let ids: Vec<ObjectId> = newest_first.into_iter().filter(|id| named.contains(id)).collect();
    let changes = entries_of(&team, tip, &ids)?;
    Ok(Blamed { path: path.to_string(), parts, changes })
}

/// A part of the newest version, and where it stands in an older one.
#[derive(Clone, Copy)]
struct Item {
    part: usize,
    place: usize,
}

/// One version of the file.
enum Version {
    Lines(Arc<str>),
    Entries(Vec<Entry>),
}

struct Walk<'a> {
    team: &'a Team,
    /// By commit and name there: parts that are at least as old as the commit.
    suspects: HashMap<ObjectId, BTreeMap<String, Vec<Item>>>,
    found: BTreeMap<usize, (ObjectId, ChangeKind)>,
}

impl Walk<'_> {
    fn version(&self, path: &str, blob: ObjectId) -> Result<Version, SyncError> {
        let content = self.team.repo.blob(blob, INDEX_FILE_BYTES_MAX as u64)?;
        // A sealed text is one line: nobody wrote its lines of base64.
        let text = without_armor(&String::from_utf8_lossy(&content));
        Ok(match path {
            "MEMORY.md" => Version::Entries(Index::parse(&text).entries().cloned().collect()),
            _ => Version::Lines(text.into()),
        })
    }

    /// Passes what a commit did not write on to its parents; the rest is the commit's.
    fn step(&mut self, id: ObjectId) -> Result<(), SyncError> {
        let Some(paths) = self.suspects.remove(&id) else { return Ok(()) };
        let commit = self.team.repo.commit(id)?;
        for (path, items) in paths {
            let mut open: Vec<(Item, ChangeKind)> =
                items.into_iter().map(|item| (item, ChangeKind::Added)).collect();
            for parent in &commit.parents {
                if !open.is_empty() {
                    open = self.pass(&commit, *parent, &path, open)?;
                }
            }
            for (item, deed) in open {
                self.found.insert(item.part, (id, deed));
            }
        }
        Ok(())
    }

    /// Passes on what a parent has already; gives back the rest.
    fn pass(
        &mut self,
        commit: &Commit,
        parent: ObjectId,
        path: &str,
        open: Vec<(Item, ChangeKind)>,
    ) -> Result<Vec<(Item, ChangeKind)>, SyncError> {
        let repo = &self.team.repo;
        let old_tree = repo.commit(parent)?.tree;
        let new = repo.tree_file(commit.tree, path)?;
        let old = repo.tree_file(old_tree, path)?;
        if let (Some(new), Some(old)) = (new, old)
            && new.id == old.id
        {
            self.suspect(parent, path, open.into_iter().map(|(item, _)| item));
            return Ok(Vec::new());
        }
        let Some(new) = new else { return Ok(open) };
        let renamed = self.renamed(old_tree, commit.tree, path, old.is_none())?;
        let (old_path, old) = match old {
            Some(old) => (path.to_owned(), old),
            None => {
                let Some(from) = renamed.get(path) else { return Ok(open) };
                let Some(old) = repo.tree_file(old_tree, from)? else { return Ok(open) };
                (from.clone(), old)
            }
        };
        let before =
            self.version(&old_path, old.id)?.before(&self.version(path, new.id)?, &renamed);
        let mut rest = Vec::new();
        let mut passed = Vec::new();
        for (item, deed) in open {
            match before.get(item.place) {
                Some(Before::Same(place)) => passed.push(Item { place: *place, ..item }),
                Some(Before::Other) => rest.push((item, ChangeKind::Edited)),
                Some(Before::Nowhere) | None => rest.push((item, deed)),
            }
        }
        self.suspect(parent, &old_path, passed.into_iter());
        Ok(rest)
    }

    /// Old names by new ones; only asked for where they matter.
    fn renamed(
        &self,
        old: ObjectId,
        new: ObjectId,
        path: &str,
        is_gone: bool,
    ) -> Result<BTreeMap<String, String>, SyncError> {
        if !is_gone && path != "MEMORY.md" {
            return Ok(BTreeMap::new());
        }
        let files = touched(&self.team.repo, &self.team.repo.tree_changes(Some(old), Some(new))?)?;
        Ok(files.into_iter().filter_map(|file| Some((file.path, file.from?))).collect())
    }

    fn suspect(&mut self, commit: ObjectId, path: &str, items: impl Iterator<Item = Item>) {
        let paths = self.suspects.entry(commit).or_default();
        paths.entry(path.to_owned()).or_default().extend(items);
    }
}

impl Version {
    fn len(&self) -> usize {
        match self {
            Self::Lines(text) => text.lines().count(),
            Self::Entries(entries) => entries.len(),
        }
    }

    /// Where each part of a newer version is in this one.
    fn before(&self, new: &Self, renamed: &BTreeMap<String, String>) -> Vec<Before> {
        match (self, new) {
            (Self::Lines(old), Self::Lines(new)) => {
                let (old, new): (Vec<&str>, Vec<&str>) =
                    (old.lines().collect(), new.lines().collect());
                let place = |place: Option<usize>| place.map_or(Before::Nowhere, Before::Same);
                lines_before(&old, &new).into_iter().map(place).collect()
            }
            (Self::Entries(old), Self::Entries(new)) => entries_before(old, new, renamed),
            _ => vec![Before::Nowhere; new.len()],
        }
    }

    fn parts(&self, commit: ObjectId) -> Vec<BlamedPart> {
        let part = |line: usize, text: String, target: Option<String>| BlamedPart {
            line,
            text,
            target,
            commit,
            deed: ChangeKind::Added,
        };
        match self {
            Self::Lines(text) => {
                let lines = text.lines().enumerate();
                lines.map(|(at, line)| part(at + 1, line.to_owned(), None)).collect()
            }
            Self::Entries(entries) => entries
                .iter()
                .map(|entry| {
                    let hook = if entry.hook.is_empty() {
                        String::new()
                    } else {
                        format!(" — {}", entry.hook)
                    };
                    let text = format!("[{}]({}){hook}", entry.title, entry.target);
                    part(entry.line, text, Some(entry.target.clone()))
                })
                .collect(),
        }
    }
}
