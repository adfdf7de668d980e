//! Scans files and folders in parallel, with bounded memory whatever their size.
//! Border: reads regular files only; a symlink is never followed, a FIFO or device never opened.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use walkdir::{DirEntry, WalkDir};

use super::Scan;
use super::judge::{Coding, Place};
use super::outcome::{ScanOutcome, Unreadable};
use crate::base::id::ObjectId;
use crate::base::text::Position;
use crate::system::reading;

/// A larger file is scanned in windows of this size.
const WINDOW_BYTES: usize = 4 * 1024 * 1024;
/// Windows overlap by this much, so that no value is cut in two.
const OVERLAP_BYTES: usize = 64 * 1024;

/// Scans everything below the given paths.
pub fn scan_paths(scan: &Scan<'_>, base: &Path, paths: &[PathBuf]) -> ScanOutcome {
    let scanned = paths.iter().map(|path| scan_path(scan, &base.join(path), path));
    scanned.fold(ScanOutcome::default(), ScanOutcome::merge).sorted()
}

/// Scans the regular files below a path while it is still being walked.
fn scan_path(scan: &Scan<'_>, path: &Path, shown: &Path) -> ScanOutcome {
    let walk = WalkDir::new(path).follow_links(false).into_iter();
    // Git's own objects are scanned as a history, not as files.
    let walk = walk.filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    walk.par_bridge()
        .map_init(Vec::new, |buffer, entry| match entry {
            Ok(entry) => scan_entry(scan, &entry, path, shown, buffer),
            Err(error) => {
                let below = error.path().and_then(|at| at.strip_prefix(path).ok());
                let named = below.filter(|below| !below.as_os_str().is_empty());
                let at = &named.map_or_else(|| shown.to_owned(), |below| shown.join(below));
                let reason =
                    error.io_error().map_or_else(|| error.to_string(), io::Error::to_string);
                unreadable(at, reason)
            }
        })
        .reduce(ScanOutcome::default, ScanOutcome::merge)
}

/// Scans what a walk met, if it is a regular file. What is named itself and is none is unreadable.
fn scan_entry(
    scan: &Scan<'_>,
    entry: &DirEntry,
    path: &Path,
    shown: &Path,
    buffer: &mut Vec<u8>,
) -> ScanOutcome {
    let kind = entry.file_type();
    if kind.is_file() {
        let below = entry.path().strip_prefix(path).ok().filter(|_| entry.depth() > 0);
        let name = name_of(&below.map_or_else(|| shown.to_owned(), |below| shown.join(below)));
        let result = reading::open_regular(entry.path())
            .and_then(|open| scan_windows(scan, open, &name, buffer));
        return or_unreadable(result, &name);
    }
    if entry.depth() > 0 || kind.is_dir() {
        return ScanOutcome::default();
    }
    let what = if kind.is_symlink() {
        "is a symlink, which is not followed"
    } else {
        "is no regular file"
    };
    unreadable(shown, what.to_owned())
}

fn unreadable(path: &Path, reason: String) -> ScanOutcome {
    let path = name_of(path);
    ScanOutcome { unreadable: vec![Unreadable { path, reason }], ..ScanOutcome::default() }
}

/// How a file is named in findings: forward slashes, no `./` in front.
fn name_of(path: &Path) -> String {
    let name = path.to_string_lossy().replace('\\', "/");
    name.strip_prefix("./").unwrap_or(&name).to_owned()
}

fn or_unreadable(result: io::Result<ScanOutcome>, shown: &str) -> ScanOutcome {
    result.unwrap_or_else(|error| unreadable(Path::new(shown), error.to_string()))
}

/// Scans a stream window by window. What `window` holds is overwritten.
fn scan_windows(
    scan: &Scan<'_>,
    mut file: impl Read,
    shown: &str,
    window: &mut Vec<u8>,
) -> io::Result<ScanOutcome> {
    window.clear();
    let mut outcome = ScanOutcome::default();
    let mut start = Position { line: 1, column: 1 };
    // What a file begins with says what all of it is; a later part alone may look like another kind.
    let mut coding = None;
    loop {
        let wanted = WINDOW_BYTES - window.len();
        let read = file.by_ref().take(wanted as u64).read_to_end(window)?;
        let is_last = read < wanted;
        let place = Place { path: shown, commit: None, start };
        let known = *coding.get_or_insert_with(|| Coding::of(window));
        outcome = add_window(outcome, scan.judge_as(known, place, window));
        if is_last || outcome.binary > 0 {
            return Ok(outcome.sorted());
        }
        let keep = window.len() - OVERLAP_BYTES;
        start = known.map_or(start, |coding| advanced(start, &coding.text(&window[..keep])));
        outcome.bytes -= OVERLAP_BYTES as u64;
        window.drain(..keep);
    }
}

/// Adds a window's findings; those of the overlap are there twice and fold when sorted.
fn add_window(outcome: ScanOutcome, window: ScanOutcome) -> ScanOutcome {
    let files = outcome.files.max(window.files);
    ScanOutcome { files, ..outcome.merge(window) }
}

/// The position behind a text that begins at `start`.
fn advanced(start: Position, text: &[u8]) -> Position {
    let lines = text.iter().filter(|b| **b == b'\n').count();
    let tail = text.iter().rposition(|b| *b == b'\n').map_or(text, |at| &text[at + 1..]);
    let columns = tail.iter().filter(|b| **b & 0xC0 != 0x80).count();
    match lines {
        0 => Position { line: start.line, column: start.column + columns },
        _ => Position { line: start.line + lines, column: columns + 1 },
    }
}

/// Scans a stream of any length, for example standard input.
pub fn scan_stream(scan: &Scan<'_>, shown: &str, stream: impl Read) -> ScanOutcome {
    or_unreadable(scan_windows(scan, stream, shown, &mut Vec::new()), shown)
}

/// Scans one text that was read already.
pub fn scan_text(
    scan: &Scan<'_>,
    shown: &str,
    commit: Option<ObjectId>,
    content: &[u8],
) -> ScanOutcome {
    let start = Position { line: 1, column: 1 };
    scan.judge(Place { path: shown, commit, start }, content).sorted()
}
