//! Judges histories: what comes in, before anything else sees it, and what goes out.
//! Border: takes or refuses commits; the rules are `trust`'s and `gate`'s.

pub(crate) mod tree_names;
pub(crate) mod judge;
pub(crate) mod verdict;
pub mod fetch;
pub(crate) mod apart;
pub(crate) mod records;
pub mod incoming;
pub(crate) mod outgoing;
