//! `memsync man`: the manual page, as roff.
//! Border: generated from the same definition that parses the command line.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;
use memsync::report::advice::Exit;

use crate::Outcome;
use crate::failure::Failure;
use crate::ui::Ui;

/// Options of `memsync man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write one page per command into DIR instead
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,
}

/// Writes the page or the pages.
pub(crate) fn run(args: ManArgs, command: Command, ui: &mut Ui) -> Outcome {
    if let Some(folder) = args.pages {
        clap_mangen::generate_to(command, &folder).map_err(|error| {
            Failure::usage(
                format!("cannot write to `{}`: {error}", folder.display()),
                "Name a folder that exists and that you may write to.",
            )
        })?;
        return Ok(Exit::Done);
    }
    let mut page = Vec::new();
    Man::new(command)
        .render(&mut page)
        .map_err(|error| Failure::bug(format!("the manual page cannot be made: {error}")))?;
    ui.raw(&page);
    Ok(Exit::Done)
}
