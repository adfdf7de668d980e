//! What is merged in each kind of file: body, frontmatter, index, policy, sealed memory, words.
//! Border: one text at a time; which file is which is `file`'s.

pub(crate) mod text_format;
pub(crate) mod count;
pub(crate) mod words;
pub(crate) mod body;
pub(crate) mod frontmatter;
pub(crate) mod memory;
pub mod index;
pub(crate) mod policy;
pub(crate) mod policy_at;
