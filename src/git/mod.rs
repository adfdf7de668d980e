//! Git repositories
//! Border:  gix for everything local, the git program for the network.:Knows objects and refs, not memories.
