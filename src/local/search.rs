//! Finds a text in the memories of both layers, line by line.
//! Border: reads; of a sealed memory only what is clear.

use std::path::Path;

use rayon::prelude::*;

use crate::local::layers::{LayerFile, Layers};
use crate::memory::document::Document;
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::seal::envelope::is_sealed;
use crate::system::files::FileError;

/// So many characters of a line are shown.
pub const LINE_CHARACTERS_MAX: usize = 300;

/// A line with the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Below the memory directory.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// The line, cut where it is very long.
    pub text: String,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Searched {
    /// By path and line.
    pub matches: Vec<Match>,
    /// What could not be read, or only in part, and why.
    pub notes: Vec<String>,
}

/// The matches of one file, and that it was read only in part.
type Looked = (Vec<Match>, Option<String>);

/// Finds lines with a text; upper and lower case are the same.
///
/// # Errors
/// A memory directory that is there and cannot be opened.
pub fn search(memdir: &Path, text: &str) -> Result<Searched, FileError> {
    let layers = Layers::open(memdir)?;
    let mut files = layers.files()?;
    files.sort_by_key(LayerFile::path);
    let wanted = text.to_lowercase();
    let look = |file: &LayerFile| -> Result<Looked, String> {
        let root = layers.root(file.layer).ok_or_else(|| file.path())?;
        let read = root.read_head(&file.file, MEMORY_BYTES_MAX);
        let (raw, size) = read.map_err(|error| format!("`{}`: {error}", file.path()))?;
        let cut = (size > raw.len() as u64).then(|| {
            let read = raw.len();
            format!("`{}`: only its first {read} of {size} bytes were searched", file.path())
        });
        Ok((in_text(file, &String::from_utf8_lossy(&raw), &wanted), cut))
    };
    let found: Vec<Result<Looked, String>> = files.par_iter().map(look).collect();
    let mut searched = Searched::default();
    for one in found {
        match one {
            Ok((matches, cut)) => {
                searched.matches.extend(matches);
                searched.notes.extend(cut);
            }
            Err(note) => searched.notes.push(note),
        }
    }
    Ok(searched)
}

fn in_text(file: &LayerFile, text: &str, wanted: &str) -> Vec<Match> {
    let document = Document::parse(text);
    let clear = match document.frontmatter() {
        // The armour of a sealed text is no words.
        Some(front) if is_sealed(&document) => front.render().lines().count(),
        _ => usize::MAX,
    };
    let lines = text.lines().take(clear).enumerate();
    let hits = lines.filter(|(_, line)| line.to_lowercase().contains(wanted));
    let of = |(at, line): (usize, &str)| Match {
        path: file.path(),
        line: at + 1,
        text: shortened(line, wanted),
    };
    hits.map(of).collect()
}

/// A line, or of a very long one the part around the text.
fn shortened(line: &str, wanted: &str) -> String {
    if line.chars().count() <= LINE_CHARACTERS_MAX {
        return line.to_owned();
    }
    let lower = line.to_lowercase();
    let before = lower.find(wanted).map_or(0, |at| lower[..at].chars().count());
    let start = before.saturating_sub(LINE_CHARACTERS_MAX / 3);
    let part: String = line.chars().skip(start).take(LINE_CHARACTERS_MAX).collect();
    let head = if start > 0 { "…" } else { "" };
    format!("{head}{part}…")
}
