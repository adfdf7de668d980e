//! Scans what git holds: the staged files, a range of commits, a whole history.
//! Border: each blob once for all places with one verdict; which commit holds it first is said, rewriting it is not ours.

use std::collections::HashSet;

use super::Scan;
use super::apart::Apart;
use super::cache::{Cache, Known};
use super::crew;
use super::outcome::ScanOutcome;
use crate::base::id::ObjectId;
use crate::git::GitError;
use crate::git::objects::{By, FirstSeen};
use crate::git::repo::Repo;

/// Scans the files that differ between the index and the last commit.
///
/// # Errors
/// A repository that cannot be read.
pub fn scan_staged(scan: &Scan<'_>, repo: &Repo) -> Result<ScanOutcome, GitError> {
    let apart = Apart::of(scan);
    let class = |path: &[u8], commit| apart.class(scan, path, commit);
    let staged = repo.staged_blobs(By { listing: apart.listing(), class: &class })?;
    crew::scan(scan, repo, |hand_on| {
        staged.into_iter().for_each(hand_on);
        Ok(())
    })
}

/// Scans every blob that the commits reachable from `tips` hold and `hidden` does not.
///
/// # Errors
/// A repository that cannot be read, or a broken commit or tree.
pub fn scan_commits(
    scan: &Scan<'_>,
    repo: &Repo,
    tips: &[ObjectId],
    hidden: &[ObjectId],
) -> Result<ScanOutcome, GitError> {
    let apart = Apart::of(scan);
    let class = |path: &[u8], commit| apart.class(scan, path, commit);
    let by = By { listing: apart.listing(), class: &class };
    crew::scan(scan, repo, |hand_on| repo.each_blob_first_seen(tips, hidden, by, hand_on))
}

/// Scans every blob of every ref. What `cache` knows to be clean is not read again.
///
/// # Errors
/// A repository that cannot be read, or a broken commit or tree.
pub fn scan_history(
    scan: &Scan<'_>,
    repo: &Repo,
    cache: Option<&Cache>,
) -> Result<ScanOutcome, GitError> {
    let tips = repo.all_tips()?;
    let Some(cache) = cache else { return scan_commits(scan, repo, &tips, &[]) };
    let mut known = cache.load();
    if !are_covered(repo, &known.tips, &tips) {
        // A branch is gone: its texts may be clean, but its leaks are no part of this history.
        known = Known { clean: known.clean, ..Known::default() };
    }
    let is_news = tips.iter().any(|tip| !known.tips.contains(tip));
    let seen: HashSet<(ObjectId, u128)> =
        known.leaks.iter().map(|leak| (leak.id, leak.class)).collect();
    let apart = Apart::of(scan);
    let class = |path: &[u8], commit| apart.class(scan, path, commit);
    let by = By { listing: apart.listing(), class: &class };
    let (mut kept, mut unread) = (0, Vec::new());
    let scanned = crew::scan(scan, repo, |hand_on| {
        let mut sort = |blob: FirstSeen| {
            let key = (blob.id, blob.class);
            if known.clean.contains(&key) || seen.contains(&key) {
                kept += 1;
            } else {
                unread.push(blob.clone());
                hand_on(blob);
            }
        };
        if is_news { repo.each_blob_first_seen(&tips, &known.tips, by, &mut sort) } else { Ok(()) }
    })?;
    let before = ScanOutcome {
        files: known.read[0] as usize + kept,
        bytes: known.read[1],
        binary: known.read[2] as usize,
        known: known.read[0] as usize + kept,
        ..ScanOutcome::default()
    };
    // Leaks are looked at each time, because what is accepted changes; they were counted before.
    let leaks = known.leaks.iter().cloned();
    let again = crew::scan(scan, repo, |hand_on| {
        leaks.for_each(hand_on);
        Ok(())
    })?;
    let again = ScanOutcome { files: 0, bytes: 0, binary: 0, ..again };
    if is_news {
        remember(&mut known, &tips, unread, &scanned, kept);
        cache.save(&known);
    }
    Ok(before.merge(again).merge(scanned).sorted())
}

/// Takes a scan into what is known.
fn remember(
    known: &mut Known,
    tips: &[ObjectId],
    unread: Vec<FirstSeen>,
    scanned: &ScanOutcome,
    kept: usize,
) {
    let touched: HashSet<(ObjectId, u128)> = scanned.touched.iter().copied().collect();
    let failed = !scanned.unreadable.is_empty();
    for blob in unread {
        if touched.contains(&(blob.id, blob.class)) {
            // Only with its tips: a leak without them would be shown for any history.
            known.leaks.extend((!failed).then_some(blob));
        } else if !failed {
            known.clean.insert((blob.id, blob.class));
        }
    }
    // What could not be read is to be named the next time, too.
    if !failed {
        known.tips = tips.to_vec();
        known.read[0] += (scanned.files + kept) as u64;
        known.read[1] += scanned.bytes;
        known.read[2] += scanned.binary as u64;
    }
}

/// Tips that moved on are looked for in the new ones only when they are few.
const MOVED_TIPS_MAX: usize = 16;

/// Tells that everything the old tips reach is reached by the new ones, too.
fn are_covered(repo: &Repo, old: &[ObjectId], new: &[ObjectId]) -> bool {
    let gone: Vec<&ObjectId> = old.iter().filter(|tip| !new.contains(tip)).collect();
    let is_reached =
        |old: ObjectId| new.iter().any(|new| repo.is_ancestor(old, *new).unwrap_or(false));
    gone.len() <= MOVED_TIPS_MAX && gone.into_iter().all(|old| is_reached(*old))
}
