//! Conflict markers of git that somebody saved into a text.
//! Border: finds them; a text about git may show them inside a code fence.

use crate::base::text::Position;

/// Characters of a marker.
const MARKER_CHARS: usize = 7;

/// Where the first conflict begins: `<<<<<<<`, `=======` and `>>>>>>>` at the start of lines, in this
/// order. One that begins inside a code fence is documentation.
pub fn first_conflict(text: &str) -> Option<Position> {
    let lines: Vec<&str> = text.lines().collect();
    let mut fence: Option<(char, usize)> = None;
    let (mut begins, mut parted) = (None, false);
    for (at, line) in lines.iter().enumerate() {
        if is_marker(line, '<') {
            (begins, parted) = (fence.is_none().then_some(at), false);
        } else if begins.is_some() && line.trim_end() == "=".repeat(MARKER_CHARS) {
            parted = true;
        } else if parted && is_marker(line, '>') {
            return begins.map(|at| Position { line: at + 1, column: 1 });
        }
        fence = match (fence, fence_of(line)) {
            (None, Some((mark, len, _))) if closes_below(&lines[at + 1..], (mark, len)) => {
                Some((mark, len))
            }
            (Some((open, least)), Some((mark, len, true))) if mark == open && len >= least => None,
            (fence, _) => fence,
        };
    }
    None
}

/// Whether a line is seven of a sign, alone or with a label after a blank.
fn is_marker(line: &str, sign: char) -> bool {
    let rest = line.trim_start_matches(sign);
    line.len() - rest.len() == MARKER_CHARS
        && (rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// The sign and length of a code fence, and whether it may close one.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let inner = line.trim_start_matches(' ');
    let mark = inner.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = inner.trim_start_matches(mark);
    let len = inner.len() - rest.len();
    (line.len() - inner.len() < 4 && len >= 3).then(|| (mark, len, rest.trim().is_empty()))
}

/// A fence that nothing closes hides nothing.
fn closes_below(lines: &[&str], (mark, least): (char, usize)) -> bool {
    let closes = |(sign, len, may): (char, usize, bool)| sign == mark && len >= least && may;
    lines.iter().filter_map(|line| fence_of(line)).any(closes)
}

#[cfg(test)]
mod tests {
    use super::first_conflict;

    fn check(text: &str, line: Option<usize>) {
        assert_eq!(first_conflict(text).map(|at| at.line), line, "{text}");
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(first_conflict(&crlf).map(|at| at.line), line, "{crlf}");
    }

    #[test]
    fn saved_markers_are_found_where_they_begin() {
        check("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> theirs\n", Some(2));
        check("<<<<<<< ours\nb\n||||||| base\nx\n=======\nc\n>>>>>>> theirs\n", Some(1));
        check("<<<<<<<\n```\na\n=======\n```\nb\n```\n>>>>>>>\n", Some(1));
        check("```\nnever closed\n<<<<<<< a\n=======\n>>>>>>> b\n", Some(3));
    }

    #[test]
    fn headings_documentation_and_single_markers_are_no_conflict() {
        check("Title\n=======\n\n> quote\n", None);
        check("```\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> theirs\n```\n", None);
        check("<<<<<<< HEAD\nb\n", None);
        check("  <<<<<<< HEAD\n=======\n>>>>>>> x\n", None);
        check(">>>>>>> x\n=======\n<<<<<<< y\n", None);
        check("<<<<<<<< eight\n=======\n>>>>>>> x\n", None);
    }
}
