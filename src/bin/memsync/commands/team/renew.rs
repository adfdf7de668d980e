//! `memsync purge` and `memsync restart`: a history that is started anew.
//! Border: the flow is `sync::renew`.

use std::io::Read as _;

use clap::Args;
use memsync::base::display::Escaped;
use memsync::report::json::Document;
use memsync::report::json::team::renew::RENEW_FORMAT;
use memsync::sync::renewal::renew::{RenewOutcome, Renewal, renew};

use crate::Outcome;
use crate::failure::Failure;
use crate::global::Format;
use crate::say::{self, STRONG, count};
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// The values that are read from stdin.
const VALUES_BYTES_MAX: u64 = 1_000_000;

/// Options of `memsync purge`.
#[derive(Debug, Args)]
pub(crate) struct PurgeArgs {
    /// Fingerprints of findings, as `memsync scan --history` prints them
    #[arg(value_name = "FINGERPRINT")]
    fingerprints: Vec<String>,
    /// Also take out what stands on stdin, one value a line: nothing is shown, no command line holds it
    #[arg(long)]
    stdin: bool,
    /// Answer questions with yes
    #[arg(short, long)]
    yes: bool,
}

/// Options of `memsync restart`.
#[derive(Debug, Args)]
pub(crate) struct RestartArgs {
    /// Answer questions with yes
    #[arg(short, long)]
    yes: bool,
}

/// Takes values out of the whole history.
pub(crate) fn run_purge(args: PurgeArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let values = if args.stdin { values(session)? } else { Vec::new() };
    let renewal = Renewal::Purge { fingerprints: args.fingerprints, values };
    let outcome = start_anew(&renewal, args.yes, session)?;
    say_outcome(&renewal, &outcome, session, ui)
}

/// Gives the team a new admin after the last one lost the key.
pub(crate) fn run_restart(args: RestartArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let outcome = start_anew(&Renewal::Restart, args.yes, session)?;
    say_outcome(&Renewal::Restart, &outcome, session, ui)
}

fn start_anew(renewal: &Renewal, yes: bool, session: &Session) -> Result<RenewOutcome, Failure> {
    let located = session.locate()?;
    let actor = session.actor(None, yes, KeyNeed::IfThere)?;
    Ok(renew(&located.place(), &actor, &session.git, renewal)?)
}

/// One value a line; blank lines are none.
fn values(session: &Session) -> Result<Vec<Vec<u8>>, Failure> {
    let step =
        "Pipe the values in, one a line: `memsync purge --stdin < FILE`; delete FILE afterwards.";
    let Some(input) = session.input() else {
        return Err(Failure::usage("there is nothing on stdin to read values from", step));
    };
    let mut text = Vec::new();
    let read = input.take(VALUES_BYTES_MAX + 1).read_to_end(&mut text);
    if read.is_err() || text.len() as u64 > VALUES_BYTES_MAX {
        return Err(Failure::usage("the values on stdin cannot be read, or are too many", step));
    }
    let lines = text.split(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    Ok(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
}

fn say_outcome(
    renewal: &Renewal,
    outcome: &RenewOutcome,
    session: &Session,
    ui: &mut Ui,
) -> Outcome {
    if ui.format() != Format::Human {
        ui.json(&Document::new(RENEW_FORMAT, outcome));
        return Ok(say::exchange_exit(&outcome.exchange, false));
    }
    let commits = count(outcome.commits, "commit", "commits");
    match renewal {
        Renewal::Purge { .. } => {
            let texts = count(outcome.texts, "version of a file", "versions of files");
            ui.done(format!("Took it out of {texts}; {commits} are signed again."));
        }
        Renewal::Restart => ui.done(format!("You are the admin now; {commits} are signed again.")),
    }
    ui.done(format!("The history starts with {STRONG}{}{STRONG:#}.", outcome.introduction));
    say::work(ui, &outcome.exchange);
    match renewal {
        Renewal::Purge { .. } => {
            ui.next("Tell every member: `memsync accept-rewrite` follows, once. Newcomers need the new introduction.");
            if !outcome.branches.is_empty() {
                ui.warn(format!(
                    "other branches at the remote may hold the old history: {}",
                    outcome.branches.join(", ")
                ));
                ui.next("Delete them on the host.");
            }
            ui.warn("what cannot be undone: clones, forks, pull requests, caches and backups keep the old text. A credential that was in it must be revoked.");
            say_old_objects(session, ui)?;
        }
        Renewal::Restart => ui.next(format!(
            "Tell every member, over another channel: `memsync accept-rewrite --introduction {}` follows, once. Let whoever lost the key in again with `memsync member add`.",
            outcome.introduction
        )),
    }
    Ok(say::exchange_exit(&outcome.exchange, false))
}

/// How this clone forgets the old history.
pub(super) fn say_old_objects(session: &Session, ui: &mut Ui) -> Result<(), Failure> {
    let team = session.locate()?.team();
    let team = Escaped(&team.to_string_lossy()).to_string();
    ui.next(format!(
        "This clone still holds the old text: `git -C {team} reflog expire --expire=now --all`, then `git -C {team} gc --prune=now`."
    ));
    Ok(())
}
