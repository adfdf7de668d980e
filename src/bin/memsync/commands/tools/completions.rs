//! `memsync completions`: what a shell needs to complete commands and options.
//! Border: generated from the same definition that parses them.

use clap::{Args, Command};
use clap_complete::Shell;
use memsync::report::advice::Exit;

use crate::Outcome;
use crate::ui::Ui;

/// Options of `memsync completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Writes the script.
pub(crate) fn run(args: &CompletionsArgs, command: &mut Command, ui: &mut Ui) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "memsync", &mut script);
    ui.raw(&script);
    Ok(Exit::Done)
}
