//! `memsync status`: what is changed, refused, open, ahead and behind.
//! Border: the flow is `sync::status`.

use clap::Args;
use memsync::agents::background::running;
use memsync::base::time::Timestamp;
use memsync::config::policy::Trust;
use memsync::report::advice::{Exit, after_refusal};
use memsync::report::json::Document;
use memsync::report::json::sync::exchange::{STATUS_FORMAT, StatusDocument};
use memsync::store::agent_state::AgentState;
use memsync::sync::inspect::status::{StatusReport, status};
use memsync::sync::membership::members::{MemberEntry, list};

use crate::Outcome;
use crate::global::Format;
use crate::say::{self, STRONG, count};
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Exit with 1 when something waits for a person
    #[arg(long)]
    strict: bool,
}

/// Shows the state.
pub(crate) fn run(args: StatusArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let actor = session.actor(None, false, KeyNeed::IfThere)?;
    let report = status(&located.place(), &actor)?;
    match ui.format() {
        Format::Human => {
            say_status(ui, &report);
            let state = AgentState::find(&session.environment, &located.memdir);
            if let Some(running) = state.as_ref().and_then(running) {
                ui.line(format!(
                    "Process {} is sharing in the background; `memsync agent stop` ends it.",
                    running.process
                ));
            }
            if ui.is_verbose() && report.trust == Trust::Roster {
                say_single_admin(ui, &list(&located.place(), None)?);
            }
        }
        _ => ui.json(&Document::new(
            STATUS_FORMAT,
            StatusDocument { settled: report.is_settled(), report: &report },
        )),
    }
    Ok(if args.strict && !report.is_settled() { Exit::No } else { Exit::Done })
}

/// Who may change it, and what to compare: a host that shows an old or another state cannot be
/// caught by one machine alone.
fn say_trust(ui: &mut Ui, report: &StatusReport) {
    if report.trust == Trust::Open {
        ui.line("Trust is open: everyone who may push to the remote may change it, unsigned.");
    }
    if !ui.is_verbose() {
        return;
    }
    if let Some(introduction) = &report.introduction {
        ui.line(format!("Introduction for `memsync join --introduction`: {introduction}"));
    }
    if let Some(verified) = report.verified {
        ui.line(format!(
            "Verified tip {}: a member who syncs now must see the same, else the host shows you different histories.",
            verified.short()
        ));
    }
}

/// Says when one lost key would leave nobody who can change the roster.
fn say_single_admin(ui: &mut Ui, members: &[MemberEntry]) {
    let admin = |member: &&MemberEntry| member.role == "admin" && !member.keys.is_empty();
    let admins: Vec<&MemberEntry> = members.iter().filter(admin).collect();
    if let [only] = admins.as_slice() {
        let told = single_admin(only.keys.len());
        ui.line(format!("`{}` is the only admin{told}", only.id));
    }
}

/// What a single admin with so many keys should know before the last of them is gone.
pub(crate) fn single_admin(keys: usize) -> String {
    let lost = match keys {
        0 | 1 => ": without that key".to_owned(),
        keys => format!(", with {keys} keys: once all are lost"),
    };
    format!(
        "{lost} nobody can change the roster. Make a second one with `memsync member role ID admin`, or keep a copy of the key \
         in a safe place."
    )
}

fn say_status(ui: &mut Ui, report: &StatusReport) {
    ui.line(format!(
        "{STRONG}{}{STRONG:#}: {} at {}",
        report.team.display(),
        count(report.memories, "memory", "memories"),
        report.tip.short()
    ));
    match &report.remote {
        None => ui.line("No remote: nothing is shared yet."),
        Some(remote) => {
            let place = match (report.ahead, report.behind) {
                (0, 0) if report.last.failure.is_some() => {
                    "the same here and there when it was last reached".to_owned()
                }
                (0, 0) => "the same here and there".to_owned(),
                (ahead, 0) => format!("{} to share", count(ahead, "change", "changes")),
                (0, behind) => format!("{} to take", count(behind, "change", "changes")),
                (ahead, behind) => format!("{ahead} to share, {behind} to take"),
            };
            ui.line(format!("Remote {remote}, branch {}: {place}.", report.branch));
            let when = |seconds: Option<i64>| {
                seconds.map_or_else(|| "never".to_owned(), |s| Timestamp::utc(s).to_string())
            };
            ui.line(format!(
                "Last taken {}, last shared {}, last new change {}.",
                when(report.last.fetched),
                when(report.last.pushed),
                when(report.last.changed)
            ));
        }
    }
    say_trust(ui, report);
    if !report.changes.is_empty() {
        ui.line("The next push commits:");
        say::changes(ui, &report.changes);
    }
    if !report.refused.is_empty() {
        ui.line("The gate keeps out:");
        say::held_back(ui, &report.refused);
    }
    for conflict in &report.conflicts {
        ui.line(format!("Open conflict {} in {}", conflict.id, conflict.path));
    }
    if let Some(refused) = &report.last.refused {
        ui.warn(format!(
            "the remote's history was refused from here on: {} ({})",
            refused.message, refused.rule
        ));
        ui.next(after_refusal(refused));
    }
    if let Some(failure) = &report.last.failure {
        ui.warn(format!("the last exchange failed: {failure}"));
        ui.next("`memsync sync` tries again; `memsync doctor` looks for the cause.");
    }
    if let Some(operation) = report.unfinished {
        ui.warn(format!("a git {operation} is unfinished in `{}`", report.team.display()));
    }
    if report.interrupted {
        ui.warn("an earlier run was interrupted; any `memsync sync` completes it");
    }
}
