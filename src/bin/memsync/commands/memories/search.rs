//! `memsync search`: lines of memories with a text.
//! Border: arguments and words; the flow is `local::search`.

use clap::Args;
use memsync::base::display::Escaped;
use memsync::base::text::count;
use memsync::local::search::search;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::list::{MatchDocument, SEARCH_FORMAT, SearchDocument};

use crate::Outcome;
use crate::failure::Failure;
use crate::global::Format;
use crate::say::{FAINT, STRONG};
use crate::session::Session;
use crate::ui::Ui;

/// Options of `memsync search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// The text; upper and lower case are the same
    text: String,
}

/// Searches; exits with 1 where nothing is found, as grep does.
pub(crate) fn run(args: &SearchArgs, session: &Session, ui: &mut Ui) -> Outcome {
    if args.text.trim().is_empty() {
        return Err(Failure::usage("there is nothing to search for", "Give a word or a phrase."));
    }
    let found = search(&session.locate()?.memdir, &args.text)?;
    for note in &found.notes {
        ui.warn(Escaped(note).to_string());
    }
    match ui.format() {
        Format::Human => {
            for one in &found.matches {
                let path = Escaped(&one.path);
                let text = Escaped(one.text.trim());
                ui.line(format!("{STRONG}{path}{STRONG:#}{FAINT}:{}:{FAINT:#} {text}", one.line));
            }
            ui.note(count(found.matches.len(), "line", "lines"));
        }
        Format::Json => {
            let matches = found.matches.iter().map(MatchDocument::of).collect();
            ui.json(&Document::new(SEARCH_FORMAT, SearchDocument { matches }));
        }
        Format::Jsonl => {
            found.matches.iter().for_each(|one| ui.json_line(&MatchDocument::of(one)));
        }
    }
    Ok(if found.matches.is_empty() { Exit::No } else { Exit::Done })
}
