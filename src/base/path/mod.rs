//! [`MemoryPath`], a path that is safe on every system, and the allowlist it must pass.
//! Border: text only. Whether the disk agrees is `system::files`' business, sets are `name_collisions`'s.

mod characters;
mod check;
mod name_collisions;
mod lookalike;
mod name_set;
mod names;
mod rule;

use std::fmt::{self, Debug, Display};

use serde::Serialize;

pub(crate) use name_collisions::folded;
pub use name_collisions::{collision_key, collisions, lookalikes};
pub use name_set::NameSet;
pub use rule::{ACCEPTED, PathProblem};

/// Bytes of one component. File systems end at 255 bytes or UTF-16 units; the rest is for suffixes.
pub const COMPONENT_BYTES_MAX: usize = 200;

/// Bytes of a whole path; Windows and macOS programs get into trouble soon after.
pub const PATH_BYTES_MAX: usize = 1024;

/// Components of a path. Memories are filed one or two folders deep.
pub const PATH_DEPTH_MAX: usize = 8;

/// A relative path of one team memory file that passed the whole path gate.
///
/// Always `/`-separated UTF-8 in NFC; safe to create beneath any root on Linux, macOS and Windows.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct MemoryPath(String);

/// What kind of git tree entry a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// Any other mode, for example the group-writable 100664 of old repositories.
    Other,
}

impl EntryMode {
    /// The kind of a numeric mode as a git tree holds it.
    pub fn from_bits(mode: u32) -> Self {
        match mode {
            0o100_644 => Self::File,
            0o100_755 => Self::Executable,
            0o120_000 => Self::Symlink,
            0o160_000 => Self::Gitlink,
            0o040_000 => Self::Tree,
            _ => Self::Other,
        }
    }
}

/// The one file outside the allowlist that memsync itself writes, so that plain git merges well.
const GIT_ATTRIBUTES: &str = ".gitattributes";

impl MemoryPath {
    /// Checks raw bytes, for example a git tree path.
    pub fn parse_bytes(raw: &[u8]) -> Result<Self, PathProblem> {
        match std::str::from_utf8(raw) {
            Ok(text) => Self::parse(text),
            Err(_) => Err(rule::UTF8.refuse(raw)),
        }
    }

    /// Checks a text path.
    pub fn parse(text: &str) -> Result<Self, PathProblem> {
        match check::path(text) {
            Ok(()) => Ok(Self(text.to_owned())),
            Err(rule) => Err(rule.refuse(text.as_bytes())),
        }
    }

    /// Checks a git tree entry: only a plain file at an allowed path passes.
    pub fn parse_entry(raw: &[u8], mode: EntryMode) -> Result<Self, PathProblem> {
        match check::mode(mode) {
            Ok(()) => Self::parse_bytes(raw),
            Err(rule) => Err(rule.refuse(raw)),
        }
    }

    /// Checks like [`Self::parse_entry`] and also lets the root `.gitattributes` pass.
    ///
    /// Its content must be what memsync writes; the gate compares it.
    pub fn parse_tracked(raw: &[u8], mode: EntryMode) -> Result<Self, PathProblem> {
        if raw == GIT_ATTRIBUTES.as_bytes() && mode == EntryMode::File {
            return Ok(Self::git_attributes());
        }
        Self::parse_entry(raw, mode)
    }

    /// The path of the `.gitattributes` that memsync writes at the root.
    pub fn git_attributes() -> Self {
        Self(GIT_ATTRIBUTES.to_owned())
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
        self.0 == names::INDEX
    }

    /// Whether this is policy, a file below `.memsync/`.
    pub fn is_policy(&self) -> bool {
        self.0.starts_with(".memsync/")
    }

    /// Whether this is the root `.gitattributes`.
    pub fn is_git_attributes(&self) -> bool {
        self.0 == GIT_ATTRIBUTES
    }

    /// Whether this is a memory: neither the index, nor policy, nor a README, nor git attributes.
    pub fn is_memory(&self) -> bool {
        let readme = self.stem().eq_ignore_ascii_case("readme");
        !self.is_index() && !self.is_policy() && !readme && self.0.ends_with(".md")
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
