//! `memsync path`: tells which paths team memory accepts.
//! Border: the rules are `base::path`.

use clap::Args;
use memsync::base::path::MemoryPath;
use memsync::report::advice::Exit;

use crate::Outcome;
use crate::ui::Ui;

/// Options of `memsync path`.
#[derive(Debug, Args)]
pub(crate) struct PathArgs {
    /// Paths to check
    paths: Vec<String>,
}

/// Checks each path.
pub(crate) fn run(args: PathArgs, ui: &mut Ui) -> Outcome {
    for path in &args.paths {
        ui.line(MemoryPath::parse(path)?.as_str());
    }
    Ok(Exit::Done)
}
