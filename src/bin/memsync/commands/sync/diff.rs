//! `memsync diff`: what a push would share.
//! Border: the flow is `sync::diff`.

use clap::Args;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::memory::{DIFF_FORMAT, DiffDocument, DiffFile};
use memsync::sync::inspect::diff::{DiffSides, diff};

use crate::Outcome;
use crate::global::Format;
use crate::say;
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// Only what is not committed yet
    #[arg(long, conflicts_with = "incoming")]
    uncommitted: bool,
    /// What the remote was last seen to offer and was not taken
    #[arg(long)]
    incoming: bool,
}

/// Shows the differences.
pub(crate) fn run(args: DiffArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let sides = match (args.uncommitted, args.incoming) {
        (true, _) => DiffSides::CommittedToDisk,
        (_, true) => DiffSides::HereToIncoming,
        _ => DiffSides::RemoteToDisk,
    };
    let actor = session.actor(None, false, KeyNeed::IfThere)?;
    let diffs = diff(&located.place(), &actor, sides)?;
    if ui.format() != Format::Human {
        let files = diffs.iter().map(DiffFile::of).collect();
        ui.json(&Document::new(DIFF_FORMAT, DiffDocument { files }));
        return Ok(Exit::Done);
    }
    for one in &diffs {
        say::diff(ui, one);
    }
    if diffs.is_empty() {
        ui.note("no differences");
    }
    Ok(Exit::Done)
}
