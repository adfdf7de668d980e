//! How old the files are that a sync writes: agents show the age of a memory by its mtime.
//! Border: gives moments, `apply` sets them. What is newer is never decided by them.
//!
//! A memory is as old as its `modified` says, else, or when that is later than what it comes with, as
//! the commit that last changed it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::git::commit::Commit;
use crate::memory::document::Document;
use crate::sync::error::SyncError;
use crate::sync::repo::team::Team;

/// Commits that are looked at; a file that none of them changed is at least as old as the last of them.
const COMMITS_MAX: usize = 2_000;

/// A file that is written: its path, blob and content.
pub(crate) type Written = (MemoryPath, ObjectId, Arc<[u8]>);

/// The moment each file is of, by path. One whose content no commit holds has none.
pub(crate) type Ages = BTreeMap<String, SystemTime>;

/// Finds out how old files are that are written on the way from one tip to another.
pub(crate) fn ages(
    team: &Team,
    (old, new): (Option<ObjectId>, ObjectId),
    files: &[Written],
) -> Result<Ages, SyncError> {
    if files.is_empty() {
        return Ok(Ages::new());
    }
    let tip = team.repo.commit(new)?;
    let mut ages = Ages::new();
    let mut wanted: HashMap<&[u8], ObjectId> = HashMap::new();
    for (path, id, content) in files {
        let said = path.is_memory().then(|| Document::parse(&String::from_utf8_lossy(content)));
        let moment = said.and_then(|document| document.modified()).map(|moment| moment.seconds);
        let is_past = |seconds: &i64| *seconds <= tip.committer_time.seconds;
        match moment.filter(is_past).and_then(system_time) {
            Some(moment) => drop(ages.insert(path.to_string(), moment)),
            None => drop(wanted.insert(path.as_str().as_bytes(), *id)),
        }
    }
    // What came last changed most of them. The rest is looked for in the whole history.
    look(team, old, new, &mut wanted, &mut ages)?;
    if old.is_some() && !wanted.is_empty() {
        let there = team.repo.tree_files(tip.tree)?;
        wanted.retain(|path, id| there.get(*path).is_some_and(|file| file.id == *id));
        look(team, None, new, &mut wanted, &mut ages)?;
    }
    Ok(ages)
}

/// Looks for the commits that made files what they are, newest first, and takes out what it finds.
fn look(
    team: &Team,
    after: Option<ObjectId>,
    tip: ObjectId,
    wanted: &mut HashMap<&[u8], ObjectId>,
    ages: &mut Ages,
) -> Result<(), SyncError> {
    if wanted.is_empty() || after == Some(tip) {
        return Ok(());
    }
    let mut last = None;
    for id in team.repo.range(after, tip)?.into_iter().rev().take(COMMITS_MAX) {
        let commit = team.repo.commit(id)?;
        let moment = system_time(commit.author_time.seconds);
        for path in changed(team, &commit, wanted)? {
            wanted.remove(path.as_slice());
            ages.extend(moment.map(|m| (String::from_utf8_lossy(&path).into_owned(), m)));
        }
        if wanted.is_empty() {
            return Ok(());
        }
        last = moment;
    }
    if after.is_none() {
        let left = wanted.keys().map(|path| String::from_utf8_lossy(path).into_owned());
        ages.extend(left.zip(last.into_iter().cycle()));
    }
    Ok(())
}

/// The wanted files that a commit made what they are: each is so in no parent.
fn changed(
    team: &Team,
    commit: &Commit,
    wanted: &HashMap<&[u8], ObjectId>,
) -> Result<Vec<Vec<u8>>, SyncError> {
    let mut parents = commit.parents.iter().map(|id| Ok(Some(team.repo.commit(*id)?.tree)));
    let first: Option<Result<Option<ObjectId>, SyncError>> = parents.next();
    let first = first.transpose()?.flatten();
    let changes = team.repo.tree_changes(first, Some(commit.tree))?;
    let is_wanted =
        |path: &[u8], id: Option<ObjectId>| id.is_some() && wanted.get(path) == id.as_ref();
    let mut found: Vec<Vec<u8>> = changes
        .into_iter()
        .filter(|change| is_wanted(&change.path, change.new.map(|file| file.id)))
        .map(|change| change.path)
        .collect();
    for parent in parents {
        let parent = parent?;
        if found.is_empty() {
            break;
        }
        let changes = team.repo.tree_changes(parent, Some(commit.tree))?;
        found.retain(|path| changes.iter().any(|change| change.path == *path));
    }
    Ok(found)
}

/// A moment as the system has it; `None` for one that git's index cannot hold.
fn system_time(seconds: i64) -> Option<SystemTime> {
    let seconds = u32::try_from(seconds).ok()?;
    Some(SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(seconds)))
}
