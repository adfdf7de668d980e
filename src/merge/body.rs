//! Merges the Markdown below a frontmatter: by unit, inside a paragraph by word.
//! Border: text without byte order mark and CRLF, last line ended; see `envelope`.

use crate::merge::blocks::{Shape, Unit, split};
use crate::merge::clash::{MergedText, Part};
use crate::merge::weave::{Rules, Trio, weave};
use crate::merge::words::{merge_lines, merge_words};

/// Merges two edits of a body. The first side is the favoured one.
pub(crate) fn merge_body(base: &str, first: &str, second: &str) -> MergedText {
    let (base, first, second) = (split(base), split(first), split(second));
    weave(&Trio { base: &base, first: &first, second: &second }, &BodyRules)
}

struct BodyRules;

impl Rules for BodyRules {
    fn both_edited(
        &self,
        base: Option<&Unit<'_>>,
        first: &Unit<'_>,
        second: &Unit<'_>,
    ) -> Option<String> {
        let base = base?.text;
        match first.shape {
            Shape::Whole => merge_lines(base, first.text, second.text),
            _ => merge_words(base, first.text, second.text),
        }
    }

    fn part(&self, _: &Unit<'_>, heading: &str) -> Part {
        Part::Body(heading.trim_matches(['#', ' ', '\n', '=', '-']).to_owned())
    }
}
