//! `memsync edit` and `memsync rename`: one memory of either layer.
//! Border: arguments and words; the flows are `memories::edit` and `memories::rename`.

use std::sync::Arc;

use clap::Args;
use memsync::base::display::Escaped;
use memsync::memories::edit::{TriedEdit, edit, try_edit};
use memsync::memories::rename::{plan_rename, rename};
use memsync::memories::share::Places;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::share::{
    EDIT_FORMAT, EditDocument, RENAME_FORMAT, RenameDocument,
};
use memsync::sync::inspect::diff::FileDiff;

use crate::Outcome;
use crate::global::Format;
use crate::say;
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync edit`.
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// The memory, private or the team's: name, file or a part of one
    name: String,
    /// Edit a copy, show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Options of `memsync rename`.
#[derive(Debug, Args)]
pub(crate) struct RenameArgs {
    /// The memory, private or the team's: name, file or a part of one
    old: String,
    /// Its new name; with `.md` at the end only the file's
    new: String,
    /// Show what would be done and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Opens the memory in the editor that `VISUAL` or `EDITOR` names.
pub(crate) fn run(args: &EditArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let place = located.place();
    let places = Places { memdir: &located.memdir, team: &place };
    let actor = session.actor(None, false, KeyNeed::IfThere)?;
    if args.dry_run {
        let tried = try_edit(places, &actor, &session.environment, &args.name)?;
        return Ok(say_tried(tried, ui));
    }
    let done = edit(places, &actor, &session.environment, &args.name)?;
    let path = done.file.path();
    if ui.format() != Format::Human {
        let exchange = done.exchange.as_ref();
        let document = EditDocument { path: &path, changed: done.is_changed, exchange };
        ui.json(&Document::new(EDIT_FORMAT, document));
        return Ok(done
            .exchange
            .as_ref()
            .map_or(Exit::Done, |done| say::exchange_exit(done, false)));
    }
    let path = Escaped(&path);
    let Some(exchange) = &done.exchange else {
        match done.is_changed {
            true => ui.done(format!("Changed {path}; it stays on this machine.")),
            false => ui.note(format!("{path} is as it was")),
        }
        return Ok(Exit::Done);
    };
    say::changes(ui, &exchange.staged.changes);
    say::held_back(ui, &exchange.staged.held_back);
    ui.next("Share it with `memsync push`.");
    Ok(say::exchange_exit(exchange, false))
}

fn say_tried(tried: TriedEdit, ui: &mut Ui) -> Exit {
    let path = tried.file.path();
    if ui.format() != Format::Human {
        let changed = tried.before != tried.after;
        let document = EditDocument { path: &path, changed, exchange: None };
        ui.json(&Document::new(EDIT_FORMAT, document));
        return Exit::Done;
    }
    let side = |text: String| Some(Arc::from(text.into_bytes()));
    let (old, new) = (side(tried.before), side(tried.after));
    say::diff(ui, &FileDiff { path, old, new, left_out: Vec::new() });
    ui.note("Nothing was changed.");
    Exit::Done
}

/// Gives the memory its new name.
pub(crate) fn run_rename(args: &RenameArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let place = located.place();
    let places = Places { memdir: &located.memdir, team: &place };
    let actor = session.actor(None, false, KeyNeed::IfThere)?;
    let plan = plan_rename(places, &args.old, &args.new)?;
    let exchange = if args.dry_run { None } else { rename(places, &actor, &plan)? };
    if ui.format() != Format::Human {
        ui.json(&Document::new(RENAME_FORMAT, RenameDocument::of(&plan, exchange.as_ref())));
        return Ok(Exit::Done);
    }
    let verb = if args.dry_run { "would be" } else { "is now" };
    ui.line(format!("{} {verb} {}", Escaped(&plan.from), Escaped(plan.to.as_str())));
    for path in plan.linked() {
        ui.line(format!("  links in {}", Escaped(path)));
    }
    if exchange.is_some() {
        ui.next("Share it with `memsync push`.");
    }
    Ok(Exit::Done)
}
