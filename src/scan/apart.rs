//! What beside its bytes decides on a text: its path where rules or lists look at paths, its commit
//! where they look at commits. A verdict is remembered for that, never for the bytes alone.
//! Border: which texts are one; going through them is `git::objects`, remembering them `cache`.

use sha2::{Digest, Sha256};

use super::Scan;
use crate::base::id::ObjectId;
use crate::git::objects::Listing;

/// What a verdict depends on, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Apart {
    /// Bytes, and a name that only one kind of file has.
    Bytes,
    /// The path as it is.
    Paths,
    /// The path and the commit.
    Commits,
}

impl Apart {
    pub(super) fn of(scan: &Scan<'_>) -> Self {
        if scan.scanner.commits().next().is_some() || scan.allow.commits().next().is_some() {
            Self::Commits
        } else if scan.allow.has_places() || scan.scanner.looks_at_paths() {
            Self::Paths
        } else {
            Self::Bytes
        }
    }

    pub(super) fn listing(self) -> Listing {
        match self {
            Self::Bytes => Listing::Trees,
            Self::Paths => Listing::Places,
            Self::Commits => Listing::Changes,
        }
    }

    /// The class of a path in a commit: one number for all places with the same verdict.
    pub(super) fn class(self, scan: &Scan<'_>, path: &[u8], commit: Option<ObjectId>) -> u128 {
        match self {
            Self::Bytes => u128::from(path.ends_with(b".gitleaksignore")),
            Self::Paths => number(&[path]),
            Self::Commits => {
                let commit = commit.map(|id| id.to_string()).unwrap_or_default();
                let mut named = scan.scanner.commits().chain(scan.allow.commits());
                let is_named = named.any(|known| known.eq_ignore_ascii_case(&commit));
                number(&[path, if is_named { commit.as_bytes() } else { b"" }])
            }
        }
    }

    /// Stands for this and for the commits that lists name, in what is remembered.
    pub(super) fn version(self, scan: &Scan<'_>) -> String {
        let mut commits: Vec<&str> = scan.scanner.commits().chain(scan.allow.commits()).collect();
        commits.sort_unstable();
        let commits: Vec<&[u8]> = commits.into_iter().map(str::as_bytes).collect();
        format!("{self:?}-{:032x}", number(&commits))
    }
}

fn number(parts: &[&[u8]]) -> u128 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let digest = hash.finalize();
    digest.iter().take(16).fold(0, |sum, byte| sum << 8 | u128::from(*byte))
}
