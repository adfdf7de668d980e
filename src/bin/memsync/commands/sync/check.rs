//! `memsync check`: every rule, for CI and before a push.
//! Border: the flow is `sync::check`.

use clap::Args;
use memsync::base::path::MemoryPath;
use memsync::gate::verdict::Reason;
use memsync::local::advice::Advisor;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::sync::check::{CHECK_FORMAT, CheckDocument};
use memsync::sync::exchange::check::{
    CheckReport, check_disk, check_range, check_staged, team_paths,
};

use crate::Outcome;
use crate::global::Format;
use crate::say::{self, STRONG, count};
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Only these files or folders of the team memory
    #[arg(value_name = "PATH", conflicts_with_all = ["staged", "range"])]
    paths: Vec<String>,
    /// Check what is staged in git's index of the team memory
    #[arg(long, conflicts_with = "range")]
    staged: bool,
    /// Check every commit of A..B, and merges that were made without memsync
    #[arg(long, value_name = "A..B")]
    range: Option<String>,
    /// Also fail on advice and open conflicts
    #[arg(long)]
    strict: bool,
}

/// Checks; exits with 1 when a rule is broken.
pub(crate) fn run(args: CheckArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let place = located.place();
    let actor = session.actor(None, false, KeyNeed::IfThere)?;
    let mut advice = Vec::new();
    let report = if args.staged {
        check_staged(&place, &actor)?
    } else if let Some(range) = &args.range {
        check_range(&place, &actor, range)?
    } else {
        let only = team_paths(&place.folder, &session.folder, &args.paths);
        let report = check_disk(&place, &actor, &only)?;
        advice = on_memories(&Advisor::read(session.around(&located)), &only);
        report
    };
    let passes = report.passes(args.strict);
    match ui.format() {
        Format::Human => say_report(ui, &report, &advice, passes),
        _ => ui.json(&Document::new(
            CHECK_FORMAT,
            CheckDocument { passes, report: &report, advice: &advice },
        )),
    }
    Ok(if passes { Exit::Done } else { Exit::No })
}

/// What is better not saved, in the memories that are checked.
fn on_memories(advisor: &Advisor, only: &[String]) -> Vec<Reason> {
    let is_named = |path: &str| {
        only.is_empty()
            || only.iter().any(|name| path == name || path.starts_with(&format!("{name}/")))
    };
    let found = advisor.of_team().into_iter().filter(|(path, _)| is_named(path));
    found
        .filter_map(|(path, problem)| {
            Some(Reason::of_problem(&MemoryPath::parse(&path).ok()?, &problem))
        })
        .collect()
}

fn say_report(ui: &mut Ui, report: &CheckReport, advice: &[Reason], passes: bool) {
    for checked in &report.reasons {
        if let Some(commit) = checked.commit {
            ui.line(format!("{STRONG}{}{STRONG:#}", commit.short()));
        }
        say::reasons(ui, std::slice::from_ref(&checked.reason));
    }
    for conflict in &report.conflicts {
        ui.line(format!("  open conflict {} in {}", conflict.id, conflict.path));
    }
    say::reasons(ui, advice);
    let looked_at = match report.commits {
        0 => count(report.files, "file", "files"),
        commits => format!(
            "{} and {}",
            count(commits, "commit", "commits"),
            count(report.files, "file", "files")
        ),
    };
    ui.line(format!("{} checked: {}.", looked_at, if passes { "good" } else { "not good" }));
}
