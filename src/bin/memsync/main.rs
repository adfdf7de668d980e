//! The memsync program: parse arguments, call one flow, say the outcome.
//! Border: no rule lives here; everything it decides is in the library.

mod args;
mod commands;
mod failure;
mod prompt;
mod progress;
mod say;
mod session;
mod ui;

use std::process::ExitCode;

use clap::Parser;
use memsync::report::advice::Exit;
use memsync::system;

fn main() -> ExitCode {
    system::private::narrow_umask();
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ui::usage(&error),
    };
    let mut ui = ui::Ui::new(&cli.global);
    let exit = match commands::run(cli, &mut ui) {
        Ok(exit) => exit,
        Err(failure) => ui.failure(&failure),
    };
    ExitCode::from(ui.finish(exit) as u8)
}

/// What every command gives back.
type Outcome = Result<Exit, failure::Failure>;
