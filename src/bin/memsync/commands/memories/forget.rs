//! `memsync forget`: remove a team memory.
//! Border: the flow is `sync::remember`.

use clap::Args;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::memory::{FORGET_FORMAT, RememberDocument};
use memsync::sync::write::remember::forget_for_team;

use crate::Outcome;
use crate::global::Format;
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync forget`.
#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// The memory: its name, file stem or path
    name: String,
}

/// Removes the memory and its entry; the text stays in history.
pub(crate) fn run(args: ForgetArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let actor = session.actor(None, true, KeyNeed::IfThere)?;
    let done = forget_for_team(&located.place(), &actor, &args.name)?;
    if ui.format() != Format::Human {
        ui.json(&Document::new(FORGET_FORMAT, RememberDocument::of(&done)));
        return Ok(Exit::Done);
    }
    let history = match done.is_shared {
        true => "share it with `memsync push`. History keeps its text.",
        false => "nobody else had it, and its text is not sent.",
    };
    ui.done(format!("Removed {}; {history}", done.path));
    Ok(Exit::Done)
}
