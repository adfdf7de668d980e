//! `memsync instructions`: which files an agent is told here, in which order, and why.
//! Border: arguments and words; the flow is `local::instructions`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use memsync::base::display::Escaped;
use memsync::instructions::Entry;
use memsync::instructions::entry::assembled;
use memsync::local::instructions::{Agent, Question, Told, told};
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::instructions::{
    FileDocument, INSTRUCTIONS_FORMAT, InstructionsDocument,
};

use crate::Outcome;
use crate::args::Format;
use crate::say::{FAINT, STRONG, count};
use crate::session::Session;
use crate::ui::Ui;

/// Options of `memsync instructions`.
#[derive(Debug, Args)]
pub(crate) struct InstructionsArgs {
    /// Files the agent works on: rules that match them and instructions of their folders are added
    #[arg(long = "for", value_name = "PATH", num_args = 1..)]
    touched: Vec<PathBuf>,
    /// The client whose files are shown
    #[arg(long, value_enum, default_value_t = Client::ClaudeCode)]
    agent: Client,
    /// Write the text the agent is told, and nothing else
    #[arg(long)]
    print: bool,
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
    fn agent(self) -> Agent {
        match self {
            Self::ClaudeCode => Agent::ClaudeCode,
            Self::Codex => Agent::Codex,
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
    let told = told(&Question {
        agent: args.agent.agent(),
        folder: &session.folder,
        environment: &session.environment,
        memdir: located.as_ref().map(|located| located.memdir.as_path()),
        touched: &args.touched,
    });
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
