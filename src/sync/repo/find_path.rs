//! Finds a memory by what a person calls it.
//! Border: reads one commit; what is then done with the memory is the asking flow's.

use super::team::Team;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::path::MemoryPath;
use crate::memory::document::Document;
use crate::memory::limits::FILE_BYTES_MAX;
use crate::sync::error::SyncError;

/// Finds a memory of a commit by path, file stem or frontmatter name, in this order.
pub(crate) fn find_path(team: &Team, tip: ObjectId, name: &str) -> Result<MemoryPath, SyncError> {
    let missing = || SyncError::NoMemory(Escaped(name).to_string());
    let files = team.repo.tree_files(team.repo.commit(tip)?.tree)?;
    let paths: Vec<(MemoryPath, ObjectId)> = files
        .iter()
        .filter_map(|(raw, file)| Some((MemoryPath::parse_bytes(raw).ok()?, file.id)))
        .collect();
    let by_path = paths.iter().find(|(path, _)| path.as_str() == name);
    let by_stem = || paths.iter().find(|(path, _)| path.is_memory() && path.stem() == name);
    if let Some((path, _)) = by_path.or_else(by_stem) {
        return Ok(path.clone());
    }
    for (path, id) in paths.iter().filter(|(path, _)| path.is_memory()) {
        let content = team.repo.blob(*id, FILE_BYTES_MAX as u64)?;
        let document = Document::parse(&String::from_utf8_lossy(&content));
        if document.name() == Some(name) {
            return Ok(path.clone());
        }
    }
    Err(missing())
}
