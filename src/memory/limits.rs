//! Every size limit of a team memory, each beside its reason.
//! Border: constants; policy may lower the first group, never raise it.

/// A memory file. Real ones reach 209 kB; more would crowd an agent's context and slow every merge.
pub const MEMORY_BYTES_MAX: usize = 250_000;

/// Files in one team memory. An index shows 200; ten times that leaves room for sections and archives.
pub const FILES_MAX: usize = 20_000;

/// All files of one team memory together.
pub const SNAPSHOT_BYTES_MAX: usize = 200_000_000;

/// Lines of `MEMORY.md` an agent loads.
pub const INDEX_LINES_MAX: usize = 200;

/// Bytes of `MEMORY.md` an agent loads.
pub const INDEX_BYTES_MAX: usize = 25_000;

/// A `MEMORY.md` that is read at all. Real ones reach 95 kB; 20,000 entries take about 3 MB.
pub const INDEX_FILE_BYTES_MAX: usize = 10_000_000;

/// The frontmatter of one memory.
pub const FRONTMATTER_BYTES_MAX: usize = 64_000;

/// A `description`; it becomes the index hook, and real ones reach 8,031 characters.
pub const DESCRIPTION_CHARS_MAX: usize = 10_000;

/// A policy file below `.memsync/`.
pub const POLICY_BYTES_MAX: usize = 1_000_000;
