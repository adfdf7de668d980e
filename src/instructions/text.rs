//! What a client makes of the text of an instruction file before a model sees it.
//! Border: frontmatter, block comments, blank ends; imports are `import`, rules are `scope`.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::base::text::BOM;

/// The fence of frontmatter.
const FENCE: &str = "---";
const COMMENT: (&str, &str) = ("<!--", "-->");

/// A text cut at its frontmatter, as byte ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// What stands between the fences; `None` without frontmatter.
    pub frontmatter: Option<Range<usize>>,
    /// Where the body begins.
    pub body: usize,
}

/// Finds the frontmatter as the client does: it ends at the first `---`, even inside a line.
pub fn cut(text: &str) -> Cut {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let none = Cut { frontmatter: None, body: start };
    let Some(rest) = text[start..].strip_prefix(FENCE) else { return none };
    // Blank lines after the fence belong to it, as far as there are any.
    let blank = &rest[..rest.len() - rest.trim_start_matches(is_space).len()];
    let Some(last) = blank.rfind('\n') else { return none };
    let inner = start + FENCE.len() + last + 1;
    let Some(close) = text[inner..].find(FENCE) else { return none };
    let after = &text[inner + close + FENCE.len()..];
    let blank = after.len() - after.trim_start_matches(is_space).len();
    Cut { frontmatter: Some(inner..inner + close), body: text.len() - after.len() + blank }
}

/// The text that reaches the model: no frontmatter, no block comment, no blank ends.
pub fn told(body: &str) -> Cow<'_, str> {
    match without_comments(body) {
        Cow::Borrowed(text) => Cow::Borrowed(trimmed(text)),
        Cow::Owned(text) => Cow::Owned(trimmed(&text).to_owned()),
    }
}

/// Takes out HTML comments that are blocks of their own; a text that loses one loses its `\r` too.
fn without_comments(body: &str) -> Cow<'_, str> {
    if !body.contains(COMMENT.0) {
        return Cow::Borrowed(body);
    }
    let mut cuts: Vec<(Range<usize>, String)> = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 && matches!(tag, Tag::HtmlBlock) {
                    cuts.extend(comment_cut(body, range));
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    if cuts.is_empty() {
        return Cow::Borrowed(body);
    }
    let mut left = String::with_capacity(body.len());
    let mut at = 0;
    for (range, kept) in cuts {
        left.push_str(&body[at..range.start]);
        left.push_str(&kept);
        at = range.end;
    }
    left.push_str(&body[at..]);
    Cow::Owned(left.replace("\r\n", "\n"))
}

/// What becomes of an HTML block: `None` where it is no comment, else the range and what is left of it.
fn comment_cut(body: &str, range: Range<usize>) -> Option<(Range<usize>, String)> {
    // The block may be given without the indentation of its first line.
    let line = body[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let start = if body[line..range.start].trim().is_empty() { line } else { range.start };
    let raw = &body[start..range.end];
    if !raw.trim_start().starts_with(COMMENT.0) {
        return None;
    }
    let kept = comments_out(raw)?;
    if !kept.trim().is_empty() {
        return Some((start..range.end, kept));
    }
    // A block that is gone takes the blank lines below it along.
    let below = &body[range.end..];
    let blank = below.len() - below.trim_start_matches(['\n', '\r']).len();
    Some((start..range.end + blank, String::new()))
}

/// A text without its comments; `None` where none is closed.
fn comments_out(raw: &str) -> Option<String> {
    let mut kept = String::new();
    let mut rest = raw;
    let mut found = false;
    while let Some(open) = rest.find(COMMENT.0) {
        let Some(close) = rest[open + COMMENT.0.len()..].find(COMMENT.1) else { break };
        kept.push_str(&rest[..open]);
        rest = &rest[open + COMMENT.0.len() + close + COMMENT.1.len()..];
        found = true;
    }
    kept.push_str(rest);
    found.then_some(kept)
}

/// White space as JavaScript sees it, which the clients are written in: a byte order mark is, NEL is not.
pub(super) fn is_space(c: char) -> bool {
    c == '\u{FEFF}' || (c.is_whitespace() && c != '\u{85}')
}

/// A text without blank ends.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(told(&text[cut(text).body..]), expected, "{text:?}");
    }

    #[test]
    fn frontmatter_goes_as_the_client_cuts_it() {
        for (text, expected) in [
            ("---\nx: y\n---\nbody", "body"),
            ("--- \nx: y\n---  \nbody\n", "body"),
            ("---\r\nx: y\r\n---\r\n\r\nbody\r\nl2\r\n", "body\r\nl2"),
            ("\u{FEFF}---\nx: y\n---\nbody", "body"),
            ("---\n---\nbody", "body"),
            ("---\n\n\n---\n\n\nbody", "body"),
            ("---\n---\n---\nbody", "---\nbody"),
            ("---\nx: y\n---", ""),
            ("---\nx: y\n ---\nbody", "body"),
            ("---\nx: [un\n---\nbody", "body"),
            ("---\n# heading\ntext\n---\nbody", "body"),
            ("---\nx: y\n---\n---\nz: q\n---\nbody", "---\nz: q\n---\nbody"),
            // What nobody expects: the first three dashes end it, wherever they stand.
            ("---\nx: a---b\ny: z\n---\nbody", "b\ny: z\n---\nbody"),
            ("---\nx: y\n---body\nmore", "body\nmore"),
            ("---\nx: y\n----\nbody\n---\nmore", "-\nbody\n---\nmore"),
            ("---\n\ntext --- dash\n\nmore\n", "dash\n\nmore"),
            ("---\ntext\n\n| a |\n|---|\n| b |\n\nend", "|\n| b |\n\nend"),
            // None at all.
            ("---\nx: y\nbody", "---\nx: y\nbody"),
            ("---\nx: y\n...\nbody", "---\nx: y\n...\nbody"),
            ("\n---\nx: y\n---\nbody", "---\nx: y\n---\nbody"),
            (" ---\nx: y\n---\nbody", "---\nx: y\n---\nbody"),
            ("----\nx: y\n----\nbody", "----\nx: y\n----\nbody"),
            ("--- # c\nx: y\n---\nbody", "--- # c\nx: y\n---\nbody"),
            ("---x\ny\n---\nbody", "---x\ny\n---\nbody"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn block_comments_go_and_others_stay() {
        for (text, expected) in [
            ("<!-- c --> x\nnext\n", "x\nnext"),
            ("<!--\n\n@a.md\n\n-->\nafter\n", "after"),
            ("para\n<!-- c -->\npara2\n", "para\npara2"),
            ("a\n\n<!-- c -->\n\n\n\nb", "a\n\nb"),
            ("<!-- a --><!-- b -->\nx", "x"),
            ("<!-- a --> mid <!-- b --> end\nx", "mid  end\nx"),
            ("text\n\n  <!-- two\nlines -->  tail\nmore\n", "text\n\n    tail\nmore"),
            ("   <!-- three -->\nx\n", "x"),
            ("a\n<!-- c -->   \nb\n", "a\nb"),
            ("<!---> x -->\ny\n", "y"),
            ("<!-- a -- b --> x\n", "x"),
            ("[x]: y\n<!-- c -->\nz\n", "[x]: y\nz"),
            ("<!-- c -->\n<div>x</div>\n", "<div>x</div>"),
            ("<!-- only -->\n", ""),
            ("a\r\n\r\n<!-- c -->\r\n\r\nb\r\n", "a\n\nb"),
            ("a\tb\n\n<!-- c -->\n\n- x\n\ty\n", "a\tb\n\n- x\n\ty"),
            ("```\n<!-- f -->\n```\n", "```\n<!-- f -->\n```"),
            ("text <!-- inline --> more\n", "text <!-- inline --> more"),
            ("- a\n  <!-- in a list -->\n- b\n", "- a\n  <!-- in a list -->\n- b"),
            ("> q\n> <!-- c -->\n> r\n", "> q\n> <!-- c -->\n> r"),
            ("    <!-- code -->\nx\n", "<!-- code -->\nx"),
            ("x\n\n<!--\nnever closed\n\nafter\n", "x\n\n<!--\nnever closed\n\nafter"),
            ("<div>\n<!-- c -->\n</div>\n", "<div>\n<!-- c -->\n</div>"),
            ("a\r\n`<!-- x -->`\r\nb", "a\r\n`<!-- x -->`\r\nb"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn blank_ends_are_those_of_javascript() {
        check("line  \n  \nlast   \n\n\n", "line  \n  \nlast");
        check("\u{85}\u{a0}a\u{feff}\u{3000}\u{85}\n", "\u{85}\u{a0}a\u{feff}\u{3000}\u{85}");
        check("\u{a0}a\u{feff}\u{3000}\n", "a");
        check("  \n\n", "");
        check("\u{FEFF}@a.md", "@a.md");
    }
}
