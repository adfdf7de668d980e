//! `memsync seal`, `unseal` and `reseal`: for whom a memory is readable.
//! Border: the flows are `sync::seal`, `sync::seal_open` and `sync::reseal`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use memsync::base::id::ObjectId;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::seal::{AsDocument, UNSEAL_FORMAT, UnsealDocument};
use memsync::seal::audience::Wanted;
use memsync::sync::sealed::open::unseal;
use memsync::sync::sealed::reseal::{ResealOutcome, ResealRequest, reseal};
use memsync::sync::sealed::seal::{SealOutcome, SealRequest, seal};
use memsync::trust::roster::{MemberId, Role};

use crate::Outcome;
use crate::commands::team::role::RoleArg;
use crate::failure::Failure;
use crate::global::Format;
use crate::say::{self, count};
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Commits that are named before they are only counted.
const COMMITS_SHOWN_MAX: usize = 5;

/// For whom.
#[derive(Clone, Debug, Args)]
pub(crate) struct ForArgs {
    /// A member who can open it, besides you; several with commas or by repeating
    #[arg(long = "for", value_name = "MEMBER", value_delimiter = ',')]
    members: Vec<String>,
    /// Everyone with this role, or one that may do more
    #[arg(long, value_enum, value_name = "ROLE")]
    for_role: Option<RoleArg>,
}

impl ForArgs {
    /// What was asked for.
    pub(crate) fn wanted(&self) -> Result<BTreeSet<Wanted>, Failure> {
        let member = |text: &String| {
            MemberId::parse(text).map(Wanted::Member).map_err(|error| {
                Failure::usage(error.to_string(), "`memsync member list` shows the ids.")
            })
        };
        let mut wanted: BTreeSet<Wanted> =
            self.members.iter().map(member).collect::<Result<_, _>>()?;
        wanted.extend(self.for_role.map(|role| Wanted::Role(Role::from(role))));
        Ok(wanted)
    }

    /// Whether nobody was named.
    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.for_role.is_none()
    }
}

/// Keys besides the usual one.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct IdentityArgs {
    /// Also open with this OpenSSH key or age identity file
    #[arg(long, value_name = "FILE")]
    pub(crate) identity: Vec<PathBuf>,
}

/// Options of `memsync seal`.
#[derive(Debug, Args)]
pub(crate) struct SealArgs {
    /// The memory: its name, file stem or path
    memory: String,
    #[command(flatten)]
    audience: ForArgs,
    /// A description that everyone may read [default: the one it has, if you agree]
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Seal it although it holds a credential; everyone can read the reason
    #[arg(long, value_name = "REASON")]
    allow_secret: Option<String>,
    /// Answer questions with yes
    #[arg(short, long)]
    yes: bool,
}

/// Options of `memsync unseal`.
#[derive(Debug, Args)]
pub(crate) struct UnsealArgs {
    /// The memory: its name, file stem or path
    memory: String,
    #[command(flatten)]
    identities: IdentityArgs,
    /// Answer questions with yes
    #[arg(short, long)]
    yes: bool,
}

/// Options of `memsync reseal`.
#[derive(Debug, Args)]
pub(crate) struct ResealArgs {
    /// The memories: names, file stems or paths
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    memories: Vec<String>,
    /// Every sealed memory that you can open
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    audience: ForArgs,
    #[command(flatten)]
    identities: IdentityArgs,
}

/// Seals a memory.
pub(crate) fn run(args: SealArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let actor = session.actor(None, args.yes, KeyNeed::IfThere)?;
    let wish = SealRequest {
        wanted: args.audience.wanted()?,
        description: args.description,
        allow_secret: args.allow_secret,
    };
    let done = seal(&located.place(), &actor, &args.memory, &wish)?;
    say_sealed(ui, &done);
    Ok(say::exchange_exit(&done.exchange, false))
}

/// What was sealed, for whom, and what stays readable.
pub(crate) fn say_sealed(ui: &mut Ui, done: &SealOutcome) {
    if ui.format() != Format::Human {
        ui.json(&Document::new(SealOutcome::FORMAT, done));
        return;
    }
    ui.done(format!("Sealed {} for {}.", done.path, done.readers.join(", ")));
    ui.note("everyone who has the repository can read its name, description, type and readers");
    if done.index_to_check {
        ui.warn("its entry in MEMORY.md may still say something of the old description");
    }
    let history = &done.plain_history;
    if !history.commits.is_empty() {
        ui.warn(format!(
            "{} of it in history stay readable by everyone who has the repository: {}",
            count(history.commits.len(), "plain version", "plain versions"),
            commits(&history.commits)
        ));
        ui.next("Change whatever they give away: sealing cannot take back what was written.");
    }
    if history.unshared > 0 {
        ui.warn(format!(
            "{} of them not shared yet; the next `memsync push` shares them",
            count(history.unshared, "is", "are")
        ));
    }
    say::held_back(ui, &done.exchange.staged.held_back);
    ui.next("Share it with `memsync push`.");
}

fn commits(ids: &[ObjectId]) -> String {
    let named: Vec<String> = ids.iter().take(COMMITS_SHOWN_MAX).map(ObjectId::short).collect();
    let more = ids.len().saturating_sub(COMMITS_SHOWN_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    named.join(", ") + &more
}

/// Makes a memory plain again.
pub(crate) fn run_unseal(args: UnsealArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let mut actor = session.actor(None, args.yes, KeyNeed::IfThere)?;
    actor.keys = session.keys(&args.identities.identity);
    let (path, exchange) = unseal(&located.place(), &actor, &args.memory)?;
    if ui.format() == Format::Human {
        ui.done(format!("{path} is plain; share it with `memsync push`."));
        say::held_back(ui, &exchange.staged.held_back);
    } else {
        let document = UnsealDocument { path: path.as_str(), exchange: &exchange };
        ui.json(&Document::new(UNSEAL_FORMAT, document));
    }
    Ok(say::exchange_exit(&exchange, false))
}

/// Seals memories again.
pub(crate) fn run_reseal(args: ResealArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let mut actor = session.actor(None, false, KeyNeed::IfThere)?;
    actor.keys = session.keys(&args.identities.identity);
    if args.all && !args.audience.is_empty() {
        return Err(Failure::usage(
            "`--all` and `--for` would give every sealed memory the same readers",
            "Name the memories.",
        ));
    }
    let wish = ResealRequest { names: args.memories, wanted: args.audience.wanted()? };
    let done = reseal(&located.place(), &actor, &wish)?;
    if ui.format() == Format::Human {
        say_resealed(ui, &done);
        if done.resealed.iter().any(|one| !one.removed.is_empty()) {
            ui.warn("whoever was removed can still open earlier versions, and what they copied");
        }
        say::held_back(ui, &done.exchange.staged.held_back);
        if !done.resealed.is_empty() {
            ui.next("Share it with `memsync push`.");
        }
    } else {
        ui.json(&Document::new(ResealOutcome::FORMAT, &done));
    }
    let exit = say::exchange_exit(&done.exchange, false);
    Ok(if done.closed.is_empty() { exit } else { Exit::No })
}

/// What was sealed again, and what could not be.
pub(crate) fn say_resealed(ui: &mut Ui, done: &ResealOutcome) {
    for one in &done.resealed {
        let added = part(" added ", &one.added);
        let removed = part(" removed ", &one.removed);
        let changed = if added.is_empty() && removed.is_empty() {
            " (their present keys)".to_owned()
        } else {
            format!(" ({})", [added.trim(), removed.trim()].join(" ").trim())
        };
        ui.done(format!("Sealed {} again for {}{changed}.", one.path, one.readers.join(", ")));
    }
    for left in &done.closed {
        ui.warn(left.why.clone());
        let readers = left.readers.join(", ");
        ui.next(format!("Ask a reader ({readers}) to run `memsync reseal {}`.", left.path));
    }
    if done.unchanged > 0 {
        ui.note(format!(
            "{} right already",
            count(done.unchanged, "sealed memory was", "sealed memories were")
        ));
    }
}

fn part(word: &str, names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("{word}{}", names.join(", ")) }
}
