//! The memsync program: parse arguments, call one flow, say the outcome.
//! Border: no rule lives here; everything it decides is in the library.

mod cli;
mod commands;
mod demo;
mod failure;
mod global;
mod prompt;
mod progress;
mod say;
mod session;
mod ui;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use memsync::report::advice::Exit;
use memsync::system;

fn main() -> ExitCode {
    system::private::narrow_umask();
    let cli = match cli::Cli::try_parse_from(arguments()) {
        Ok(cli) => cli,
        Err(error) => return ui::usage(&error),
    };
    let mut ui = ui::Ui::new(&cli.global);
    let exit = match cli::run(cli, &mut ui) {
        Ok(exit) => exit,
        Err(failure) => ui.failure(&failure),
    };
    ExitCode::from(ui.finish(exit) as u8)
}

/// The arguments; `memsync help COMMAND` is `memsync COMMAND --help`.
fn arguments() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let mut at = 1;
    while let Some(option) =
        arguments.get(at).filter(|one| one.as_encoded_bytes().starts_with(b"-"))
    {
        at += if VALUED.iter().any(|valued| option == valued) { 2 } else { 1 };
    }
    if arguments.get(at).is_some_and(|command| command == "help") {
        arguments.remove(at);
        arguments.push("--help".into());
    }
    arguments
}

/// Options of every command whose value is the next argument.
const VALUED: [&str; 6] = ["--memdir", "--key", "-C", "--as", "--format", "--color"];

/// What every command gives back.
type Outcome = Result<Exit, failure::Failure>;
