//! Commits local edits: what the gate allows goes into one commit, what it refuses stays on disk.
//! Border: no network. An edit is always merged from the base it was made on.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::stage_index::{StagedIndex, stage_index};
use super::work::Work;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::gate::verdict::Reason;
use crate::gate::{Gate, KIND_NOT_SHARED};
use crate::git::tree::{TreeFile, TreeFiles};
use crate::memory::limits::FILE_BYTES_MAX;
use crate::sync::error::SyncError;
use crate::sync::outcome::{ChangeKind, FileChange, StageOutcome};
use crate::sync::rebase::commits;
use crate::sync::rebase::non_reader_authors::opened_unasked;
use crate::sync::repo::message;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::records::{Holder, judge_record};
use crate::sync::worktree::apply::{FileWrite, States, Step, apply};
use crate::sync::worktree::in_line;
use crate::sync::worktree::passed_over::is_leftover;
use crate::sync::worktree::scan::{DiskChange, OnDisk, Scan, scan};
use crate::sync::worktree::tree_overlay::Edits;

/// From this many deletions on, and more than half of all memories, the person is asked.
const MASS_DELETION_MIN: usize = 5;

/// The mode of every file in team memory.
pub const FILE_MODE: u32 = 0o100_644;

/// Team memory after its local edits were committed.
#[derive(Debug)]
pub struct Staged {
    /// What happened, for the report.
    pub outcome: StageOutcome,
    /// Our tip now.
    pub tip: ObjectId,
    /// The files of our tip.
    pub files: TreeFiles,
    /// The blob and state of every file on disk.
    pub states: States,
    /// The index on disk where it says more than the committed one and still may take in what others
    /// change; `None` where it is kept out and must not be touched.
    pub index: Option<(ObjectId, Arc<[u8]>)>,
}

/// Commits what is on disk.
pub fn stage(team: &mut Team, actor: &Actor, gate: &Gate<'_>) -> Result<Staged, SyncError> {
    let tip = team.tip()?;
    let tree = team.repo.commit(tip)?.tree;
    let files = team.repo.tree_files(tree)?;
    let seen = scan(&team.root, &team.repo, &files, &team.repo.index_cache())?;
    let (work, index) = plan(team, actor, gate, (tree, files), &seen)?;
    work.confirm_deletions(team, actor)?;
    work.commit(team, actor, tip, tree, seen.states, index)
}

/// Decides what a commit of what is on disk would hold; changes nothing.
pub(crate) fn plan(
    team: &Team,
    actor: &Actor,
    gate: &Gate<'_>,
    (tree, files): (ObjectId, TreeFiles),
    seen: &Scan,
) -> Result<(Work, StagedIndex), SyncError> {
    let mut work = Work {
        files,
        edits: Edits::new(),
        bases: team.state.bases.clone(),
        outcome: StageOutcome::default(),
        writes: Vec::new(),
    };
    forget_settled_bases(&mut work, seen);
    for change in &seen.changes {
        work.take(team, actor, gate, change)?;
    }
    work.refuse_collisions(gate);
    let index = stage_index(team, gate, &mut work, tree, seen)?;
    Ok((work, index))
}

/// A base is needed only while its file differs from the tip.
fn forget_settled_bases(work: &mut Work, seen: &Scan) {
    let differs: BTreeSet<&[u8]> =
        seen.changes.iter().map(|change| change.path.as_slice()).collect();
    work.bases.retain(|path, _| differs.contains(path.as_bytes()));
}

impl Work {
    /// Judges one changed path.
    fn take(
        &mut self,
        team: &Team,
        actor: &Actor,
        gate: &Gate<'_>,
        change: &DiskChange,
    ) -> Result<(), SyncError> {
        let known = self.files.get(&change.path).map(|file| file.id);
        if known.is_none() && is_leftover(&change.path) {
            self.outcome.ignored.push(Escaped(&String::from_utf8_lossy(&change.path)).to_string());
            return Ok(());
        }
        let path = match change.admitted(gate) {
            Ok(path) => path,
            Err(reason) => {
                // There is no text to be merged later: once it is gone, the team's file comes back.
                let is_text = self.files.get(&change.path).is_some_and(|f| f.mode == FILE_MODE);
                let base = known.filter(|_| !(is_text && change.on_disk.is_no_text()));
                self.hold(&String::from_utf8_lossy(&change.path), vec![*reason], base);
                return Ok(());
            }
        };
        if path.is_index() {
            return Ok(());
        }
        let base = self.bases.get(path.as_str()).copied().unwrap_or(known);
        let (disk_id, disk) = match &change.on_disk {
            OnDisk::File(content, id) => (Some(*id), Some(content.clone())),
            _ => (None, None),
        };
        if disk_id == base {
            // Not edited since its base; the tip has moved on, so the disk follows.
            self.follow(team, &path, disk_id, known)?;
            return Ok(());
        }
        let mut proposed = Edits::from([(path.clone(), disk)]);
        if base != known {
            let edit = proposed.remove(&path).flatten();
            proposed = commits::merge_edit(team, actor, &path, base, edit, known)?;
        }
        self.propose(team, actor, gate, &path, (disk_id, known), proposed)
    }

    /// Brings an unedited file on disk to what the tip has.
    fn follow(
        &mut self,
        team: &Team,
        path: &MemoryPath,
        disk: Option<ObjectId>,
        known: Option<ObjectId>,
    ) -> Result<(), SyncError> {
        let new = known
            .map(|id| Ok::<_, SyncError>((id, team.repo.blob(id, FILE_BYTES_MAX as u64)?)))
            .transpose()?;
        self.writes.push(FileWrite { path: path.clone(), old: disk, new, base: disk });
        self.bases.remove(path.as_str());
        Ok(())
    }

    /// Lets an edit through the gate, or holds it back.
    fn propose(
        &mut self,
        team: &Team,
        actor: &Actor,
        gate: &Gate<'_>,
        path: &MemoryPath,
        (disk, known): (Option<ObjectId>, Option<ObjectId>),
        proposed: Edits,
    ) -> Result<(), SyncError> {
        let checked = proposed.get(path).cloned().flatten();
        let reasons = match &checked {
            Some(content) => gate.content(path, content),
            None => gate.removal(path.as_str()).into_iter().collect(),
        };
        let mut reasons = reasons;
        reasons.extend(team.not_entitled(actor, path, checked.as_deref())?);
        if let Some(content) = &checked {
            // A record that somebody put there must not speak for others.
            let (author, seconds) = (actor.person.name.as_str(), actor.clock.now().seconds);
            let holder = Holder { at: team.tip()?, author, seconds };
            reasons.extend(judge_record(team, holder, path.as_str(), content)?);
            reasons.extend(opened_unasked(team, path, known, content)?);
        }
        let (refusals, notes): (Vec<Reason>, Vec<Reason>) =
            reasons.into_iter().partition(Reason::holds_back);
        self.outcome.notes.extend(notes);
        if !refusals.is_empty() {
            return self.hold_back(team, path, refusals, known);
        }
        if let Some(content) = &checked {
            let id = team.repo.blob_id(content);
            if Some(id) != disk {
                let new = Some((id, content.clone()));
                self.writes.push(FileWrite { path: path.clone(), old: disk, new, base: known });
            }
        }
        // A record of a conflict that was not there is not missing from disk.
        for (other, content) in proposed.iter().filter(|(other, _)| *other != path) {
            let old = self.files.get(other.as_str().as_bytes()).map(|file| file.id);
            let new = content.as_ref().map(|content| (team.repo.blob_id(content), content.clone()));
            if new.as_ref().map(|(id, _)| *id) != old {
                self.writes.push(FileWrite { path: other.clone(), old, new, base: old });
            }
        }
        self.bases.remove(path.as_str());
        self.edits.extend(proposed);
        Ok(())
    }

    /// Keeps an edit out. A memory that became private here is not shared as it was before, either; one
    /// that others have is theirs to lose.
    fn hold_back(
        &mut self,
        team: &Team,
        path: &MemoryPath,
        mut refusals: Vec<Reason>,
        known: Option<ObjectId>,
    ) -> Result<(), SyncError> {
        let private = refusals.iter_mut().find(|reason| reason.rule == KIND_NOT_SHARED);
        if let (Some(reason), Some(_)) = (private, known) {
            if !team.is_shared(path.as_str())? {
                self.edits.insert(path.clone(), None);
                self.bases.remove(path.as_str());
                self.hold(path.as_str(), refusals, None);
                return Ok(());
            }
            reason.message += "; the team still has it as it was";
            reason.next_step +=
                ": the next push then deletes it for the team, whose history keeps it";
        }
        self.hold(path.as_str(), refusals, known);
        Ok(())
    }

    /// Names that one file system or another cannot tell apart may not be added.
    fn refuse_collisions(&mut self, gate: &Gate<'_>) {
        let is_new = |path: &MemoryPath| !self.files.contains_key(path.as_str().as_bytes());
        let adds = |(path, new): (&MemoryPath, &Option<Arc<[u8]>>)| {
            (new.is_some() && is_new(path)).then(|| path.clone())
        };
        for path in self.edits.iter().filter_map(adds).collect::<Vec<_>>() {
            let mut paths: BTreeSet<&[u8]> = self.files.keys().map(Vec::as_slice).collect();
            for (other, new) in &self.edits {
                let raw = other.as_str().as_bytes();
                if new.is_some() {
                    paths.insert(raw)
                } else {
                    paths.remove(raw)
                };
            }
            let reasons = gate.set(&paths.into_iter().collect::<Vec<_>>());
            if reasons.is_empty() {
                return;
            }
            // Without this one the rest may stand; if not, the next one goes too.
            let about: Vec<Reason> =
                reasons.into_iter().filter(|reason| reason.pairs(path.as_str())).collect();
            if !about.is_empty() {
                self.edits.remove(&path);
                self.hold(path.as_str(), about, None);
            }
        }
    }

    /// A folder that is half there must not be taken for a wish to delete.
    fn confirm_deletions(&self, team: &Team, actor: &Actor) -> Result<(), SyncError> {
        let deleted =
            self.edits.iter().filter(|(path, new)| new.is_none() && path.is_memory()).count();
        if deleted < MASS_DELETION_MIN {
            return Ok(());
        }
        let is_memory = |raw: &&Vec<u8>| MemoryPath::parse_bytes(raw).is_ok_and(|p| p.is_memory());
        let total = self.files.keys().filter(is_memory).count();
        let question = format!(
            "{deleted} of {total} memories are gone from disk. Delete them for the whole team?"
        );
        if deleted * 2 > total && !actor.confirms(&question) {
            return Err(SyncError::MassDeletion { team: team.path.clone(), deleted, total });
        }
        Ok(())
    }

    /// Writes the commit, the files that must follow, and the ref.
    fn commit(
        mut self,
        team: &mut Team,
        actor: &Actor,
        tip: ObjectId,
        tree: ObjectId,
        mut states: States,
        index: StagedIndex,
    ) -> Result<Staged, SyncError> {
        in_line::remember_removed(team, actor.clock.now().seconds, &index.removed)?;
        self.take_index(team, &index);
        for (id, content) in self.writes.iter().filter_map(|write| write.new.as_ref()) {
            if !team.repo.has(*id) {
                team.repo.write_blob(content)?;
            }
        }
        let mut blobs = Vec::with_capacity(self.edits.len());
        for (path, content) in &self.edits {
            let id = content.as_ref().map(|content| team.repo.write_blob(content)).transpose()?;
            let raw = path.as_str().as_bytes().to_vec();
            if self.files.get(&raw).map(|file| file.id) == id {
                continue;
            }
            match id {
                Some(id) => drop(self.files.insert(raw, TreeFile { mode: FILE_MODE, id })),
                None => drop(self.files.remove(&raw)),
            }
            blobs.push((path.clone(), id));
        }
        let (mut new_tip, mut tree) = (tip, tree);
        if !blobs.is_empty() {
            tree = team.repo.write_tree(Some(tree), &blobs)?;
            new_tip = commit_changes(team, actor, tip, tree, &self.outcome.changes)?;
            self.outcome.commit = Some(new_tip);
        }
        if new_tip != tip || !self.writes.is_empty() || self.bases != team.state.bases {
            let step = Step {
                old: Some(tip),
                new: new_tip,
                reason: "memsync: local changes",
                writes: self.writes,
                bases: self.bases,
            };
            drop(apply(team, step, &mut states)?);
        }
        if index.is_in_line {
            in_line::remember(team, tree);
        }
        let (outcome, files) = (self.outcome, self.files);
        Ok(Staged { outcome, tip: new_tip, files, states, index: index.on_disk })
    }

    /// Adds what becomes of the index, and lists what a commit changes.
    pub(crate) fn take_index(&mut self, team: &Team, index: &StagedIndex) {
        if let Some(content) = &index.committed {
            self.edits.insert(index.path.clone(), Some(content.clone()));
        }
        self.writes.extend(index.write.clone());
        self.outcome.index.clone_from(&index.changes);
        for (path, content) in &self.edits {
            let known = self.files.get(path.as_str().as_bytes());
            let id = content.as_ref().map(|content| team.repo.blob_id(content));
            if known.map(|file| file.id) != id {
                let kind = change_kind(known, id);
                self.outcome.changes.push(FileChange { path: path.to_string(), kind });
            }
        }
    }
}

fn commit_changes(
    team: &Team,
    actor: &Actor,
    parent: ObjectId,
    tree: ObjectId,
    changes: &[FileChange],
) -> Result<ObjectId, SyncError> {
    let draft = actor.draft(tree, vec![parent], message::of_changes(team, actor, tree, changes));
    team.commit(&draft, actor)
}

/// What a change is, from what was and is there.
pub(crate) fn change_kind<A, B>(old: Option<A>, new: Option<B>) -> ChangeKind {
    match (old, new) {
        (_, None) => ChangeKind::Deleted,
        (Some(_), Some(_)) => ChangeKind::Edited,
        (None, Some(_)) => ChangeKind::Added,
    }
}
