//! `memsync ci`: one verb for a pull request on the team repository.
//! Border: the flow is `sync::ci`; which branch and base CI means is read from its variables.

use std::path::PathBuf;

use clap::Args;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::sync::ci::{CI_FORMAT, CiDocument};
use memsync::report::{ci as forms, json_text, markdown};
use memsync::sync::inspect::ci::{CiOptions, CiReport, branch_of, ci};
use memsync::sync::inspect::ci_place::{CiPlace, is_nothing};
use memsync::sync::inspect::log::LogEntry;
use memsync::system::clock::Clock;

use crate::Outcome;
use crate::commands::team::join::parse_introduction;
use crate::global::AnyFormat;
use crate::say::{self, BAD, GOOD, STRONG, count};
use crate::session::Session;
use crate::ui::Ui;

/// Changes that are listed for people unless `-v` asks for all.
const CHANGES_SHOWN_MAX: usize = 50;

/// Options of `memsync ci`.
#[derive(Debug, Args)]
pub(crate) struct CiArgs {
    /// The checkout of the team repository [default: the current folder]
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// Where the range begins [default: as GitHub or GitLab say, else the whole history]
    #[arg(long, value_name = "COMMIT")]
    base: Option<String>,
    /// Where the range ends
    #[arg(long, value_name = "COMMIT", default_value = "HEAD")]
    head: String,
    /// The branch the team shares: what is on others is a proposal for it [default: the default branch,
    /// as GitHub or GitLab say, else the current one]
    #[arg(long, value_name = "NAME", env = "MEMSYNC_BRANCH")]
    branch: Option<String>,
    /// What the team memory starts with; without it nothing proves that this is the team's
    #[arg(long, value_name = "COMMIT:FINGERPRINT", env = "MEMSYNC_INTRODUCTION")]
    introduction: Option<String>,
    /// Also fail on advice, open conflicts and a missing introduction
    #[arg(long)]
    strict: bool,
}

/// Checks; exits with 4 when trust is broken, with 1 when another rule is.
pub(crate) fn run(args: CiArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let folder = args.repo.map_or_else(|| session.folder.clone(), |dir| session.folder.join(dir));
    let chosen = args.branch.filter(|branch| !branch.trim().is_empty());
    let place = CiPlace::of_environment(&session.environment, chosen.as_deref());
    let introduction = args.introduction.filter(|text| !text.trim().is_empty());
    // A base that somebody named, even as none, is what counts.
    let (base, is_open) = (args.base.clone(), args.base.is_none());
    let bases = if is_open { place.bases } else { Vec::new() };
    let options = CiOptions {
        branch: place.branch.unwrap_or_else(|| branch_of(&folder)),
        folder,
        base: base.filter(|base| !is_nothing(base)),
        bases,
        before: place.before.filter(|_| is_open),
        head: args.head,
        introduction: introduction.as_deref().map(parse_introduction).transpose()?,
        now: Clock::from_environment(&session.environment)?.now(),
    };
    let report = {
        let _busy = session.busy("Checking");
        ci(&options)?
    };
    let passes = report.passes(args.strict);
    match ui.any_format() {
        AnyFormat::Human => {
            say_report(ui, &report, passes);
            if place.is_github {
                ui.raw(forms::github(&report).as_bytes());
            }
        }
        AnyFormat::Github => ui.raw(forms::github(&report).as_bytes()),
        AnyFormat::Markdown => ui.raw(markdown::ci(&report, passes).as_bytes()),
        AnyFormat::Gitlab => ui.raw(json_text(&forms::gitlab(&report)).as_bytes()),
        _ => ui.json(&Document::new(CI_FORMAT, CiDocument { passes, report: &report })),
    }
    Ok(match passes {
        true => Exit::Done,
        false if report.breaks_trust() => Exit::Trust,
        false => Exit::No,
    })
}

fn say_report(ui: &mut Ui, report: &CiReport, passes: bool) {
    if !report.is_pinned {
        ui.warn(format!(
            "trust starts at what was found here, {}: nothing proves that it is the team's",
            report.introduction
        ));
        ui.next("Pass what `memsync status --verbose` shows a member: `--introduction COMMIT:FINGERPRINT`.");
    }
    let since = report.base.map_or_else(String::new, |base| format!(" since {}", base.short()));
    ui.line(format!("{}{since}:", count(report.changes.len(), "change", "changes")));
    let hidden = match ui.is_verbose() {
        true => 0,
        false => report.changes.len().saturating_sub(CHANGES_SHOWN_MAX),
    };
    if hidden > 0 {
        ui.line(format!("  {hidden} more, with --verbose"));
    }
    for change in &report.changes[hidden..] {
        say_change(ui, change);
    }
    for problem in &report.problems {
        let commit = problem.commit.map_or_else(|| "the tree".to_owned(), |id| id.short());
        ui.line(harmless(&format!("{BAD}{commit}{BAD:#}")));
        say::reasons(ui, std::slice::from_ref(&problem.reason));
    }
    for conflict in &report.conflicts {
        ui.line(format!("  open conflict {} in {}", conflict.id, conflict.path));
    }
    if report.unproven > 0 {
        ui.line(format!(
            "Trust is open: no signature proves who made {} of {}.",
            report.unproven,
            count(report.judged, "commit", "commits")
        ));
    }
    let (style, word) = if passes { (GOOD, "good") } else { (BAD, "not good") };
    ui.line(format!(
        "{} verified, {} checked: {style}{word}{style:#}.",
        count(report.judged, "commit", "commits"),
        count(report.changes.len(), "change", "changes"),
    ));
}

fn say_change(ui: &mut Ui, change: &LogEntry) {
    let by = change.member.as_deref().unwrap_or("nobody known");
    let agent = change.agent.as_ref().map(|agent| format!(" through {agent}")).unwrap_or_default();
    ui.line(harmless(&format!(
        "  {STRONG}{}{STRONG:#} {} by {by} ({} <{}>){agent}: {}",
        change.commit.short(),
        change.subject,
        change.author,
        change.email,
        change.verdict.class.name(),
    )));
    for file in &change.changes {
        let kind = format!("{:?}", file.kind).to_lowercase();
        ui.line(harmless(&format!("    {kind} {}", file.path)));
    }
}

/// GitHub reads commands also in the middle of a line: foreign text must not give any.
fn harmless(line: &str) -> String {
    line.replace("##[", "# #[")
}
