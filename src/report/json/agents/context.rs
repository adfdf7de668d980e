//! `memsync context --format json`.
//! Border: shapes only.

use serde::Serialize;

use crate::context::block::Block;
use crate::context::budget::Fitted;

/// Format of [`ContextDocument`].
pub const CONTEXT_FORMAT: &str = "memsync.context/1";

/// What an agent is told about memory.
///
/// ```json
/// {
///   "format": "memsync.context/1",
///   "blocks": [{ "name": "date", "text": "# Date\n\nToday is 2026-03-04.\n", "tokens": 14 }],
///   "tokens": 14,
///   "cut": [],
///   "left_out": []
/// }
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct ContextDocument<'a> {
    /// In the order in which they are told.
    pub blocks: Vec<ContextBlock<'a>>,
    /// Tokens of all of them, estimated.
    pub tokens: usize,
    /// Names of blocks that were cut at a line for want of room.
    pub cut: &'a [&'static str],
    /// Names of blocks that were left out for want of room.
    pub left_out: &'a [&'static str],
}

/// One block.
#[derive(Clone, Debug, Serialize)]
pub struct ContextBlock<'a> {
    /// A stable name.
    pub name: &'static str,
    /// Its text with its heading.
    pub text: &'a str,
    /// Its tokens, estimated.
    pub tokens: usize,
}

impl<'a> ContextDocument<'a> {
    /// Describes what fits.
    pub fn of(fitted: &'a Fitted) -> Self {
        let block = |block: &'a Block| ContextBlock {
            name: block.name,
            text: &block.text,
            tokens: block.tokens,
        };
        let blocks: Vec<ContextBlock<'a>> = fitted.blocks.iter().map(block).collect();
        let tokens = blocks.iter().map(|block| block.tokens).sum();
        Self { blocks, tokens, cut: &fitted.cut, left_out: &fitted.left_out }
    }
}
