//! Every size limit of a team memory, each beside its reason.
//! Border: numbers; policy may lower the first group, never raise it.

/// A memory file. Real ones reach 209 kB; more would crowd an agent's context and slow every merge.
pub const MEMORY_BYTES_MAX: usize = 250_000;

/// Files in one team memory. An index shows 200; hubs and archives lead to the others.
pub const FILES_MAX: usize = 20_000;

/// Lines of `MEMORY.md` an agent loads.
pub const INDEX_LINES_MAX: usize = 200;

/// Characters of `MEMORY.md` an agent loads, as it counts them: UTF-16 code units.
pub const INDEX_CHARACTERS_MAX: usize = 25_000;

/// A `MEMORY.md` that is read at all. Real ones reach 95 kB; 20,000 entries take about 3 MB.
pub const INDEX_FILE_BYTES_MAX: usize = 10_000_000;

/// What one memory lets the index have beyond [`MEMORY_BYTES_MAX`]: twice a usual entry.
const INDEX_ENTRY_BYTES: usize = 400;

/// A `MEMORY.md` of our own. Two such merge to one that everybody still takes.
const INDEX_OWN_BYTES_MAX: usize = INDEX_FILE_BYTES_MAX / 2;

/// The largest file of a team memory.
pub const FILE_BYTES_MAX: usize = INDEX_FILE_BYTES_MAX;

/// How large an index may be that we share: as a memory may be, and what its entries take.
pub fn index_bytes_max(memories: usize) -> usize {
    let entries = memories.saturating_mul(INDEX_ENTRY_BYTES);
    MEMORY_BYTES_MAX.saturating_add(entries).min(INDEX_OWN_BYTES_MAX)
}

/// The frontmatter of one memory.
pub const FRONTMATTER_BYTES_MAX: usize = 64_000;

/// A `description`; it becomes the index hook, and real ones reach 8,031 characters.
pub const DESCRIPTION_CHARS_MAX: usize = 10_000;

/// A policy file below `.memsync/`.
pub const POLICY_BYTES_MAX: usize = 1_000_000;
