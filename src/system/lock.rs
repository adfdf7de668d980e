//! One holder at a time: an operating system lock on a file, gone when its holder dies.
//! Border: waits until a deadline; what the lock guards is the caller's business.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::base::display::Escaped;
use crate::system::files::{FileError, Root};

/// How long a waiting process sleeps between two tries.
const PAUSE: Duration = Duration::from_millis(15);

/// How much of a lock file is read to name its holder.
const HOLDER_BYTES_MAX: u64 = 200;

/// A held lock; dropping it lets the next one in.
#[derive(Debug)]
pub struct Lock {
    file: File,
    was_abandoned: bool,
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Somebody else holds it, and the deadline passed.
    #[error("`{}` is held by {holder}", Escaped(&path.to_string_lossy()))]
    Held {
        /// The lock file.
        path: PathBuf,
        /// Who holds it as far as the file tells, for example `process 4711`.
        holder: String,
    },
    /// The lock file cannot be opened.
    #[error(transparent)]
    File(#[from] FileError),
    /// The system cannot lock it, for example on some network file systems.
    #[error("`{}` cannot be locked", Escaped(&path.to_string_lossy()))]
    Unsupported {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Lock {
    /// Takes the lock on a file below a root, waiting at most `wait`.
    pub fn acquire(root: &Root, path: &str, wait: Duration) -> Result<Self, LockError> {
        let deadline = Instant::now() + wait;
        let mut file = root.open_to_lock(path)?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => {
                    return Err(LockError::Unsupported { path: root.path().join(path), source });
                }
            }
            let now = Instant::now();
            if now >= deadline {
                let holder = holder(&mut file);
                return Err(LockError::Held { path: root.path().join(path), holder });
            }
            std::thread::sleep(PAUSE.min(deadline - now));
        }
        let was_abandoned = file.metadata().is_ok_and(|meta| meta.len() > 0);
        // Only a courtesy to those who wait; the lock holds without it.
        drop(record(&mut file, &format!("process {}\n", std::process::id())));
        Ok(Self { file, was_abandoned })
    }

    /// Whether the holder before died while holding it, so that what it guards may be half done.
    pub fn was_abandoned(&self) -> bool {
        self.was_abandoned
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        drop(record(&mut self.file, ""));
        drop(self.file.unlock());
    }
}

fn record(file: &mut File, text: &str) -> std::io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(text.as_bytes())
}

fn holder(file: &mut File) -> String {
    let mut raw = Vec::new();
    let read = file
        .seek(SeekFrom::Start(0))
        .and_then(|_| file.take(HOLDER_BYTES_MAX).read_to_end(&mut raw));
    let text = String::from_utf8_lossy(&raw);
    match read {
        Ok(_) if !text.trim().is_empty() => Escaped(text.trim()).to_string(),
        _ => "another process".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_waits_until_its_deadline_and_is_told_who_holds() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let held = Lock::acquire(&root, "memsync/lock", Duration::ZERO).unwrap();
        let refused = Lock::acquire(&root, "memsync/lock", Duration::from_millis(30)).unwrap_err();
        let expected = format!("process {}", std::process::id());
        assert!(refused.to_string().contains(&expected), "{refused}");
        drop(held);
        let next = Lock::acquire(&root, "memsync/lock", Duration::ZERO).unwrap();
        assert!(!next.was_abandoned());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "plays a holder that died")]
    fn the_next_holder_learns_that_the_one_before_died() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        std::fs::write(dir.path().join("lock"), "process 4711\n").unwrap();
        let next = Lock::acquire(&root, "lock", Duration::ZERO).unwrap();
        assert!(next.was_abandoned());
        drop(next);
        assert!(!Lock::acquire(&root, "lock", Duration::ZERO).unwrap().was_abandoned());
    }

    #[test]
    fn a_waiting_holder_gets_the_lock_when_it_is_released() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let held = Lock::acquire(&root, "lock", Duration::ZERO).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| Lock::acquire(&root, "lock", Duration::from_secs(20)));
            std::thread::sleep(Duration::from_millis(40));
            drop(held);
            assert!(waiting.join().unwrap().is_ok());
        });
    }
}
