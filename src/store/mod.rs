//! The memory directory as a Snapshot, and the journal that makes writes crash-safe.
//! Border: No git history, no network.
