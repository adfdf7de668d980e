//! `memsync hooks`: installs, removes, shows and runs git hooks.
//! Border: the work is `memsync::sync::githooks`; the scripts are in `hooks/git/`.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use memsync::base::display::Escaped;
use memsync::report::advice::Exit;
use memsync::sync::githooks;
use memsync::sync::githooks::install::{self, HookChange, HookState, HooksPath};
use memsync::sync::githooks::install_merge_driver::{self, DriverChange, DriverState};
use memsync::sync::githooks::pin::{self, Pinned};
use memsync::sync::githooks::run::Question;
use memsync::sync::githooks::script::HookName;

use crate::Outcome;
use crate::commands::team::join::parse_introduction;
use crate::failure::Failure;
use crate::global::Format;
use crate::session::Session;
use crate::ui::Ui;

/// Most bytes of ref lines a hook reads: some hundred thousand refs.
const INPUT_BYTES_MAX: u64 = 64_000_000;

/// Options of `memsync hooks`.
#[derive(Debug, Args)]
pub(crate) struct HooksArgs {
    #[command(subcommand)]
    action: Action,
}

/// What to do with hooks.
#[derive(Debug, Subcommand)]
enum Action {
    /// Put memsync into the git hooks of a repository, beside hooks that are there
    Install(InstallArgs),
    /// Take memsync out again; other hooks stay as they were, byte for byte
    Uninstall(RepoArgs),
    /// Show what really runs
    Status(RepoArgs),
    /// Check what git is about to do; the installed hooks call this
    Run(RunArgs),
}

/// Options of `memsync hooks run`.
#[derive(Debug, Args)]
struct RunArgs {
    /// pre-commit, pre-push or pre-receive
    #[arg(value_name = "HOOK", value_parser = hook_name)]
    hook: HookName,
    /// What git gives the hook
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Which repository.
#[derive(Debug, Args)]
struct RepoArgs {
    /// A repository, or a folder in it [default: the team memory; where there is none, the repository
    /// around the current folder]
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
}

/// Options of `memsync hooks install`.
#[derive(Debug, Args)]
struct InstallArgs {
    #[command(flatten)]
    repo: RepoArgs,
    /// Use the folder that core.hooksPath names, if it is inside the repository
    #[arg(long)]
    hooks_path: bool,
    /// Merge memories by meaning in plain `git merge`, `rebase`, `stash pop` and `cherry-pick`: all of
    /// a team memory, and `.claude/agent-memory/` in a code repository
    #[arg(long)]
    merge_driver: bool,
    /// What the team memory on a server starts with, as `memsync status --verbose` shows it a member: with
    /// pre-receive, no other history is taken [default: what the server holds]
    #[arg(long, value_name = "COMMIT:FINGERPRINT")]
    introduction: Option<String>,
    /// Which hooks: pre-commit, pre-push, pre-receive [default: the ones that fit the repository,
    /// none with --merge-driver]
    #[arg(value_name = "HOOK", value_parser = hook_name)]
    hooks: Vec<HookName>,
}

fn hook_name(text: &str) -> Result<HookName, String> {
    HookName::parse(text).ok_or_else(|| "one of pre-commit, pre-push, pre-receive".to_owned())
}

/// Runs the chosen action.
pub(crate) fn run(args: HooksArgs, session: &Session, ui: &mut Ui) -> Outcome {
    match args.action {
        Action::Install(args) => install(args, session, ui),
        Action::Uninstall(args) => uninstall(&repository(args, session)?, ui),
        Action::Status(args) => status(&repository(args, session)?, ui),
        Action::Run(args) => run_hook(&args, session, ui),
    }
}

fn repository(args: RepoArgs, session: &Session) -> Result<PathBuf, Failure> {
    match args.repo {
        Some(folder) => Ok(session.folder.join(folder)),
        None => {
            let team = session.locate()?.team();
            // Without a team memory it is about the repository the person is in.
            let is_inside = session.folder.ancestors().any(|folder| folder.join(".git").exists());
            Ok(if !team.exists() && is_inside { session.folder.clone() } else { team })
        }
    }
}

fn install(args: InstallArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let repository = repository(args.repo, session)?;
    let hooks = match args.hooks.is_empty() && !args.merge_driver {
        true => install::fitting(&repository)?,
        false => args.hooks,
    };
    let program = std::env::current_exe().map_err(|error| {
        Failure::usage(
            format!("cannot find the path of memsync itself: {error}"),
            "Call memsync by its full path.",
        )
    })?;
    let hooks_path = if args.hooks_path { HooksPath::UseInside } else { HooksPath::Refuse };
    let is_server = hooks.contains(&HookName::PreReceive);
    let introduction = args.introduction.as_deref().map(parse_introduction).transpose()?;
    if introduction.is_some() && !is_server {
        return Err(Failure::usage(
            "`--introduction` is for the server's hook, pre-receive",
            "Name the bare repository with `--repo DIR`.",
        ));
    }
    if !hooks.is_empty() {
        // First, because a hook that was told nothing takes whatever comes.
        if is_server {
            say_pinned(&pin::pin(&repository, introduction)?, ui);
        }
        say(&install::install(&repository, &hooks, &program, hooks_path)?, ui);
    }
    if args.merge_driver {
        say_driver(&install_merge_driver::install(&repository, &program)?, ui);
    }
    Ok(Exit::Done)
}

fn say_pinned(pinned: &Pinned, ui: &mut Ui) {
    match pinned {
        Pinned::Told(start) => ui.note(format!("only a history that starts with {start} is taken")),
        Pinned::Found(start) => {
            ui.note(format!("only a history that starts with {start}, as found here, is taken"));
            ui.next("Compare it with what `memsync status --verbose` shows a member.");
        }
        Pinned::Open => {
            ui.note("there is no team memory here yet: the first push decides how it starts");
            ui.next(
                "If it is for a team memory that exists, install again with `--introduction \
                 COMMIT:FINGERPRINT`, as `memsync status --verbose` shows it a member.",
            );
        }
    }
}

fn uninstall(repository: &Path, ui: &mut Ui) -> Outcome {
    let changes = install::uninstall(repository)?;
    say(&changes, ui);
    let of_driver = install_merge_driver::uninstall(repository)?;
    say_driver(&of_driver, ui);
    if !of_driver.is_empty() {
        return Ok(Exit::Done);
    }
    if !changes.iter().any(|c| matches!(c, HookChange::Deleted(_) | HookChange::Removed(_))) {
        ui.note("memsync was in no hook");
    }
    Ok(Exit::Done)
}

fn say(changes: &[HookChange], ui: &mut Ui) {
    for change in changes {
        let (done, path) = match change {
            HookChange::Created(path) => ("created", path),
            HookChange::Added(path) => ("added to", path),
            HookChange::Kept(path) => ("already in", path),
            HookChange::Deleted(path) => ("deleted", path),
            HookChange::Removed(path) => ("removed from", path),
            HookChange::Nothing(_) => continue,
        };
        ui.note(format!("{done} {}", path.display()));
    }
}

fn say_driver(changes: &[DriverChange], ui: &mut Ui) {
    for change in changes {
        let (done, path) = match change {
            DriverChange::Added(path) => ("added to", path),
            DriverChange::Replaced(path) => ("replaced in", path),
            DriverChange::Kept(path) => ("already in", path),
            DriverChange::Removed(path) => ("removed from", path),
        };
        ui.note(format!("merge driver {done} {}", path.display()));
    }
}

/// Exits 1 when memsync stands in a hook or as merge driver and still does not run.
fn status(repository: &Path, ui: &mut Ui) -> Outcome {
    let found = install::status(repository)?;
    let mut exit = Exit::Done;
    for hook in &found {
        if ui.format() == Format::Human {
            let path = hook.path.display().to_string();
            ui.line(format!(
                "{:<11} {}  {}",
                hook.hook.as_str(),
                words(&hook.state),
                Escaped(&path)
            ));
            for also in &hook.also {
                ui.line(format!("{:<11} git also runs {}", "", Escaped(also)));
            }
        }
        if !matches!(hook.state, HookState::Runs | HookState::Absent | HookState::Other) {
            exit = Exit::No;
        }
    }
    let pinned = pin::pinned(repository)?;
    let driver = install_merge_driver::status(repository)?;
    if matches!(driver, DriverState::ProgramGone(_) | DriverState::NoAttributes) {
        exit = Exit::No;
    }
    if ui.format() == Format::Human {
        if let Some(start) = &pinned {
            ui.line(format!("{:<11} {start}", "starts with"));
        }
        ui.line(format!("{:<11} {}", "merge", driver_words(&driver)));
    } else {
        ui.json(&memsync::report::json::team::hooks::Hooks::of(&found, &driver, pinned));
    }
    Ok(exit)
}

/// Answers git: everything is said on stderr, which git shows the person, also from a server.
fn run_hook(args: &RunArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let input = match args.hook {
        HookName::PreCommit => String::new(),
        HookName::PrePush | HookName::PreReceive => read_input()?,
    };
    let question = match args.hook {
        HookName::PreCommit => Question::Commit,
        HookName::PrePush => {
            let remote = args.arguments.first().map_or("", String::as_str);
            Question::Push { remote, input: &input }
        }
        HookName::PreReceive => Question::Receive { input: &input },
    };
    let outcome = githooks::run::run(question, &session.folder, &session.environment)?;
    for path in &outcome.skipped {
        ui.warn(format!("{path}: too large, not scanned"));
    }
    for (commit, reason) in &outcome.reasons {
        let commit = commit.map(|id| format!(" (commit {})", id.short())).unwrap_or_default();
        let text = format!("{}: {} [{}]{commit}", reason.place(), reason.message, reason.rule);
        ui.warn(text.trim_start_matches(": "));
        ui.next(&reason.next_step);
    }
    if outcome.allows() {
        return Ok(Exit::Done);
    }
    ui.warn(format!("memsync refused this {}", verb(args.hook)));
    Ok(Exit::No)
}

/// The ref lines of git, within a limit.
fn read_input() -> Result<String, Failure> {
    let mut input = String::new();
    let mut limited = std::io::stdin().lock().take(INPUT_BYTES_MAX);
    let read = limited.read_to_string(&mut input);
    match read {
        Ok(_) if limited.limit() > 0 => Ok(input),
        Ok(_) => Err(Failure::usage(
            "git gave the hook too many refs at once",
            "Push fewer refs at once.",
        )),
        Err(error) => Err(Failure::usage(
            format!("cannot read what git gave the hook: {error}"),
            "Let git start the hook, with its own input.",
        )),
    }
}

fn verb(hook: HookName) -> &'static str {
    match hook {
        HookName::PreCommit => "commit",
        HookName::PrePush | HookName::PreReceive => "push",
    }
}

/// A state in words.
fn words(state: &HookState) -> String {
    match state {
        HookState::Absent => "no hook".to_owned(),
        HookState::Other => "a hook without memsync".to_owned(),
        HookState::Runs => "memsync runs".to_owned(),
        HookState::NotExecutable => "memsync does not run: the file is not executable".to_owned(),
        HookState::Hidden => "memsync may not run: commands stand before its block".to_owned(),
        HookState::ProgramGone(program) => format!(
            "memsync is looked for in PATH: `{}` is gone, install again",
            Escaped(&program.display().to_string())
        ),
        HookState::Bypassed(path) => format!(
            "memsync does not run: core.hooksPath sends git to `{}`",
            Escaped(&path.display().to_string())
        ),
        HookState::Unreadable(why) => format!("cannot be read: {}", Escaped(why)),
    }
}

/// The state of the merge driver in words.
fn driver_words(state: &DriverState) -> String {
    match state {
        DriverState::Absent => "plain git (`--merge-driver` installs memsync's)".to_owned(),
        DriverState::Runs => "memsync merges".to_owned(),
        DriverState::NoAttributes => {
            "memsync gets no files: its lines in info/attributes are gone, install again".to_owned()
        }
        DriverState::ProgramGone(program) => {
            let program = program.display().to_string();
            format!(
                "every merge ends in a conflict: `{}` is gone, install again",
                Escaped(&program)
            )
        }
    }
}
