//! Temporary files beside their targets: their names, and what is left of them after a crash.
//! Border: names and removal; when to write one is `batch`.

use super::WalkLimits;
use super::error::FileError;
use super::platform::{self, Dir};
use super::root::Root;
use super::stat::FileKind;

/// Every temporary file's name starts with this. The path gate refuses such names from others.
pub(super) const TEMP_PREFIX: &str = ".memsync-tmp-";

/// A fresh name nobody can guess.
pub(super) fn temp_name() -> std::io::Result<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(format!("{TEMP_PREFIX}{:016x}", u64::from_le_bytes(bytes)))
}

/// Whether a name is one of ours.
pub(super) fn is_temp(name: &[u8]) -> bool {
    name.starts_with(TEMP_PREFIX.as_bytes())
}

impl Root {
    /// Removes temporary files that a killed memsync left anywhere below; gives their number.
    ///
    /// Only call this while holding the lock that guards writes: a temporary file may be in use.
    pub fn remove_stale_temps(&self, limits: WalkLimits) -> Result<usize, FileError> {
        let mut removed = 0;
        let dir = self.dir.again().map_err(|e| self.error(".", e))?;
        let mut open = vec![(dir, self.path.clone(), 0)];
        while let Some((dir, path, depth)) = open.pop() {
            for entry in dir.entries().map_err(|e| FileError::new(&path, e))? {
                let shown = path.join(platform::os_name(&entry.name));
                let error = |e| FileError::new(&shown, e);
                if entry.stat.kind == FileKind::Directory {
                    let skip = depth == 0 && entry.name == b".git" || depth >= limits.depth_max;
                    if !skip {
                        let below: Dir = dir.folder_raw(&entry.name).map_err(error)?;
                        open.push((below, shown, depth + 1));
                    }
                } else if is_temp(&entry.name) && entry.stat.kind == FileKind::File {
                    dir.unlink_raw(&entry.name).map_err(error)?;
                    removed += 1;
                }
            }
        }
        Ok(removed)
    }
}
