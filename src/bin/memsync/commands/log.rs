//! `memsync log`: who changed what.
//! Border: the flow is `sync::history`.

use clap::Args;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::exchange::{LOG_FORMAT, LogDocument};
use memsync::sync::history::{LogEntry, log};

use crate::Outcome;
use crate::args::Format;
use crate::say::{self, FAINT, STRONG};
use crate::session::Session;
use crate::ui::Ui;

/// Options of `memsync log`.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Only changes of this memory: its name, file stem or path
    memory: Option<String>,
    /// At most so many
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 50)]
    limit: usize,
}

/// Lists changes, newest first.
pub(crate) fn run(args: LogArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let entries = log(
        &located.team(),
        located.project_root.as_deref(),
        args.memory.as_deref(),
        args.limit.max(1),
    )?;
    match ui.format() {
        Format::Human => entries.iter().for_each(|entry| say_entry(ui, entry)),
        Format::Json => ui.json(&Document::new(LOG_FORMAT, LogDocument { entries: &entries })),
        Format::Jsonl => entries.iter().for_each(|entry| ui.json_line(entry)),
    }
    Ok(Exit::Done)
}

/// One change: a head line, who and when, and its files.
pub(crate) fn say_entry(ui: &mut Ui, entry: &LogEntry) {
    let agent = entry.agent.as_ref().map(|agent| format!(", by {agent}")).unwrap_or_default();
    let signed = if entry.signer.is_some() { ", signed" } else { "" };
    ui.line(format!("{STRONG}{}{STRONG:#} {}", entry.commit.short(), entry.subject));
    ui.line(format!(
        "  {FAINT}{} <{}>, {}{agent}{signed}{FAINT:#}",
        entry.author, entry.email, entry.time
    ));
    say::changes(ui, &entry.changes);
}
