//! `memsync blame`: who wrote each line of a memory, or each entry of the index.
//! Border: the flow is `sync::blame`.

use std::collections::HashMap;

use clap::Args;
use memsync::base::display::Escaped;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::memory::{BLAME_FORMAT, BlameDocument};
use memsync::sync::inspect::blame::{Blamed, blame};

use crate::Outcome;
use crate::global::Format;
use crate::say::{BAD, FAINT, STRONG};
use crate::session::Session;
use crate::ui::Ui;

/// Options of `memsync blame`.
#[derive(Debug, Args)]
pub(crate) struct BlameArgs {
    /// The memory: its name, file stem or path; `MEMORY.md` for the index
    memory: String,
}

/// Shows each part with its change.
pub(crate) fn run(args: &BlameArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let blamed = {
        let _busy = session.busy("reading the history");
        blame(&located.place(), &args.memory)?
    };
    match ui.format() {
        Format::Human => human(&blamed, ui),
        Format::Json => ui.json(&Document::new(BLAME_FORMAT, BlameDocument { blamed: &blamed })),
        Format::Jsonl => blamed.parts.iter().for_each(|part| ui.json_line(part)),
    }
    Ok(Exit::Done)
}

/// One line per part: commit, day, who, line, text; a refused change says so.
fn human(blamed: &Blamed, ui: &mut Ui) {
    let changes: HashMap<_, _> = blamed.changes.iter().map(|entry| (entry.commit, entry)).collect();
    let who = |at: usize| {
        let entry = changes.get(&blamed.parts[at].commit)?;
        let agent = entry.agent.as_ref().map(|agent| format!(" ({agent})")).unwrap_or_default();
        Some(format!("{}{agent}", entry.member.as_ref().unwrap_or(&entry.author)))
    };
    let names: Vec<String> =
        (0..blamed.parts.len()).map(|at| who(at).unwrap_or_default()).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    for (part, name) in blamed.parts.iter().zip(&names) {
        let entry = changes.get(&part.commit);
        let day = entry.map_or("", |entry| entry.time.get(..10).unwrap_or(&entry.time));
        let refused = entry.filter(|entry| entry.verdict.class.is_refused());
        let refused = refused.map(|entry| format!("{BAD}{}{BAD:#} ", entry.verdict.class.name()));
        ui.line(format!(
            "{STRONG}{}{STRONG:#} {day} {FAINT}{name:width$}{FAINT:#} {:>4}  {}{}",
            part.commit.short(),
            part.line,
            refused.unwrap_or_default(),
            Escaped(&part.text)
        ));
    }
}
