//! One file per command; each parses its arguments, calls one flow and hands the outcome to the ui.
//! Border: dispatch only.

pub(crate) mod hooks;
pub(crate) mod path;

use crate::Outcome;
use crate::args::{Cli, Command};
use crate::ui::Ui;

/// Runs the chosen command.
pub(crate) fn run(cli: Cli, ui: &mut Ui) -> Outcome {
    match cli.command {
        Command::Hooks(args) => hooks::run(args, &cli.global, ui),
        Command::Path(args) => path::run(args, ui),
    }
}
