//! `memsync open`: what was sealed, for a reader; without a name, the list of sealed memories.
//! Border: the flow is `sync::seal_open`. The text goes to stdout, or to the person's editor.

use std::io::IsTerminal as _;

use clap::Args;
use memsync::base::display::escape_block;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::seal::{
    OPEN_FORMAT, OpenDocument, SEALED_FORMAT, SealedDocument,
};
use memsync::sync::repo::team::Actor;
use memsync::sync::seal_error::SealError;
use memsync::sync::sealed::open::{Opened, list, open, open_conflict, write_back};
use memsync::system::editor::edit;
use memsync::trust::roster::MemberId;

use super::seal::IdentityArgs;
use crate::Outcome;
use crate::global::Format;
use crate::say::{self, FAINT, STRONG};
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync open`.
#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// The memory: its name, file stem or path; without one, sealed memories are listed
    memory: Option<String>,
    /// Change the text in your editor and seal it again for the same readers
    #[arg(long, requires = "memory")]
    edit: bool,
    /// Show the texts of both sides of an open conflict
    #[arg(long, value_name = "ID", conflicts_with = "memory")]
    conflict: Option<String>,
    /// Seal the new text although it holds a credential; everyone can read the reason
    #[arg(long, value_name = "REASON", requires = "edit")]
    allow_secret: Option<String>,
    #[command(flatten)]
    identities: IdentityArgs,
}

/// Lists, prints or lets the person edit.
pub(crate) fn run(args: OpenArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let place = located.place();
    let mut actor = session.actor(None, false, KeyNeed::IfThere)?;
    actor.keys = session.keys(&args.identities.identity);
    if let Some(id) = &args.conflict {
        for (name, text) in open_conflict(&place, &actor, id)? {
            ui.line(format!("{STRONG}{name}{STRONG:#}"));
            say_text(ui, &text);
        }
        return Ok(Exit::Done);
    }
    let Some(memory) = &args.memory else {
        say_list(ui, &list(&place, &actor)?);
        return Ok(Exit::Done);
    };
    let opened = open(&place, &actor, memory)?;
    if args.edit {
        return edited(&args, session, &actor, &opened, ui);
    }
    if ui.format() == Format::Human {
        say_text(ui, &opened.text);
    } else {
        let readers = opened.audience.readers.iter().map(MemberId::to_string).collect();
        let path = opened.path.as_str();
        let document = OpenDocument { path, readers, content: &opened.text };
        ui.json(&Document::new(OPEN_FORMAT, document));
    }
    Ok(Exit::Done)
}

fn edited(
    args: &OpenArgs,
    session: &Session,
    actor: &Actor,
    opened: &Opened,
    ui: &mut Ui,
) -> Outcome {
    let located = session.locate()?;
    let new = edit(&session.environment, opened.text.as_bytes()).map_err(SealError::Editor)?;
    let new = memsync::seal::unlock::wiped(new);
    let allow = args.allow_secret.as_deref();
    let done = write_back(&located.place(), actor, opened, &new, allow)?;
    let Some(exchange) = &done.exchange else {
        ui.note(format!("{} is as it was", done.path));
        return Ok(Exit::Done);
    };
    ui.done(format!("Sealed {} again for {}.", done.path, done.readers.join(", ")));
    say::held_back(ui, &exchange.staged.held_back);
    ui.next("Share it with `memsync push`.");
    Ok(say::exchange_exit(exchange, false))
}

/// The text as it is to a pipe, and escaped to a terminal.
fn say_text(ui: &mut Ui, text: &str) {
    if std::io::stdout().is_terminal() {
        ui.line(escape_block(text).trim_end());
    } else {
        ui.raw(text.as_bytes());
    }
}

fn say_list(ui: &mut Ui, entries: &[memsync::sync::sealed::open::SealedEntry]) {
    if ui.format() != Format::Human {
        ui.json(&Document::new(SEALED_FORMAT, SealedDocument { sealed: entries }));
        return;
    }
    for entry in entries {
        ui.line(format!("{STRONG}{}{STRONG:#} {}", entry.path, entry.description));
        let yours = if entry.yours { "you can open it" } else { "not for you" };
        ui.line(format!("  {FAINT}for {}; {yours}{FAINT:#}", entry.readers.join(", ")));
        if let Some(problem) = &entry.problem {
            ui.warn(format!("{}: {problem}", entry.path));
        }
    }
    if entries.is_empty() {
        ui.note("no memory is sealed");
    }
}
