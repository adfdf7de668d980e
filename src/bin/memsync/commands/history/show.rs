//! `memsync show`: a memory, or a change.
//! Border: the flow is `sync::history`.

use std::io::IsTerminal;

use clap::Args;
use memsync::base::display::{Escaped, escape_block};
use memsync::local::layers::LayerFile;
use memsync::memories::error::MoveError;
use memsync::memories::pick::find_any;
use memsync::memories::private::read_private;
use memsync::memory::kind::Scope;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::memory::{SHOW_FORMAT, ShowDocument};
use memsync::seal::envelope::without_armor;
use memsync::sync::error::SyncError;
use memsync::sync::inspect::log::{Shown, show};

use super::log::{origin, say_entry};
use crate::Outcome;
use crate::global::Format;
use crate::say;
use crate::session::Session;
use crate::ui::Ui;

/// Options of `memsync show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// A memory (name, file, path or a part of one), a commit (7 digits or more), or `NAME@COMMIT`
    #[arg(value_name = "WHAT")]
    what: String,
}

/// Shows it. A memory's bytes go to a pipe as they are, and escaped to a terminal.
pub(crate) fn run(args: ShowArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let shown = match show(&located.place(), &args.what) {
        Err(error) if is_not_the_teams(&error) => match find_any(&located.memdir, &args.what) {
            Ok(file) if file.layer == Scope::Team => show(&located.place(), &file.file)?,
            Ok(file) => {
                let (file, raw) = read_private(&located.memdir, &file.file)?;
                return Ok(say_private(&file, &raw, ui));
            }
            Err(MoveError::NoMemory { .. }) => return Err(error.into()),
            Err(other) => return Err(other.into()),
        },
        shown => shown?,
    };
    if ui.format() != Format::Human {
        ui.json(&Document::new(SHOW_FORMAT, ShowDocument::of(&shown)));
        return Ok(Exit::Done);
    }
    match shown {
        Shown::Memory { path, content, last } => {
            if let Some(last) = last {
                ui.note(format!(
                    "{path}, last changed in {} by {} at {}{}",
                    last.commit.short(),
                    last.author,
                    last.time,
                    origin(&last)
                ));
                if let Some(why) = last.verdict.why.filter(|_| last.verdict.class.is_refused()) {
                    ui.warn(format!("that change is {}: {why}", last.verdict.class.name()));
                }
            }
            say_content(&content, ui);
        }
        Shown::Change { entry, message, diffs } => {
            say_entry(ui, &entry);
            for line in escape_block(&message).lines().skip(1) {
                ui.line(format!("    {line}"));
            }
            for diff in &diffs {
                say::diff(ui, diff);
            }
        }
    }
    Ok(Exit::Done)
}

/// Whether what was named may still be a private memory.
pub(crate) fn is_not_the_teams(error: &SyncError) -> bool {
    matches!(error, SyncError::NoMemory(_) | SyncError::NoTeam(_) | SyncError::NotARepository(_))
}

fn say_private(file: &LayerFile, raw: &[u8], ui: &mut Ui) -> Exit {
    if ui.format() == Format::Human {
        ui.note(format!("{}, on this machine only", Escaped(&file.path())));
        say_content(raw, ui);
    } else {
        let content = Some(String::from_utf8_lossy(raw).into_owned());
        let document = ShowDocument { path: Some(&file.file), content, ..ShowDocument::default() };
        ui.json(&Document::new(SHOW_FORMAT, document));
    }
    Exit::Done
}

fn say_content(content: &[u8], ui: &mut Ui) {
    if std::io::stdout().is_terminal() {
        ui.line(escape_block(&without_armor(&String::from_utf8_lossy(content))).trim_end());
    } else {
        ui.raw(content);
    }
}
