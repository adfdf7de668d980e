//! `memsync remember`: write a memory through the gate.
//! Border: the flow is `memories::remember`.

use std::io::Read;

use clap::{Args, ValueEnum};
use memsync::base::display::{Escaped, escape_block};
use memsync::local::advice::Advisor;
use memsync::local::layers::TEAM;
use memsync::memories::error::MoveError;
use memsync::memories::remember::{
    Preview, found, preview, remember_for_team, remember_privately, superseded,
};
use memsync::memories::share::Places;
use memsync::memories::template::{Draft, Filled, TemplateProblem, filled, template};
use memsync::memory::kind::{Kind, Scope};
use memsync::memory::limits::MEMORY_BYTES_MAX;
use memsync::memory::problem::Problem;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::memories::memory::{REMEMBER_FORMAT, RememberDocument};
use memsync::sync::sealed::seal::{SealRequest, remember_sealed};
use memsync::sync::write::remember::{NewMemory, Remembered};
use memsync::system::editor::edit;

use crate::Outcome;
use crate::commands::sealed::seal::{ForArgs, say_sealed};
use crate::failure::Failure;
use crate::global::Format;
use crate::say::{self, GOOD, STRONG};
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
    /// Its name; on a terminal your editor opens on what is missing
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Its kind
    #[arg(long, value_enum)]
    kind: Option<KindArg>,
    /// What it says, in one line; this becomes its entry in the index
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Write over the memory of the same name, wherever its file lies
    #[arg(long)]
    replace: bool,
    /// A memory that this one takes the place of; it stays, and is recalled no more
    #[arg(long, value_name = "NAME")]
    supersedes: Vec<String>,
    /// Show what would be written and change nothing
    #[arg(long, conflicts_with = "seal")]
    dry_run: bool,
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
    if !args.seal && !args.audience.is_empty() {
        return Err(Failure::usage("`--for` names readers of a sealed memory", "Add `--seal`."));
    }
    // Asked apart: stdin is locked while somebody holds it.
    let is_piped = session.input().is_some();
    let written = if is_piped { args.piped(body(session)?)? } else { args.typed(session)? };
    let is_team =
        args.team || args.seal || (!args.private && written.kind.default_scope() == Scope::Team);
    let scope = if is_team { Scope::Team } else { Scope::Private };
    let memory = NewMemory {
        name: written.name,
        kind: written.kind,
        description: written.description,
        body: written.body,
        replace: args.replace,
        supersedes: superseded(&located.memdir, scope, &args.supersedes)?,
        path: None,
    };
    let place = located.place();
    let places = Places { memdir: &located.memdir, team: &place };
    let actor = session.actor(None, false, KeyNeed::IfThere)?;
    if args.dry_run {
        let preview = preview(places, &actor, &memory, scope)?;
        return Ok(say_preview(&preview, &Advisor::read(session.around(&located)), ui));
    }
    if args.seal {
        let wanted = args.audience.wanted()?;
        let wish = SealRequest { wanted, allow_secret: args.allow_secret, description: None };
        let memory = found(places.memdir, Scope::Team, &memory)?;
        let done = remember_sealed(&place, &actor, &memory, &wish)?;
        say_sealed(ui, &done);
        return Ok(say::exchange_exit(&done.exchange, false));
    }
    let done = match scope {
        Scope::Team => remember_for_team(places, &actor, &memory)?,
        Scope::Private => remember_privately(&located.memdir, &memory)?,
    };
    Ok(say_done(&done, &Advisor::read(session.around(&located)), ui))
}

fn say_done(done: &Remembered, advisor: &Advisor, ui: &mut Ui) -> Exit {
    let advice = advisor.of_file(&below(done.scope, done.path.as_str()));
    if ui.format() != Format::Human {
        let document = RememberDocument { advice: &advice, ..RememberDocument::of(done) };
        ui.json(&Document::new(REMEMBER_FORMAT, document));
        return Exit::Done;
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
    say_advice(&advice, ui);
    Exit::Done
}

fn say_preview(preview: &Preview, advisor: &Advisor, ui: &mut Ui) -> Exit {
    let path = below(preview.scope, preview.path.as_str());
    let advice = advisor.of(&path, &preview.text);
    if ui.format() != Format::Human {
        let team = preview.scope == Scope::Team;
        let text = Some(preview.text.as_str());
        let path = preview.path.to_string();
        let document = RememberDocument { path, team, exchange: None, advice: &advice, text };
        ui.json(&Document::new(REMEMBER_FORMAT, document));
        return Exit::Done;
    }
    let verb = if preview.replaces { "replaced" } else { "written" };
    ui.line(format!("{STRONG}{}{STRONG:#} would be {verb}:", Escaped(&path)));
    for line in escape_block(preview.text.trim_end()).lines() {
        ui.line(format!("{GOOD}+ {line}{GOOD:#}"));
    }
    say_advice(&advice, ui);
    ui.note("Nothing was changed.");
    Exit::Done
}

fn say_advice(advice: &[Problem], ui: &mut Ui) {
    for problem in advice {
        ui.warn(format!("{} ({})", problem.message, problem.rule));
        ui.next(&problem.next_step);
    }
}

fn below(scope: Scope, path: &str) -> String {
    match scope {
        Scope::Team => format!("{TEAM}/{path}"),
        Scope::Private => path.to_owned(),
    }
}

impl RememberArgs {
    /// The memory of the options and a text that was piped in.
    fn piped(&self, body: String) -> Result<Filled, Failure> {
        let missing = |option: &str| {
            let next = "On a terminal `memsync remember` opens your editor on a template.";
            Failure::usage(format!("`{option}` is missing"), next)
        };
        let name = self.name.clone().ok_or_else(|| missing("--name"))?;
        let kind = self.kind.map(Kind::from).ok_or_else(|| missing("--kind"))?;
        let description = self.description.clone().ok_or_else(|| missing("--description"))?;
        if body.trim().is_empty() && description.trim().is_empty() {
            return Err(Failure::usage(
                "the memory is empty",
                "Pipe its text in, or say it in `--description`.",
            ));
        }
        Ok(Filled { name, kind, description, body })
    }

    /// The memory that a person writes in the editor. What was typed is never lost: an unfinished text is
    /// opened again, or printed.
    fn typed(&self, session: &Session) -> Result<Filled, Failure> {
        let draft = Draft {
            name: self.name.clone(),
            kind: self.kind.map(Kind::from),
            description: self.description.clone(),
        };
        let mut text = template(&draft);
        loop {
            let written = edit(&session.environment, text.as_bytes()).map_err(MoveError::from)?;
            text = String::from_utf8_lossy(&written).into_owned();
            let problem = match filled(&text) {
                Ok(filled) => return Ok(filled),
                Err(TemplateProblem::Empty) => {
                    return Err(Failure::usage("nothing was written", "Nothing was changed."));
                }
                Err(problem) => problem,
            };
            let actor = session.actor(None, false, KeyNeed::IfThere)?;
            if !actor.confirms(&format!("{problem}. Edit it again?")) {
                let text = escape_block(text.trim_end()).to_string();
                return Err(Failure::usage(
                    format!("{problem}; this was written:\n{text}"),
                    "Run the command again. Nothing was changed.",
                ));
            }
        }
    }
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
