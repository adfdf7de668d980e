//! Merges one memory: frontmatter by field, body by unit.
//! Border: a document whose frontmatter would come out worse than it went in is not merged at all.
//! A frontmatter that YAML cannot read merges by its lines; it never ends up in the body.

use crate::memory::document::Document;
use crate::merge::kinds::body::merge_body;
use crate::merge::kinds::frontmatter::merge_frontmatter;
use crate::merge::unresolved::{Clash, MergedText, Part, Pick, Reason};

/// Merges two edits of a memory whose envelopes are off. `None` where only a whole side will do.
pub(crate) fn merge_memory(base: &str, first: &str, second: &str) -> Option<MergedText> {
    let (base, one, two) = (Document::parse(base), Document::parse(first), Document::parse(second));
    let (first_head, first_body) = one.parts()?;
    let (second_head, second_body) = two.parts()?;
    let (base_head, base_body) = base.parts().unwrap_or((None, base.body()));
    let head = match (base_head.as_ref(), first_head, second_head) {
        (base, Some(first), Some(second)) => merge_frontmatter(base, &first, &second),
        (Some(base), Some(edited), None) => {
            head_deleted(&base.render(), &edited.render(), Pick::First)
        }
        (Some(base), None, Some(edited)) => {
            head_deleted(&base.render(), &edited.render(), Pick::Second)
        }
        (None, Some(added), None) | (None, None, Some(added)) => {
            MergedText { text: added.render(), clashes: Vec::new() }
        }
        (_, None, None) => MergedText::default(),
    };
    let body = merge_body(base_body, first_body, second_body);
    let mut clashes = head.clashes;
    clashes.extend(body.clashes);
    let merged = MergedText { text: head.text + &body.text, clashes };
    reads_as_well(&merged.text, &one, &two).then_some(merged)
}

/// One side took the frontmatter away (or broke it): untouched it goes, edited it stays.
fn head_deleted(base: &str, edited: &str, editor: Pick) -> MergedText {
    if base == edited {
        return MergedText::default();
    }
    let (first, second) = match editor {
        Pick::First => (Some(edited.to_owned()), None),
        Pick::Second => (None, Some(edited.to_owned())),
    };
    let part = Part::Field("frontmatter".to_owned());
    let base = Some(base.to_owned());
    let clash = Clash { part, reason: Reason::EditedAndDeleted, base, first, second, kept: editor };
    MergedText { text: edited.to_owned(), clashes: vec![clash] }
}

/// Whether the result has a frontmatter where both sides have one, and no fault neither had.
fn reads_as_well(merged: &str, first: &Document, second: &Document) -> bool {
    let merged = Document::parse(merged);
    let had_both = first.frontmatter().is_some() && second.frontmatter().is_some();
    let known = |rule: &str| {
        [first, second]
            .iter()
            .any(|side| side.problems().iter().any(|problem| problem.rule == rule))
    };
    (merged.frontmatter().is_some() || !had_both)
        && merged.problems().iter().all(|problem| known(problem.rule))
}
