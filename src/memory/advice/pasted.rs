//! What was pasted: stack traces, diffs, trees of folders, logs of git, long listings.
//! Border: shapes of lines; what they are about is not read.

use super::said;
use super::text::{Line, Lines, Place};
use crate::memory::problem::Problem;

/// Frames that make a trace; one or two show where something happens.
const FRAMES_MIN: usize = 3;
/// Branches that make a tree of folders.
const BRANCHES_MIN: usize = 4;
/// Entries that make a log.
const ENTRIES_MIN: usize = 3;
/// Lines of code that make a listing.
const LISTING_LINES_MIN: usize = 40;

/// The frames of a stack trace.
pub(super) fn trace(lines: &Lines<'_>) -> Option<Problem> {
    let frames: Vec<&Line<'_>> = lines.all.iter().filter(|line| is_frame(line.raw)).collect();
    (frames.len() >= FRAMES_MIN).then(|| {
        let next = "Keep what was learned from it, in a sentence: the trace comes again when it is needed.";
        let message = format!("it holds a stack trace of {} frames", frames.len());
        said(Some(frames[0].at(0)), "advice-trace", message, next)
    })
}

/// A frame as JavaScript, Java, C#, Python, Ruby, Go, Rust, gdb and the sanitizers write it.
fn is_frame(raw: &str) -> bool {
    let text = raw.trim();
    let has_line = |text: &str| {
        text.match_indices(':')
            .any(|(at, _)| text[at + 1..].bytes().next().is_some_and(|b| b.is_ascii_digit()))
    };
    if let Some(rest) = text.strip_prefix("at ") {
        let is_called = rest.ends_with(')') && rest.contains('(');
        return (is_called && (has_line(rest) || rest.contains("Native"))) || is_place(rest);
    }
    if text.starts_with("File \"") || text.starts_with("from /") {
        return text.contains("line ") || text.contains(":in ");
    }
    if let Some(rest) = text.strip_prefix('#') {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = rest[digits..].trim_start();
        return digits > 0
            && (after.starts_with("0x") || after.contains(" at ") || after.contains("(<"));
    }
    if let Some((number, rest)) = text.split_once(": ") {
        let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        return is_number && rest.contains("::") && !rest.contains(' ');
    }
    (raw.starts_with('\t') && text.contains(".go:") && text.contains(" +0x"))
        || (text.starts_with("goroutine ") && text.ends_with("]:"))
}

/// `path/file.rs:12:3` and nothing else.
fn is_place(text: &str) -> bool {
    let parts: Vec<&str> = text.rsplitn(3, ':').collect();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    !text.contains(' ') && parts.len() == 3 && parts[..2].iter().all(|part| is_number(part))
}

/// A hunk of a unified diff.
pub(super) fn diff(lines: &Lines<'_>) -> Option<Problem> {
    let opens = |raw: &str| {
        raw.starts_with("diff --git ")
            || (raw.starts_with("@@ -") && raw[4..].contains(" +") && raw[4..].contains(" @@"))
    };
    let at = lines.all.iter().position(|line| opens(line.raw.trim_start()))?;
    let is_change = |line: &&Line<'_>| line.raw.trim_start().starts_with(['+', '-']);
    (lines.all[at + 1..].iter().filter(is_change).count() >= 2).then(|| {
        let next = "Say why it was changed; what was changed is in git's history.";
        let message = "it holds a diff".to_owned();
        said(Some(lines.all[at].at(0)), "advice-diff", message, next)
    })
}

/// A drawing of folders: most of its branches are files or end in a slash.
pub(super) fn tree(lines: &Lines<'_>) -> Option<Problem> {
    let branch = |line: &Line<'_>| {
        let marks = ["├── ", "└── ", "|-- ", "`-- "].into_iter();
        let at = marks.filter_map(|mark| line.raw.rfind(mark).map(|at| at + mark.len())).max()?;
        let name = line.raw[at..].split_whitespace().next().unwrap_or_default();
        Some(name.ends_with('/') || name.trim_start_matches('.').contains('.'))
    };
    let branches: Vec<(&Line<'_>, bool)> =
        lines.all.iter().filter_map(|line| Some((line, branch(line)?))).collect();
    let files = branches.iter().filter(|(_, is_file)| *is_file).count();
    (branches.len() >= BRANCHES_MIN && files * 2 > branches.len()).then(|| {
        let next =
            "Leave the tree out, and say what about the layout is not obvious from looking at it.";
        let message = "it draws a tree of folders, which a look at the project shows".to_owned();
        said(Some(branches[0].0.at(0)), "advice-tree", message, next)
    })
}

/// Lines as `git log --oneline` writes them.
pub(super) fn log(lines: &Lines<'_>) -> Option<Problem> {
    let is_entry = |line: &&Line<'_>| {
        let text = line.beginning().trim_start_matches('`');
        let id: &str = text.split([' ', '`']).next().unwrap_or_default();
        is_commit_id(id) && text.len() > id.len() + 1 && line.place != Place::Front
    };
    let entries: Vec<&Line<'_>> = lines.all.iter().filter(is_entry).collect();
    (entries.len() >= ENTRIES_MIN).then(|| {
        let next =
            "Leave the list out: `git log` has it. Keep what a commit does not say, such as why.";
        let message = format!("it lists {} commits, as `git log` does", entries.len());
        said(Some(entries[0].at(0)), "advice-log", message, next)
    })
}

/// Code of a language that projects are written in, as most of the memory. Commands and output may be of
/// a machine that no project describes.
pub(super) fn listing(lines: &Lines<'_>) -> Option<Problem> {
    let mut is_program = false;
    let mut code: Vec<&Line<'_>> = Vec::new();
    for line in lines.all.iter().filter(|line| line.place == Place::Code) {
        let fence = line.raw.trim_start().trim_start_matches(['`', '~']);
        if fence.len() + 3 <= line.raw.trim_start().len() {
            is_program = LANGUAGES.contains(&fence.trim().to_lowercase().as_str());
        } else if is_program {
            code.push(line);
        }
    }
    let other = lines.content().count();
    (code.len() >= LISTING_LINES_MIN && code.len() > 3 * other).then(|| {
        let next = "Put it into a file of the project, and keep where it is and when to use it.";
        let message = format!("{} of its lines are code", code.len());
        said(Some(code[0].at(0)), "advice-listing", message, next)
    })
}

/// Names of languages after a fence.
const LANGUAGES: &[&str] = &[
    "c",
    "c++",
    "cpp",
    "cs",
    "csharp",
    "dart",
    "go",
    "java",
    "javascript",
    "js",
    "jsx",
    "kotlin",
    "php",
    "py",
    "python",
    "rb",
    "ruby",
    "rs",
    "rust",
    "scala",
    "swift",
    "ts",
    "tsx",
    "typescript",
    "vue",
    "zig",
];

/// A commit as git shortens or writes it. Words and numbers have only letters or only digits.
pub(super) fn is_commit_id(text: &str) -> bool {
    let is_hex = text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let (digits, letters) =
        (text.bytes().any(|b| b.is_ascii_digit()), text.bytes().any(|b| b.is_ascii_lowercase()));
    (7..=40).contains(&text.len()) && is_hex && digits && letters
}
