//! Threads that read and scan blobs while the history is still being listed.
//! Border: takes blobs one by one, gives one outcome; which blobs is for `history`.

use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, TrySendError, sync_channel};
use std::thread::{available_parallelism, scope};

use super::Scan;
use super::judge::Place;
use super::outcome::{ScanOutcome, Unreadable};
use crate::base::text::Position;
use crate::git::GitError;
use crate::git::objects::FirstSeen;
use crate::git::repo::Repo;

/// A larger blob is not read into memory; it is named as unreadable.
const BLOB_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Blobs that go to a thread together: those of one file often build on each other in the pack.
const BATCH_BLOBS: usize = 128;
/// This many batches wait at most; then whoever lists scans one.
const BATCHES_WAITING_MAX: usize = 64;

/// Scans every blob that `list` hands on. What cannot be read is named; the rest still counts.
///
/// # Errors
/// What `list` fails with.
pub(super) fn scan(
    scan: &Scan<'_>,
    repo: &Repo,
    list: impl FnOnce(&mut dyn FnMut(FirstSeen)) -> Result<(), GitError>,
) -> Result<ScanOutcome, GitError> {
    let (sender, receiver) = sync_channel(BATCHES_WAITING_MAX);
    let receiver = Mutex::new(receiver);
    let (batches, git_dir) = (&receiver, repo.git_dir());
    let others = available_parallelism().map_or(0, |cores| cores.get() - 1);
    scope(|threads| {
        let mut helpers = Vec::new();
        let mut own = Worker::new(scan, repo);
        let mut batch = Vec::with_capacity(BATCH_BLOBS);
        list(&mut |blob| {
            batch.push(blob);
            if batch.len() < BATCH_BLOBS {
                return;
            }
            // Few blobs are scanned before a thread has started.
            if helpers.len() < others {
                helpers.push(threads.spawn(|| help(scan, git_dir, others, batches)));
            }
            let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH_BLOBS));
            if let Err(TrySendError::Full(full) | TrySendError::Disconnected(full)) =
                sender.try_send(full)
            {
                own.scan_all(full);
            }
        })?;
        drop(sender);
        own.scan_all(batch);
        own.take_from(batches);
        let outcomes = helpers.into_iter().map(|helper| {
            // A finding must not be lost with the thread that made it.
            helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        Ok(outcomes.fold(own.outcome, ScanOutcome::merge).sorted())
    })
}

/// Scans as long as there are batches. A thread that cannot open the repository leaves them to others.
fn help(
    scan: &Scan<'_>,
    git_dir: &Path,
    helpers: usize,
    batches: &Mutex<Receiver<Vec<FirstSeen>>>,
) -> ScanOutcome {
    let Ok(repo) = Repo::open_again(git_dir, helpers) else { return ScanOutcome::default() };
    let mut worker = Worker::new(scan, &repo);
    worker.take_from(batches);
    worker.outcome
}

/// One thread's part.
struct Worker<'a> {
    scan: &'a Scan<'a>,
    repo: &'a Repo,
    content: Vec<u8>,
    outcome: ScanOutcome,
}

impl<'a> Worker<'a> {
    fn new(scan: &'a Scan<'a>, repo: &'a Repo) -> Self {
        Self { scan, repo, content: Vec::new(), outcome: ScanOutcome::default() }
    }

    fn take_from(&mut self, batches: &Mutex<Receiver<Vec<FirstSeen>>>) {
        loop {
            let next = batches.lock().map(|receiver| receiver.recv());
            let Ok(Ok(batch)) = next else { return };
            self.scan_all(batch);
        }
    }

    fn scan_all(&mut self, batch: Vec<FirstSeen>) {
        for blob in batch {
            let judged = self.judge(&blob);
            if judged.allowed > 0 || !judged.findings.is_empty() {
                self.outcome.touched.push((blob.id, blob.class));
            }
            self.outcome = std::mem::take(&mut self.outcome).merge(judged);
        }
    }

    fn judge(&mut self, blob: &FirstSeen) -> ScanOutcome {
        let path = String::from_utf8_lossy(&blob.path);
        match self.repo.blob_into(blob.id, BLOB_BYTES_MAX, &mut self.content) {
            Ok(content) => {
                let start = Position { line: 1, column: 1 };
                self.scan.judge(Place { path: &path, commit: blob.commit, start }, content)
            }
            Err(error) => {
                let path = path.into_owned();
                let unreadable = vec![Unreadable { path, reason: error.to_string() }];
                ScanOutcome { unreadable, ..ScanOutcome::default() }
            }
        }
    }
}
