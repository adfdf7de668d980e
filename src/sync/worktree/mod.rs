//! What is on disk against what is committed: scanning it, laying edits over a tree, applying a new tip.
//! Border: the only room that writes team files; decides neither what is shared nor what is trusted.

pub(crate) mod passed_over;
pub mod scan;
pub(crate) mod tree_overlay;
pub(crate) mod in_line;
pub(crate) mod age;
pub mod apply;
pub(crate) mod writable;
