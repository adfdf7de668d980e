//! `memsync vouch` and `memsync accept-rewrite`: the two ways out of a refusal.
//! Border: the flow is `sync::vouch`.

use clap::Args;
use memsync::report::json::Document;
use memsync::report::json::sync::exchange::{ExchangeDocument, PULL_FORMAT};
use memsync::sync::exchange::rewrite::accept_rewrite;
use memsync::sync::membership::vouch::{VouchRequest, vouch};
use memsync::sync::outcome::ExchangeOutcome;

use crate::Outcome;
use crate::global::Format;
use crate::say;
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync vouch`.
#[derive(Debug, Args)]
pub(crate) struct VouchArgs {
    /// The refused commits, as `memsync status` names them; all of them when none is named
    #[arg(value_name = "COMMIT")]
    commits: Vec<String>,
    /// Accept the commits without their content: put the last good state on top
    #[arg(long)]
    undo: bool,
    /// A member who becomes admin by it, or `everybody` where trust becomes open; `--yes` alone makes
    /// nobody admin
    #[arg(long, value_name = "ID")]
    new_admin: Vec<String>,
    /// Answer questions with yes
    #[arg(short, long)]
    yes: bool,
}

/// Options of `memsync accept-rewrite`.
#[derive(Debug, Args)]
pub(crate) struct AcceptRewriteArgs {
    /// What a member told you the team memory starts with now
    #[arg(long, value_name = "COMMIT:FINGERPRINT")]
    introduction: Option<String>,
    /// Answer questions with yes
    #[arg(short, long)]
    yes: bool,
}

/// Accepts refused commits.
pub(crate) fn run(args: VouchArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let actor = session.actor(None, args.yes, KeyNeed::IfThere)?;
    let always_asks = session.is_interactive();
    let request = VouchRequest {
        commits: args.commits,
        undo: args.undo,
        always_asks,
        is_answered: args.yes,
        new_admins: args.new_admin,
    };
    let outcome = vouch(&located.place(), &actor, &session.git, &request)?;
    say_outcome(ui, &outcome)
}

/// Follows a rewritten remote.
pub(crate) fn run_accept(args: AcceptRewriteArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let actor = session.actor(None, args.yes, KeyNeed::IfThere)?;
    let told = args.introduction.as_deref().map(super::join::parse_introduction).transpose()?;
    let done = accept_rewrite(&located.place(), &actor, &session.git, told.as_ref())?;
    if ui.format() == Format::Human
        && let Some(introduction) = &done.introduction
    {
        ui.done(format!("The history starts with {introduction} now."));
        super::renew::say_old_objects(session, ui)?;
    }
    say_outcome(ui, &done.exchange)
}

fn say_outcome(ui: &mut Ui, outcome: &ExchangeOutcome) -> Outcome {
    match ui.format() {
        Format::Human => say::exchange(ui, outcome),
        _ => {
            let complete = outcome.is_complete();
            ui.json(&Document::new(PULL_FORMAT, ExchangeDocument { complete, outcome }));
        }
    }
    Ok(say::exchange_exit(outcome, false))
}
