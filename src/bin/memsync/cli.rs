//! The command line: one variant per command, and who runs it.
//! Border: dispatch only; each command's own options are in its file below `commands/`.

use clap::{CommandFactory, Parser, Subcommand};
use memsync::sync::exchange::pull_push::Direction;

use crate::Outcome;
use crate::commands::agents::{agent, context, instructions, mcp, watch};
use crate::commands::history::{audit, blame, log, show};
use crate::commands::memories::{
    edit, forget, index, list, path, recall, remember, search, share, undo,
};
use crate::commands::sealed::{open, seal};
use crate::commands::sync::{
    check, ci, diff, exchange, hooks, merge_driver, propose, resolve, status,
};
use crate::commands::team::{init, join, key, member, remote, renew, vouch};
use crate::commands::tools::{completions, doctor, man, scan, whereis};
use crate::demo;
use crate::failure::Failure;
use crate::global::GlobalArgs;
use crate::session::{Session, Surroundings};
use crate::ui::Ui;

/// Share a coding agent's team memory over any git remote.
#[derive(Debug, Parser)]
#[command(name = "memsync", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(
    after_help = "Exit codes: 0 done, 1 the answer is no, 2 usage, 3 outside world, 4 trust, 70 bug."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a team memory and share it over a remote
    Init(init::InitArgs),
    /// Take part in a team memory that is there already
    Join(join::JoinArgs),
    /// Take what others shared
    Pull(exchange::ExchangeArgs),
    /// Take what others shared and share your changes
    Push(propose::PushArgs),
    /// Push; without a remote, only commit
    Sync(exchange::ExchangeArgs),
    /// Show what is changed, kept out, open, ahead and behind
    Status(status::StatusArgs),
    /// Show what a push would share
    Diff(diff::DiffArgs),
    /// List who changed what
    Log(log::LogArgs),
    /// Show who wrote each line of a memory, or each entry of MEMORY.md
    Blame(blame::BlameArgs),
    /// Report every change: who, when, through which agent, what, and whether it is proven
    Audit(audit::AuditArgs),
    /// Show a memory, or a change by its commit
    Show(show::ShowArgs),
    /// Recall the few memories that matter for a prompt, or none
    Recall(recall::RecallArgs),
    /// Open a memory in your editor
    Edit(edit::EditArgs),
    /// Give a memory another name, with its entry and the links to it
    Rename(edit::RenameArgs),
    /// Take back the last change that was committed here and not shared
    Undo(undo::UndoArgs),
    /// Take back what one commit changed
    Revert(undo::RevertArgs),
    /// Bring a team memory back that is gone, or an earlier text of it
    Restore(undo::RestoreArgs),
    /// Move private memories to the team
    Share(share::ShareArgs),
    /// Take team memories back into the private layer
    Unshare(share::UnshareArgs),
    /// List memories, private and the team's
    List(list::ListArgs),
    /// Find a text in memories, private and the team's
    Search(search::SearchArgs),
    /// Write a memory through the gate; its text comes from stdin
    Remember(remember::RememberArgs),
    /// Remove a memory
    Forget(forget::ForgetArgs),
    /// Make a memory readable for named members only
    Seal(seal::SealArgs),
    /// Print or edit a sealed memory; without a name, list them
    Open(open::OpenArgs),
    /// Make a sealed memory readable for everyone again
    Unseal(seal::UnsealArgs),
    /// Seal memories again: for present keys, or for other members
    Reseal(seal::ResealArgs),
    /// Look at open conflicts and close them
    Resolve(resolve::ResolveArgs),
    /// Check the team memory, some files or a range of commits against every rule
    Check(check::CheckArgs),
    /// Check a pull request on the team repository, in CI: trust, gate, merges, who did what
    Ci(ci::CiArgs),
    /// Look for credentials in files, staged changes, commits or a history
    Scan(scan::ScanArgs),
    /// Show, check or reconcile the index of a folder
    Index(index::IndexArgs),
    /// Show which instruction files an agent is told here, in order, and why
    Instructions(instructions::InstructionsArgs),
    /// Show what an agent is told about memory, for a session or for one turn
    Context(context::ContextArgs),
    /// Connect an agent's client: it reads, recalls, checks and shares team memory by itself
    Agent(agent::AgentArgs),
    /// Serve memory over the Model Context Protocol, on stdin and stdout
    Mcp(mcp::McpArgs),
    /// Share what changes, and take what others share, until it is ended
    Watch(watch::WatchArgs),
    /// Check paths against the rules for team memory
    Path(path::PathArgs),
    /// List the team, let people in and take them out
    Member(member::MemberArgs),
    /// Accept commits that the rules of trust refused (admins)
    Vouch(vouch::VouchArgs),
    /// Follow a remote whose history was rewritten
    AcceptRewrite(vouch::AcceptRewriteArgs),
    /// Show where the team memory is shared, or move it
    Remote(remote::RemoteArgs),
    /// Take text that leaked out of the whole history, for everybody (admins)
    Purge(renew::PurgeArgs),
    /// Start the history anew after the last admin lost the key
    Restart(renew::RestartArgs),
    /// Show, make or import the key that signs your changes
    Key(key::KeyArgs),
    /// Put checks into the git hooks of a repository, or take them out
    Hooks(hooks::HooksArgs),
    /// Merge one file for plain git, as its merge driver
    MergeDriver(merge_driver::MergeDriverArgs),
    /// Show how the memory directory is found
    Where(whereis::WhereArgs),
    /// Look for anything that is wrong and say what to do
    Doctor(doctor::DoctorArgs),
    /// See the whole story on two throw-away members, offline, in seconds
    Demo(demo::DemoArgs),
    /// Write the completions of a shell to stdout
    Completions(completions::CompletionsArgs),
    /// Write the manual page to stdout
    Man(man::ManArgs),
}

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

fn dispatch(cli: Cli, session: Session, ui: &mut Ui) -> Outcome {
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
        Command::List(args) => list::run(&args, &session, ui),
        Command::Search(args) => search::run(&args, &session, ui),
        Command::Edit(args) => edit::run(&args, &session, ui),
        Command::Rename(args) => edit::run_rename(&args, &session, ui),
        Command::Undo(args) => undo::run(&args, &session, ui),
        Command::Revert(args) => undo::run_revert(args, &session, ui),
        Command::Restore(args) => undo::run_restore(&args, &session, ui),
        Command::Share(args) => share::run(&args, &session, ui),
        Command::Unshare(args) => share::run_unshare(&args, &session, ui),
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
        Command::Context(args) => context::run(args, &session, ui),
        Command::Agent(args) => agent::run(args, &session, ui),
        Command::Mcp(args) => mcp::run(args, &cli.global, &session),
        Command::Watch(args) => watch::run(&args, &session, ui),
        Command::Key(args) => key::run(args, &cli.global, &session, ui),
        Command::Scan(args) => scan::run(args, &session, ui),
        Command::MergeDriver(args) => merge_driver::run(args, &session, ui),
        Command::Path(args) => path::run(args, ui),
        Command::Demo(args) => demo::run(args, &session, ui, &run_typed),
        Command::Completions(args) => completions::run(&args, &mut Cli::command(), ui),
        Command::Man(args) => man::run(args, Cli::command(), ui),
    }
}

/// Runs a command as if typed, in given surroundings.
fn run_typed(words: &[&str], surroundings: Surroundings, ui: &mut Ui) -> Outcome {
    let cli = Cli::try_parse_from(["memsync"].iter().chain(words))
        .map_err(|error| Failure::bug(format!("`memsync {}`: {error}", words.join(" "))))?;
    let Surroundings { environment, folder, input } = surroundings;
    let session = Session::with(&cli.global, environment, folder, input)?;
    dispatch(cli, session, ui)
}
