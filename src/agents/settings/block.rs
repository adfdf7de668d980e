//! A block of memsync's in a text of somebody else's: in a private index, because a client puts no other
//! index into the prompt, and in AGENTS.md, where a team wants it.
//! Border: text in, text out; every other line stays byte for byte.

use crate::base::text::dominant_eol;
use crate::memory::index::utf16_len;
use crate::memory::limits::{INDEX_CHARACTERS_MAX, INDEX_LINES_MAX};

/// Comments are not shown to a model, and not counted by the client.
const OPENING: &str = "<!-- memsync agent: begin -->";
const CLOSING: &str = "<!-- memsync agent: end -->";

/// What stands between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// In a private index, within the caps of the client.
    Index,
    /// In an AGENTS.md, which everybody who works on the project has.
    Instructions,
}

impl Block {
    fn lines(self) -> &'static [&'static str] {
        match self {
            Self::Index => &[
                "- [Team memory](team/MEMORY.md) — what the whole team remembers: read it before you rely on memory",
                "  A memory that helps the others belongs in `team/`, one about a person does not.",
            ],
            Self::Instructions => &[
                "## Team memory",
                "",
                "This team shares what its agents remember with `memsync`. Before you rely on an assumption about the",
                "project, its people or its history, ask it: `memsync recall \"QUESTION\"`, `memsync search TEXT`, `memsync list",
                "--team`. What will help the others later, keep: `memsync remember --team --name NAME --kind project",
                "--description TEXT`, its text on stdin, then `memsync sync`. Never a password, token or key.",
            ],
        }
    }

    /// The text with the block: at the end, or at the top where a client would cut the end off. `None` when it
    /// stands there already.
    pub fn put_into(self, text: &str) -> Option<String> {
        let own = self.take_out(text).unwrap_or_else(|| text.to_owned());
        let eol = dominant_eol(&own);
        let block = [&[OPENING], self.lines(), &[CLOSING]].concat().join(eol) + eol;
        let is_at_top = self == Self::Index && !self.fits_behind(&own) && !own.starts_with("---");
        let new = if own.is_empty() || is_at_top {
            format!("{block}{own}")
        } else {
            format!("{own}{eol}{block}")
        };
        (new != text).then_some(new)
    }

    /// Whether a client still shows the block when it stands at the end of an index.
    fn fits_behind(self, own: &str) -> bool {
        let added: usize = self.lines().iter().map(|line| utf16_len(line) + 1).sum();
        own.lines().count() + 1 + self.lines().len() <= INDEX_LINES_MAX
            && utf16_len(own) + 1 + added <= INDEX_CHARACTERS_MAX
    }

    /// The text without the block; `None` when there is none.
    pub fn take_out(self, text: &str) -> Option<String> {
        let mut new = String::with_capacity(text.len());
        let mut rest = text;
        let mut is_found = false;
        while let Some(at) = line_start(rest, OPENING) {
            is_found = true;
            // The line end before the block came with it.
            let before = &rest[..at];
            let before = before
                .strip_suffix('\n')
                .map_or(before, |one| one.strip_suffix('\r').unwrap_or(one));
            new += before;
            rest = self.behind(&rest[at..]);
        }
        new += rest;
        // What is left of a block that somebody broke.
        let is_rest = |line: &str| matches!(line.trim_end(), CLOSING | OPENING);
        if new.lines().any(is_rest) {
            is_found = true;
            new = new.split_inclusive('\n').filter(|line| !is_rest(line)).collect();
        }
        is_found.then_some(new)
    }

    /// What follows the block at the start of a text. Lines in it that are not ours are kept.
    fn behind(self, text: &str) -> &str {
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let known = line.trim_end();
            if known == CLOSING {
                return &text[at + line.len()..];
            }
            if known != OPENING && !self.lines().contains(&known) {
                break;
            }
            at += line.len();
        }
        &text[at..]
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_comes_last_once_and_goes_without_a_trace() {
        for text in ["", "a", "a\n", "# Mine\n\n- [A](a.md)\n", "a\r\nb\r\n", "\n\n", "a\n\n\n"] {
            let new = Block::Index.put_into(text).unwrap();
            assert_eq!(Block::Index.put_into(&new), None, "{text:?}");
            assert_eq!(new.matches("team/MEMORY.md").count(), 1);
            assert!(new.trim_end().ends_with(CLOSING));
            assert_eq!(Block::Index.take_out(&new).as_deref(), Some(text), "{new:?}");
        }
        assert_eq!(Block::Index.take_out("a\n"), None);
        let own = "# Rules\n\nBe kind.\n";
        let new = Block::Instructions.put_into(own).unwrap();
        assert!(new.starts_with(own) && new.contains("memsync recall"));
        assert_eq!(Block::Instructions.put_into(&new), None);
        assert_eq!(Block::Instructions.take_out(&new).as_deref(), Some(own));
    }

    #[test]
    fn what_an_agent_writes_around_and_into_it_is_kept() {
        let block = Block::Index.put_into("- [A](a.md)\n").unwrap();
        let behind = format!("{block}- [B](b.md)\n");
        let again = Block::Index.put_into(&behind).unwrap();
        assert!(again.starts_with("- [A](a.md)\n- [B](b.md)\n"), "{again}");
        assert_eq!(Block::Index.put_into(&again), None);
        let into = block.replace(CLOSING, &format!("- [C](c.md)\n{CLOSING}"));
        let left = Block::Index.take_out(&into).unwrap();
        assert_eq!(left, "- [A](a.md)\n- [C](c.md)\n");
        let broken = block.replace(CLOSING, "");
        assert!(Block::Index.take_out(&broken).unwrap().starts_with("- [A](a.md)\n"));
        let twice = format!("{block}\n{block}");
        assert_eq!(Block::Index.put_into(&twice).unwrap().matches("team/MEMORY.md").count(), 1);
    }

    #[test]
    fn where_the_end_would_be_cut_it_stands_at_the_top() {
        let long = "- [A](a.md)\n".repeat(198);
        assert!(Block::Index.put_into(&long).unwrap().starts_with(OPENING));
        assert!(
            Block::Index
                .put_into(&"- [A](a.md)\n".repeat(197))
                .unwrap()
                .ends_with(&format!("{CLOSING}\n"))
        );
        let wide = "ä".repeat(25_000);
        let new = Block::Index.put_into(&wide).unwrap();
        assert!(new.starts_with(OPENING));
        assert_eq!(Block::Index.take_out(&new).as_deref(), Some(wide.as_str()));
    }
}
