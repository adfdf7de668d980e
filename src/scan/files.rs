//! Scans files and folders in parallel, with bounded memory whatever their size.
//! Border: reads regular files only; a symlink is never followed, a FIFO or device never opened.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use walkdir::WalkDir;

use super::Scan;
use super::judge::Place;
use super::outcome::{ScanOutcome, Unreadable};
use crate::base::text::Position;
use crate::system::reading;

/// A larger file is scanned in windows of this size.
const WINDOW_BYTES: usize = 4 * 1024 * 1024;
/// Windows overlap by this much, so that no value is cut in two.
const OVERLAP_BYTES: usize = 64 * 1024;

/// Scans everything below the given paths.
pub fn scan_paths(scan: &Scan<'_>, base: &Path, paths: &[PathBuf]) -> ScanOutcome {
    let mut files = Vec::new();
    let mut outcome = ScanOutcome::default();
    for path in paths {
        collect(&base.join(path), path, &mut files, &mut outcome);
    }
    let scanned = files
        .par_iter()
        .map(|(file, shown)| scan_file(scan, file, shown))
        .reduce(ScanOutcome::default, ScanOutcome::merge);
    outcome.merge(scanned).sorted()
}

/// Lists the regular files below a path. What is named itself and is none is unreadable.
fn collect(
    path: &Path,
    shown: &Path,
    files: &mut Vec<(PathBuf, String)>,
    outcome: &mut ScanOutcome,
) {
    let unreadable = |path: &Path, reason: String| Unreadable {
        path: path.to_string_lossy().into_owned(),
        reason,
    };
    let walk = WalkDir::new(path).follow_links(false).sort_by_file_name();
    // Git's own objects are scanned as a history, not as files.
    let walk =
        walk.into_iter().filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    for entry in walk {
        match entry {
            Ok(entry) => {
                let place = entry
                    .path()
                    .strip_prefix(path)
                    .map_or_else(|_| shown.to_owned(), |rest| shown.join(rest));
                let kind = entry.file_type();
                if kind.is_file() {
                    files.push((
                        entry.path().to_owned(),
                        name_of(if entry.depth() == 0 { shown } else { &place }),
                    ));
                } else if entry.depth() == 0 && !kind.is_dir() {
                    let what = if kind.is_symlink() {
                        "is a symlink, which is not followed"
                    } else {
                        "is no regular file"
                    };
                    outcome.unreadable.push(unreadable(shown, what.to_owned()));
                }
            }
            Err(error) => {
                let at = error.path().unwrap_or(path).to_owned();
                let reason =
                    error.io_error().map_or_else(|| error.to_string(), io::Error::to_string);
                outcome.unreadable.push(unreadable(&at, reason));
            }
        }
    }
}

/// How a file is named in findings: forward slashes, no `./` in front.
fn name_of(path: &Path) -> String {
    let name = path.to_string_lossy().replace('\\', "/");
    name.strip_prefix("./").unwrap_or(&name).to_owned()
}

fn scan_file(scan: &Scan<'_>, file: &Path, shown: &str) -> ScanOutcome {
    let result = reading::open_regular(file).and_then(|open| scan_windows(scan, open, shown));
    or_unreadable(result, shown)
}

fn or_unreadable(result: io::Result<ScanOutcome>, shown: &str) -> ScanOutcome {
    result.unwrap_or_else(|error| {
        let unreadable = vec![Unreadable { path: shown.to_owned(), reason: error.to_string() }];
        ScanOutcome { unreadable, ..ScanOutcome::default() }
    })
}

/// Scans a stream window by window.
fn scan_windows(scan: &Scan<'_>, mut file: impl Read, shown: &str) -> io::Result<ScanOutcome> {
    let mut window = Vec::new();
    let mut outcome = ScanOutcome::default();
    let mut start = Position { line: 1, column: 1 };
    loop {
        let wanted = WINDOW_BYTES - window.len();
        let read = file.by_ref().take(wanted as u64).read_to_end(&mut window)?;
        let is_last = read < wanted;
        let place = Place { path: shown, commit: None, start };
        outcome = add_window(outcome, scan.judge(place, &window));
        if is_last || outcome.binary > 0 {
            return Ok(outcome.sorted());
        }
        let keep = window.len() - OVERLAP_BYTES;
        start = advanced(start, &window[..keep]);
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
    or_unreadable(scan_windows(scan, stream, shown), shown)
}

/// Scans one text that was read already.
pub fn scan_text(scan: &Scan<'_>, shown: &str, content: &[u8]) -> ScanOutcome {
    let start = Position { line: 1, column: 1 };
    scan.judge(Place { path: shown, commit: None, start }, content).sorted()
}
