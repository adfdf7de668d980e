//! `memsync join`: take part in a team memory.
//! Border: the flow is `sync::setup`.

use clap::Args;
use memsync::base::id::ObjectId;
use memsync::git::setup::config::projects_of;
use memsync::git::url::RemoteUrl;
use memsync::report::json::Document;
use memsync::report::json::sync::exchange::{JOIN_FORMAT, SetupDocument};
use memsync::store::locate::TeamPlace;
use memsync::sync::membership::arrival::JoinOptions;
use memsync::sync::membership::members::list;
use memsync::sync::membership::requests::send;
use memsync::sync::membership::setup::join;
use memsync::sync::repo::introduction::shown_introduction;
use memsync::sync::repo::team::Actor;

use crate::Outcome;
use crate::failure::Failure;
use crate::global::Format;
use crate::say::{self, STRONG, count};
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync join`.
#[derive(Debug, Args)]
pub(crate) struct JoinArgs {
    /// The team's repository: an https, ssh or file address, or a path
    url: String,
    /// What a member told you the team memory starts with
    #[arg(long, value_name = "COMMIT:FINGERPRINT", conflicts_with = "accept_introduction")]
    introduction: Option<String>,
    /// Take what the team memory starts with as it is found
    #[arg(long)]
    accept_introduction: bool,
    /// Ask an admin to let you in, over the remote itself
    #[arg(long)]
    request: bool,
    /// The project here [default: as its remotes say]
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Answer questions with yes
    #[arg(short, long)]
    yes: bool,
}

/// Takes part in a team memory.
pub(crate) fn run(args: JoinArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let remote = RemoteUrl::parse(&args.url)?.resolved(&session.folder)?;
    let introduction = args.introduction.as_deref().map(parse_introduction).transpose()?;
    let projects = match args.project {
        Some(project) => vec![project],
        None => located.project_root.as_deref().map(projects_of).unwrap_or_default(),
    };
    let accept_introduction = args.accept_introduction;
    let options = JoinOptions { remote, introduction, accept_introduction, projects };
    let mut actor = session.actor(None, args.yes, KeyNeed::Make)?;
    session.note_guessed_name(ui);
    session.offer_age_identity(&mut actor, ui)?;
    let busy = session.busy("Joining");
    let made = join(&located.place(), &actor, &session.git, options)?;
    drop(busy);
    let introduction = shown_introduction(made.root_commit, made.root_signer.as_deref());
    if args.request {
        send(&located.place(), &actor, &session.git)?;
    }
    if ui.format() != Format::Human {
        ui.json(&Document::new(JOIN_FORMAT, SetupDocument { introduction, outcome: &made }));
        return Ok(say::exchange_exit(&made.exchange, false));
    }
    let memories = count(made.memories, "memory", "memories");
    ui.done(format!(
        "Joined team memory at {STRONG}{}{STRONG:#}: {memories}.",
        made.team.display()
    ));
    ui.note(format!("Its introduction, the same for every member: {introduction}"));
    say::work(ui, &made.exchange);
    if args.request {
        super::member::say_sent(ui, &actor);
    } else if is_outsider(&located.place(), &actor)? {
        ui.next("You can read. To share as well, ask an admin: `memsync member request --push`.");
    }
    Ok(say::exchange_exit(&made.exchange, false))
}

/// Whether the team has a roster and this key is not in it.
fn is_outsider(place: &TeamPlace, actor: &Actor) -> Result<bool, Failure> {
    let members = list(place, actor.signer.as_ref().map(|signer| signer.public_key()))?;
    Ok(!members.is_empty() && !members.iter().any(|member| member.is_you))
}

/// Reads what `--introduction` takes.
pub(crate) fn parse_introduction(text: &str) -> Result<(ObjectId, Option<String>), Failure> {
    let (commit, signer) = match text.split_once(':') {
        Some((commit, signer)) => (commit, Some(signer.to_owned())),
        None => (text, None),
    };
    let id = commit.parse().map_err(|error| {
        Failure::usage(
            format!("the introduction is not COMMIT:FINGERPRINT: {error}"),
            "Copy it as a member's memsync shows it.",
        )
    })?;
    Ok((id, signer))
}
