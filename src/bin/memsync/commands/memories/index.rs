//! `memsync index`: shows, checks or reconciles the index of a folder.
//! Border: the rules are the library's; this chooses the folder and says the outcome.

use std::path::PathBuf;

use clap::Args;
use memsync::base::display::{Escaped, escape_block};
use memsync::folder::index::IndexOutcome;
use memsync::memory::index::Entry;
use memsync::memory::problem::Severity;
use memsync::memory::reconcile::IndexChange;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::index::{IndexDocument, RESTORE_FORMAT, RestoreDocument};
use memsync::store::locate::TeamPlace;
use memsync::sync::write::index::{IndexAction, index};
use memsync::sync::write::index_restore::put_back;

use crate::Outcome;
use crate::failure::Failure;
use crate::global::Format;
use crate::say::count;
use crate::session::{Session, WAIT};
use crate::ui::Ui;

/// Options of `memsync index`.
#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// The folder with the `MEMORY.md` [default: `team` in the memory directory]
    folder: Option<PathBuf>,
    /// Exit 1 when the index and its memories do not agree, or an agent does not see all of it
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Bring the index in line with its memories, and show each change
    #[arg(long)]
    write: bool,
    /// Put back the lines that the last sync took out of the index of the team memory
    #[arg(long, conflicts_with_all = ["check", "write", "folder"])]
    restore: bool,
}

/// Runs the command.
pub(crate) fn run(args: &IndexArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let place = place(args, session)?;
    if args.restore {
        return restore(&place, ui);
    }
    let now = session.now()?;
    let action =
        if args.write { IndexAction::Write { wait: WAIT, now } } else { IndexAction::Check };
    let outcome = index(&place, action)?;
    match ui.format() {
        Format::Human => say(&outcome, args, ui),
        Format::Json => ui.json(&IndexDocument::of(&outcome)),
        Format::Jsonl => ui.json_line(&IndexDocument::of(&outcome)),
    }
    Ok(if args.check && !outcome.is_good() { Exit::No } else { Exit::Done })
}

/// The folder that was named, else the team memory.
fn place(args: &IndexArgs, session: &Session) -> Result<TeamPlace, Failure> {
    match &args.folder {
        Some(folder) => Ok(TeamPlace::alone(&session.folder.join(folder))),
        None => Ok(session.locate()?.place()),
    }
}

/// Puts back what the last run that took lines out took out.
fn restore(place: &TeamPlace, ui: &mut Ui) -> Outcome {
    let restored = put_back(place, WAIT)?;
    if ui.format() != Format::Human {
        ui.json(&Document::new(RESTORE_FORMAT, RestoreDocument { restored: &restored }));
        return Ok(Exit::Done);
    }
    for line in &restored {
        ui.line(format!("+ {}", escape_block(line.text.trim_end())));
    }
    if restored.is_empty() {
        ui.line("No line was taken out of MEMORY.md that is not back.");
    }
    Ok(Exit::Done)
}

fn say(outcome: &IndexOutcome, args: &IndexArgs, ui: &mut Ui) {
    let changes = &outcome.reconciliation.changes;
    if !args.check && !args.write {
        for entry in outcome.index.entries() {
            ui.line(format!("{}:{}", entry.line, shown(entry)));
        }
    }
    for change in changes {
        let (sign, why) = match change {
            IndexChange::Added(_) => ('+', "nothing led to it"),
            IndexChange::Dropped(_) => ('-', "was deleted"),
            IndexChange::Folded(_) => ('=', "stands twice"),
            IndexChange::Followed(_) => ('~', "as the memory says now"),
        };
        let entry = change.entry();
        ui.line(format!("{sign} line {}:{} ({why})", entry.line, shown(entry)));
    }
    for (file, problem) in &outcome.problems {
        let place =
            problem.position.map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
        let weight = match problem.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let file = Escaped(file);
        ui.line(format!("{file}{place}: {weight}: {} ({})", problem.message, problem.rule));
    }
    summary(outcome, ui);
}

fn summary(outcome: &IndexOutcome, ui: &mut Ui) {
    let size = outcome.index.size();
    let entries = outcome.index.entries().count();
    let changed = outcome.reconciliation.changes.len();
    let changes = count(changed, "change", "changes");
    let state = match (changed, outcome.written) {
        (0, _) => "in line with its memories".to_owned(),
        (_, true) => format!("{changes} written"),
        (_, false) => format!("{changes} needed"),
    };
    let entries = count(entries, "entry", "entries");
    let lines = count(size.lines, "line", "lines");
    let characters = count(size.characters, "character", "characters");
    ui.note(format!("MEMORY.md: {entries}, {lines}, {characters}; {state}"));
    if changed > 0 && !outcome.written {
        ui.next("Run `memsync index --write` to make these changes.");
    }
    let hidden = outcome.index.invisible();
    if !hidden.is_empty() {
        let names: Vec<&str> = hidden.iter().map(|entry| entry.target.as_str()).collect();
        ui.warn(format!("an agent never sees: {}", names.join(", ")));
    }
}

fn shown(entry: &Entry) -> String {
    let hook = if entry.hook.is_empty() {
        String::new()
    } else {
        format!(" — {}", Escaped(&entry.hook))
    };
    format!(" {} [{}]{hook}", Escaped(&entry.target), Escaped(&entry.title))
}
