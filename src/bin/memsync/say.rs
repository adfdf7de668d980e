//! How outcomes read for people, shared by the commands.
//! Border: words and layout; every foreign part comes escaped from the library.

use std::collections::BTreeSet;

use anstyle::{AnsiColor, Style};
use memsync::base::display::escape_block;
pub(crate) use memsync::base::text::count;
use memsync::gate::verdict::Reason;
use memsync::memory::reconcile::IndexChange;
use memsync::report::advice::{Exit, after_refusal};
use memsync::seal::envelope::without_armor;
use memsync::sync::inspect::diff::FileDiff;
use memsync::sync::inspect::health::{Finding, Health};
use memsync::sync::outcome::{ChangeKind, ExchangeOutcome, FileChange, HeldBack};
use similar::{ChangeTag, TextDiff};

use crate::ui::Ui;

/// Files with an open conflict that a warning names.
const NAMED_MAX: usize = 5;

/// Style of added text and good news.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Style of removed text and refusals.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// Style of names that matter.
pub(crate) const STRONG: Style = Style::new().bold();
/// Style of what is beside the point.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Lines around a change in a diff.
const DIFF_CONTEXT: usize = 3;

/// One line per changed file.
pub(crate) fn changes(ui: &mut Ui, changes: &[FileChange]) {
    for change in changes {
        let (style, word) = match change.kind {
            ChangeKind::Added => (GOOD, "added  "),
            ChangeKind::Edited => (Style::new(), "edited "),
            ChangeKind::Deleted => (BAD, "deleted"),
        };
        ui.line(format!("  {style}{word}{style:#} {}", change.path));
    }
}

/// Everything the gate kept out, with reasons and next steps.
pub(crate) fn held_back(ui: &mut Ui, held: &[HeldBack]) {
    for held in held {
        ui.line(format!("  {BAD}kept out{BAD:#} {}", held.path));
        reasons(ui, &held.reasons);
    }
}

/// Reasons, one line each and the next step below.
pub(crate) fn reasons(ui: &mut Ui, reasons: &[Reason]) {
    for reason in reasons {
        ui.line(format!(
            "    {STRONG}{}{STRONG:#} {} ({})",
            reason.place(),
            escape_block(&reason.message),
            reason.rule
        ));
        ui.line(format!("      {FAINT}next: {}{FAINT:#}", escape_block(&reason.next_step)));
    }
}

/// What a pull, push or sync did.
pub(crate) fn exchange(ui: &mut Ui, outcome: &ExchangeOutcome) {
    let told = work(ui, outcome);
    if outcome.staged.commit.is_none()
        && told == 0
        && outcome.received == 0
        && outcome.pushed == 0
        && outcome.is_complete()
    {
        ui.done(if outcome.ahead == 0 {
            "Nothing to do.".to_owned()
        } else {
            format!("Nothing new; {} not shared yet.", count(outcome.ahead, "change", "changes"))
        });
    }
}

/// What was done and what stands in the way; nothing where there is neither. Gives how many lines of
/// the index went or changed.
pub(crate) fn work(ui: &mut Ui, outcome: &ExchangeOutcome) -> usize {
    if outcome.recovered {
        ui.note("an interrupted earlier run was completed first");
    }
    let staged = &outcome.staged;
    if staged.commit.is_some() {
        let head = format!("Committed {}", count(staged.changes.len(), "file", "files"));
        done(ui, &head, &staged.changes);
    }
    let told = index_changes(ui, &staged.index);
    if !staged.held_back.is_empty() {
        ui.line(format!(
            "Kept out of team memory, left on disk as {}:",
            if staged.held_back.len() == 1 { "it is" } else { "they are" }
        ));
        held_back(ui, &staged.held_back);
    }
    if outcome.received > 0 {
        let replayed = match outcome.replayed {
            0 => String::new(),
            number => format!(", merged {} of yours onto it", count(number, "change", "changes")),
        };
        let head = format!("Received {}{replayed}", count(outcome.received, "change", "changes"));
        done(ui, &head, &outcome.files);
        if outcome.unproven > 0 {
            ui.note(format!(
                "trust is open: no signature proves who made {}",
                count(outcome.unproven, "change", "changes")
            ));
        }
    }
    if outcome.pushed > 0 {
        ui.done(format!("Shared {}.", count(outcome.pushed, "change", "changes")));
    }
    trouble(ui, outcome);
    told
}

/// What was done to files, below the line that says by what.
fn done(ui: &mut Ui, head: &str, files: &[FileChange]) {
    if files.is_empty() {
        return ui.done(format!("{head}; no file here changes by it."));
    }
    ui.done(format!("{head}:"));
    if !ui.is_quiet() {
        changes(ui, files);
    }
}

/// Tells the lines of the index that went or changed, and how many; what came is named by its memory.
fn index_changes(ui: &mut Ui, changes: &[IndexChange]) -> usize {
    let told: Vec<&IndexChange> =
        changes.iter().filter(|change| !matches!(change, IndexChange::Added(_))).collect();
    if told.is_empty() {
        return 0;
    }
    ui.done(format!("In MEMORY.md {}:", count(told.len(), "entry changed", "entries changed")));
    for change in &told {
        ui.done(format!("  {}", change.shown()));
    }
    if told.iter().any(|change| matches!(change, IndexChange::Dropped(_))) {
        ui.next("`memsync index --restore` puts the lines that went (-) back.");
    }
    told.len()
}

fn trouble(ui: &mut Ui, outcome: &ExchangeOutcome) {
    for path in &outcome.left_alone {
        ui.note(format!("`{path}` was left as it is on disk; it is merged at the next sync"));
    }
    for note in &outcome.staged.notes {
        ui.warn(format!("{}: {} ({})", note.place(), note.message, note.rule));
    }
    if let Some(refused) = &outcome.refused {
        ui.warn(format!(
            "what the remote offers from here on was refused: {} ({})",
            refused.message, refused.rule
        ));
        ui.next(after_refusal(refused));
    }
    if !outcome.reported.is_empty() {
        ui.warn(format!(
            "what others shared breaks {}:",
            count(outcome.reported.len(), "rule", "rules")
        ));
        for reason in &outcome.reported {
            ui.warn(format!("{}: {} ({})", reason.place(), reason.message, reason.rule));
        }
    }
    if !outcome.conflicts.is_empty() {
        let paths: BTreeSet<&str> =
            outcome.conflicts.iter().map(|open| open.path.as_str()).collect();
        let mut named: Vec<&str> = paths.iter().copied().take(NAMED_MAX).collect();
        if paths.len() > NAMED_MAX {
            named.push("…");
        }
        ui.warn(format!(
            "{} open, in {}: `memsync resolve` shows what each side wrote",
            count(outcome.conflicts.len(), "conflict is", "conflicts are"),
            named.join(", ")
        ));
    }
}

/// The exit code of an exchange.
pub(crate) fn exchange_exit(outcome: &ExchangeOutcome, strict: bool) -> Exit {
    if outcome.refused.is_some() {
        Exit::Trust
    } else if !outcome.is_complete() || (strict && !outcome.is_strictly_complete()) {
        Exit::No
    } else {
        Exit::Done
    }
}

/// One file before and after as a unified diff with changed words in bold.
pub(crate) fn diff(ui: &mut Ui, diff: &FileDiff) {
    for said in &diff.left_out {
        ui.line(format!("{FAINT}{}: {said}{FAINT:#}", diff.path));
    }
    if diff.old.is_none() && diff.new.is_none() {
        return;
    }
    let text = |side: &Option<std::sync::Arc<[u8]>>| {
        side.as_ref().map(|bytes| without_armor(&String::from_utf8_lossy(bytes)))
    };
    let (old, new) = (text(&diff.old), text(&diff.new));
    let name = |side: &Option<String>| if side.is_some() { diff.path.as_str() } else { "(none)" };
    ui.line(format!("{STRONG}--- {}{STRONG:#}", name(&old)));
    ui.line(format!("{STRONG}+++ {}{STRONG:#}", name(&new)));
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    let compared = TextDiff::from_lines(old.as_str(), new.as_str());
    for group in compared.grouped_ops(DIFF_CONTEXT) {
        ui.line(format!("{FAINT}@@{FAINT:#}"));
        for op in &group {
            for change in compared.iter_inline_changes(op) {
                ui.line(diff_line(&change));
            }
        }
    }
}

fn diff_line(change: &similar::InlineChange<'_, str>) -> String {
    let (sign, style) = match change.tag() {
        ChangeTag::Delete => ('-', BAD),
        ChangeTag::Insert => ('+', GOOD),
        ChangeTag::Equal => (' ', Style::new()),
    };
    let mut line = format!("{style}{sign}{style:#}");
    for (is_changed, part) in change.iter_strings_lossy() {
        let part = escape_block(part.trim_end_matches(['\n', '\r']));
        let style = if is_changed { style.bold() } else { style };
        line += &format!("{style}{part}{style:#}");
    }
    line
}

/// Two texts as one, with the words that differ: `[-gone-]` and `{+come+}`, as git writes them.
pub(crate) fn word_diff(ui: &mut Ui, old: String, new: String) {
    let (old, new) = (without_armor(&old), without_armor(&new));
    let compared = TextDiff::from_unicode_words(old.as_str(), new.as_str());
    let mut runs: Vec<(ChangeTag, String)> = Vec::new();
    for change in compared.iter_all_changes() {
        match runs.last_mut() {
            Some((tag, run)) if *tag == change.tag() => run.push_str(change.value()),
            _ => runs.push((change.tag(), change.value().to_owned())),
        }
    }
    let mark = |(tag, words): &(ChangeTag, String)| {
        let words = escape_block(words);
        match tag {
            ChangeTag::Equal => words,
            ChangeTag::Delete => each_line(&words, &format!("{BAD}[-"), &format!("-]{BAD:#}")),
            ChangeTag::Insert => each_line(&words, &format!("{GOOD}{{+"), &format!("+}}{GOOD:#}")),
        }
    };
    let shown: String = runs.iter().map(mark).collect();
    shown.lines().for_each(|line| ui.line(format!("    {line}")));
}

/// Marks each line of a text.
fn each_line(text: &str, before: &str, after: &str) -> String {
    let mark = |line: &str| match line.strip_suffix('\n') {
        Some("") => "\n".to_owned(),
        Some(line) => format!("{before}{line}{after}\n"),
        None => format!("{before}{line}{after}"),
    };
    text.split_inclusive('\n').map(mark).collect()
}

/// What was looked at and how it stands, each with what to do.
pub(crate) fn findings(ui: &mut Ui, findings: &[Finding]) {
    for finding in findings {
        let (style, word) = match finding.state {
            Health::Good => (GOOD, "good"),
            Health::Note => (STRONG, "note"),
            Health::Bad => (BAD, "bad "),
        };
        ui.line(format!(
            "{style}{word}{style:#} {}: {}",
            finding.topic,
            escape_block(&finding.message)
        ));
        if !finding.next_step.is_empty() {
            ui.line(format!("     {FAINT}next: {}{FAINT:#}", escape_block(&finding.next_step)));
        }
    }
}
