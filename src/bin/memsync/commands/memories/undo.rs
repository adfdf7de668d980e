//! `memsync undo`, `revert` and `restore`: changes of the team memory are taken back.
//! Border: arguments and words; the flow is `sync::write::reverse`.

use clap::Args;
use memsync::base::display::Escaped;
use memsync::memories::share::Places;
use memsync::memories::undo::undo;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::memory::{
    RESTORE_FORMAT, REVERT_FORMAT, ReversedDocument, UNDO_FORMAT,
};
use memsync::sync::outcome::ChangeKind;
use memsync::sync::write::reverse::{Reversal, Reversed, reverse};

use crate::Outcome;
use crate::global::Format;
use crate::say;
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync undo`.
#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// Show what would be done and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Options of `memsync revert`.
#[derive(Debug, Args)]
pub(crate) struct RevertArgs {
    /// The commit whose change is taken back; `memsync log` names them
    commit: String,
    /// Show what would be done and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Options of `memsync restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// A team memory that is gone, by name, file or path; with `@COMMIT` its text of that commit
    #[arg(value_name = "NAME[@COMMIT]")]
    name: String,
    /// Show what would be done and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Takes the last unshared change back.
pub(crate) fn run(args: &UndoArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let place = located.place();
    let places = Places { memdir: &located.memdir, team: &place };
    let actor = session.actor(None, false, KeyNeed::IfThere)?;
    let done = undo(places, &actor, args.dry_run)?;
    if !done.private.is_empty() && ui.format() == Format::Human {
        let verb = if args.dry_run { "would be taken back" } else { "taken back" };
        ui.line(format!("On this machine only, {verb}:"));
        say::changes(ui, &done.private);
    }
    let is_private = done.team.is_empty() && !done.private.is_empty();
    let team = Reversed { changes: done.team, exchange: done.exchange };
    if ui.format() != Format::Human {
        let document = ReversedDocument { private: &done.private, ..ReversedDocument::of(&team) };
        ui.json(&Document::new(UNDO_FORMAT, document));
        return Ok(Exit::Done);
    }
    if !is_private {
        return Ok(tell(&team, args.dry_run, ui));
    }
    if args.dry_run {
        ui.note("Nothing was changed.");
    }
    Ok(Exit::Done)
}

/// Takes back what one commit changed.
pub(crate) fn run_revert(args: RevertArgs, session: &Session, ui: &mut Ui) -> Outcome {
    carry_out(&Reversal::Commit(args.commit), args.dry_run, REVERT_FORMAT, session, ui)
}

/// Brings a memory back.
pub(crate) fn run_restore(args: &RestoreArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let (name, commit) = match args.name.rsplit_once('@') {
        Some((name, commit)) => (name.to_owned(), Some(commit.to_owned())),
        None => (args.name.clone(), None),
    };
    carry_out(&Reversal::Memory { name, commit }, args.dry_run, RESTORE_FORMAT, session, ui)
}

fn carry_out(
    reversal: &Reversal,
    dry_run: bool,
    format: &'static str,
    session: &Session,
    ui: &mut Ui,
) -> Outcome {
    let place = session.locate()?.place();
    let actor = session.actor(None, false, KeyNeed::IfThere)?;
    let done = reverse(&place, &actor, reversal, dry_run)?;
    if ui.format() != Format::Human {
        ui.json(&Document::new(format, ReversedDocument::of(&done)));
        return Ok(Exit::Done);
    }
    Ok(tell(&done, dry_run, ui))
}

fn tell(done: &Reversed, dry_run: bool, ui: &mut Ui) -> Exit {
    if done.changes.is_empty() {
        ui.note("nothing of it is left to take back");
        return Exit::Done;
    }
    if dry_run {
        ui.line("This would be done:");
        say::changes(ui, &done.changes);
        ui.note("Nothing was changed.");
        return Exit::Done;
    }
    ui.line("Taken back and committed here:");
    say::changes(ui, &done.changes);
    let gone = done.changes.iter().find(|change| change.kind == ChangeKind::Deleted);
    if let Some(gone) = gone.filter(|change| change.path.ends_with(".md")) {
        ui.next(format!("`memsync restore {}` brings it back.", Escaped(&gone.path)));
    }
    ui.next("Share it with `memsync push`. History keeps both versions.");
    Exit::Done
}
