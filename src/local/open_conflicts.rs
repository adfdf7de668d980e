//! Which files of a team memory have an open conflict, by the records on disk.
//! Border: reads; closing one is `sync`'s.

use crate::base::path::MemoryPath;
use crate::memory::limits::POLICY_BYTES_MAX;
use crate::merge::conflict::{CONFLICTS_FOLDER, Conflict};
use crate::system::files::{FileKind, Root, WalkLimits};

/// The files with an open conflict; a record that cannot be read by its own name.
pub(crate) fn open_conflicts(team: &Root, notes: &mut Vec<String>) -> Vec<String> {
    let Ok(records) = team.descend(CONFLICTS_FOLDER.trim_end_matches('/')) else {
        return Vec::new();
    };
    let limits = WalkLimits { files_max: 10_000, ..WalkLimits::default() };
    let files = records.walk(limits).unwrap_or_else(|error| {
        notes.push(error.to_string());
        Vec::new()
    });
    let mut named: Vec<String> = Vec::new();
    for file in files.iter().filter(|file| file.stat.kind == FileKind::File) {
        let Ok(name) = std::str::from_utf8(&file.path) else { continue };
        let path = format!("{CONFLICTS_FOLDER}{name}");
        if MemoryPath::parse(&path).is_err() {
            continue;
        }
        let read = records.read(name, POLICY_BYTES_MAX as u64).ok();
        let conflict = read.and_then(|raw| Conflict::parse(&path, &raw).ok());
        named.push(conflict.map_or(path, |conflict| conflict.path.to_string()));
    }
    named.sort_unstable();
    named.dedup();
    named
}
