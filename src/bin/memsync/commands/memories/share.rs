//! `memsync share` and `memsync unshare`: memories go to the team, or back.
//! Border: arguments and words; the flow is `memories::share`.

use clap::Args;
use memsync::base::display::{Escaped, escape_block};
use memsync::base::text::count;
use memsync::memories::error::MoveError;
use memsync::memories::share::{
    Places, Plan, check_share, plan_share, plan_unshare, share, unshare,
};
use memsync::memory::personal::Machine;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::share::{MoveDocument, SHARE_FORMAT, UNSHARE_FORMAT};
use memsync::sync::outcome::ExchangeOutcome;
use memsync::sync::repo::team::Actor;

use crate::Outcome;
use crate::failure::Failure;
use crate::global::Format;
use crate::say::{self, GOOD, STRONG};
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync share`.
#[derive(Debug, Args)]
pub(crate) struct ShareArgs {
    /// Private memories: name, file or a part of one; `memsync list --private` shows them
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// Replace home paths by `~`, and e-mail addresses and this machine's name by a word
    #[arg(long)]
    take_out: bool,
    #[command(flatten)]
    how: HowArgs,
}

/// Options of `memsync unshare`.
#[derive(Debug, Args)]
pub(crate) struct UnshareArgs {
    /// Team memories: name, file or a part of one; `memsync list --team` shows them
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    how: HowArgs,
}

/// How it is done.
#[derive(Clone, Copy, Debug, Args)]
struct HowArgs {
    /// Do it without asking
    #[arg(short, long)]
    yes: bool,
    /// Show what would be done and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Moves private memories to the team.
pub(crate) fn run(args: &ShareArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let (memdir, place) = (located.memdir.clone(), located.place());
    let places = Places { memdir: &memdir, team: &place };
    let actor = session.actor(None, args.how.yes, KeyNeed::IfThere)?;
    let home = session.environment.home();
    let host = session.environment.host_name();
    let machine =
        Machine { home: home.as_deref().and_then(|home| home.to_str()), host: host.as_deref() };
    let mut plan = plan_share(places, &args.names, machine)?;
    if args.take_out || offers_to_take_out(&plan, &actor, args.how, ui) {
        plan.take_out_personal();
    }
    let checked = check_share(places, &actor, &plan);
    if let Err(MoveError::Refused { reasons }) = &checked {
        say::reasons(ui, reasons);
    }
    checked?;
    if ui.format() == Format::Human {
        show(&plan, ui);
    }
    let done = match args.how.dry_run {
        true => None,
        false => {
            let memories = count(plan.items.len(), "memory", "memories");
            confirmed(&actor, &format!("Share {memories} with everybody in the team?"))?;
            Some(share(places, &actor, &plan)?)
        }
    };
    tell(&plan, done.as_ref(), SHARE_FORMAT, ui);
    if done.is_some() && ui.format() == Format::Human {
        let memories = count(plan.items.len(), "memory is", "memories are");
        ui.done(format!("{memories} in team/ now, committed here and not sent yet."));
        ui.next(
            "`memsync push` sends them. Until then `memsync unshare NAME` takes one back unsent.",
        );
    }
    Ok(Exit::Done)
}

/// Moves team memories to the private layer.
pub(crate) fn run_unshare(args: &UnshareArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let (memdir, place) = (located.memdir.clone(), located.place());
    let places = Places { memdir: &memdir, team: &place };
    let actor = session.actor(None, args.how.yes, KeyNeed::IfThere)?;
    let plan = plan_unshare(places, &args.names)?;
    let done = match args.how.dry_run {
        true => None,
        false => {
            let memories = count(plan.items.len(), "memory", "memories");
            let question = format!(
                "Take {memories} away from the team? What was shared already stays in its history."
            );
            confirmed(&actor, &question)?;
            Some(unshare(places, &actor, &plan)?)
        }
    };
    tell(&plan, done.as_ref(), UNSHARE_FORMAT, ui);
    if ui.format() == Format::Human {
        for item in &plan.items {
            let verb = if done.is_some() { "is private now" } else { "would be private" };
            ui.line(format!("{STRONG}{}{STRONG:#} {verb}", Escaped(item.path.as_str())));
        }
        if done.is_some() {
            ui.next("`memsync push` removes it for the others. History keeps what was shared.");
        }
    }
    Ok(Exit::Done)
}

fn confirmed(actor: &Actor, question: &str) -> Result<(), Failure> {
    if actor.confirms(question) { Ok(()) } else { Err(MoveError::Unconfirmed.into()) }
}

/// Whether a person wants what is personal to be taken out. Without a terminal it is only named.
fn offers_to_take_out(plan: &Plan, actor: &Actor, how: HowArgs, ui: &mut Ui) -> bool {
    let mut is_personal = false;
    for item in &plan.items {
        for one in &item.personal {
            is_personal = true;
            let (path, text) = (Escaped(item.path.as_str()), Escaped(&one.text));
            ui.warn(format!("{path}:{}: {} `{text}`", one.line, one.what));
        }
    }
    if is_personal && (how.yes || how.dry_run) {
        ui.next("`--take-out` replaces these by words that say nothing of this machine.");
    }
    is_personal
        && !how.yes
        && !how.dry_run
        && actor.confirms("Take this out of the text that is shared?")
}

/// The texts as they would be shared.
fn show(plan: &Plan, ui: &mut Ui) {
    for item in &plan.items {
        ui.line(format!("{STRONG}team/{}{STRONG:#}", Escaped(item.path.as_str())));
        for line in escape_block(item.text.trim_end()).lines() {
            ui.line(format!("{GOOD}+ {line}{GOOD:#}"));
        }
    }
}

fn tell(plan: &Plan, done: Option<&ExchangeOutcome>, format: &'static str, ui: &mut Ui) {
    if ui.format() != Format::Human {
        ui.json(&Document::new(format, MoveDocument::of(plan, done)));
    } else if done.is_none() {
        ui.note("Nothing was changed.");
    }
}
