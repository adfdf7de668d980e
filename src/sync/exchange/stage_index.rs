//! Brings `MEMORY.md` in line with the memories: what is committed, and what stays on disk.
//! Border: decides the index only; memories were decided before. Changes nothing by itself.
//!
//! The two differ while something is kept out. An entry of a memory that is kept out is not for the
//! commit, and stays on disk. An index that is kept out itself stays on disk as it is; the committed
//! one goes on without it.

use std::collections::HashSet;
use std::sync::Arc;

use super::work::Work;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::base::text::Position;
use crate::gate::Gate;
use crate::gate::verdict::{Reason, ReasonKind, Weight};
use crate::memory::index::{INDEX_OVER_CAP, INDEX_OVER_CAP_ADVICE, Index};
use crate::memory::limits::{
    INDEX_CHARACTERS_MAX, INDEX_FILE_BYTES_MAX, INDEX_LINES_MAX, index_bytes_max,
};
use crate::memory::reconcile::{
    IndexChange, Reconciliation, Removed, Setting, Since, reconcile, with_words_of, without_entries,
};
use crate::merge::kinds::index::merge_index;
use crate::sync::error::SyncError;
use crate::sync::repo::team::Team;
use crate::sync::worktree::apply::FileWrite;
use crate::sync::worktree::in_line;
use crate::sync::worktree::scan::{DiskChange, OnDisk, Scan};

/// The index of a team memory that has none yet.
const EMPTY_INDEX: &str = "# Team memory\n";

/// What becomes of the index.
pub(crate) struct StagedIndex {
    /// `MEMORY.md`.
    pub(crate) path: MemoryPath,
    /// The content to commit; `None` leaves the committed one.
    pub(crate) committed: Option<Arc<[u8]>>,
    /// The write that brings the one on disk in line.
    pub(crate) write: Option<FileWrite>,
    /// The one on disk, where it says more than the committed one and is not kept out.
    pub(crate) on_disk: Option<(ObjectId, Arc<[u8]>)>,
    /// What reconciling did.
    pub(crate) changes: Vec<IndexChange>,
    /// The lines it took out.
    pub(crate) removed: Vec<Removed>,
    /// Whether the committed index is in line with the committed memories.
    pub(crate) is_in_line: bool,
}

/// The index as it was found.
struct Found {
    path: MemoryPath,
    /// The committed one.
    known: Option<ObjectId>,
    head: Option<String>,
    /// What is on disk; `None` where that is kept out.
    disk: Option<Disk>,
}

/// A readable index on disk: its text and blob, none where there is no file.
struct Disk {
    text: Option<String>,
    id: Option<ObjectId>,
}

/// Decides the index. Memories in `work` are final except for the commit.
pub(crate) fn stage_index(
    team: &Team,
    gate: &Gate<'_>,
    work: &mut Work,
    tree: ObjectId,
    seen: &Scan,
) -> Result<StagedIndex, SyncError> {
    let mut found = find(team, gate, work, seen)?;
    // Nothing happened since the index was in line, or nothing that it could say.
    if work.bases.is_empty()
        && team.state.bases.is_empty()
        && in_line::is_unconcerned(team, tree, &work.files, &work.edits, seen)?
    {
        let is_long = |text: &&String| {
            text.len() > INDEX_CHARACTERS_MAX || text.lines().count() > INDEX_LINES_MAX
        };
        let long = found.head.as_ref().filter(|_| !work.edits.is_empty()).filter(is_long);
        work.outcome.notes.extend(long.and_then(|text| over_cap(&Index::parse(text))));
        return Ok(StagedIndex { is_in_line: true, ..untouched(found.path) });
    }
    // No more memories than files; to count them exactly would read every path once more.
    let bytes_max = index_bytes_max(work.files.len() + work.edits.len());
    let proposed = propose(team, gate, work, &mut found, bytes_max)?;
    let since =
        in_line::since(team, tree, &work.files, &work.edits, |path| work.bases.contains_key(path))?;
    let Some(proposed) = proposed else { return Ok(untouched(found.path)) };
    let view = work.view(team);
    let others = kept_out(work, seen);
    let setting = Setting { bytes_max, others: &others, ..Setting::of(&view, &since) };
    let whole = reconcile(&Index::parse(&proposed), &setting);
    let text = for_commit(work, &found, &whole, &setting);
    drop(view);
    note(work, &whole);
    let committed: Arc<[u8]> = text.into_bytes().into();
    let head = found.head.as_deref().map(str::as_bytes);
    let refused = gate.introduced(&found.path, &committed, head);
    let is_in_line = refused.is_empty() && committed.len() <= INDEX_FILE_BYTES_MAX;
    // Nothing is committed that the gate would refuse; the memories go without their entries.
    work.outcome.notes.extend(refused);
    let committed_id = if is_in_line { Some(team.repo.blob_id(&committed)) } else { found.known };
    let (mut write, mut on_disk) = (None, None);
    if let Some(disk) = found.disk {
        let wanted = for_disk(team, gate, work, seen, (&proposed, &whole), (&since, bytes_max));
        let wanted: Arc<[u8]> = wanted.into_bytes().into();
        let id = team.repo.blob_id(&wanted);
        if Some(id) == committed_id {
            work.bases.remove(found.path.as_str());
        } else {
            work.bases.insert(found.path.to_string(), committed_id);
            on_disk = Some((id, wanted.clone()));
        }
        let (path, base) = (found.path.clone(), found.known);
        write = (disk.id != Some(id)).then_some(FileWrite {
            path,
            old: disk.id,
            new: Some((id, wanted)),
            base,
        });
    }
    let is_new = is_in_line && committed_id != found.known;
    let is_ours = write.is_some() || is_new;
    Ok(StagedIndex {
        path: found.path,
        committed: is_new.then_some(committed),
        removed: if write.is_some() { whole.removed } else { Vec::new() },
        changes: if is_ours { whole.changes } else { Vec::new() },
        write,
        on_disk,
        is_in_line,
    })
}

/// Files on disk that are kept out: an entry may mean one of them.
fn kept_out(work: &Work, seen: &Scan) -> Vec<String> {
    let is_there = |change: &&DiskChange| !matches!(change.on_disk, OnDisk::Gone | OnDisk::Folder);
    let names = seen.changes.iter().filter(is_there);
    let names = names.filter_map(|change| String::from_utf8(change.path.clone()).ok());
    names.filter(|name| work.bases.contains_key(name)).collect()
}

fn untouched(path: MemoryPath) -> StagedIndex {
    StagedIndex {
        path,
        committed: None,
        write: None,
        on_disk: None,
        changes: Vec::new(),
        removed: Vec::new(),
        is_in_line: false,
    }
}

/// Reads both indexes. One on disk that is no text is held back with its reason.
fn find(team: &Team, gate: &Gate<'_>, work: &mut Work, seen: &Scan) -> Result<Found, SyncError> {
    let path = MemoryPath::parse("MEMORY.md").expect("because the index has a valid path");
    let known = work.files.get(path.as_str().as_bytes()).map(|file| file.id);
    let head = text_of(team, known)?;
    let change = seen.changes.iter().find(|change| change.path == path.as_str().as_bytes());
    let disk = match change.map(|change| &change.on_disk) {
        None => Some(Disk { text: head.clone(), id: known }),
        Some(OnDisk::Gone) => Some(Disk { text: None, id: None }),
        Some(OnDisk::File(content, id)) => match std::str::from_utf8(content) {
            Ok(text) => Some(Disk { text: Some(text.to_owned()), id: Some(*id) }),
            Err(_) => {
                work.hold(path.as_str(), gate.content(&path, content), known);
                None
            }
        },
        // It was held back with all other paths.
        Some(_) => None,
    };
    Ok(Found { path, known, head, disk })
}

/// The text of a committed index; `None` where there is none, or none that can be read.
fn text_of(team: &Team, id: Option<ObjectId>) -> Result<Option<String>, SyncError> {
    let Some(id) = id else { return Ok(None) };
    let content = team.repo.blob(id, INDEX_FILE_BYTES_MAX as u64)?;
    Ok(String::from_utf8(content.to_vec()).ok())
}

/// The index that is reconciled: the one on disk merged onto the committed one, or, where the one on
/// disk is kept out, the committed one. `None` where there is only one that nobody can read.
fn propose(
    team: &Team,
    gate: &Gate<'_>,
    work: &mut Work,
    found: &mut Found,
    bytes_max: usize,
) -> Result<Option<String>, SyncError> {
    let is_unreadable = found.known.is_some() && found.head.is_none();
    let Some(disk) = &found.disk else {
        return Ok((!is_unreadable).then(|| or_empty(found.head.clone())));
    };
    if disk.id == found.known {
        return Ok((!is_unreadable).then(|| or_empty(found.head.clone())));
    }
    let base = work.bases.get(found.path.as_str()).copied().unwrap_or(found.known);
    let base = text_of(team, base)?;
    let merged = match (disk.text.as_deref(), found.head.as_deref()) {
        // A deleted index is made again.
        (None, head) => or_empty(head.map(str::to_owned)),
        (Some(disk), None) => disk.to_owned(),
        (Some(disk), Some(head)) if base.as_deref() == Some(head) => disk.to_owned(),
        (Some(disk), Some(head)) => merge_index(base.as_deref().unwrap_or_default(), head, disk),
    };
    let mut notes = gate.form(&found.path, &merged);
    notes.retain(|reason| !reason.holds_back());
    work.outcome.notes.extend(notes);
    let head = found.head.as_deref().map(str::as_bytes);
    let mut refusals = gate.introduced(&found.path, merged.as_bytes(), head);
    if merged.len() > bytes_max.max(head.map_or(0, <[u8]>::len)) {
        refusals.push(too_large(merged.len(), bytes_max));
    }
    if refusals.is_empty() {
        return Ok(Some(merged));
    }
    work.hold(found.path.as_str(), refusals, found.known);
    found.disk = None;
    Ok((!is_unreadable).then(|| or_empty(found.head.clone())))
}

fn or_empty(index: Option<String>) -> String {
    index.unwrap_or_else(|| EMPTY_INDEX.to_owned())
}

fn too_large(bytes: usize, bytes_max: usize) -> Reason {
    Reason {
        kind: ReasonKind::Rule,
        path: "MEMORY.md".to_owned(),
        position: None,
        rule: "size".to_owned(),
        weight: Weight::Refused,
        message: format!("`MEMORY.md` has {bytes} bytes, more than {bytes_max}"),
        next_step: "Move text into memories, and keep one line for each".to_owned(),
    }
}

/// The reconciled index without entries of memories that are kept out; those that the team has already
/// keep its words.
fn for_commit(work: &Work, found: &Found, whole: &Reconciliation, setting: &Setting<'_>) -> String {
    if work.bases.is_empty() {
        return whole.text.clone();
    }
    let head = Index::parse(found.head.as_deref().unwrap_or_default());
    let shared: HashSet<&str> = head.entries().map(|entry| entry.target.as_str()).collect();
    let is_out = |path: &&String| {
        let Ok(memory) = MemoryPath::parse(path) else { return false };
        let is_new = !work.files.contains_key(path.as_bytes()) && !shared.contains(path.as_str());
        memory.is_memory() && (is_new || matches!(work.edits.get(&memory), Some(None)))
    };
    let (out, others): (Vec<&String>, Vec<&String>) = work.bases.keys().partition(is_out);
    let (out, others) = (out.into_iter(), others.into_iter());
    let out: HashSet<&str> = out.map(String::as_str).collect();
    let others: HashSet<&str> = others.map(String::as_str).collect();
    // What is said of a memory waits with it.
    let text = with_words_of(&Index::parse(&whole.text), &head, &others);
    if out.is_empty() {
        return text;
    }
    let without = without_entries(&Index::parse(&text), &out, setting);
    let text = reconcile(&Index::parse(&without), setting).text;
    // A blank line that came with an entry is none of its own.
    let lines = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
    };
    let head = found.head.as_deref().filter(|head| lines(head) == lines(&text));
    head.map_or_else(|| text.clone(), str::to_owned)
}

fn note(work: &mut Work, whole: &Reconciliation) {
    let path = MemoryPath::parse("MEMORY.md").expect("because the index has a valid path");
    let notes = whole.notes.iter().map(|note| Reason::of_problem(&path, note));
    work.outcome.notes.extend(notes);
    work.outcome.notes.extend(over_cap(&Index::parse(&whole.text)));
}

/// Names the entries an agent would never see.
pub(crate) fn over_cap(index: &Index) -> Option<Reason> {
    let over = index.over_cap()?;
    Some(Reason {
        kind: ReasonKind::Rule,
        path: "MEMORY.md".to_owned(),
        position: Some(Position { line: over.hidden.first()?.line, column: 1 }),
        rule: INDEX_OVER_CAP.to_owned(),
        weight: Weight::Advice,
        message: over.message(),
        next_step: INDEX_OVER_CAP_ADVICE.to_owned(),
    })
}

/// The index for the disk: memories that are kept out have an entry there, unless it would say what
/// the gate refuses.
fn for_disk(
    team: &Team,
    gate: &Gate<'_>,
    work: &Work,
    seen: &Scan,
    (proposed, whole): (&str, &Reconciliation),
    (since, bytes_max): (&Since, usize),
) -> String {
    let mut view = work.view(team);
    let mut any = false;
    for change in &seen.changes {
        let OnDisk::File(content, _) = &change.on_disk else { continue };
        let Ok(path) = MemoryPath::parse_bytes(&change.path) else { continue };
        if path.is_memory() && work.bases.contains_key(path.as_str()) {
            view.with_file(path, content.clone());
            any = true;
        }
    }
    if !any {
        return whole.text.clone();
    }
    let setting = Setting { bytes_max, ..Setting::of(&view, since) };
    let wanted = reconcile(&Index::parse(proposed), &setting).text;
    let path = MemoryPath::parse("MEMORY.md").expect("because the index has a valid path");
    let refused = gate.introduced(&path, wanted.as_bytes(), Some(whole.text.as_bytes()));
    if refused.is_empty() { wanted } else { whole.text.clone() }
}
