//! A word diff of one file as HTML: changed lines with the changed words marked, little around them.
//! Border: texts come with credentials masked; every part is escaped here.

use std::fmt::Write;
use std::time::Duration;

use similar::{ChangeTag, InlineChange, TextDiff};

use super::text::Html;
use crate::sync::inspect::audit::FileText;

/// Lines of one diff on the page; the rest is counted.
pub const DIFF_LINES_MAX: usize = 200;

/// Characters of one line of a diff; the rest is cut.
const LINE_CHARS_MAX: usize = 2_000;

/// Unchanged lines around a change.
const CONTEXT: usize = 2;

/// A diff that takes longer is drawn coarser.
const PATIENCE: Duration = Duration::from_millis(200);

/// The diff of a file as one `pre` element.
pub(super) fn diff(text: &FileText) -> String {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(&text.old, &text.new);
    let mut out = String::from("<pre class=\"diff\">");
    let (mut shown, mut left_out) = (0, 0);
    for (at, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if at > 0 && shown < DIFF_LINES_MAX {
            out.push_str("<span class=\"gap\">⋯</span>");
        }
        for op in group {
            for change in diff.iter_inline_changes(op) {
                if shown < DIFF_LINES_MAX {
                    line(&mut out, &change);
                    shown += 1;
                } else {
                    left_out += 1;
                }
            }
        }
    }
    if left_out > 0 {
        push(&mut out, format_args!("<span class=\"gap\">⋯ {left_out} more lines</span>"));
    }
    if shown == 0 {
        out.push_str("<span class=\"gap\">The text is the same.</span>");
    }
    out.push_str("</pre>");
    out
}

fn line(out: &mut String, change: &InlineChange<'_, str>) {
    let (class, sign, said, mark) = match change.tag() {
        ChangeTag::Delete => ("del", '-', "removed: ", Some("del")),
        ChangeTag::Insert => ("add", '+', "added: ", Some("ins")),
        ChangeTag::Equal => ("ctx", ' ', "", None),
    };
    push(out, format_args!("<span class=\"{class}\"><span aria-hidden=\"true\">{sign} </span>"));
    if !said.is_empty() {
        push(out, format_args!("<span class=\"sr\">{said}</span>"));
    }
    let mut room = LINE_CHARS_MAX;
    for (is_changed, part) in change.iter_strings_lossy() {
        let part = part.trim_end_matches(['\n', '\r']);
        let cut: String = part.chars().take(room).collect();
        room -= cut.chars().count();
        match mark.filter(|_| is_changed && !cut.is_empty()) {
            Some(mark) => push(out, format_args!("<{mark}>{}</{mark}>", Html(&cut))),
            None => push(out, format_args!("{}", Html(&cut))),
        }
        if room == 0 {
            out.push('…');
            break;
        }
    }
    out.push_str("</span>");
}

/// Appends formatted text.
pub(super) fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("because writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(old: &str, new: &str) -> String {
        diff(&FileText { old: old.to_owned(), new: new.to_owned() })
    }

    #[test]
    fn changed_words_are_marked_and_all_text_is_escaped() {
        let shown = of("keep\nFreeze on <b>Fridays</b>.\n", "keep\nFreeze on <b>Mondays</b>.\n");
        assert!(shown.contains("&lt;b&gt;") && !shown.contains("<b>"), "{shown}");
        assert!(shown.contains("<del>") && shown.contains("<ins>"), "{shown}");
        assert!(shown.contains("class=\"ctx\""), "{shown}");
    }

    #[test]
    fn a_long_diff_is_cut_and_says_so() {
        let long: String = (0..DIFF_LINES_MAX + 7).map(|n| format!("line {n}\n")).collect();
        let shown = of("", &long);
        assert!(shown.contains("⋯ 7 more lines"), "{}", &shown[shown.len() - 200..]);
        let wide = "x".repeat(LINE_CHARS_MAX * 50);
        assert!(of("", &wide).len() < LINE_CHARS_MAX + 500);
    }
}
