//! What Codex loads at the start of a session: the person's file, then one per folder down to its own.
//! Border: rules over [`Files`]; it knows neither imports nor rules nor comments.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::instructions::entry::{Entry, Kind, Level, State};
use crate::instructions::reader::{Files, Unread};

/// What decides what Codex loads.
#[derive(Clone, Debug)]
pub struct CodexSurroundings {
    /// The folder it runs in, links resolved.
    pub folder: PathBuf,
    /// Its own folder, such as `~/.codex`; `None` without a home.
    pub user: Option<PathBuf>,
    /// The top of the project: the folder itself where there is no mark of one above it.
    pub top: PathBuf,
    /// Names in the order in which they are looked for in a folder; the first one there counts.
    pub names: Vec<String>,
    /// Names of the person's own file; the first one with text counts.
    pub user_names: Vec<String>,
    /// Bytes of all files of the project together.
    pub bytes_max: usize,
}

/// A larger file is not read at all by memsync; Codex cuts long before.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Everything Codex would load, and what it leaves, in its order.
pub fn chain(files: &dyn Files, around: &CodexSurroundings) -> Vec<Entry> {
    let mut entries = Vec::new();
    if let Some(folder) = &around.user {
        user(files, folder, around, &mut entries);
    }
    let mut room = around.bytes_max;
    let mut folders: Vec<&Path> =
        around.folder.ancestors().take_while(|folder| folder.starts_with(&around.top)).collect();
    folders.reverse();
    for folder in folders {
        project(files, folder, around, &mut room, &mut entries);
    }
    entries
}

fn user(files: &dyn Files, folder: &Path, around: &CodexSurroundings, entries: &mut Vec<Entry>) {
    let mut first: Option<PathBuf> = None;
    for name in &around.user_names {
        let path = folder.join(name);
        let Some(mut entry) = read(files, &path, Kind::User, Level::User) else { continue };
        entry.told = entry.raw.trim().to_owned();
        if let Some(first) = &first {
            entry.state = State::Shadowed(first.clone());
        } else if entry.state == State::Start {
            first = Some(path);
        }
        entries.push(entry);
    }
}

fn project(
    files: &dyn Files,
    folder: &Path,
    around: &CodexSurroundings,
    room: &mut usize,
    entries: &mut Vec<Entry>,
) {
    let mut first: Option<PathBuf> = None;
    for name in &around.names {
        let path = folder.join(name);
        let Some(mut entry) = read(files, &path, Kind::Project, Level::Project) else { continue };
        if let Some(first) = &first {
            entry.state = State::Shadowed(first.clone());
        } else {
            // Even an empty one keeps the others away.
            first = Some(path);
            if entry.state == State::Start {
                cap(&mut entry, around.bytes_max, room);
            }
        }
        entries.push(entry);
    }
}

/// Cuts a file at what is left for all of them.
fn cap(entry: &mut Entry, bytes_max: usize, room: &mut usize) {
    let size = entry.raw.len();
    if *room == 0 {
        entry.state = State::Off(format!("the files before it have used up all {bytes_max} bytes"));
        entry.told = String::new();
    } else if size > *room {
        let end = entry.raw.floor_char_boundary(*room);
        entry.told = entry.raw[..end].to_owned();
        entry.cut = Some(format!("cut here: {bytes_max} bytes of project files are read in all"));
        *room = 0;
    } else {
        *room -= size;
    }
}

fn read(files: &dyn Files, path: &Path, kind: Kind, level: Level) -> Option<Entry> {
    let unread = |state| Some(Entry::unread(path.to_owned(), kind, level, state));
    let content = match files.read(path, FILE_BYTES_MAX) {
        Ok(content) => content,
        Err(Unread::NotThere | Unread::NoFile) => return None,
        Err(Unread::TooLarge) => return unread(State::TooLarge(FILE_BYTES_MAX)),
        Err(Unread::Refused(why)) => return unread(State::Unreadable(why)),
    };
    let raw: Arc<str> = Arc::from(String::from_utf8_lossy(&content));
    let state = if raw.trim().is_empty() { State::Empty } else { State::Start };
    let (bytes, told) = (content.len() as u64, raw.to_string());
    Some(Entry { bytes, told, raw, ..Entry::unread(path.to_owned(), kind, level, state) })
}

#[cfg(test)]
#[path = "tests/codex.rs"]
mod tests;
