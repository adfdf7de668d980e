//! Scans what git holds: the staged files, a range of commits, a whole history.
//! Border: each blob once; which commit holds it first is said, rewriting it is not ours.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, mpsc};

use super::Scan;
use super::cache::{Cache, Known};
use super::judge::Place;
use super::outcome::{ScanOutcome, Unreadable};
use crate::base::id::ObjectId;
use crate::base::text::Position;
use crate::git::GitError;
use crate::git::objects::FirstSeen;
use crate::git::repo::Repo;

/// A larger blob is not read into memory; it is named as unreadable.
const BLOB_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Scans the files that differ between the index and the last commit.
///
/// # Errors
/// A repository that cannot be read.
pub fn scan_staged(scan: &Scan<'_>, repo: &Repo) -> Result<ScanOutcome, GitError> {
    Ok(scan_blobs(scan, repo, repo.staged_blobs()?))
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
    Ok(scan_blobs(scan, repo, repo.blobs_first_seen(tips, hidden)?))
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
    let fresh = if is_news { repo.blobs_first_seen(&tips, &known.tips)? } else { Vec::new() };
    let seen: HashSet<ObjectId> = known.leaks.iter().map(|leak| leak.id).collect();
    let (mut kept, mut unread) = (0, Vec::new());
    for blob in fresh {
        match known.clean.contains(&blob.id) || seen.contains(&blob.id) {
            true => kept += 1,
            false => unread.push(blob),
        }
    }
    let before = ScanOutcome {
        files: known.read[0] as usize + kept,
        bytes: known.read[1],
        binary: known.read[2] as usize,
        known: known.read[0] as usize + kept,
        ..ScanOutcome::default()
    };
    // Leaks are looked at each time, because what is accepted changes; they were counted before.
    let again = scan_blobs(scan, repo, known.leaks.clone());
    let again = ScanOutcome { files: 0, bytes: 0, binary: 0, ..again };
    let scanned = scan_blobs(scan, repo, unread.clone());
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
    let touched: HashSet<ObjectId> = scanned.touched.iter().copied().collect();
    let failed = !scanned.unreadable.is_empty();
    for blob in unread {
        if touched.contains(&blob.id) {
            // Only with its tips: a leak without them would be shown for any history.
            known.leaks.extend((!failed).then_some(blob));
        } else if !failed {
            known.clean.insert(blob.id);
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

/// Scans blobs: this thread reads them, the others scan. A blob that cannot be read is named; the
/// rest still counts.
fn scan_blobs(scan: &Scan<'_>, repo: &Repo, blobs: Vec<FirstSeen>) -> ScanOutcome {
    let mut seen = HashSet::new();
    let mut unreadable = Vec::new();
    let (sender, receiver) = mpsc::sync_channel::<Batch>(BATCHES_WAITING_MAX);
    let receiver = Mutex::new(receiver);
    let receiver = &receiver;
    let scanned = std::thread::scope(|threads| {
        let workers = (1..rayon::current_num_threads()).count().max(1);
        let workers: Vec<_> =
            (0..workers).map(|_| threads.spawn(move || work(scan, receiver))).collect();
        let mut batch = Batch::default();
        for blob in blobs.into_iter().filter(|blob| seen.insert(blob.id)) {
            match repo.blob(blob.id, BLOB_BYTES_MAX) {
                Ok(content) => batch.push(blob, content),
                Err(error) => {
                    let path = String::from_utf8_lossy(&blob.path).into_owned();
                    unreadable.push(Unreadable { path, reason: error.to_string() });
                }
            }
            if batch.bytes >= BATCH_BYTES && sender.send(std::mem::take(&mut batch)).is_err() {
                break;
            }
        }
        drop(sender.send(batch));
        drop(sender);
        let outcomes = workers.into_iter().map(|worker| worker.join().unwrap_or_default());
        outcomes.fold(ScanOutcome::default(), ScanOutcome::merge)
    });
    ScanOutcome { unreadable, ..ScanOutcome::default() }.merge(scanned).sorted()
}

/// Blobs that go to a worker together.
#[derive(Default)]
struct Batch {
    blobs: Vec<(FirstSeen, Arc<[u8]>)>,
    bytes: usize,
}

impl Batch {
    fn push(&mut self, blob: FirstSeen, content: Arc<[u8]>) {
        // An empty blob costs something too.
        self.bytes += content.len() + 256;
        self.blobs.push((blob, content));
    }
}

/// A worker takes this much at a time.
const BATCH_BYTES: usize = 512 * 1024;
/// This many batches wait at most, so that reading does not fill the memory.
const BATCHES_WAITING_MAX: usize = 4;

fn work(scan: &Scan<'_>, batches: &Mutex<mpsc::Receiver<Batch>>) -> ScanOutcome {
    let mut outcome = ScanOutcome::default();
    loop {
        let next = batches.lock().map(|receiver| receiver.recv());
        let Ok(Ok(batch)) = next else { return outcome };
        for (blob, content) in batch.blobs {
            let path = String::from_utf8_lossy(&blob.path).into_owned();
            let start = Position { line: 1, column: 1 };
            let place = Place { path: &path, commit: blob.commit, start };
            let judged = scan.judge(place, &content);
            if judged.allowed > 0 || !judged.findings.is_empty() {
                outcome.touched.push(blob.id);
            }
            outcome = outcome.merge(judged);
        }
    }
}
