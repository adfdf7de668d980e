//! `memsync recall`: the few memories that matter for a prompt.
//! Border: the flow is `local::recall`.

use std::io::Read;

use clap::Args;
use memsync::base::display::{Escaped, escape_block};
use memsync::local::recall::{Memory, Recalled, recall};
use memsync::recall::query::Query;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::recall::{Explained, RECALL_FORMAT, RecallDocument};
use memsync::system::clock::Clock;

use crate::Outcome;
use crate::failure::Failure;
use crate::global::Format;
use crate::say::{FAINT, GOOD, STRONG, count};
use crate::session::Session;
use crate::ui::Ui;

/// A longer prompt is a mistake; ranking looks at its ends only.
const QUERY_BYTES_MAX: u64 = 8_000_000;

/// Options of `memsync recall`.
#[derive(Debug, Args)]
pub(crate) struct RecallArgs {
    /// What is asked; `-` reads it from stdin
    query: String,
    /// At most so many memories
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=50))]
    limit: u8,
    /// Memories that were already shown: path, file or name
    #[arg(long, value_name = "NAME", num_args = 1.., action = clap::ArgAction::Append)]
    surfaced: Vec<String>,
    /// Tools in use: their reference is left out, warnings about them are not
    #[arg(long, value_name = "NAME", num_args = 1.., action = clap::ArgAction::Append)]
    tools: Vec<String>,
    /// Say why each memory was chosen or not
    #[arg(long)]
    explain: bool,
}

/// Recalls and shows.
pub(crate) fn run(args: RecallArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let text = if args.query == "-" { piped(session)? } else { args.query };
    let query = Query { text, tools: args.tools, surfaced: args.surfaced };
    let located = session.locate()?;
    let now = Clock::from_environment(&session.environment)?.now().seconds;
    let recalled = recall(&located.memdir, &query, usize::from(args.limit), now)?;
    for (path, error) in &recalled.unread {
        ui.warn(format!("`{}` was left out: {error}", Escaped(path)));
    }
    match ui.format() {
        Format::Human => human(&recalled, args.explain, ui),
        Format::Json => {
            ui.json(&Document::new(RECALL_FORMAT, RecallDocument::of(&recalled, args.explain)));
        }
        Format::Jsonl => {
            let document = RecallDocument::of(&recalled, args.explain);
            document.memories.iter().for_each(|memory| ui.json_line(memory));
        }
    }
    Ok(Exit::Done)
}

/// The prompt that was piped in.
pub(crate) fn piped(session: &Session) -> Result<String, Failure> {
    let next = "Pipe the prompt in, or give it as the argument.";
    let input = session.input().ok_or_else(|| Failure::usage("nothing is piped in", next))?;
    let mut raw = Vec::new();
    let read = input.take(QUERY_BYTES_MAX + 1).read_to_end(&mut raw);
    read.map_err(|error| Failure::usage(format!("the prompt cannot be read: {error}"), next))?;
    if raw.len() as u64 > QUERY_BYTES_MAX {
        return Err(Failure::usage("the prompt is longer than 8 MB", "Pipe in the prompt alone."));
    }
    Ok(String::from_utf8_lossy(&raw).into_owned())
}

fn human(recalled: &Recalled, explain: bool, ui: &mut Ui) {
    for memory in &recalled.memories {
        say(memory, ui);
    }
    if recalled.memories.is_empty() {
        ui.line("No memory is certain to help.");
    }
    if let Some(explained) = RecallDocument::of(recalled, explain).explained {
        say_why(&explained, ui);
    }
}

/// A memory: where it is and how far to trust it, then its text.
fn say(memory: &Memory, ui: &mut Ui) {
    ui.line(format!(
        "{STRONG}{}{STRONG:#} {FAINT}({}){FAINT:#}",
        Escaped(&memory.path),
        Escaped(&memory.facts().join(", "))
    ));
    ui.line(escape_block(memory.text.trim_end()));
    if memory.cut_bytes > 0 {
        let bytes = memory.cut_bytes;
        ui.line(format!("{FAINT}({bytes} more bytes; read the file for the rest){FAINT:#}"));
    }
    if memory.is_sealed {
        ui.line(format!("{FAINT}(sealed; `memsync open` shows it to its readers){FAINT:#}"));
    }
    ui.line("");
}

fn say_why(explained: &Explained<'_>, ui: &mut Ui) {
    let aside =
        if explained.self_contained { "; the prompt seems to carry all it needs" } else { "" };
    ui.line(format!(
        "The best one had to reach {:.2}, the others {:.2}{aside}.",
        explained.line, explained.beside
    ));
    let (answering, others): (Vec<_>, Vec<_>) =
        explained.candidates.iter().partition(|one| one.score > 0.0 || !one.notes.is_empty());
    for one in answering {
        let (style, word) = if one.chosen { (GOOD, "recalled") } else { (FAINT, "not") };
        let path = Escaped(one.path);
        ui.line(format!("{:>6.2} {style}{word:<8}{style:#} {STRONG}{path}{STRONG:#}", one.score));
        let matches = one.matches.iter().take(8).map(|matched| {
            let meaning =
                matched.meaning.map(|meaning| format!(" as {meaning}")).unwrap_or_default();
            let fields = matched.fields.join("+");
            format!("{}{meaning} ({fields}) {:.2}", Escaped(matched.word), matched.weight)
        });
        let matches: Vec<String> = matches.collect();
        if !matches.is_empty() {
            ui.line(format!("                {}", matches.join(", ")));
        }
        for note in &one.notes {
            ui.line(format!("                {}", Escaped(note)));
        }
    }
    if !others.is_empty() {
        let memories = count(others.len(), "memory", "memories");
        ui.line(format!("{memories} with no word of the prompt."));
    }
    if explained.older > 0 {
        ui.line(format!(
            "{} not looked at.",
            count(explained.older, "older memory", "older memories")
        ));
    }
}
