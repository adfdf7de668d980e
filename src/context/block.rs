//! One block of context: a section under its own heading.
//! Border: text and its length; which blocks there are is `session` and `turn`.

use crate::context::tokens::estimate;
use crate::memory::index::utf16_len;

/// A section of what an agent is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// A stable name: `memory`, `team-index`, `recalled`.
    pub name: &'static str,
    /// Its text with its heading, ending in one line end.
    pub text: String,
    /// Its tokens, estimated.
    pub tokens: usize,
}

impl Block {
    /// A section: a heading and what stands below it.
    pub fn section(name: &'static str, heading: &str, body: &str) -> Self {
        Self::of(name, format!("# {heading}\n\n{}\n", body.trim_end()))
    }

    /// The same block with another text.
    pub fn of(name: &'static str, text: String) -> Self {
        let tokens = estimate(&text);
        Self { name, text, tokens }
    }

    /// Its length as clients count characters.
    pub fn characters(&self) -> usize {
        utf16_len(&self.text)
    }
}

/// The blocks as one text, a blank line between them.
pub fn joined(blocks: &[Block]) -> String {
    let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
    texts.join("\n")
}
