//! `memsync forget`: remove a memory, the team's or a private one.
//! Border: the flows are `sync::write::remember` and `memories::private`.

use std::path::Path;

use clap::Args;
use memsync::base::display::Escaped;
use memsync::local::layers::LayerFile;
use memsync::memories::error::MoveError;
use memsync::memories::private::{forget_private, read_private};
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::memory::{FORGET_FORMAT, RememberDocument};
use memsync::sync::write::remember::{forget_for_team, look_to_forget};

use crate::Outcome;
use crate::commands::history::show::is_not_the_teams;
use crate::global::Format;
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync forget`.
#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// The memory: its name, file stem or path; the team's before a private one
    name: String,
    /// Remove a private memory without asking: it has no history
    #[arg(short, long)]
    yes: bool,
    /// Show what would be removed and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Removes the memory and its entry; the text of a shared one stays in history.
pub(crate) fn run(args: ForgetArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    if args.dry_run {
        return look(&args, session, ui);
    }
    let actor = session.actor(None, true, KeyNeed::IfThere)?;
    let done = match forget_for_team(&located.place(), &actor, &args.name) {
        Err(error) if is_not_the_teams(&error) => {
            return match read_private(&located.memdir, &args.name) {
                Ok((file, raw)) => private(&args, &located.memdir, &file, &raw, session, ui),
                Err(MoveError::NoMemory { .. }) => Err(error.into()),
                Err(other) => Err(other.into()),
            };
        }
        done => done?,
    };
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

/// Says which memory would be removed.
fn look(args: &ForgetArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let (path, team, is_shared) = match look_to_forget(&located.place(), &args.name) {
        Ok((path, is_shared)) => (path.to_string(), true, is_shared),
        Err(error) if is_not_the_teams(&error) => match read_private(&located.memdir, &args.name) {
            Ok((file, _)) => (file.path(), false, false),
            Err(MoveError::NoMemory { .. }) => return Err(error.into()),
            Err(other) => return Err(other.into()),
        },
        Err(error) => return Err(error.into()),
    };
    if ui.format() != Format::Human {
        let document = RememberDocument { path, team, exchange: None, advice: &[], text: None };
        ui.json(&Document::new(FORGET_FORMAT, document));
        return Ok(Exit::Done);
    }
    let whose = match (team, is_shared) {
        (true, true) => "the team's; history keeps its text",
        (true, false) => "the team's; nobody else has it yet",
        (false, _) => "private",
    };
    ui.line(format!("{} would be removed ({whose}).", Escaped(&path)));
    ui.note("Nothing was changed.");
    Ok(Exit::Done)
}

/// Removes a private memory, once a person said yes.
fn private(
    args: &ForgetArgs,
    memdir: &Path,
    file: &LayerFile,
    raw: &[u8],
    session: &Session,
    ui: &mut Ui,
) -> Outcome {
    let path = file.path();
    let actor = session.actor(None, args.yes, KeyNeed::IfThere)?;
    let question =
        format!("`{}` is private and has no history. Remove it for good?", Escaped(&path));
    if !actor.confirms(&question) {
        return Err(MoveError::Unconfirmed.into());
    }
    forget_private(memdir, file, raw)?;
    if ui.format() == Format::Human {
        ui.done(format!("Removed {}; it was on this machine only.", Escaped(&path)));
        ui.next("`memsync undo` brings it back.");
    } else {
        let document =
            RememberDocument { path, team: false, exchange: None, advice: &[], text: None };
        ui.json(&Document::new(FORGET_FORMAT, document));
    }
    Ok(Exit::Done)
}
