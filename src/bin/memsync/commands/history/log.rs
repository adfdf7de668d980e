//! `memsync log`: who changed what.
//! Border: the flow is `sync::history`.

use clap::Args;
use memsync::audit::verdict::Class;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::sync::exchange::{LOG_FORMAT, LogDocument};
use memsync::sync::inspect::log::{LogEntry, log};

use crate::Outcome;
use crate::global::Format;
use crate::say::{self, BAD, FAINT, STRONG};
use crate::session::Session;
use crate::ui::Ui;

/// Options of `memsync log`.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Only changes of this memory, under all names it had: its name, file stem or path
    memory: Option<String>,
    /// At most so many
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 50)]
    limit: usize,
}

/// Lists changes, newest first.
pub(crate) fn run(args: LogArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let entries = log(&located.place(), args.memory.as_deref(), args.limit.max(1))?;
    match ui.format() {
        Format::Human => entries.iter().for_each(|entry| say_entry(ui, entry)),
        Format::Json => ui.json(&Document::new(LOG_FORMAT, LogDocument { entries: &entries })),
        Format::Jsonl => entries.iter().for_each(|entry| ui.json_line(entry)),
    }
    Ok(Exit::Done)
}

/// One change: a head line, who and when, whether it is proven, and its files.
pub(crate) fn say_entry(ui: &mut Ui, entry: &LogEntry) {
    ui.line(format!("{STRONG}{}{STRONG:#} {}", entry.commit.short(), entry.subject));
    ui.line(format!(
        "  {FAINT}{} <{}>, {}{}{FAINT:#}",
        entry.author,
        entry.email,
        entry.time,
        origin(entry)
    ));
    let verdict = &entry.verdict;
    if let Some(why) = &verdict.why {
        let by = verdict.by.filter(|_| verdict.class == Class::Vouched);
        let by = by.map(|id| format!(", vouched for in {}", id.short())).unwrap_or_default();
        let style = if verdict.class.is_refused() { BAD } else { FAINT };
        ui.line(format!("  {style}{}{style:#}: {why}{by}", verdict.class.name()));
    }
    say::changes(ui, &entry.changes);
    for renamed in &entry.renamed {
        ui.line(format!("  renamed {} to {}", renamed.from, renamed.to));
    }
}

/// Through which agent and session, and whose signature stands for it: the author is only what the
/// commit says.
pub(crate) fn origin(entry: &LogEntry) -> String {
    let agent = entry.agent.as_ref().map(|agent| format!(", by {agent}")).unwrap_or_default();
    let session = entry.session.as_ref().map(|id| format!(" (session {id})")).unwrap_or_default();
    let is_proven = entry.verdict.class == Class::Good;
    let signed = match (&entry.signer, entry.member.as_ref().filter(|_| is_proven)) {
        (Some(_), Some(member)) => format!(", signed by {member}"),
        // The first commit of a team names no member: there was no roster before it.
        (Some(_), None) if is_proven => ", signed".to_owned(),
        (Some(_), None) => ", signed with an unknown key".to_owned(),
        (None, _) => String::new(),
    };
    format!("{agent}{session}{signed}")
}
