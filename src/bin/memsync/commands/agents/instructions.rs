//! `memsync instructions`: which files an agent is told here, in which order, and why.
//! Border: arguments and words; the flow is `local::instructions`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use memsync::base::display::Escaped;
use memsync::instructions::Entry;
use memsync::instructions::entry::assembled;
use memsync::local::check::{Checked, check};
use memsync::local::instructions::{Agent, Question, Told, told};
use memsync::report::advice::Exit;
use memsync::report::faults;
use memsync::report::json::Document;
use memsync::report::json::agents::instructions::{
    FileDocument, INSTRUCTIONS_CHECK_FORMAT, INSTRUCTIONS_FORMAT, InstructionsCheckDocument,
    InstructionsDocument, ProblemDocument,
};
use memsync::store::agent::claude_code;
use memsync::system::clock::Clock;

use crate::Outcome;
use crate::global::{AnyFormat, Format};
use crate::say::{FAINT, STRONG, count};
use crate::session::Session;
use crate::ui::Ui;

/// Options of `memsync instructions`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct InstructionsArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// Files the agent works on: rules that match them and instructions of their folders are added
    #[arg(long = "for", value_name = "PATH", num_args = 1..)]
    touched: Vec<PathBuf>,
    /// The client whose files are shown
    #[arg(long, value_enum, global = true, default_value_t = Client::ClaudeCode)]
    agent: Client,
    /// Write the text the agent is told, and nothing else
    #[arg(long)]
    print: bool,
}

/// What else is done with them.
#[derive(Clone, Copy, Debug, Subcommand)]
enum Action {
    /// Look for imports, rules and texts that do not do what they seem to; exit 1 where there are any
    Check,
}

impl InstructionsArgs {
    /// Whether `memsync instructions` writes a format.
    pub(crate) fn has(&self, format: AnyFormat) -> bool {
        let checks = matches!(format, AnyFormat::Sarif | AnyFormat::Github);
        format.plain().is_some() || (checks && self.action.is_some())
    }
}

/// A client that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
}

impl Client {
    pub(crate) fn agent(self) -> Agent {
        match self {
            Self::ClaudeCode => Agent::ClaudeCode,
            Self::Codex => Agent::Codex,
        }
    }

    /// How many characters one hook answer of the client may hold; `None` where no limit is known.
    pub(crate) fn answer_characters_max(self) -> Option<usize> {
        match self {
            Self::ClaudeCode => Some(claude_code::HOOK_ANSWER_CHARACTERS_MAX),
            Self::Codex => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }
}

/// Shows the files, or their text.
pub(crate) fn run(args: InstructionsArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate().ok();
    let question = Question {
        agent: args.agent.agent(),
        folder: &session.folder,
        environment: &session.environment,
        memdir: located.as_ref().map(|located| located.memdir.as_path()),
        touched: &args.touched,
    };
    if let Some(Action::Check) = args.action {
        let now = Clock::from_environment(&session.environment)?.now();
        return Ok(say_checked(&check(&question, now)?, session, ui));
    }
    let told = told(&question);
    for note in &told.notes {
        ui.warn(Escaped(note).to_string());
    }
    if args.print {
        ui.raw(assembled(&told.entries).as_bytes());
        return Ok(Exit::Done);
    }
    match ui.format() {
        Format::Human => say(&told, session, ui),
        _ => ui.json(&Document::new(
            INSTRUCTIONS_FORMAT,
            InstructionsDocument {
                agent: args.agent.name(),
                files: told.entries.iter().map(FileDocument::of).collect(),
            },
        )),
    }
    Ok(Exit::Done)
}

fn say(told: &Told, session: &Session, ui: &mut Ui) {
    let home = session.environment.home();
    let shown = |path: &Path| shortened(path, &told.folder, home.as_deref());
    for entry in &told.entries {
        let kind = format!("{:?}", entry.kind).to_lowercase();
        let (path, why) = (Escaped(&shown(&entry.path)).to_string(), why(entry, &shown));
        let why = Escaped(&why).to_string();
        ui.line(match entry.state.is_loaded() {
            true => format!("{kind:<8} {:>8}  {STRONG}{path}{STRONG:#}  {why}", entry.bytes),
            false => format!("{FAINT}not told {:>8}  {path}  {kind}: {why}{FAINT:#}", entry.bytes),
        });
    }
    let loaded = told.entries.iter().filter(|entry| entry.state.is_loaded());
    let bytes: usize = loaded.clone().map(|entry| entry.told.len()).sum();
    ui.note(format!("{}, {bytes} bytes", count(loaded.count(), "file is told", "files are told")));
}

/// Says what a check found, in the chosen format.
fn say_checked(checked: &Checked, session: &Session, ui: &mut Ui) -> Exit {
    let passes = checked.faults.is_empty();
    for note in &checked.notes {
        ui.warn(Escaped(note).to_string());
    }
    match ui.any_format() {
        AnyFormat::Sarif => ui.json(&faults::sarif(&checked.faults, &checked.folder)),
        AnyFormat::Github => ui.raw(faults::github(&checked.faults, &checked.folder).as_bytes()),
        AnyFormat::Human => {
            let home = session.environment.home();
            for fault in &checked.faults {
                let path = shortened(&fault.path, &checked.folder, home.as_deref());
                let place = match fault.position {
                    Some(at) => format!("{}:{}:{}", Escaped(&path), at.line, at.column),
                    None => Escaped(&path).to_string(),
                };
                ui.line(format!("{STRONG}{place}{STRONG:#} {} ({})", fault.message, fault.rule));
                ui.line(format!("  {FAINT}next: {}{FAINT:#}", fault.next_step));
            }
            let verdict = if passes { "good" } else { "not good" };
            ui.line(format!("{} checked: {verdict}.", count(checked.files, "file", "files")));
        }
        _ => ui.json(&Document::new(
            INSTRUCTIONS_CHECK_FORMAT,
            InstructionsCheckDocument {
                passes,
                files: checked.files,
                problems: checked.faults.iter().map(ProblemDocument::of).collect(),
            },
        )),
    }
    if passes { Exit::Done } else { Exit::No }
}

fn why(entry: &Entry, shown: &dyn Fn(&Path) -> String) -> String {
    let reason = entry.state.reason(shown);
    let imported = match &entry.importer {
        Some(importer) => format!(" by {}:{}", shown(&importer.path), importer.at.line),
        None => String::new(),
    };
    let reason = match (entry.state.is_loaded(), imported.is_empty()) {
        (false, false) => format!("{reason}; imported"),
        _ => reason,
    };
    let cut = entry.cut.as_ref().map(|cut| format!("; {cut}")).unwrap_or_default();
    format!("{reason}{imported}{cut}")
}

/// A path from the folder, or from home, where that is shorter.
fn shortened(path: &Path, folder: &Path, home: Option<&Path>) -> String {
    if let Ok(below) = path.strip_prefix(folder) {
        return below.to_string_lossy().into_owned();
    }
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) => format!("~/{}", below.to_string_lossy()),
        None => path.to_string_lossy().into_owned(),
    }
}
