//! `memsync ci --format markdown`: what a pull request does to the team's memory, for a reviewer.
//! Border: shape only. Foreign text stands in code spans, in which Markdown has no links, mentions, images
//! and HTML; what could end a span or a table cell is escaped.

use std::fmt::Write as _;

use crate::audit::event::ChangeKind;
use crate::base::display::Escaped;
use crate::gate::verdict::Weight;
use crate::sync::inspect::ci::{CiProblem, CiReport};
use crate::sync::inspect::ci_effect::{Author, MemberEffect, MemoryEffect};
use crate::sync::inspect::log::LogEntry;

/// Rows of one table; hosts take a megabyte, people less.
const ROWS_MAX: usize = 100;

/// Longest text in a cell.
const CELL_CHARS_MAX: usize = 300;

/// The report as GitHub-flavoured Markdown.
pub fn ci(report: &CiReport, passes: bool) -> String {
    let mut text = format!("## Team memory: {}\n\n", if passes { "good" } else { "not good" });
    summary(&mut text, report);
    let effect = &report.effect;
    let row = |one: &MemoryEffect| {
        let path = match &one.from {
            Some(from) => format!("{} from {}", code(&one.path), code(from)),
            None => code(&one.path),
        };
        let fields = one.fields.iter().map(|field| code(field)).collect::<Vec<_>>().join(", ");
        let cells = [deed(one.deed).to_owned(), option(&one.name), option(&one.kind)];
        [&cells[..], &[path, option(&one.description), fields, authors(&one.by)]].concat()
    };
    let heads = ["", "memory", "type", "file", "description", "changed", "by"];
    table(&mut text, "Memories", &heads, effect.memories.iter().map(row));
    list(&mut text, "Who may do what", effect.members.iter().map(member));
    let settings = effect.settings.iter().map(|path| format!("{} is changed", code(path)));
    list(&mut text, "Settings", settings);
    list(&mut text, "What is wrong", report.problems.iter().map(problem));
    let open = |one: &crate::sync::outcome::OpenConflict| {
        format!("{} in {}", code(&one.id), code(&one.path))
    };
    list(&mut text, "Open conflicts", report.conflicts.iter().map(open));
    let heads = ["commit", "what", "by", "through", "verdict"];
    table(&mut text, "Changes", &heads, report.changes.iter().map(change));
    text
}

fn summary(text: &mut String, report: &CiReport) {
    let count = |deeds: &[ChangeKind]| {
        let is_one = |one: &&MemoryEffect| deeds.contains(&one.deed);
        report.effect.memories.iter().filter(is_one).count()
    };
    let mut said = format!(
        "Memories: {} added, {} edited, {} removed. Commits: {} verified from the introduction on, {} new \
         for {}.",
        count(&[ChangeKind::Added]),
        count(&[ChangeKind::Edited, ChangeKind::Renamed]),
        count(&[ChangeKind::Deleted]),
        report.judged,
        report.changes.len(),
        code(&report.branch),
    );
    if report.unproven > 0 {
        let _ = write!(
            said,
            " No signature proves who made {} of them: trust is open.",
            report.unproven
        );
    }
    if !report.is_pinned {
        let _ = write!(
            said,
            "\n\nTrust starts at what was found here, {}: nothing proves that it is the team's.",
            code(&report.introduction)
        );
    }
    text.push_str(&said);
    text.push('\n');
}

fn deed(deed: ChangeKind) -> &'static str {
    match deed {
        ChangeKind::Added => "added",
        ChangeKind::Edited => "edited",
        ChangeKind::Renamed => "renamed",
        ChangeKind::Deleted => "removed",
    }
}

fn authors(by: &[Author]) -> String {
    let one = |author: &Author| format!("{} ({})", code(&author.who), author.class.name());
    by.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn member(one: &MemberEffect) -> String {
    let id = code(&one.id);
    match (one.before, one.after) {
        (None, Some(role)) => format!("{id} joins as {role}"),
        (Some(role), None) => format!("{id}, who was {role}, is removed"),
        (Some(old), Some(new)) if old != new => format!("{id} becomes {new}, was {old}"),
        _ => format!("{id} has other keys"),
    }
}

fn problem(one: &CiProblem) -> String {
    let reason = &one.reason;
    let weight = if reason.weight == Weight::Advice { "advice" } else { "refused" };
    let commit = one.commit.map(|id| format!(" in commit `{}`", id.short())).unwrap_or_default();
    let place = match reason.place() {
        place if place.is_empty() => String::new(),
        place => format!(" at {}", code(&place)),
    };
    let (rule, message) = (code(&reason.rule), code(&reason.message));
    format!("{weight} by {rule}{commit}{place}: {message}  \n  Next: {}", code(&reason.next_step))
}

fn change(one: &LogEntry) -> Vec<String> {
    let by = one.member.as_ref().unwrap_or(&one.author);
    vec![
        format!("`{}`", one.commit.short()),
        code(&one.subject),
        code(by),
        option(&one.agent),
        one.verdict.class.name().to_owned(),
    ]
}

fn table(text: &mut String, title: &str, heads: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() {
        return;
    }
    let _ = write!(
        text,
        "\n### {title}\n\n| {} |\n|{}\n",
        heads.join(" | "),
        "---|".repeat(heads.len())
    );
    for row in rows.iter().take(ROWS_MAX) {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    rest(text, rows.len());
}

fn list(text: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        return;
    }
    let _ = write!(text, "\n### {title}\n\n");
    for item in items.iter().take(ROWS_MAX) {
        let _ = writeln!(text, "- {item}");
    }
    rest(text, items.len());
}

fn rest(text: &mut String, number: usize) {
    if number > ROWS_MAX {
        let _ = write!(text, "\n{} more are left out here.\n", number - ROWS_MAX);
    }
}

fn option(text: &Option<String>) -> String {
    text.as_deref().map(code).unwrap_or_default()
}

/// A code span of any text. Inside one, Markdown means nothing; a backtick would end it and a `|` a cell,
/// before the span is seen.
fn code(text: &str) -> String {
    let cut: String = text.chars().take(CELL_CHARS_MAX).collect();
    let mut shown = Escaped(&cut).to_string().replace('`', "'").replace('|', "\\u{7c}");
    if shown.trim().is_empty() {
        return "(empty)".to_owned();
    }
    if cut.len() < text.len() {
        shown.push('…');
    }
    format!("`{shown}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_holds_any_text_and_nothing_gets_out() {
        for (text, wanted) in [
            ("plain", "`plain`"),
            ("a`b", "`a'b`"),
            ("``` x", "`''' x`"),
            ("a|b\\|c", "`a\\u{7c}b\\\\u{7c}c`"),
            ("<img src=x>\n@all", "`<img src=x>\\u{a}@all`"),
            ("end\\", "`end\\`"),
            (" ", "(empty)"),
            ("", "(empty)"),
            ("\u{202e}x", "`\\u{202e}x`"),
        ] {
            assert_eq!(code(text), wanted);
        }
        assert_eq!(code(&"x".repeat(1_000)).chars().count(), CELL_CHARS_MAX + 3);
    }
}
