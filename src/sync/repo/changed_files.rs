//! What the files of a commit went through: added, edited, deleted, renamed.
//! Border: reads blobs only to recognise renames, by the rule `merge` has for them.

use std::collections::BTreeMap;

use crate::audit::event::{ChangeKind, Touched};
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::git::repo::Repo;
use crate::git::tree::TreeChange;
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::memory::snapshot::Snapshot;
use crate::merge::renames;
use crate::sync::error::SyncError;

/// Files that came or went in one commit and are still compared with each other; a change of
/// more is an import, not a rename.
const RENAME_FILES_MAX: usize = 400;

/// The files of a change, in path order, a renamed one once.
pub(crate) fn touched(repo: &Repo, changes: &[TreeChange]) -> Result<Vec<Touched>, SyncError> {
    let renamed = renamed(repo, changes)?;
    let sources: BTreeMap<&str, ()> =
        renamed.values().map(|(from, _)| (from.as_str(), ())).collect();
    let mut files = Vec::with_capacity(changes.len());
    for change in changes {
        let path = shown(&change.path);
        if change.new.is_none() && sources.contains_key(path.as_str()) {
            continue;
        }
        let (mut old, new) = (change.old.map(|file| file.id), change.new.map(|file| file.id));
        let (mut deed, mut from) = match (old, new) {
            (None, _) => (ChangeKind::Added, None),
            (_, None) => (ChangeKind::Deleted, None),
            _ => (ChangeKind::Edited, None),
        };
        if let Some((source, id)) = renamed.get(&path) {
            (deed, from, old) = (ChangeKind::Renamed, Some(source.clone()), Some(*id));
        }
        let mode = |file: Option<crate::git::tree::TreeFile>| file.map(|file| file.mode);
        let other_mode = deed == ChangeKind::Edited && mode(change.old) != mode(change.new);
        let fields = if other_mode { vec!["mode".to_owned()] } else { Vec::new() };
        files.push(Touched { path, deed, from, fields, old, new });
    }
    Ok(files)
}

/// A raw path as it is shown and compared everywhere in reports.
pub(crate) fn shown(path: &[u8]) -> String {
    Escaped(&String::from_utf8_lossy(path)).to_string()
}

/// New path to old path and old content.
fn renamed(
    repo: &Repo,
    changes: &[TreeChange],
) -> Result<BTreeMap<String, (String, ObjectId)>, SyncError> {
    let mut gone = Vec::new();
    let mut come = Vec::new();
    for change in changes {
        let Some(path) = MemoryPath::parse_bytes(&change.path).ok().filter(MemoryPath::is_memory)
        else {
            continue;
        };
        match (change.old, change.new) {
            (Some(old), None) => gone.push((path, old.id)),
            (None, Some(new)) => come.push((path, new.id)),
            _ => {}
        }
    }
    if gone.is_empty() || come.is_empty() || gone.len() + come.len() > RENAME_FILES_MAX {
        return Ok(BTreeMap::new());
    }
    let snapshot = |files: &[(MemoryPath, ObjectId)]| {
        let mut snapshot = Snapshot::default();
        for (path, id) in files {
            // What is too large for a memory is compared with nothing.
            if let Ok(content) = repo.blob(*id, MEMORY_BYTES_MAX as u64) {
                snapshot.insert(path.clone(), content);
            }
        }
        snapshot
    };
    let pairs = renames(&snapshot(&gone), &snapshot(&come));
    let old: BTreeMap<&MemoryPath, ObjectId> = gone.iter().map(|(path, id)| (path, *id)).collect();
    let pair =
        |(from, to): (&MemoryPath, &MemoryPath)| (to.to_string(), (from.to_string(), old[from]));
    Ok(pairs.iter().map(pair).collect())
}
