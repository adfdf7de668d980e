//! `memsync remember`: write a memory through the gate.
//! Border: the flow is `sync::remember`.

use std::io::Read;

use clap::{Args, ValueEnum};
use memsync::local::advice::Advisor;
use memsync::local::layers::TEAM;
use memsync::memory::kind::{Kind, Scope};
use memsync::memory::limits::MEMORY_BYTES_MAX;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::memory::{REMEMBER_FORMAT, RememberDocument};
use memsync::sync::sealed::seal::{SealRequest, remember_sealed};
use memsync::sync::write::remember::{NewMemory, remember_for_team, remember_privately};

use crate::Outcome;
use crate::commands::sealed::seal::{ForArgs, say_sealed};
use crate::failure::Failure;
use crate::global::Format;
use crate::say;
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync remember`.
#[derive(Debug, Args)]
pub(crate) struct RememberArgs {
    /// Keep it in team memory [default for project and reference]
    #[arg(long, conflicts_with = "private")]
    team: bool,
    /// Keep it in the private layer [default for user and feedback]
    #[arg(long)]
    private: bool,
    /// Its name
    #[arg(long, value_name = "NAME")]
    name: String,
    /// Its kind
    #[arg(long, value_enum)]
    kind: KindArg,
    /// What it says, in one line; this becomes its entry in the index
    #[arg(long, value_name = "TEXT")]
    description: String,
    /// Write over a memory of the same name
    #[arg(long)]
    replace: bool,
    /// Seal its text: only you and those named can read it; name and description stay readable
    #[arg(long, conflicts_with = "private")]
    seal: bool,
    #[command(flatten)]
    audience: ForArgs,
    /// Seal it although it holds a credential; everyone can read the reason
    #[arg(long, value_name = "REASON", requires = "seal")]
    allow_secret: Option<String>,
}

/// The four kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArg {
    /// Who the person is
    User,
    /// What the person corrected or confirmed
    Feedback,
    /// Ongoing work, decisions, constraints
    Project,
    /// Where to find something outside
    Reference,
}

impl From<KindArg> for Kind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::User => Self::User,
            KindArg::Feedback => Self::Feedback,
            KindArg::Project => Self::Project,
            KindArg::Reference => Self::Reference,
        }
    }
}

/// Writes the memory.
pub(crate) fn run(args: RememberArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let kind = Kind::from(args.kind);
    if !args.seal && !args.audience.is_empty() {
        return Err(Failure::usage("`--for` names readers of a sealed memory", "Add `--seal`."));
    }
    let is_team = args.team || args.seal || (!args.private && kind.default_scope() == Scope::Team);
    let memory = NewMemory {
        name: args.name,
        kind,
        description: args.description,
        body: body(session)?,
        replace: args.replace,
    };
    if args.seal {
        let actor = session.actor(None, false, KeyNeed::IfThere)?;
        let wanted = args.audience.wanted()?;
        let wish = SealRequest { wanted, allow_secret: args.allow_secret, description: None };
        let done = remember_sealed(&located.place(), &actor, &memory, &wish)?;
        say_sealed(ui, &done);
        return Ok(say::exchange_exit(&done.exchange, false));
    }
    let done = if is_team {
        let actor = session.actor(None, false, KeyNeed::IfThere)?;
        remember_for_team(&located.place(), &actor, &memory)?
    } else {
        remember_privately(&located.memdir, &memory)?
    };
    let path = match done.scope {
        Scope::Team => format!("{TEAM}/{}", done.path),
        Scope::Private => done.path.to_string(),
    };
    let advice = Advisor::read(session.around(&located)).of_file(&path);
    if ui.format() != Format::Human {
        let document = RememberDocument { advice: &advice, ..RememberDocument::of(&done) };
        ui.json(&Document::new(REMEMBER_FORMAT, document));
        return Ok(Exit::Done);
    }
    match &done.exchange {
        Some(exchange) => {
            ui.done(format!(
                "Remembered for the team in {}; share it with `memsync push`.",
                done.path
            ));
            if !exchange.staged.held_back.is_empty() {
                say::held_back(ui, &exchange.staged.held_back);
            }
        }
        None => ui.done(format!("Remembered on this machine only, in {}.", done.path)),
    }
    for problem in &advice {
        ui.warn(format!("{} ({})", problem.message, problem.rule));
        ui.next(&problem.next_step);
    }
    Ok(Exit::Done)
}

/// The text from stdin, within the limit of a memory.
fn body(session: &Session) -> Result<String, Failure> {
    let Some(input) = session.input() else { return Ok(String::new()) };
    let mut bytes = Vec::new();
    let limit = MEMORY_BYTES_MAX as u64 + 1;
    let read = input.take(limit).read_to_end(&mut bytes);
    read.map_err(|error| {
        Failure::usage(format!("the text on stdin cannot be read: {error}"), "Pipe the text in.")
    })?;
    if bytes.len() > MEMORY_BYTES_MAX {
        return Err(Failure::usage(
            format!("the text on stdin is longer than {MEMORY_BYTES_MAX} bytes"),
            "Split it into several memories.",
        ));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::usage("the text on stdin is not UTF-8", "Convert it first."))
}
