//! `diff`: the texts that differ between what is here, on disk and at the remote.
//! Border: reads only. What the gate keeps out is named and not shown, and so is its entry in the
//! index; a credential in any text that is shown is masked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::shared_index::shared_index;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::{EntryMode, MemoryPath};
use crate::gate::Gate;
use crate::gate::verdict::Reason;
use crate::git::GitError;
use crate::git::tree::{TreeChange, TreeFile, TreeFiles, changes};
use crate::memory::limits::FILE_BYTES_MAX;
use crate::secrets::Scanner;
use crate::secrets::masking::{masked, without_values};
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::exchange::stage::{FILE_MODE, plan};
use crate::sync::outcome::HeldBack;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::worktree::scan::{DiskChange, OnDisk, Scan, scan};

/// One file before and after.
#[derive(Clone, Debug, Default)]
pub struct FileDiff {
    /// Which file, escaped for display.
    pub path: String,
    /// Before; `None` when it was not there.
    pub old: Option<Arc<[u8]>>,
    /// After; `None` when it is not there.
    pub new: Option<Arc<[u8]>>,
    /// What is not shown, ready to show; empty where all of it is.
    pub left_out: Vec<String>,
}

/// Which two sides `diff` compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffSides {
    /// What the remote was last seen to have, against what is on disk: all that a push would share.
    RemoteToDisk,
    /// What is committed here, against what is on disk.
    CommittedToDisk,
    /// What is here, against what the remote offers and was not taken.
    HereToIncoming,
}

/// The files that differ between two sides, in path order.
pub fn diff(
    place: &TeamPlace,
    actor: &Actor,
    sides: DiffSides,
) -> Result<Vec<FileDiff>, SyncError> {
    let mut team = Team::open(place)?;
    team.with_gate(actor, |team, gate| match sides {
        DiffSides::HereToIncoming => incoming(team, gate),
        DiffSides::RemoteToDisk => {
            on_disk(team, actor, gate, team.tracking()?.map_or(team.tip(), Ok)?)
        }
        DiffSides::CommittedToDisk => on_disk(team, actor, gate, team.tip()?),
    })
}

/// A commit against what the next commit would hold; then what that leaves out.
fn on_disk(
    team: &Team,
    actor: &Actor,
    gate: &Gate<'_>,
    from: ObjectId,
) -> Result<Vec<FileDiff>, SyncError> {
    let from = team.repo.tree_files(team.repo.commit(from)?.tree)?;
    let tree = team.repo.commit(team.tip()?)?.tree;
    let files = team.repo.tree_files(tree)?;
    let seen = scan(&team.root, &team.repo, &files, &team.repo.index_cache())?;
    let mut to = files.clone();
    let (mut work, index) = plan(team, actor, gate, (tree, files), &seen)?;
    work.take_index(team, &index);
    let mut texts: BTreeMap<ObjectId, &Arc<[u8]>> = BTreeMap::new();
    for (path, content) in &work.edits {
        let raw = path.as_str().as_bytes().to_vec();
        let Some(content) = content else {
            to.remove(&raw);
            continue;
        };
        let id = team.repo.blob_id(content);
        texts.insert(id, content);
        to.insert(raw, TreeFile { mode: FILE_MODE, id });
    }
    let read = |id: ObjectId| match texts.get(&id) {
        Some(text) => Ok((*text).clone()),
        None => team.repo.blob(id, FILE_BYTES_MAX as u64),
    };
    let mut found = Vec::new();
    for change in changes(&from, &to) {
        let old = change.old.map(|file| read(file.id)).transpose()?;
        let new = change.new.map(|file| read(file.id)).transpose()?;
        found.push(Compared { path: change.path, old, new, reasons: Vec::new() });
    }
    let mut diffs = shown(found);
    diffs.extend(work.outcome.held_back.iter().map(left_out));
    let known: BTreeSet<String> = work.bases.keys().cloned().collect();
    let entries = entries_left_out(&seen, &known, read, &to)?;
    if !entries.is_empty() {
        let path = "MEMORY.md".to_owned();
        match diffs.iter_mut().find(|diff| diff.path == path) {
            Some(diff) => diff.left_out.extend(entries),
            None => diffs.push(FileDiff { path, left_out: entries, ..FileDiff::default() }),
        }
    }
    diffs.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(diffs)
}

/// A file that is kept out: named, and not shown.
fn left_out(held: &HeldBack) -> FileDiff {
    let (path, left_out) = (held.path.clone(), vec![not_shown(&held.reasons)]);
    FileDiff { path, left_out, ..FileDiff::default() }
}

fn not_shown(reasons: &[Reason]) -> String {
    let rules: BTreeSet<&str> = reasons.iter().map(|reason| reason.rule.as_str()).collect();
    let rules: Vec<&str> = rules.into_iter().collect();
    format!("its text is not shown: the gate keeps it out ({})", Escaped(&rules.join(", ")))
}

/// A sentence for each entry of the index on disk that is not shared, because its memory is kept out.
fn entries_left_out(
    seen: &Scan,
    kept_out: &BTreeSet<String>,
    read: impl Fn(ObjectId) -> Result<Arc<[u8]>, GitError>,
    to: &TreeFiles,
) -> Result<Vec<String>, SyncError> {
    let is_index = |change: &&DiskChange| change.path == b"MEMORY.md";
    let disk = seen.changes.iter().find(is_index).map(|change| &change.on_disk);
    let (Some(OnDisk::File(disk, _)), Some(shared)) = (disk, to.get(&b"MEMORY.md"[..])) else {
        return Ok(Vec::new());
    };
    Ok(shared_index(disk, &read(shared.id)?, kept_out).1)
}

/// What is here against what the remote offers, judged as it would be when it is taken.
fn incoming(team: &Team, gate: &Gate<'_>) -> Result<Vec<FileDiff>, SyncError> {
    let tip = team.tip()?;
    let offered = team.repo.find_ref(&team.incoming_ref())?.unwrap_or(tip);
    let (old, new) = (team.repo.commit(tip)?.tree, team.repo.commit(offered)?.tree);
    let gate = &Gate { members: &|| team.members_at(new), ..*gate };
    let mut found = Vec::new();
    for change in team.repo.tree_changes(Some(old), Some(new))? {
        let reasons = change.new.map_or(Ok(Vec::new()), |file| reasons(team, gate, &change, file));
        found.push(compared(team, &change, reasons?)?);
    }
    Ok(shown(found))
}

fn reasons(
    team: &Team,
    gate: &Gate<'_>,
    change: &TreeChange,
    file: TreeFile,
) -> Result<Vec<Reason>, SyncError> {
    let mode = EntryMode::from_bits(file.mode);
    let size = if mode == EntryMode::File { team.repo.blob_size(file.id)? } else { 0 };
    let path = match gate.entry(&change.path, mode, size) {
        Ok(path) => path,
        Err(reason) => return Ok(vec![*reason]),
    };
    let mut reasons = gate.content(&path, &team.repo.blob(file.id, size)?);
    reasons.retain(Reason::holds_back);
    Ok(reasons)
}

/// The files that differ between two trees that were taken, credentials masked.
pub(crate) fn committed_diff(
    team: &Team,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
) -> Result<Vec<FileDiff>, SyncError> {
    let changes = team.repo.tree_changes(old, new)?;
    let found: Result<Vec<Compared>, SyncError> =
        changes.iter().map(|change| compared(team, change, Vec::new())).collect();
    Ok(shown(found?))
}

/// A file that differs, and why the gate keeps the new side out.
struct Compared {
    path: Vec<u8>,
    old: Option<Arc<[u8]>>,
    new: Option<Arc<[u8]>>,
    reasons: Vec<Reason>,
}

fn compared(team: &Team, change: &TreeChange, reasons: Vec<Reason>) -> Result<Compared, SyncError> {
    // What is no plain file has no text, and may not even be there.
    let read = |file: Option<TreeFile>| {
        let file = file.filter(|file| EntryMode::from_bits(file.mode) == EntryMode::File);
        let size = file.map(|file| team.repo.blob_size(file.id)).transpose()?;
        let file = file.filter(|_| size.is_some_and(|size| size <= FILE_BYTES_MAX as u64));
        file.map(|file| team.repo.blob(file.id, FILE_BYTES_MAX as u64)).transpose()
    };
    let (old, new) = (read(change.old)?, read(change.new)?);
    Ok(Compared { path: change.path.clone(), old, new, reasons })
}

/// As it may be shown: nothing of what is kept out, nothing of a credential.
fn shown(found: Vec<Compared>) -> Vec<FileDiff> {
    let kept_out: BTreeSet<String> = found
        .iter()
        .filter(|one| !one.reasons.is_empty())
        .map(|one| String::from_utf8_lossy(&one.path).into_owned())
        .collect();
    let mut diffs = Vec::new();
    for one in found {
        let raw = String::from_utf8_lossy(&one.path).into_owned();
        if !one.reasons.is_empty() {
            let path = HeldBack::shown(&raw, &one.reasons);
            let left_out = vec![not_shown(&one.reasons)];
            diffs.push(FileDiff { path, left_out, ..FileDiff::default() });
            continue;
        }
        let path = Escaped(&masked(&raw)).to_string();
        let is_index = MemoryPath::parse_bytes(&one.path).is_ok_and(|path| path.is_index());
        let old = one.old.as_deref().map(hidden);
        let mut left_out = Vec::new();
        let new = one.new.as_deref().map(|new| match is_index && !kept_out.is_empty() {
            true => {
                let before = one.old.as_deref().unwrap_or_default();
                let (text, names) = shared_index(new, before, &kept_out);
                left_out.extend(names);
                hidden(&text)
            }
            false => hidden(new),
        });
        // An index that differs in nothing else is what it was.
        if old == new && !left_out.is_empty() {
            diffs.push(FileDiff { path, left_out, ..FileDiff::default() });
            continue;
        }
        diffs.push(FileDiff { path, old, new, left_out });
    }
    diffs
}

/// A text without the values of credentials, its lines as they are.
fn hidden(content: &[u8]) -> Arc<[u8]> {
    let found = Scanner::builtin().scan("", content);
    match (found.is_empty(), std::str::from_utf8(content)) {
        (false, Ok(text)) => without_values(text, content, &found).into_bytes().into(),
        (false, Err(_)) => Arc::default(),
        _ => content.into(),
    }
}
