//! `memsync resolve`: look at open conflicts and close them.
//! Border: the flow is `sync::resolve`; this file asks and shows.

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use memsync::base::display::Escaped;
use memsync::memory::limits::MEMORY_BYTES_MAX;
use memsync::merge::conflict::{Conflict, ConflictSide, Content};
use memsync::merge::resolve::Choice;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::resolve::{ConflictEntry, RESOLVE_FORMAT, ResolveDocument};
use memsync::seal::envelope::is_sealed_text;
use memsync::sync::resolve::{Decision, Open, close, open};
use memsync::system::editor::edit;

use crate::Outcome;
use crate::args::Format;
use crate::failure::Failure;
use crate::say::{self, FAINT, STRONG};
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync resolve`.
#[derive(Debug, Args)]
pub(crate) struct ResolveArgs {
    /// The conflict: its id or the start of it; without one, all are listed
    id: Option<String>,
    /// Keep what the file holds now
    #[arg(long, group = "choice", requires = "id")]
    ours: bool,
    /// Take the text that was set aside
    #[arg(long, group = "choice", requires = "id")]
    theirs: bool,
    /// Keep both texts
    #[arg(long, group = "choice", requires = "id")]
    both: bool,
    /// Write the file in your editor
    #[arg(long, group = "choice", requires = "id")]
    edit: bool,
    /// Take the file from here
    #[arg(long, value_name = "FILE", group = "choice", requires = "id")]
    file: Option<PathBuf>,
    /// Only list, also on a terminal
    #[arg(long, conflicts_with = "choice")]
    list: bool,
}

/// Lists, walks through, or closes.
pub(crate) fn run(args: ResolveArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let all = open(&located.team(), located.project_root.as_deref())?;
    let Some(id) = &args.id else {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        if is_terminal && !args.list && ui.format() == Format::Human {
            return walk(&all, session, ui);
        }
        list(&all, ui);
        return Ok(Exit::Done);
    };
    let named = all.iter().find(|open| open.id.starts_with(id.as_str()));
    let Some(decision) = decision(&args, named, session)? else {
        named.into_iter().for_each(|open| show(open, ui));
        return Ok(if named.is_some() { Exit::Done } else { Exit::No });
    };
    decide(id, &decision, session, ui)
}

fn decision(
    args: &ResolveArgs,
    named: Option<&Open>,
    session: &Session,
) -> Result<Option<Decision>, Failure> {
    if let Some(file) = &args.file {
        return read(&session.folder.join(file)).map(|text| Some(Decision::Text(text)));
    }
    Ok(match args {
        ResolveArgs { ours: true, .. } => Some(Decision::Choice(Choice::Kept)),
        ResolveArgs { theirs: true, .. } => Some(Decision::Choice(Choice::Other)),
        ResolveArgs { both: true, .. } => Some(Decision::Choice(Choice::Both)),
        ResolveArgs { edit: true, .. } => Some(edited(named, session)?),
        _ => None,
    })
}

/// The file now, as the person leaves it in the editor.
fn edited(named: Option<&Open>, session: &Session) -> Result<Decision, Failure> {
    let current = named.and_then(|open| open.current.clone()).unwrap_or_default();
    if std::str::from_utf8(&current).is_ok_and(is_sealed_text) {
        return Err(Failure::usage(
            "the memory is sealed, so its file is not for an editor",
            "`memsync open --conflict ID` shows both texts. Write yours with `memsync open MEMORY --edit`, then close it with `memsync resolve ID --ours`.",
        ));
    }
    Ok(Decision::Text(edit(&session.environment, &current)?))
}

fn read(path: &std::path::Path) -> Result<Vec<u8>, Failure> {
    let bad =
        |why: String| Failure::usage(format!("`{}` {why}", path.display()), "Name a text file.");
    let size =
        std::fs::metadata(path).map_err(|error| bad(format!("cannot be read: {error}")))?.len();
    if size > MEMORY_BYTES_MAX as u64 {
        return Err(bad(format!("has more than {MEMORY_BYTES_MAX} bytes")));
    }
    std::fs::read(path).map_err(|error| bad(format!("cannot be read: {error}")))
}

fn decide(id: &str, decision: &Decision, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let caller = session.caller(None, false, KeyNeed::IfThere)?;
    let done = close(&located.team(), located.project_root.as_deref(), &caller, id, decision)?;
    match ui.format() {
        Format::Human => {
            ui.line(format!("Closed {} in {}; share it with `memsync push`.", done.id, done.path));
        }
        _ => {
            let document = ResolveDocument { conflicts: Vec::new(), resolved: Some(&done) };
            ui.json(&Document::new(RESOLVE_FORMAT, document));
        }
    }
    Ok(say::exchange_exit(&done.exchange, false))
}

fn list(all: &[Open], ui: &mut Ui) {
    if ui.format() != Format::Human {
        let conflicts = all.iter().map(ConflictEntry::of).collect();
        ui.json(&Document::new(RESOLVE_FORMAT, ResolveDocument { conflicts, resolved: None }));
        return;
    }
    all.iter().for_each(|open| show(open, ui));
    if all.is_empty() {
        ui.note("no conflict is open");
    } else {
        ui.next("`memsync resolve ID` with `--ours` (what the file holds), `--theirs` (what was set aside), `--both`, `--edit` or `--file FILE`.");
    }
}

/// One conflict: what it is about, who wanted what, and the words that differ.
fn show(open: &Open, ui: &mut Ui) {
    let conflict = match &open.conflict {
        Ok(conflict) => conflict,
        Err(problem) => {
            ui.line(format!("{STRONG}{}{STRONG:#} {problem}", open.id));
            return;
        }
    };
    ui.line(format!(
        "{STRONG}{}{STRONG:#} {}: {}",
        open.id,
        conflict.path,
        Escaped(&conflict.part.to_string())
    ));
    who(ui, "ours (in the file)", &conflict.kept);
    who(ui, "theirs (set aside)", &conflict.other);
    words(ui, conflict);
}

fn who(ui: &mut Ui, name: &str, side: &ConflictSide) {
    let origin = &side.origin;
    let what = if side.content.is_some() { "" } else { ", deleted it" };
    ui.line(format!(
        "  {FAINT}{name}: {}, {}, {}{what}{FAINT:#}",
        Escaped(&origin.author),
        origin.date,
        origin.commit.map_or_else(|| "with the conflict".to_owned(), |id| id.short())
    ));
}

fn words(ui: &mut Ui, conflict: &Conflict) {
    let text = |side: &ConflictSide| match &side.content {
        Some(Content::Text(text)) => Some(text.clone().into_bytes().into()),
        Some(Content::Bytes(bytes)) => Some(bytes.clone().into()),
        None => None,
    };
    let diff = memsync::sync::diff::FileDiff {
        path: conflict.path.to_string(),
        old: text(&conflict.kept),
        new: text(&conflict.other),
        left_out: Vec::new(),
    };
    say::side_by_side(ui, &diff, ["ours", "theirs"]);
}

/// Goes through all conflicts with the person.
fn walk(all: &[Open], session: &Session, ui: &mut Ui) -> Outcome {
    for (number, open) in all.iter().enumerate() {
        ui.line(format!("Conflict {} of {}", number + 1, all.len()));
        show(open, ui);
        ui.prompt("[o]urs, [t]heirs, [b]oth, [e]dit, [s]kip, [q]uit? ");
        let mut answer = String::new();
        if std::io::stdin().lock().read_line(&mut answer).is_err() {
            break;
        }
        let decision = match answer.trim() {
            "o" => Decision::Choice(Choice::Kept),
            "t" => Decision::Choice(Choice::Other),
            "b" => Decision::Choice(Choice::Both),
            "e" => edited(Some(open), session)?,
            "q" => break,
            _ => continue,
        };
        // One that cannot be closed like this must not end the walk.
        if let Err(failure) = decide(&open.id, &decision, session, ui) {
            ui.failure(&failure);
        }
    }
    if all.is_empty() {
        ui.note("no conflict is open");
    }
    Ok(Exit::Done)
}
