//! The findings that a commit's own lists accept, for the hooks.
//! Border: reads `allow.yaml` and `.gitleaksignore` as they are in the commit or the index; on a
//! server there is no work tree.

use crate::base::id::ObjectId;
use crate::base::time::Timestamp;
use crate::git::outgoing::Introduced;
use crate::git::repo::Repo;
use crate::secrets::allow::{ALLOW_PATH, AllowError, AllowList};

/// Where gitleaks looks for its list.
const GITLEAKS_IGNORE_PATH: &str = ".gitleaksignore";
/// A longer list is not read, so it accepts nothing.
const LIST_BYTES_MAX: u64 = 10_000_000;

/// Reads the lists of a commit: what it brings in itself, else what its tree holds.
///
/// # Errors
/// A list that is not understood; it accepts nothing.
pub(crate) fn accepted(
    repo: &Repo,
    tree: Option<ObjectId>,
    files: &[Introduced],
    now: Timestamp,
) -> Result<AllowList, AllowError> {
    let text = |path: &str| {
        let brought = files.iter().find(|file| file.path == path.as_bytes()).map(|file| file.id);
        let kept = || tree.and_then(|tree| repo.blob_at(tree, path).ok().flatten());
        let content = repo.blob(brought.or_else(kept)?, LIST_BYTES_MAX).ok()?;
        Some(String::from_utf8_lossy(&content).into_owned())
    };
    let mut list = AllowList::default();
    if let Some(text) = text(ALLOW_PATH) {
        list.add_yaml(ALLOW_PATH, &text, now)?;
    }
    if let Some(text) = text(GITLEAKS_IGNORE_PATH) {
        list.add_gitleaks_ignore(GITLEAKS_IGNORE_PATH, &text)?;
    }
    Ok(list)
}
