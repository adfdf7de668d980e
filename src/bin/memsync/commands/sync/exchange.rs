//! `memsync pull`, `push` and `sync`: share with the team.
//! Border: the flow is `sync::exchange`.

use clap::Args;
use memsync::report::json::Document;
use memsync::report::json::sync::exchange::{
    ExchangeDocument, PULL_FORMAT, PUSH_FORMAT, SYNC_FORMAT,
};
use memsync::sync::exchange::pull_push::{Direction, commit_only, exchange};

use crate::Outcome;
use crate::global::Format;
use crate::say;
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync pull`, `push` and `sync`.
#[derive(Debug, Args)]
pub(crate) struct ExchangeArgs {
    /// Also exit with 1 when a conflict is open or what others shared breaks a rule
    #[arg(long)]
    pub(crate) strict: bool,
    /// How long to wait for another memsync, and for faster writers
    #[arg(long, value_name = "SECONDS")]
    pub(crate) wait: Option<u64>,
    /// Answer questions with yes
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// Which of the three was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// `pull`
    Pull,
    /// `push`
    Push,
    /// `sync`
    Sync,
}

/// Exchanges with the remote.
pub(crate) fn run(
    args: ExchangeArgs,
    direction: Direction,
    verb: Verb,
    session: &Session,
    ui: &mut Ui,
) -> Outcome {
    let located = session.locate()?;
    let actor = session.actor(args.wait, args.yes, KeyNeed::IfThere)?;
    let place = located.place();
    let busy = session.busy(match verb {
        Verb::Pull => "Pulling",
        Verb::Push => "Pushing",
        Verb::Sync => "Syncing",
    });
    let exchanged = exchange(&place, &actor, &session.git, direction);
    let outcome = match exchanged {
        // A team memory may live on one machine for a while: `sync` then only commits.
        Err(memsync::sync::error::SyncError::NoRemote(_)) if verb == Verb::Sync => {
            commit_only(&place, &actor)?
        }
        other => other?,
    };
    drop(busy);
    let format = match verb {
        Verb::Pull => PULL_FORMAT,
        Verb::Push => PUSH_FORMAT,
        Verb::Sync => SYNC_FORMAT,
    };
    match ui.format() {
        Format::Human => say::exchange(ui, &outcome),
        _ => ui.json(&Document::new(
            format,
            ExchangeDocument { complete: outcome.is_complete(), outcome: &outcome },
        )),
    }
    Ok(say::exchange_exit(&outcome, args.strict))
}
