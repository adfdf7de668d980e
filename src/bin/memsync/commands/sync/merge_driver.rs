//! `memsync merge-driver`: what git calls to merge one file.
//! Border: the flow is `sync::merge_driver`.

use std::path::PathBuf;

use clap::Args;
use memsync::merge::conflict::Conflict;
use memsync::report::advice::Exit;
use memsync::sync::githooks::merge_driver::{DriverFiles, DriverOutcome, merge_driver};

use crate::Outcome;
use crate::session::Session;
use crate::ui::Ui;

/// Options of `memsync merge-driver`.
#[derive(Debug, Args)]
pub(crate) struct MergeDriverArgs {
    /// `%O`: the version before both changes
    base: PathBuf,
    /// `%A`: our version; becomes the result
    ours: PathBuf,
    /// `%B`: their version
    theirs: PathBuf,
    /// `%P`: the path in the repository
    path: String,
    /// `%L`: taken for git's sake; no markers are ever written
    #[arg(long, value_name = "N")]
    marker_size: Option<usize>,
}

/// Merges the file; exits with 1 where git must say that it is open.
pub(crate) fn run(args: MergeDriverArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let MergeDriverArgs { base, ours, theirs, path, marker_size: _ } = args;
    let outcome =
        merge_driver(&session.folder, &DriverFiles { base, ours, theirs, path: path.clone() })?;
    match outcome {
        DriverOutcome::Merged => Ok(Exit::Done),
        DriverOutcome::Recorded(records) => {
            for (record, conflict) in &records {
                ui.warn(format!("{}: recorded as `{record}`", open(&path, conflict)));
            }
            ui.next("`memsync resolve` shows and closes what is open; commit the record with the merge.");
            Ok(Exit::Done)
        }
        DriverOutcome::Open(conflicts) => {
            for conflict in &conflicts {
                ui.warn(format!("{}; one side was kept", open(&path, conflict)));
            }
            ui.next(format!(
                "compare with `git show :2:{path}` (ours) and `git show :3:{path}` (theirs), then `git add` the file."
            ));
            Ok(Exit::No)
        }
    }
}

fn open(path: &str, conflict: &Conflict) -> String {
    format!("`{path}`: the two sides differ in {}", conflict.part)
}
