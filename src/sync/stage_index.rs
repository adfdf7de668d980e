//! Brings `MEMORY.md` in line with the memories: what is committed, and what stays on disk.
//! Border: decides the index only; memories were decided before.
//!
//! The two differ while a memory is held back: the committed index must not point at it, and the
//! one on disk must keep its entry.

use std::sync::Arc;

use super::apply::FileWrite;
use super::error::SyncError;
use super::scan::{OnDisk, Scan};
use super::stage::Work;
use super::team::{Caller, Team};
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::gate::Gate;
use crate::gate::verdict::{Reason, Weight};
use crate::memory::index::Index;
use crate::memory::limits::{INDEX_BYTES_MAX, INDEX_LINES_MAX, MEMORY_BYTES_MAX};
use crate::memory::reconcile::{IndexChange, reconcile};
use crate::merge::index::merge_index;

/// The index of a team memory that has none yet.
const EMPTY_INDEX: &str = "# Team memory\n";

/// Changes of a first reconciliation that are made without asking.
const UNASKED_CHANGES_MAX: usize = 10;

/// What becomes of the index.
pub(super) struct StagedIndex {
    /// `MEMORY.md`.
    pub(super) path: MemoryPath,
    /// The content to commit; `None` leaves the committed one.
    pub(super) committed: Option<Arc<[u8]>>,
    /// The write that brings the one on disk in line.
    pub(super) write: Option<FileWrite>,
}

/// Decides the index. Memories in `work` are final except for the commit.
pub(super) fn stage_index(
    team: &Team,
    caller: &Caller,
    gate: &Gate<'_>,
    work: &mut Work,
    seen: &Scan,
) -> Result<StagedIndex, SyncError> {
    let path = MemoryPath::parse("MEMORY.md").expect("because the index has a valid path");
    let known = work.files.get(path.as_str().as_bytes()).map(|file| file.id);
    let disk = on_disk(team, seen, &path, known)?;
    let Disk::Readable(disk_text, disk_id) = disk else {
        return Ok(StagedIndex { path, committed: None, write: None });
    };
    let head = text_of(team, known)?;
    let base = work.bases.get(path.as_str()).copied().unwrap_or(known);
    let merged = merge_edit(team, base, disk_text.as_deref(), head.as_deref())?;
    let mut proposed = merged.unwrap_or_else(|| EMPTY_INDEX.to_owned());
    let reasons = gate.content(&path, proposed.as_bytes());
    let (refusals, notes): (Vec<Reason>, Vec<Reason>) =
        reasons.into_iter().partition(Reason::holds_back);
    work.outcome.notes.extend(notes);
    let is_refused = !refusals.is_empty();
    if is_refused {
        work.hold(path.as_str(), refusals, known);
        proposed = head.clone().unwrap_or_else(|| EMPTY_INDEX.to_owned());
    }
    let committed = reconcile_with(team, caller, work, &proposed)?;
    let committed_bytes: Arc<[u8]> = committed.clone().into_bytes().into();
    let committed_id = team.repo.blob_id(&committed_bytes);
    let write = if is_refused {
        None
    } else {
        let wanted = with_held_back(team, work, seen, &proposed, &committed)?;
        write_for(team, work, &path, disk_id, committed_id, wanted)?
    };
    let changed = known != Some(committed_id);
    Ok(StagedIndex { path, committed: changed.then_some(committed_bytes), write })
}

enum Disk {
    /// The text on disk (`None`: there is none) and its blob.
    Readable(Option<String>, Option<ObjectId>),
    /// It cannot be an index; it was held back with its reason.
    HeldBack,
}

fn on_disk(
    team: &Team,
    seen: &Scan,
    path: &MemoryPath,
    known: Option<ObjectId>,
) -> Result<Disk, SyncError> {
    let change = seen.changes.iter().find(|change| change.path == path.as_str().as_bytes());
    let Some(change) = change else {
        return Ok(Disk::Readable(text_of(team, known)?, known));
    };
    Ok(match &change.on_disk {
        OnDisk::File(content, id) => match std::str::from_utf8(content) {
            Ok(text) => Disk::Readable(Some(text.to_owned()), Some(*id)),
            Err(_) => Disk::HeldBack,
        },
        OnDisk::Gone => Disk::Readable(None, None),
        _ => Disk::HeldBack,
    })
}

fn text_of(team: &Team, id: Option<ObjectId>) -> Result<Option<String>, SyncError> {
    let Some(id) = id else { return Ok(None) };
    let content = team.repo.blob(id, MEMORY_BYTES_MAX as u64)?;
    Ok(Some(String::from_utf8_lossy(&content).into_owned()))
}

/// Merges the edit made on disk since its base onto what is committed now. A deleted index is made again.
fn merge_edit(
    team: &Team,
    base: Option<ObjectId>,
    disk: Option<&str>,
    head: Option<&str>,
) -> Result<Option<String>, SyncError> {
    let base = text_of(team, base)?;
    Ok(match (disk, head) {
        (None, head) => head.map(str::to_owned),
        (Some(disk), None) => Some(disk.to_owned()),
        (Some(disk), Some(head)) if base.as_deref() == Some(head) => Some(disk.to_owned()),
        (Some(disk), Some(head)) => {
            Some(merge_index(base.as_deref().unwrap_or_default(), head, disk))
        }
    })
}

fn reconcile_with(
    team: &Team,
    caller: &Caller,
    work: &mut Work,
    proposed: &str,
) -> Result<String, SyncError> {
    let index = Index::parse(proposed);
    let result = reconcile(&index, &work.view(team));
    let changes = result.changes.len();
    if !team.state.reconciled && changes > UNASKED_CHANGES_MAX {
        let count = |is: fn(&IndexChange) -> bool| result.changes.iter().filter(|c| is(c)).count();
        let added = count(|c| matches!(c, IndexChange::Added { .. }));
        let question = format!(
            "`MEMORY.md` and the memories differ: {added} entries would be added, {} removed or folded. Do it?",
            changes - added
        );
        if !caller.confirms(&question) {
            return Err(SyncError::FirstReconciliation { team: team.path.clone(), changes });
        }
    }
    work.outcome.notes.extend(result.notes.iter().map(|note| {
        let index = MemoryPath::parse("MEMORY.md").expect("because the index has a valid path");
        Reason::of_problem(&index, note)
    }));
    work.outcome.notes.extend(over_cap(&Index::parse(&result.text)));
    Ok(result.text)
}

/// Names the entries an agent would never see.
pub(super) fn over_cap(index: &Index) -> Option<Reason> {
    let invisible = index.invisible();
    let first = invisible.first()?;
    let size = index.size();
    let names: Vec<&str> = invisible.iter().take(3).map(|entry| entry.target.as_str()).collect();
    let names = crate::base::display::Escaped(&names.join(", ")).to_string();
    Some(Reason {
        path: "MEMORY.md".to_owned(),
        position: Some(crate::base::text::Position { line: first.line, column: 1 }),
        rule: "index-cap".to_owned(),
        weight: Weight::Advice,
        message: format!(
            "an agent loads {INDEX_LINES_MAX} lines and {INDEX_BYTES_MAX} bytes; this index has {} and {}, so {} entries stay unseen, the first {names}",
            size.lines,
            size.bytes,
            invisible.len(),
        ),
        next_step: "shorten hooks, or move entries into a memory of their own".to_owned(),
    })
}

/// The index for the disk: as committed, and entries of memories that are held back stay.
fn with_held_back(
    team: &Team,
    work: &Work,
    seen: &Scan,
    proposed: &str,
    committed: &str,
) -> Result<String, SyncError> {
    let held: Vec<&str> = work.bases.keys().map(String::as_str).collect();
    let mut view = work.view(team);
    let mut any = false;
    for change in &seen.changes {
        let OnDisk::File(content, _) = &change.on_disk else { continue };
        let Ok(path) = MemoryPath::parse_bytes(&change.path) else { continue };
        if path.is_memory() && held.contains(&path.as_str()) {
            view.with_file(path, content.clone());
            any = true;
        }
    }
    if !any {
        return Ok(committed.to_owned());
    }
    Ok(reconcile(&Index::parse(proposed), &view).text)
}

fn write_for(
    team: &Team,
    work: &mut Work,
    path: &MemoryPath,
    disk: Option<ObjectId>,
    committed: ObjectId,
    wanted: String,
) -> Result<Option<FileWrite>, SyncError> {
    let content: Arc<[u8]> = wanted.into_bytes().into();
    let id = team.repo.blob_id(&content);
    if id == committed {
        work.bases.remove(path.as_str());
    } else {
        work.bases.insert(path.to_string(), Some(committed));
        team.repo.write_blob(&content)?;
    }
    if disk == Some(id) {
        return Ok(None);
    }
    team.repo.write_blob(&content)?;
    let known = work.files.get(path.as_str().as_bytes()).map(|file| file.id);
    Ok(Some(FileWrite { path: path.clone(), old: disk, new: Some((id, content)), base: known }))
}
