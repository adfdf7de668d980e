//! One file per command; each parses its arguments, calls one flow and hands the outcome to the ui.
//! Border: dispatch only.

pub(crate) mod team;
pub(crate) mod sync;
pub(crate) mod history;
pub(crate) mod memories;
pub(crate) mod sealed;
pub(crate) mod agents;
pub(crate) mod tools;

use self::agents::instructions;
use self::history::{audit, blame, log, show};
use self::memories::{forget, index, path, recall, remember};
use self::sealed::{open, seal};
use self::sync::{check, ci, diff, exchange, hooks, merge_driver, propose, resolve, status};
use self::team::{init, join, key, member, remote, renew, vouch};
use self::tools::{completions, demo, doctor, man, scan, whereis};

use crate::Outcome;
use crate::args::{Cli, Command};
use crate::failure::Failure;
use crate::session::Session;
use crate::ui::Ui;
use memsync::sync::exchange::pull_push::Direction;

/// Runs the chosen command.
pub(crate) fn run(cli: Cli, ui: &mut Ui) -> Outcome {
    let session = Session::new(&cli.global)?;
    let format = ui.any_format();
    let has_format = match &cli.command {
        Command::Scan(_) => format.is_of_scans(),
        Command::Audit(_) => format.is_of_audits(),
        Command::Ci(_) => format.is_of_ci(),
        Command::Instructions(args) => args.has(format),
        _ => format.plain().is_some(),
    };
    if !has_format {
        let next = "Use `--format human` or `--format json`; `memsync help` says who has more.";
        return Err(Failure::usage("this command does not have this format", next));
    }
    dispatch(cli, session, ui)
}

/// Runs a command in given surroundings.
pub(crate) fn dispatch(cli: Cli, session: Session, ui: &mut Ui) -> Outcome {
    match cli.command {
        Command::Hooks(args) => hooks::run(args, &session, ui),
        Command::Init(args) => init::run(args, &session, ui),
        Command::Join(args) => join::run(args, &session, ui),
        Command::Pull(args) => {
            exchange::run(args, Direction::Pull, exchange::Verb::Pull, &session, ui)
        }
        Command::Push(args) => propose::run(args, &session, ui),
        Command::Sync(args) => {
            exchange::run(args, Direction::Push, exchange::Verb::Sync, &session, ui)
        }
        Command::Status(args) => status::run(args, &session, ui),
        Command::Diff(args) => diff::run(args, &session, ui),
        Command::Log(args) => log::run(args, &session, ui),
        Command::Audit(args) => audit::run(args, &session, ui),
        Command::Blame(args) => blame::run(&args, &session, ui),
        Command::Show(args) => show::run(args, &session, ui),
        Command::Recall(args) => recall::run(args, &session, ui),
        Command::Remember(args) => remember::run(args, &session, ui),
        Command::Forget(args) => forget::run(args, &session, ui),
        Command::Resolve(args) => resolve::run(args, &session, ui),
        Command::Check(args) => check::run(args, &session, ui),
        Command::Seal(args) => seal::run(args, &session, ui),
        Command::Open(args) => open::run(args, &session, ui),
        Command::Unseal(args) => seal::run_unseal(args, &session, ui),
        Command::Reseal(args) => seal::run_reseal(args, &session, ui),
        Command::Ci(args) => ci::run(args, &session, ui),
        Command::Member(args) => member::run(args, &session, ui),
        Command::Vouch(args) => vouch::run(args, &session, ui),
        Command::AcceptRewrite(args) => vouch::run_accept(args, &session, ui),
        Command::Where(args) => whereis::run(args, &session, ui),
        Command::Doctor(args) => doctor::run(args, &session, ui),
        Command::Index(args) => index::run(&args, &session, ui),
        Command::Remote(args) => remote::run(args, &session, ui),
        Command::Purge(args) => renew::run_purge(args, &session, ui),
        Command::Restart(args) => renew::run_restart(args, &session, ui),
        Command::Instructions(args) => instructions::run(args, &session, ui),
        Command::Key(args) => key::run(args, &cli.global, &session, ui),
        Command::Scan(args) => scan::run(args, &session, ui),
        Command::MergeDriver(args) => merge_driver::run(args, &session, ui),
        Command::Path(args) => path::run(args, ui),
        Command::Demo(args) => demo::run(args, &session, ui),
        Command::Completions(args) => completions::run(args, ui),
        Command::Man(args) => man::run(args, ui),
    }
}
