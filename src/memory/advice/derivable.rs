//! What the code or git's history says: lists of paths, bare commits, how something was fixed.
//! Border: a reason makes each of them worth keeping, so a memory with one is left alone.

use super::pasted::is_commit_id;
use super::said;
use super::text::{Line, Lines, Place};
use super::words::{Word, any, find, words};
use crate::memory::problem::Problem;

/// Lines that make a list of files.
const PATHS_MIN: usize = 3;

/// Words that give a reason, or a rule that the code does not.
const REASONS: &[&str] = &[
    "because",
    "why",
    "reason|reasons",
    "so that",
    "otherwise",
    "instead",
    "avoid|avoids",
    "prevent|prevents",
    "never",
    "must",
    "always",
    "don't|doesn't|didn't|can't|cannot|won't",
    "not",
    "should",
    "needs|need",
    "breaks|broke|fails|failed",
    "careful|careless|caution|warning|gotcha|danger",
    "only",
    "decided|agreed|decision",
    "prefer|prefers|preferred",
    "rather",
    "unless",
    "before|after",
    "expects|requires|required",
    "weil|damit|warum|nie|nicht",
    "porque|nunca|não|siempre|razón",
    "parce|pourquoi|jamais|pas",
    "потому|почему|никогда|не",
];
/// The same where words are not parted.
const REASONS_UNPARTED: &[&str] = &[
    "因为",
    "原因",
    "不要",
    "不能",
    "必须",
    "为了",
    "为什么",
    "ため",
    "理由",
    "때문",
    "이유",
    "하지",
];

fn gives_reason(lines: &Lines<'_>) -> bool {
    lines.prose().any(|line| {
        any(&words(&line.prose), REASONS)
            || REASONS_UNPARTED.iter().any(|reason| line.prose.contains(reason))
    })
}

/// A memory that is a list of files of the project, each with what is in it.
pub(super) fn paths(lines: &Lines<'_>) -> Option<Problem> {
    let listed: Vec<&Line<'_>> =
        lines.content().filter(|line| begins_with_path(line.beginning())).collect();
    let is_list = listed.len() >= PATHS_MIN && listed.len() * 5 >= lines.content().count() * 3;
    (is_list && !gives_reason(lines)).then(|| {
        let next = "Keep what the files do not say themselves: why it is so, what surprises.";
        let message = format!(
            "it lists {} files, and says nothing that a look at them does not",
            listed.len()
        );
        said(Some(listed[0].at(0)), "advice-paths", message, next)
    })
}

/// A path of a project: relative, with a folder and an extension.
fn begins_with_path(text: &str) -> bool {
    let text = text.trim_start_matches('`');
    let end = text.find(['`', ' ', ')', ']', '*', ',']).unwrap_or(text.len());
    is_path(text[..end].trim_end_matches(':'))
}

/// Whether a word is a relative path with an extension.
pub(super) fn is_path(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '@' | '+');
    let Some((folder, file)) = text.rsplit_once('/') else { return false };
    let Some((stem, extension)) = file.rsplit_once('.') else { return false };
    let starts = text.chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.');
    starts
        && text.chars().all(is_part)
        && !text.contains("//")
        && !folder.split('/').any(|part| part == "..")
        && !stem.is_empty()
        && (1..=8).contains(&extension.len())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
        && extension.chars().any(|c| c.is_ascii_alphabetic())
        // `example.com/a.b` is an address.
        && !folder.split('/').next().is_some_and(|host| host.len() > 3 && host[1..].contains('.'))
}

/// Commits in a memory that gives no reason at all.
pub(super) fn commits(lines: &Lines<'_>) -> Option<Problem> {
    let of_line = |line: &Line<'_>| {
        if line.place == Place::Front || line.place == Place::Code {
            return None;
        }
        let split = line.raw.split(|c: char| !c.is_ascii_alphanumeric());
        let mut at = 0;
        for word in split {
            if is_commit_id(word) {
                return Some(line.at(at));
            }
            at += word.len() + line.raw[at + word.len()..].chars().next().map_or(0, char::len_utf8);
        }
        None
    };
    let at = lines.all.iter().find_map(of_line)?;
    (!gives_reason(lines)).then(|| {
        let next = "Say what the commit does not: why it was made, what to mind because of it.";
        let message = "it names a commit and gives no reason".to_owned();
        said(Some(at), "advice-commit", message, next)
    })
}

/// How a repair is told.
const REPAIRS: &[&str] = &[
    "fixed|solved|resolved|repaired by changing|adding|removing|replacing|renaming|moving|setting|switching|bumping|wrapping|updating|passing|using|calling|reordering",
    "fix was|is to add|change|remove|replace|rename|move|set|bump|wrap|pass|call",
    "i|we fixed|patched|repaired",
    "bug|bugs was|were fixed",
];
/// Words of a rule for the time to come.
const LESSONS: &[&str] = &[
    "never",
    "always",
    "must",
    "don't|can't|cannot",
    "do not",
    "should",
    "next time",
    "how to apply",
    "when|whenever",
    "if",
    "avoid",
    "make sure",
    "remember",
    "before|until",
    "only",
    "watch|beware|careful|gotcha",
];

/// How something was repaired in the code, without a rule for the next time.
pub(super) fn fix_recipe(lines: &Lines<'_>) -> Option<Problem> {
    let has_lesson = lines.prose().any(|line| any(&words(&line.prose), LESSONS));
    let names_code = |line: &Line<'_>| {
        line.spans().iter().any(|(_, span)| {
            is_path(span.split(':').next().unwrap_or_default())
                || span.contains('(')
                || is_commit_id(span)
        }) || line
            .raw
            .split_whitespace()
            .any(|word| is_path(word.trim_matches(|c: char| !c.is_alphanumeric())))
    };
    if has_lesson || !lines.all.iter().any(names_code) {
        return None;
    }
    let at = lines.prose().find_map(|line| {
        let words: Vec<Word> = words(&line.prose);
        let at = REPAIRS.iter().find_map(|phrase| find(&words, phrase))?;
        Some(line.at(words[at].at))
    })?;
    let next =
        "The repair is in the code and its commit. Keep what helps the next time, as a rule.";
    let message = "it tells how something was repaired".to_owned();
    Some(said(Some(at), "advice-fix-recipe", message, next))
}
