//! Our unshared commits as they are sent: what the team does not get in the end, it does not get by
//! its history either.
//! Border: works in the object database only. Commits that somebody else has are never made again.
//!
//! A version of a file that no line outlives (a memory that was forgotten again, a name that was taken
//! out) was never shared, so it is left out: the file changes once, in the last commit that touches it.
//! Commits that cancel out are not sent at all.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::stage::{FILE_MODE, change_kind};
use crate::base::id::ObjectId;
use crate::git::commit::{Commit, CommitDraft};
use crate::git::tree::{TreeChange, TreeFile};
use crate::memory::limits::FILE_BYTES_MAX;
use crate::sync::error::SyncError;
use crate::sync::outcome::FileChange;
use crate::sync::repo::message;
use crate::sync::repo::team::{Actor, Team};
use crate::sync::verify::judge::Judge;
use crate::sync::worktree::tree_overlay::parse_tree_path;
use crate::trust::roster::ROSTER_PATH;
use crate::trust::trailers::Trailers;

/// A commit with what it changes.
struct Made {
    commit: Commit,
    changes: Vec<TreeChange>,
}

/// A file over all unshared commits: before them, after each that touches it.
struct Versions {
    before: Option<TreeFile>,
    after: Vec<Option<TreeFile>>,
    /// The last commit that touches it.
    last: usize,
}

/// The tip to send: `tip`, or one with the same files that is made of fewer texts.
pub(crate) fn condensed(
    team: &Team,
    actor: &Actor,
    known: Option<ObjectId>,
    tip: ObjectId,
) -> Result<ObjectId, SyncError> {
    let commits = team.repo.range(known, tip)?;
    // What a history starts from is its introduction.
    let (base, ours) = match (known, commits.split_first()) {
        (Some(known), _) => (known, &commits[..]),
        (None, Some((root, ours))) => (*root, ours),
        (None, None) => return Ok(tip),
    };
    let Some(made) = line_of_own(team, base, ours)? else { return Ok(tip) };
    let files = versions(&made);
    let mut passing = BTreeSet::new();
    for (path, versions) in &files {
        if path.as_slice() != ROSTER_PATH.as_bytes() && !is_covered(team, versions)? {
            passing.insert(path.clone());
        }
    }
    if passing.is_empty() {
        return Ok(tip);
    }
    let Some(again) = make_again(team, actor, base, &made, &files, &passing)? else {
        return Ok(tip);
    };
    let has_roster = files.contains_key(ROSTER_PATH.as_bytes());
    if has_roster && is_refused(team, known, again)? { Ok(tip) } else { Ok(again) }
}

/// The same with every file as it is in the end only, wherever it was changed more than once; `None`
/// where that changes nothing or our commits are no line.
pub(crate) fn with_last_versions(
    team: &Team,
    actor: &Actor,
    base: ObjectId,
    tip: ObjectId,
) -> Result<Option<ObjectId>, SyncError> {
    let Some(made) = line_of_own(team, base, &team.repo.range(Some(base), tip)?)? else {
        return Ok(None);
    };
    let files = versions(&made);
    let changed_again = files.iter().filter(|(_, versions)| versions.after.len() > 1);
    let passing: BTreeSet<Vec<u8>> = changed_again.map(|(path, _)| path.clone()).collect();
    if passing.is_empty() {
        Ok(None)
    } else {
        make_again(team, actor, base, &made, &files, &passing)
    }
}

/// Commits that follow one another on `base` and say nothing about others; `None` where one does not.
fn line_of_own(
    team: &Team,
    base: ObjectId,
    ids: &[ObjectId],
) -> Result<Option<Vec<Made>>, SyncError> {
    // One commit holds only what is there in the end.
    if ids.len() < 2 {
        return Ok(None);
    }
    let mut before = team.repo.commit(base)?;
    let mut made = Vec::with_capacity(ids.len());
    for id in ids {
        let commit = team.repo.commit(*id)?;
        let vouches = Trailers::parse(&commit.message).is_ok_and(|t| !t.vouches.is_empty());
        if commit.parents != [before.id] || vouches {
            return Ok(None);
        }
        let changes = team.repo.tree_changes(Some(before.tree), Some(commit.tree))?;
        before = commit.clone();
        made.push(Made { commit, changes });
    }
    Ok(Some(made))
}

fn versions(made: &[Made]) -> BTreeMap<Vec<u8>, Versions> {
    let mut files: BTreeMap<Vec<u8>, Versions> = BTreeMap::new();
    for (at, one) in made.iter().enumerate() {
        for change in &one.changes {
            let new = || Versions { before: change.old, after: Vec::new(), last: at };
            let versions = files.entry(change.path.clone()).or_insert_with(new);
            versions.after.push(change.new);
            versions.last = at;
        }
    }
    files
}

/// Whether every line of every version on the way is there before or in the end.
fn is_covered(team: &Team, versions: &Versions) -> Result<bool, SyncError> {
    let Some((end, on_the_way)) = versions.after.split_last() else { return Ok(true) };
    if on_the_way.is_empty() {
        return Ok(true);
    }
    if versions.before.is_none() && end.is_none() {
        return Ok(false);
    }
    let text = |file: &Option<TreeFile>| -> Result<Arc<[u8]>, SyncError> {
        let Some(file) = file.filter(|file| file.mode == FILE_MODE) else {
            return Ok(Arc::default());
        };
        Ok(team.repo.blob(file.id, FILE_BYTES_MAX as u64)?)
    };
    let (before, end) = (text(&versions.before)?, text(end)?);
    let known: HashSet<&[u8]> = lines(&before).chain(lines(&end)).collect();
    for version in on_the_way {
        let is_plain = version.is_none_or(|file| file.mode == FILE_MODE);
        if !is_plain || !lines(&text(version)?).all(|line| known.contains(line)) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii)
}

/// Makes the commits again without the versions on the way of some files; `None` where a commit holds
/// what only plain git could have put there.
fn make_again(
    team: &Team,
    actor: &Actor,
    base: ObjectId,
    made: &[Made],
    files: &BTreeMap<Vec<u8>, Versions>,
    passing: &BTreeSet<Vec<u8>>,
) -> Result<Option<ObjectId>, SyncError> {
    let mut tip = team.repo.commit(base)?;
    for (at, one) in made.iter().enumerate() {
        let mut edits = Vec::new();
        let mut told = Vec::new();
        let mut is_same = tip.id == one.commit.parents[0];
        for change in &one.changes {
            let (mut old, new) = (change.old, change.new);
            if let Some(versions) = passing.get(&change.path).and_then(|path| files.get(path)) {
                if versions.last != at {
                    is_same = false;
                    continue;
                }
                is_same &= old == versions.before;
                old = versions.before;
            }
            if old == new {
                continue;
            }
            let Ok(path) = parse_tree_path(&change.path) else { return Ok(None) };
            if new.is_some_and(|file| file.mode != FILE_MODE) {
                return Ok(None);
            }
            told.push(FileChange { path: path.to_string(), kind: change_kind(old, new) });
            edits.push((path, new.map(|file| file.id)));
        }
        if is_same {
            tip = one.commit.clone();
            continue;
        }
        if edits.is_empty() && !one.changes.is_empty() {
            continue;
        }
        let tree = team.repo.write_tree(Some(tip.tree), &edits)?;
        let is_whole = edits.len() == one.changes.len();
        let message = match is_whole {
            true => message::again(team, actor, tip.tree, &one.commit.message),
            // The old message names what is left out.
            false => message::again_of(team, actor, tip.tree, &one.commit.message, &told),
        };
        let draft = CommitDraft {
            tree,
            parents: vec![tip.id],
            author: one.commit.author.clone(),
            author_time: one.commit.author_time,
            committer: actor.person.clone(),
            committer_time: actor.clock.now(),
            message,
        };
        tip = team.repo.commit(team.commit(&draft, actor)?)?;
    }
    Ok(Some(tip.id))
}

/// Whether the team would refuse commits that were made again: the key may have changed on the way.
fn is_refused(team: &Team, known: Option<ObjectId>, tip: ObjectId) -> Result<bool, SyncError> {
    let ids = team.repo.range(known, tip)?;
    let judged = Judge::new(team).judge(known, &ids)?;
    Ok(!judged.refused(tip).is_empty())
}
