//! Git repositories: gix for everything local, the git program for the network.
//! Border: knows objects and refs, not memories.

pub mod redact;
pub mod url;
