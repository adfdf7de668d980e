//! `memsync hooks`: installs, removes, shows and runs git hooks.
//! Border: the work is `memsync::sync::hooks`; the scripts are in `hooks/git/`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use memsync::base::display::Escaped;
use memsync::report::advice::Exit;
use memsync::sync::hooks::install::{self, HookChange, HookState, HooksPath};
use memsync::sync::hooks::script::HookName;

use crate::Outcome;
use crate::args::{Format, GlobalArgs};
use crate::failure::Failure;
use crate::ui::Ui;

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
}

/// Which repository.
#[derive(Debug, Args)]
struct RepoArgs {
    /// The repository [default: the team memory of --memdir, else the one around the current folder]
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
    /// Which hooks: pre-commit, pre-push, pre-receive [default: the ones that fit the repository]
    #[arg(value_name = "HOOK", value_parser = hook_name)]
    hooks: Vec<HookName>,
}

fn hook_name(text: &str) -> Result<HookName, String> {
    HookName::parse(text).ok_or_else(|| "one of pre-commit, pre-push, pre-receive".to_owned())
}

/// Runs the chosen action.
pub(crate) fn run(args: HooksArgs, global: &GlobalArgs, ui: &mut Ui) -> Outcome {
    match args.action {
        Action::Install(args) => install(args, global, ui),
        Action::Uninstall(args) => uninstall(&repository(args, global), ui),
        Action::Status(args) => status(&repository(args, global), ui),
    }
}

fn repository(args: RepoArgs, global: &GlobalArgs) -> PathBuf {
    let team = || global.memdir.as_deref().map(|memdir| memdir.join("team"));
    args.repo.or_else(team).unwrap_or_else(|| PathBuf::from("."))
}

fn install(args: InstallArgs, global: &GlobalArgs, ui: &mut Ui) -> Outcome {
    let repository = repository(args.repo, global);
    let hooks = match args.hooks.is_empty() {
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
    let changes = install::install(&repository, &hooks, &program, hooks_path)?;
    say(&changes, ui);
    Ok(Exit::Done)
}

fn uninstall(repository: &Path, ui: &mut Ui) -> Outcome {
    let changes = install::uninstall(repository)?;
    say(&changes, ui);
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

/// Exits 1 when memsync stands in a hook and still does not run.
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
    if ui.format() != Format::Human {
        ui.json(&memsync::report::json::hooks::Hooks::of(&found));
    }
    Ok(exit)
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
