//! `memsync remote`: where the team memory is shared, and moving it.
//! Border: the flow is `sync::remote`.

use clap::{Args, Subcommand};
use memsync::git::url::RemoteUrl;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::team::place::{REMOTE_FORMAT, RemoteDocument};
use memsync::sync::repo::remote::{address, set_address};

use crate::Outcome;
use crate::global::Format;
use crate::session::{Session, WAIT};
use crate::ui::Ui;

/// Options of `memsync remote`.
#[derive(Debug, Args)]
pub(crate) struct RemoteArgs {
    #[command(subcommand)]
    action: Option<RemoteAction>,
}

/// What to do with the address.
#[derive(Debug, Subcommand)]
enum RemoteAction {
    /// Share over another address: an https, ssh or file address, or a path
    Set {
        /// The address
        url: String,
    },
}

/// Shows the address, or sets it.
pub(crate) fn run(args: RemoteArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let place = located.place();
    let Some(RemoteAction::Set { url }) = args.action else {
        let remote = address(&place)?;
        match (ui.format(), &remote) {
            (Format::Human, Some(remote)) => ui.line(remote),
            (Format::Human, None) => {
                ui.note("no remote is set: nothing is shared");
                ui.next("Set one with `memsync remote set URL`.");
            }
            _ => ui.json(&Document::new(REMOTE_FORMAT, RemoteDocument { remote, before: None })),
        }
        return Ok(Exit::Done);
    };
    let url = RemoteUrl::parse(&url)?.resolved(&session.folder)?;
    let before = set_address(&place, WAIT, &url)?;
    if ui.format() != Format::Human {
        let remote = Some(url.to_string());
        ui.json(&Document::new(REMOTE_FORMAT, RemoteDocument { remote, before }));
        return Ok(Exit::Done);
    }
    match before {
        Some(before) => ui.line(format!("The remote is {url} now; it was {before}.")),
        None => ui.line(format!("The remote is {url} now.")),
    }
    ui.next("`memsync sync` shares over it, once it holds the same history or nothing.");
    Ok(Exit::Done)
}
