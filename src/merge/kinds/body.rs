//! Merges the Markdown below a frontmatter: by unit, inside a paragraph by word.
//! Border: text without byte order mark and CRLF, last line ended; see `envelope`.

use crate::merge::kinds::count::says_too_often;
use crate::merge::kinds::words::{merge_added_lines, merge_cells, merge_lines, merge_words};
use crate::merge::units::blocks::{Shape, Unit, split};
use crate::merge::units::merge_units::{Orphans, Rules, weave};
use crate::merge::units::slots::ThreeWay;
use crate::merge::unresolved::{Clash, MergedText, Part, Pick, Reason};

/// Merges two edits of a body. The first side is the favoured one.
///
/// Where something would stand more often than anybody said it (the head of a table, when a section
/// that went comes back for an edit), what would come back is set aside. Where units do not fit what
/// was done to them (a paragraph split by one side and edited by the other), it is merged line by line,
/// or not at all.
pub(crate) fn merge_body(base: &str, first: &str, second: &str) -> MergedText {
    let units = (split(base), split(first), split(second));
    let trio = ThreeWay { base: &units.0, first: &units.1, second: &units.2 };
    for orphans in [Orphans::Revive, Orphans::SetAside] {
        let woven = weave(&trio, &BodyRules, orphans);
        if !says_too_often(base, first, second, &woven.text) {
            return woven;
        }
    }
    let by_line = merge_lines(base, first, second);
    if let Some(text) = by_line.filter(|text| !says_too_often(base, first, second, text)) {
        return MergedText { text, clashes: Vec::new() };
    }
    let said = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let clash = Clash {
        part: Part::Body(String::new()),
        reason: Reason::BothEdited,
        base: said(base),
        first: said(first),
        second: said(second),
        kept: Pick::First,
    };
    MergedText { text: first.to_owned(), clashes: vec![clash] }
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
        let (one, two) = (first.text, second.text);
        match first.shape {
            Shape::Whole => merge_lines(base, one, two),
            Shape::Row => merge_cells(base, one, two),
            Shape::Paragraph => {
                merge_words(base, one, two).or_else(|| merge_added_lines(base, one, two))
            }
            _ => merge_words(base, one, two),
        }
    }

    fn part(&self, _: &Unit<'_>, heading: &str) -> Part {
        Part::Body(heading.trim_matches(['#', ' ', '\n', '=', '-']).to_owned())
    }
}
