//! Our unshared commits on top of the team's: merging trees by meaning and making the commits anew.
//! Border: works in the object database only; a work tree and a remote are out of sight.

pub(crate) mod non_reader_authors;
pub(crate) mod unlock;
pub(crate) mod moving_tree;
pub(crate) mod merge_tree;
pub mod commits;
