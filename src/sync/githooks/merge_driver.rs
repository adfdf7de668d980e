//! The merge driver of plain git: `git merge`, `rebase`, `stash pop`, `cherry-pick` merge by meaning.
//! Border: three files in, one out; the rules are `merge`, and git does the rest.
//!
//! Git tells a driver neither author nor date, so of two sides the greater bytes are favoured: the
//! same whoever merges. What cannot be reconciled goes, in a team memory, into a conflict record in
//! the work tree, and git's merge goes on. Elsewhere there is no place for records: git is told of a
//! conflict, the file has one side without markers, and git keeps all three versions in its index.

use crate::sync::verify::records::NOBODY;
use std::path::{Path, PathBuf};

use crate::base::display::Escaped;
use crate::base::path::MemoryPath;
use crate::base::time::Timestamp;
use crate::config::policy::POLICY_PATH;
use crate::merge::conflict::Conflict;
use crate::merge::{Input, Origin, file};
use crate::system::files::{Durability, FileError, Root};

/// The largest file that is read; more than the engine merges inside.
const DRIVER_BYTES_MAX: u64 = 64_000_000;

/// The name git uses for an index, wherever it lies.
const INDEX: &str = "MEMORY.md";

/// What git hands to a merge driver.
#[derive(Clone, Debug)]
pub struct DriverFiles {
    /// `%O`: the version before both; empty where there is none.
    pub base: PathBuf,
    /// `%A`: our version; the result is written here.
    pub ours: PathBuf,
    /// `%B`: their version.
    pub theirs: PathBuf,
    /// `%P`: where the file is in the repository.
    pub path: String,
}

/// What became of a merge.
#[derive(Debug)]
pub enum DriverOutcome {
    /// Everything went together.
    Merged,
    /// The file is merged; what is open is in these records in the work tree.
    Recorded(Vec<(MemoryPath, Conflict)>),
    /// The file is merged, one side kept where both differ; git must say that it is open.
    Open(Vec<Conflict>),
}

/// Why a file cannot be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// Neither Markdown nor one of the policy files.
    #[error("`{0}` is neither Markdown nor a file of a team memory")]
    NotOurs(String),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Merges the three files in the work tree `top`, where git starts its drivers.
pub fn merge_driver(top: &Path, files: &DriverFiles) -> Result<DriverOutcome, DriverError> {
    let work_tree = Root::open(top)?;
    let is_team = work_tree.exists(POLICY_PATH)?;
    let path = merged_as(&files.path, is_team)?;
    let (base, ours, theirs) =
        (read(top, &files.base)?, read(top, &files.ours)?, read(top, &files.theirs)?);
    let nobody = unknown_origin();
    let merged = file(
        &path,
        (!base.is_empty()).then_some(&base),
        Input { content: &ours, origin: &nobody },
        Input { content: &theirs, origin: &nobody },
    );
    if merged.content != ours {
        let (folder, name) = folder_of(top, &files.ours);
        Root::open(&folder)?.write_atomic(&name, &merged.content, Durability::Relaxed)?;
    }
    if merged.conflicts.is_empty() {
        return Ok(DriverOutcome::Merged);
    }
    if !is_team {
        return Ok(DriverOutcome::Open(merged.conflicts));
    }
    let mut records = Vec::with_capacity(merged.conflicts.len());
    for conflict in merged.conflicts.into_iter().map(Conflict::fitted) {
        let record = conflict.record_path();
        work_tree.write_atomic(
            record.as_str(),
            conflict.render().as_bytes(),
            Durability::Relaxed,
        )?;
        records.push((record, conflict));
    }
    Ok(DriverOutcome::Recorded(records))
}

/// The path the engine merges by: in a team memory its own, elsewhere by the file's name.
fn merged_as(path: &str, is_team: bool) -> Result<MemoryPath, DriverError> {
    let not_ours = || DriverError::NotOurs(Escaped(path).to_string());
    if is_team {
        return MemoryPath::parse(path).map_err(|_| not_ours());
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    if !name.ends_with(".md") {
        return Err(not_ours());
    }
    let known = if name == INDEX { INDEX } else { "topic.md" };
    MemoryPath::parse(known).map_err(|_| not_ours())
}

fn read(top: &Path, path: &Path) -> Result<Vec<u8>, DriverError> {
    let (folder, name) = folder_of(top, path);
    Ok(Root::open(&folder)?.read(&name, DRIVER_BYTES_MAX)?)
}

/// The folder of a file git named, and its name there.
fn folder_of(top: &Path, path: &Path) -> (PathBuf, String) {
    let full = top.join(path);
    let name = full.file_name().map(|name| name.to_string_lossy().into_owned());
    (full.parent().unwrap_or(top).to_owned(), name.unwrap_or_default())
}

/// Both sides alike: git does not say whose they are.
fn unknown_origin() -> Origin {
    Origin { author: NOBODY.to_owned(), date: Timestamp::utc(0), commit: None }
}
