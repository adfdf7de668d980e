//! `memsync push`, and `push --branch`, which sends changes for a pull request.
//! Border: the flows are `sync::exchange` and `sync::propose`.

use clap::Args;
use memsync::report::json::Document;
use memsync::report::json::sync::exchange::{ExchangeDocument, PUSH_FORMAT, ProposeDocument};
use memsync::sync::exchange::propose::{Proposal, propose};
use memsync::sync::exchange::pull_push::Direction;
use memsync::sync::exchange::rewrite::{over_refused, restore};

use super::exchange::{self, ExchangeArgs, Verb};
use crate::Outcome;
use crate::global::Format;
use crate::say::{self, count};
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync push`.
#[derive(Debug, Args)]
pub(crate) struct PushArgs {
    /// Send your changes to another branch instead, for a pull request into the shared one
    ///
    /// They are signed for the shared branch, so merge them with a merge commit. Sent again, they
    /// replace what was sent to NAME before.
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Put a remote whose history is refused back to what was verified, with your changes on it
    ///
    /// It works only while what the remote offers is refused, and from exactly that. What goes stays
    /// in your clone under `refs/memsync/rescue/`.
    #[arg(long, conflicts_with = "branch")]
    over_refused: bool,
    /// Put back what the remote lost: its branch is gone, it is empty, or it is an old backup
    ///
    /// What you verified goes there again, with your changes on it. Nothing that is there is
    /// overwritten.
    #[arg(long, conflicts_with_all = ["branch", "over_refused"])]
    restore: bool,
    #[command(flatten)]
    exchange: ExchangeArgs,
}

/// Pushes to the shared branch, or proposes on another.
pub(crate) fn run(args: PushArgs, session: &Session, ui: &mut Ui) -> Outcome {
    if args.over_refused || args.restore {
        return put_back(&args, session, ui);
    }
    let Some(branch) = args.branch else {
        return exchange::run(args.exchange, Direction::Push, Verb::Push, session, ui);
    };
    let located = session.locate()?;
    let actor = session.actor(args.exchange.wait, args.exchange.yes, KeyNeed::IfThere)?;
    let proposed = {
        let _busy = session.busy("Pushing");
        propose(&located.place(), &actor, &session.git, &branch)?
    };
    let outcome = &proposed.exchange;
    match ui.format() {
        Format::Human => {
            say::exchange(ui, outcome);
            say_proposal(ui, &proposed.proposal);
        }
        _ => {
            let exchange = ExchangeDocument { complete: outcome.is_complete(), outcome };
            let document = ProposeDocument { exchange, proposal: &proposed.proposal };
            ui.json(&Document::new(PUSH_FORMAT, document));
        }
    }
    Ok(say::exchange_exit(outcome, args.exchange.strict))
}

/// Puts the remote back to the verified tip.
fn put_back(args: &PushArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let (is_lost, args) = (args.restore, &args.exchange);
    let located = session.locate()?;
    let actor = session.actor(args.wait, args.yes, KeyNeed::IfThere)?;
    let outcome = match is_lost {
        true => restore(&located.place(), &actor, &session.git)?,
        false => over_refused(&located.place(), &actor, &session.git)?,
    };
    match ui.format() {
        Format::Human => say::exchange(ui, &outcome),
        _ => {
            let document = ExchangeDocument { complete: outcome.is_complete(), outcome: &outcome };
            ui.json(&Document::new(PUSH_FORMAT, document));
        }
    }
    Ok(say::exchange_exit(&outcome, args.strict))
}

fn say_proposal(ui: &mut Ui, proposal: &Proposal) {
    let Proposal { branch, onto, changes } = proposal;
    if *changes == 0 {
        ui.done("Nothing was proposed.");
        return;
    }
    ui.done(format!("Proposed {} on the branch `{branch}`.", count(*changes, "change", "changes")));
    ui.next(format!(
        "Open a pull request from `{branch}` into `{onto}` on the host, and have it merged with a merge \
         commit: squash and rebase take the signatures away. `memsync push --branch {branch}` brings it \
         up to date."
    ));
}
