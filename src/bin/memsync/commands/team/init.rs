//! `memsync init`: start a team memory.
//! Border: the flow is `sync::setup`.

use clap::{Args, ValueEnum};
use memsync::config::policy::Trust;
use memsync::git::repo::ObjectFormat;
use memsync::git::setup::config::projects_of;
use memsync::git::url::RemoteUrl;
use memsync::report::json::Document;
use memsync::report::json::sync::exchange::{INIT_FORMAT, SetupDocument};
use memsync::sync::membership::setup::{InitOptions, init};
use memsync::sync::repo::introduction::shown_introduction;

use crate::Outcome;
use crate::commands::sync::status::single_admin;
use crate::global::Format;
use crate::say::{self, STRONG};
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// An empty repository to share over: an https, ssh or file address, or a path
    #[arg(long, value_name = "URL")]
    remote: Option<String>,
    /// Let everyone who may push to the remote change team memory, without a roster
    #[arg(long)]
    open: bool,
    /// The hash of the new repository
    #[arg(long, value_enum, default_value_t = Hash::Sha1)]
    object_format: Hash,
    /// The project the team memory is for [default: that of the remote `origin`, if it has one]
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Answer questions with yes
    #[arg(short, long)]
    yes: bool,
}

/// Hashes git knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Hash {
    /// SHA-1, what every host takes
    Sha1,
    /// SHA-256
    Sha256,
}

/// Starts a team memory.
pub(crate) fn run(args: InitArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let remote = args.remote.as_deref().map(RemoteUrl::parse).transpose()?;
    let remote = remote.map(|url| url.resolved(&session.folder)).transpose()?;
    let format = match args.object_format {
        Hash::Sha1 => ObjectFormat::Sha1,
        Hash::Sha256 => ObjectFormat::Sha256,
    };
    let options = InitOptions {
        remote,
        trust: if args.open { Trust::Open } else { Trust::Roster },
        format,
        project: args.project.or_else(|| {
            located.project_root.as_deref().and_then(|root| projects_of(root).into_iter().next())
        }),
    };
    let mut actor = session.actor(None, args.yes, KeyNeed::Make)?;
    session.note_guessed_name(ui);
    session.offer_age_identity(&mut actor, ui)?;
    let busy = session.busy("Starting");
    let made = init(&located.place(), &actor, &session.git, options)?;
    drop(busy);
    let introduction = shown_introduction(made.root_commit, made.root_signer.as_deref());
    if ui.format() != Format::Human {
        ui.json(&Document::new(INIT_FORMAT, SetupDocument { introduction, outcome: &made }));
        return Ok(say::exchange_exit(&made.exchange, false));
    }
    ui.done(format!("Started team memory at {STRONG}{}{STRONG:#}.", made.team.display()));
    say::exchange(ui, &made.exchange);
    if let Some(remote) = &made.remote {
        let told =
            if args.open { String::new() } else { format!(" --introduction {introduction}") };
        ui.done("Others take part with:");
        ui.done(format!("  {STRONG}memsync join {remote}{told}{STRONG:#}"));
    } else {
        ui.next("Share it: `memsync remote set URL`, then `memsync push`.");
    }
    if !args.open {
        ui.note(format!("You are the only admin{}", single_admin(1)));
    }
    Ok(say::exchange_exit(&made.exchange, false))
}
