//! Scanning anything for credentials: files, standard input, what is staged, commits, a history.
//! Border: finds texts and runs the scanner over them; the rules are `secrets`, the words `report`.

mod apart;
pub mod cache;
mod crew;
pub mod files;
pub mod history;
mod judge;
pub mod outcome;
pub mod setup_error;
pub mod setup;
pub mod source;

use crate::secrets::Scanner;
use crate::secrets::allow::AllowList;

/// What every kind of scan is run with.
#[derive(Debug)]
pub struct Scan<'a> {
    /// The rules.
    pub scanner: &'a Scanner,
    /// What is accepted.
    pub allow: AllowList,
    /// Told about every text that was read: its bytes.
    pub progress: &'a Progress,
}

/// How far a scan is; read by whoever draws it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Texts read.
    pub files: std::sync::atomic::AtomicU64,
    /// Bytes read.
    pub bytes: std::sync::atomic::AtomicU64,
}

impl Progress {
    pub(crate) fn add(&self, bytes: u64) {
        self.files.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.bytes.fetch_add(bytes, std::sync::atomic::Ordering::Relaxed);
    }
}
