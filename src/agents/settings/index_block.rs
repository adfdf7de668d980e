//! The block in a private index that says the team memory is there: a client puts no other index into
//! the prompt.
//! Border: text in, text out; every other line stays byte for byte.

use crate::base::text::dominant_eol;
use crate::memory::index::utf16_len;
use crate::memory::limits::{INDEX_CHARACTERS_MAX, INDEX_LINES_MAX};

/// Comments are not shown to a model, and not counted by the client.
const OPENING: &str = "<!-- memsync agent: begin -->";
const CLOSING: &str = "<!-- memsync agent: end -->";
const LINES: [&str; 2] = [
    "- [Team memory](team/MEMORY.md) — what the whole team remembers: read it before you rely on memory",
    "  A memory that helps the others belongs in `team/`, one about a person does not.",
];

/// The index with the block: at the end, or at the top where a client would cut the end off. `None` when
/// it stands there already.
pub fn with_block(text: &str) -> Option<String> {
    let own = without_block(text).unwrap_or_else(|| text.to_owned());
    let eol = dominant_eol(&own);
    let block = [&[OPENING], &LINES[..], &[CLOSING]].concat().join(eol) + eol;
    let lines = own.lines().count() + 1 + LINES.len();
    let characters =
        utf16_len(&own) + 1 + LINES.iter().map(|line| utf16_len(line) + 1).sum::<usize>();
    let is_within_caps = lines <= INDEX_LINES_MAX && characters <= INDEX_CHARACTERS_MAX;
    let new = if own.is_empty() || !is_within_caps && !own.starts_with("---") {
        format!("{block}{own}")
    } else {
        format!("{own}{eol}{block}")
    };
    (new != text).then_some(new)
}

/// The index without the block; `None` when there is none.
pub fn without_block(text: &str) -> Option<String> {
    let mut new = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_found = false;
    while let Some(at) = line_start(rest, OPENING) {
        is_found = true;
        // The line end before the block came with it.
        let before = &rest[..at];
        let before =
            before.strip_suffix('\n').map_or(before, |one| one.strip_suffix('\r').unwrap_or(one));
        new += before;
        rest = behind_block(&rest[at..]);
    }
    new += rest;
    // What is left of a block that somebody broke.
    let is_rest = |line: &str| {
        let line = line.trim_end();
        line == CLOSING || line == OPENING
    };
    if new.lines().any(is_rest) {
        is_found = true;
        new = new.split_inclusive('\n').filter(|line| !is_rest(line)).collect();
    }
    is_found.then_some(new)
}

/// Where a line that is this marker starts.
fn line_start(text: &str, marker: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == marker {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// What follows the block at the start of a text. Lines in it that are not ours are kept.
fn behind_block(text: &str) -> &str {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let known = line.trim_end();
        let is_ours = known == OPENING || LINES.contains(&known);
        if known == CLOSING {
            return &text[at + line.len()..];
        }
        if !is_ours {
            break;
        }
        at += line.len();
    }
    &text[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_comes_last_once_and_goes_without_a_trace() {
        for text in ["", "a", "a\n", "# Mine\n\n- [A](a.md)\n", "a\r\nb\r\n", "\n\n", "a\n\n\n"] {
            let new = with_block(text).unwrap();
            assert_eq!(with_block(&new), None, "{text:?}");
            assert_eq!(new.matches("team/MEMORY.md").count(), 1);
            assert!(new.trim_end().ends_with(CLOSING));
            assert_eq!(without_block(&new).as_deref(), Some(text), "{new:?}");
        }
        assert_eq!(without_block("a\n"), None);
    }

    #[test]
    fn what_an_agent_writes_around_and_into_it_is_kept() {
        let block = with_block("- [A](a.md)\n").unwrap();
        let behind = format!("{block}- [B](b.md)\n");
        let again = with_block(&behind).unwrap();
        assert!(again.starts_with("- [A](a.md)\n- [B](b.md)\n"), "{again}");
        assert_eq!(with_block(&again), None);
        let into = block.replace(CLOSING, &format!("- [C](c.md)\n{CLOSING}"));
        let left = without_block(&into).unwrap();
        assert_eq!(left, "- [A](a.md)\n- [C](c.md)\n");
        let broken = block.replace(CLOSING, "");
        assert!(without_block(&broken).unwrap().starts_with("- [A](a.md)\n"));
        let twice = format!("{block}\n{block}");
        assert_eq!(with_block(&twice).unwrap().matches("team/MEMORY.md").count(), 1);
    }

    #[test]
    fn where_the_end_would_be_cut_it_stands_at_the_top() {
        let long = "- [A](a.md)\n".repeat(198);
        assert!(with_block(&long).unwrap().starts_with(OPENING));
        assert!(
            with_block(&"- [A](a.md)\n".repeat(197)).unwrap().ends_with(&format!("{CLOSING}\n"))
        );
        let wide = "ä".repeat(25_000);
        let new = with_block(&wide).unwrap();
        assert!(new.starts_with(OPENING));
        assert_eq!(without_block(&new).as_deref(), Some(wide.as_str()));
    }
}
