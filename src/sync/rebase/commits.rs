//! Puts our unpushed commits onto a new tip, each merged by meaning and signed again.
//! Border: works in the object database only; nothing on disk changes here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::unlock::TeamUnlock;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::git::commit::{Commit, CommitDraft};
use crate::git::repo::Repo;
use crate::git::tree::{TreeFiles, changes};
use crate::memory::limits::FILE_BYTES_MAX;
use crate::memory::snapshot::Snapshot;
use crate::merge::{Input, Merged, Origin, Side, file, merge_unlocked};
use crate::seal::unlock::NoKeys;
use crate::sync::error::SyncError;
use crate::sync::repo::message;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::worktree::tree_overlay::Edits;
use crate::sync::worktree::tree_overlay::{TreeView, parse_tree_path};
use crate::trust::roster::ROSTER_PATH;

/// Commits that are asked whose a file is: more than a team makes while one member is away.
const ORIGIN_COMMITS_MAX: usize = 1_000;

/// Our commits on a new tip.
#[derive(Debug)]
pub struct Replayed {
    /// The new tip.
    pub tip: ObjectId,
    /// How many commits were put onto it.
    pub count: usize,
}

/// Replays what `ours` has and `onto` has not. `Unrelated` when they share no commit.
pub fn replay(
    team: &Team,
    actor: &Actor,
    ours: ObjectId,
    onto: ObjectId,
) -> Result<Replayed, SyncError> {
    let base = team.repo.merge_base(ours, onto)?.ok_or(SyncError::Unrelated)?;
    if base == ours {
        return Ok(Replayed { tip: onto, count: 0 });
    }
    if base == onto {
        return Ok(Replayed { tip: ours, count: 0 });
    }
    rebase_commits(team, actor, &team.repo.range(Some(onto), ours)?, onto)
}

/// Makes commits again on a new tip, parents first, each with its own change only.
pub(crate) fn rebase_commits(
    team: &Team,
    actor: &Actor,
    commits: &[ObjectId],
    onto: ObjectId,
) -> Result<Replayed, SyncError> {
    let mut tip = team.repo.commit(onto)?;
    let mut count = 0;
    let Some(first) = commits.first() else { return Ok(Replayed { tip: onto, count }) };
    let since = team.repo.commit(*first)?.parents.first().copied().ok_or(SyncError::Unrelated)?;
    let mut origins = origins(team, since, onto)?;
    for id in commits {
        let commit = team.repo.commit(*id)?;
        let parent = commit.parents.first().ok_or(SyncError::Unrelated)?;
        let parent_tree = Some(team.repo.commit(*parent)?.tree);
        let ours = MergeSide::of(&tip, &origins);
        let none = BTreeMap::new();
        // MergeSide again it gets another id, which its own records cannot know.
        let theirs = MergeSide {
            origin: Origin { commit: None, ..origin(&commit) },
            ..MergeSide::of(&commit, &none)
        };
        let tree = merge_trees(team, parent_tree, &ours, &theirs, Some((actor, Some(since))))?;
        // What the tip has already says nothing new; an empty commit would only be noise.
        if tree == tip.tree {
            continue;
        }
        let draft = CommitDraft {
            tree,
            parents: vec![tip.id],
            author: commit.author.clone(),
            author_time: commit.author_time,
            committer: actor.person.clone(),
            committer_time: actor.clock.now(),
            message: message::again(team, actor, tip.tree, &commit.message),
        };
        let new = team.repo.commit(team.commit(&draft, actor)?)?;
        note_origin(team, &mut origins, tip.tree, &new)?;
        tip = new;
        count += 1;
    }
    Ok(Replayed { tip: tip.id, count })
}

/// A side of a merge: its newest commit, and whose its files are.
struct MergeSide<'a> {
    commit: &'a Commit,
    origin: Origin,
    origins: &'a BTreeMap<MemoryPath, Origin>,
}

impl<'a> MergeSide<'a> {
    fn of(commit: &'a Commit, origins: &'a BTreeMap<MemoryPath, Origin>) -> Self {
        Self { commit, origin: origin(commit), origins }
    }

    fn side(&self, snapshot: Snapshot) -> Side {
        Side { snapshot, origin: self.origin.clone(), origins: self.origins.clone() }
    }
}

/// Who changed each file last, in the commits that a side has and the base has not. A file that was
/// changed before the newest [`ORIGIN_COMMITS_MAX`] of them counts as the newest commit's.
fn origins(
    team: &Team,
    base: ObjectId,
    side: ObjectId,
) -> Result<BTreeMap<MemoryPath, Origin>, SyncError> {
    let mut found = BTreeMap::new();
    let commits = team.repo.range(Some(base), side)?;
    for id in commits.iter().skip(commits.len().saturating_sub(ORIGIN_COMMITS_MAX)) {
        let commit = team.repo.commit(*id)?;
        let Some(parent) = commit.parents.first() else { continue };
        let parent = team.repo.commit(*parent)?.tree;
        note_origin(team, &mut found, parent, &commit)?;
    }
    Ok(found)
}

/// Notes whose the files are now that a commit changed.
fn note_origin(
    team: &Team,
    origins: &mut BTreeMap<MemoryPath, Origin>,
    before: ObjectId,
    commit: &Commit,
) -> Result<(), SyncError> {
    for change in team.repo.tree_changes(Some(before), Some(commit.tree))? {
        origins.insert(parse_tree_path(&change.path)?, origin(commit));
    }
    Ok(())
}

/// The tree of `theirs`' change since `base` merged onto `ours`. Sealed memories are opened with the
/// keys of the caller, but for what strangers wrote into them since the commit beside.
fn merge_trees(
    team: &Team,
    base: Option<ObjectId>,
    ours_made: &MergeSide<'_>,
    theirs_made: &MergeSide<'_>,
    actor: Option<(&Actor, Option<ObjectId>)>,
) -> Result<ObjectId, SyncError> {
    let (ours, theirs) = (ours_made.commit, theirs_made.commit);
    if base == Some(ours.tree) {
        return Ok(theirs.tree);
    }
    let load = |tree: Option<ObjectId>| {
        tree.map_or_else(|| Ok(TreeFiles::new()), |t| team.repo.tree_files(t))
    };
    let (base_files, our_files, their_files) =
        (load(base)?, load(Some(ours.tree))?, load(Some(theirs.tree))?);
    let mut paths: BTreeSet<MemoryPath> = BTreeSet::new();
    for change in changes(&base_files, &our_files).iter().chain(&changes(&base_files, &their_files))
    {
        paths.insert(parse_tree_path(&change.path)?);
    }
    paths.insert(MemoryPath::parse("MEMORY.md").expect("because the index has a valid path"));
    let unchanged = TreeView::new(&team.repo, &our_files, &Edits::new()).without(paths.iter());
    let base = snapshot(&team.repo, &blob_in(&base_files), &paths)?;
    let ours_side = ours_made.side(snapshot(&team.repo, &blob_in(&our_files), &paths)?);
    let theirs_side = theirs_made.side(snapshot(&team.repo, &blob_in(&their_files), &paths)?);
    let merged = match actor {
        None => merge_unlocked(&base, &ours_side, &theirs_side, &unchanged, &NoKeys),
        Some((actor, since)) => {
            let unlock = TeamUnlock::new(team, actor, ours.tree).distrust_since(since, ours.id);
            unlock.follow(merged_roster(&base, &ours_side, &theirs_side).as_deref());
            let mut merged = merge_unlocked(&base, &ours_side, &theirs_side, &unchanged, &unlock);
            unlock.drop_former_readers(&mut merged.snapshot, &ours_side.snapshot);
            merged
        }
    };
    write_merged(&team.repo, ours.tree, &blob_in(&our_files), &paths, &merged)
}

/// The roster two sides merge to; `None` where neither changed it.
fn merged_roster(base: &Snapshot, ours: &Side, theirs: &Side) -> Option<Vec<u8>> {
    let path = MemoryPath::parse(ROSTER_PATH).expect("because the roster has an allowed name");
    let (one, two) = (ours.snapshot.get(&path)?, theirs.snapshot.get(&path)?);
    let one = Input { content: one, origin: &ours.origin };
    let two = Input { content: two, origin: &theirs.origin };
    Some(file(&path, base.get(&path).map(|content| &content[..]), one, two).content)
}

/// The blob of a file in a tree.
pub(crate) type BlobOf<'a> = &'a dyn Fn(&MemoryPath) -> Option<ObjectId>;

fn blob_in(files: &TreeFiles) -> impl Fn(&MemoryPath) -> Option<ObjectId> + '_ {
    |path| files.get(path.as_str().as_bytes()).map(|file| file.id)
}

/// Some files of a tree.
pub(crate) fn snapshot(
    repo: &Repo,
    blob: BlobOf<'_>,
    paths: &BTreeSet<MemoryPath>,
) -> Result<Snapshot, SyncError> {
    let mut snapshot = Snapshot::default();
    for path in paths {
        if let Some(id) = blob(path) {
            snapshot.insert(path.clone(), repo.blob(id, FILE_BYTES_MAX as u64)?);
        }
    }
    Ok(snapshot)
}

/// Writes what a merge gave onto the tree whose blobs are given.
pub(crate) fn write_merged(
    repo: &Repo,
    onto: ObjectId,
    blob: BlobOf<'_>,
    paths: &BTreeSet<MemoryPath>,
    merged: &Merged,
) -> Result<ObjectId, SyncError> {
    let mut edits = Vec::new();
    let results = merged.snapshot.iter().map(|(path, _)| path);
    let touched: BTreeSet<&MemoryPath> = paths.iter().chain(results).collect();
    for path in touched {
        let new = merged.snapshot.get(path).map(|content| repo.write_blob(content)).transpose()?;
        if blob(path) != new {
            edits.push((path.clone(), new));
        }
    }
    Ok(repo.write_tree(Some(onto), &edits)?)
}

/// Who made a side of a merge.
pub(crate) fn origin(commit: &Commit) -> Origin {
    Origin { author: commit.author.name.clone(), date: commit.author_time, commit: Some(commit.id) }
}

/// The caller as the maker of what is not committed yet.
pub(crate) fn coming(actor: &Actor) -> Origin {
    Origin { author: actor.person.name.clone(), date: actor.clock.now(), commit: None }
}

/// Merges an edit made on `base` onto what the tip has; conflict records come beside it.
pub(crate) fn merge_edit(
    team: &Team,
    actor: &Actor,
    path: &MemoryPath,
    base: Option<ObjectId>,
    disk: Option<Arc<[u8]>>,
    known: Option<ObjectId>,
) -> Result<Edits, SyncError> {
    let tip = team.repo.commit(team.tip()?)?;
    let content =
        |id: Option<ObjectId>| id.map(|id| team.repo.blob(id, FILE_BYTES_MAX as u64)).transpose();
    let single = |content: Option<Arc<[u8]>>| {
        let mut snapshot = Snapshot::default();
        if let Some(content) = content {
            snapshot.insert(path.clone(), content);
        }
        snapshot
    };
    let ours = Side::of_one(single(content(known)?), origin(&tip));
    // The edit on disk is the newest there is, and has no commit yet.
    let theirs = Side::of_one(single(disk), coming(actor));
    let (base, none) = (single(content(base)?), Snapshot::default());
    let unlock = TeamUnlock::new(team, actor, tip.tree).distrust_since(None, tip.id);
    let merged = merge_unlocked(&base, &ours, &theirs, &none, &unlock);
    let mut edits = Edits::from([(path.clone(), merged.snapshot.get(path).cloned())]);
    let records = merged.snapshot.iter().filter(|(other, _)| other.is_policy());
    edits.extend(records.map(|(record, content)| (record.clone(), Some(content.clone()))));
    Ok(edits)
}
