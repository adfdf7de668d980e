//! The command line as a type: global options and one variant per command.
//! Border: shapes only; each command's own options are in its file below `commands/`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands;

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

/// Options every command takes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct GlobalArgs {
    /// The memory directory [default: found as `memsync where` explains]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) memdir: Option<PathBuf>,
    /// The key that signs your changes, or its .pub file to use ssh-agent
    ///
    /// [default: MEMSYNC_KEY, else memsync/id_ed25519 in the folder for settings]
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) key: Option<PathBuf>,
    /// Run as if started in DIR
    #[arg(short = 'C', global = true, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// The member this change is made for
    #[arg(long = "as", global = true, value_name = "MEMBER")]
    pub(crate) member: Option<String>,
    /// How results are written to stdout; `scan` and `audit` have more forms than others
    #[arg(long, global = true, value_enum, default_value_t = AnyFormat::Human)]
    pub(crate) format: AnyFormat,
    /// Say only warnings and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// When to use colour; `auto` is on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

/// Output formats of commands that neither scan nor audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    // Text for people.
    Human,
    // One JSON document.
    Json,
    // One JSON document per line.
    Jsonl,
}

/// Every format that can be asked for; some only `memsync scan` or `memsync audit` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnyFormat {
    /// Text for people
    Human,
    /// One JSON document
    Json,
    /// One JSON document per line
    Jsonl,
    /// SARIF 2.1.0 (scan, audit)
    Sarif,
    /// Comma-separated values (scan, audit)
    Csv,
    /// One self-contained page (audit)
    Html,
    /// JUnit XML (scan)
    Junit,
    /// GitHub annotations (scan, ci)
    Github,
    /// GitLab code quality (scan, ci)
    Gitlab,
    /// Markdown for a reviewer (ci)
    Markdown,
}

impl AnyFormat {
    /// Whether `memsync scan` writes it.
    pub(crate) fn is_of_scans(self) -> bool {
        !matches!(self, Self::Html | Self::Markdown)
    }

    /// Whether `memsync audit` writes it.
    pub(crate) fn is_of_audits(self) -> bool {
        !matches!(self, Self::Junit | Self::Github | Self::Gitlab | Self::Markdown)
    }

    /// Whether `memsync ci` writes it.
    pub(crate) fn is_of_ci(self) -> bool {
        !matches!(self, Self::Junit | Self::Csv | Self::Sarif | Self::Html)
    }

    /// The format for other commands; `None` where only a scan or an audit writes it.
    pub(crate) fn plain(self) -> Option<Format> {
        match self {
            Self::Human => Some(Format::Human),
            Self::Json => Some(Format::Json),
            Self::Jsonl => Some(Format::Jsonl),
            Self::Sarif | Self::Csv | Self::Html => None,
            Self::Junit | Self::Github | Self::Gitlab | Self::Markdown => None,
        }
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    // On a terminal, unless `NO_COLOR` is set.
    Auto,
    Always,
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a team memory and share it over a remote
    Init(commands::team::init::InitArgs),
    /// Take part in a team memory that is there already
    Join(commands::team::join::JoinArgs),
    /// Take what others shared
    Pull(commands::sync::exchange::ExchangeArgs),
    /// Take what others shared and share your changes
    Push(commands::sync::propose::PushArgs),
    /// Push; without a remote, only commit
    Sync(commands::sync::exchange::ExchangeArgs),
    /// Show what is changed, kept out, open, ahead and behind
    Status(commands::sync::status::StatusArgs),
    /// Show what a push would share
    Diff(commands::sync::diff::DiffArgs),
    /// List who changed what
    Log(commands::history::log::LogArgs),
    /// Show who wrote each line of a memory, or each entry of MEMORY.md
    Blame(commands::history::blame::BlameArgs),
    /// Report every change: who, when, through which agent, what, and whether it is proven
    Audit(commands::history::audit::AuditArgs),
    /// Show a memory, or a change by its commit
    Show(commands::history::show::ShowArgs),
    /// Recall the few memories that matter for a prompt, or none
    Recall(commands::memories::recall::RecallArgs),
    /// Write a memory through the gate; its text comes from stdin
    Remember(commands::memories::remember::RememberArgs),
    /// Remove a memory
    Forget(commands::memories::forget::ForgetArgs),
    /// Make a memory readable for named members only
    Seal(commands::sealed::seal::SealArgs),
    /// Print or edit a sealed memory; without a name, list them
    Open(commands::sealed::open::OpenArgs),
    /// Make a sealed memory readable for everyone again
    Unseal(commands::sealed::seal::UnsealArgs),
    /// Seal memories again: for present keys, or for other members
    Reseal(commands::sealed::seal::ResealArgs),
    /// Look at open conflicts and close them
    Resolve(commands::sync::resolve::ResolveArgs),
    /// Check the team memory, some files or a range of commits against every rule
    Check(commands::sync::check::CheckArgs),
    /// Check a pull request on the team repository, in CI: trust, gate, merges, who did what
    Ci(commands::sync::ci::CiArgs),
    /// Look for credentials in files, staged changes, commits or a history
    Scan(commands::tools::scan::ScanArgs),
    /// Show, check or reconcile the index of a folder
    Index(commands::memories::index::IndexArgs),
    /// Show which instruction files an agent is told here, in order, and why
    Instructions(commands::agents::instructions::InstructionsArgs),
    /// Check paths against the rules for team memory
    Path(commands::memories::path::PathArgs),
    /// List the team, let people in and take them out
    Member(commands::team::member::MemberArgs),
    /// Accept commits that the rules of trust refused (admins)
    Vouch(commands::team::vouch::VouchArgs),
    /// Follow a remote whose history was rewritten
    AcceptRewrite(commands::team::vouch::AcceptRewriteArgs),
    /// Show where the team memory is shared, or move it
    Remote(commands::team::remote::RemoteArgs),
    /// Take text that leaked out of the whole history, for everybody (admins)
    Purge(commands::team::renew::PurgeArgs),
    /// Start the history anew after the last admin lost the key
    Restart(commands::team::renew::RestartArgs),
    /// Show, make or import the key that signs your changes
    Key(commands::team::key::KeyArgs),
    /// Put checks into the git hooks of a repository, or take them out
    Hooks(commands::sync::hooks::HooksArgs),
    /// Merge one file for plain git, as its merge driver
    MergeDriver(commands::sync::merge_driver::MergeDriverArgs),
    /// Show how the memory directory is found
    Where(commands::tools::whereis::WhereArgs),
    /// Look for anything that is wrong and say what to do
    Doctor(commands::tools::doctor::DoctorArgs),
    /// See the whole story on two throw-away members, offline, in seconds
    Demo(commands::tools::demo::DemoArgs),
    /// Write the completions of a shell to stdout
    Completions(commands::tools::completions::CompletionsArgs),
    /// Write the manual page to stdout
    Man(commands::tools::man::ManArgs),
}
