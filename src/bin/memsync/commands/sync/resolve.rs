//! `memsync resolve`: look at open conflicts and close them.
//! Border: the flow is `sync::resolve`; this file asks and shows.

use std::fs::File;
use std::io::Read as _;

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use memsync::base::display::Escaped;
use memsync::base::time::Timestamp;
use memsync::memory::limits::MEMORY_BYTES_MAX;
use memsync::merge::conflict::ConflictSide;
use memsync::merge::conflict::resolve::Choice;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::sync::resolve::{ConflictEntry, RESOLVE_FORMAT, ResolveDocument};
use memsync::seal::envelope::is_sealed_text;
use memsync::sync::error::SyncError;
use memsync::sync::write::resolve::{Decision, Holds, Open, close, named, open};
use memsync::system::clock::Clock;
use memsync::system::editor::edit;

use crate::Outcome;
use crate::failure::Failure;
use crate::global::Format;
use crate::say::{self, BAD, FAINT, GOOD, STRONG};
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync resolve`.
#[derive(Debug, Args)]
pub(crate) struct ResolveArgs {
    /// The conflict: the start of its id, or the memory it is in; without one, all are listed
    #[arg(value_name = "ID|MEMORY", group = "which")]
    id: Option<String>,
    /// Every open conflict
    #[arg(long, group = "which", requires = "choice", conflicts_with_all = ["edit", "file"])]
    all: bool,
    /// Keep what the file holds now
    #[arg(long, group = "choice", requires = "which")]
    ours: bool,
    /// Take the text that was set aside
    #[arg(long, group = "choice", requires = "which")]
    theirs: bool,
    /// Keep both texts
    #[arg(long, group = "choice", requires = "which")]
    both: bool,
    /// Write the file in your editor
    #[arg(long, group = "choice", requires = "which")]
    edit: bool,
    /// Take the file from here
    #[arg(long, value_name = "FILE", group = "choice", requires = "which")]
    file: Option<PathBuf>,
    /// Answer questions with yes
    #[arg(short, long, requires = "choice")]
    yes: bool,
    /// Only list, also on a terminal
    #[arg(long, conflicts_with = "choice")]
    list: bool,
}

/// Lists, walks through, or closes.
pub(crate) fn run(args: ResolveArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let mut all = open(&located.place())?;
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let Some(id) = &args.id else {
        if args.all {
            return close_all(&args, &all, session, ui);
        }
        if ui.format() == Format::Human && !args.list {
            all = without_corrected(all, session, ui);
            if is_terminal {
                return walk(&all, session, ui);
            }
        }
        list(&all, session, ui);
        return Ok(Exit::Done);
    };
    let found = named(&all, id);
    let none = || SyncError::NoConflict(Escaped(id).to_string());
    let Some(decision) = decision(&args, found.first().ok_or_else(none)?, session)? else {
        found.iter().for_each(|open| show(open, session, ui));
        return Ok(Exit::Done);
    };
    match found.as_slice() {
        [only] => decide(&only.id, &decision, args.yes, session, ui),
        several => {
            let candidates: Vec<String> = several.iter().map(|open| subject(open)).collect();
            Err(Failure::usage(
                format!("`{}` names {} conflicts", Escaped(id), several.len()),
                format!("Name one of them: {}.", candidates.join("; ")),
            ))
        }
    }
}

/// Closes every conflict alike; one that cannot be closed like this does not keep the others.
fn close_all(args: &ResolveArgs, all: &[Open], session: &Session, ui: &mut Ui) -> Outcome {
    let mut exit = Exit::Done;
    for open in all {
        let Some(decision) = decision(args, open, session)? else { continue };
        match decide(&open.id, &decision, args.yes, session, ui) {
            Ok(Exit::Done) => {}
            Ok(other) => exit = other,
            Err(failure) => exit = ui.failure(&failure),
        }
    }
    if all.is_empty() {
        ui.note("no conflict is open");
    }
    Ok(exit)
}

/// Closes what somebody corrected by hand to what was set aside; says so of what holds neither side.
fn without_corrected(all: Vec<Open>, session: &Session, ui: &mut Ui) -> Vec<Open> {
    let mut left = Vec::with_capacity(all.len());
    for open in all {
        match open.holds() {
            Holds::Other => {
                ui.note(format!("{} holds what was set aside", subject(&open)));
                match decide(&open.id, &Decision::Choice(Choice::Kept), false, session, ui) {
                    Ok(_) => continue,
                    Err(failure) => drop(ui.failure(&failure)),
                }
            }
            Holds::Neither => {
                ui.note(format!("{} holds neither text any more", subject(&open)));
                let short = short(&open.id);
                ui.next(format!("`memsync resolve {short} --ours` if the file is right now."));
            }
            Holds::Kept => {}
        }
        left.push(open);
    }
    left
}

/// How a conflict is named to a person.
fn subject(open: &Open) -> String {
    let id = short(&open.id);
    match &open.conflict {
        Ok(conflict) => {
            format!("`{id}` {}: {}", conflict.path, Escaped(&conflict.part.to_string()))
        }
        Err(_) => format!("`{id}`"),
    }
}

fn short(id: &str) -> &str {
    id.get(..ID_DIGITS_SHOWN).unwrap_or(id)
}

/// Digits of an id that people are shown; any start of at least four that is unique will do.
const ID_DIGITS_SHOWN: usize = 10;

fn decision(
    args: &ResolveArgs,
    named: &Open,
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
fn edited(named: &Open, session: &Session) -> Result<Decision, Failure> {
    let current = named.current.clone().unwrap_or_default();
    if std::str::from_utf8(&current).is_ok_and(is_sealed_text) {
        return Err(Failure::usage(
            "the memory is sealed, so its file is not for an editor",
            "`memsync open --conflict ID` shows both texts. Write yours with `memsync open MEMORY --edit`, then close it with `memsync resolve ID --ours`.",
        ));
    }
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "there is no terminal to edit in",
            "Write the file elsewhere and give it with `--file FILE`.",
        ));
    }
    Ok(Decision::Text(edit(&session.environment, &current)?))
}

fn read(path: &std::path::Path) -> Result<Vec<u8>, Failure> {
    let bad =
        |why: String| Failure::usage(format!("`{}` {why}", path.display()), "Name a text file.");
    // A pipe of the shell is a file like others here, so its size is not known before it is read.
    let file = File::open(path).map_err(|error| bad(format!("cannot be read: {error}")))?;
    let mut text = Vec::new();
    let read = file.take(MEMORY_BYTES_MAX as u64 + 1).read_to_end(&mut text);
    read.map_err(|error| bad(format!("cannot be read: {error}")))?;
    if text.len() > MEMORY_BYTES_MAX {
        return Err(bad(format!("has more than {MEMORY_BYTES_MAX} bytes")));
    }
    Ok(text)
}

fn decide(id: &str, decision: &Decision, yes: bool, session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let actor = session.actor(None, yes, KeyNeed::IfThere)?;
    let done = close(&located.place(), &actor, id, decision)?;
    match ui.format() {
        Format::Human => {
            ui.done(format!("Closed {} in {}; share it with `memsync push`.", done.id, done.path));
        }
        _ => {
            let document = ResolveDocument { conflicts: Vec::new(), resolved: Some(&done) };
            ui.json(&Document::new(RESOLVE_FORMAT, document));
        }
    }
    Ok(say::exchange_exit(&done.exchange, false))
}

fn list(all: &[Open], session: &Session, ui: &mut Ui) {
    if ui.format() != Format::Human {
        let conflicts = all.iter().map(ConflictEntry::of).collect();
        ui.json(&Document::new(RESOLVE_FORMAT, ResolveDocument { conflicts, resolved: None }));
        return;
    }
    let mut by_memory: Vec<&Open> = all.iter().collect();
    by_memory.sort_by_key(|open| open.conflict.as_ref().ok().map(|conflict| conflict.path.clone()));
    by_memory.iter().for_each(|open| show(open, session, ui));
    if all.is_empty() {
        ui.note("no conflict is open");
    } else {
        ui.next("`memsync resolve ID` (or the memory's name, or `--all`) with `--ours` (keep what is in the file), `--theirs` (take what was set aside), `--both`, `--edit` or `--file FILE`.");
    }
}

/// One conflict: what it is about, who wanted what, and the words that differ.
fn show(open: &Open, session: &Session, ui: &mut Ui) {
    let conflict = match &open.conflict {
        Ok(conflict) => conflict,
        Err(problem) => {
            ui.line(format!("{STRONG}{}{STRONG:#} {problem}", open.id));
            return;
        }
    };
    ui.line(format!(
        "{STRONG}{}{STRONG:#}: {} {FAINT}{}{FAINT:#}",
        conflict.path,
        Escaped(&conflict.part.to_string()),
        open.id
    ));
    let (file, aside) = (who(&conflict.kept, session), who(&conflict.other, session));
    ui.line(format!("  {BAD}in the file ({file}){BAD:#}"));
    ui.line(format!("  {GOOD}set aside ({aside}){GOOD:#}"));
    if let Some(doubt) = &open.doubt {
        ui.warn(format!("this record is not true: {doubt}"));
    }
    for change in &open.effect {
        ui.line(format!("  `--theirs` changes: {change}"));
    }
    say::word_diff(ui, text(&conflict.kept), text(&conflict.other));
}

/// Whose a side is, and when: `you, 21:20` of today, else with the day.
fn who(side: &ConflictSide, session: &Session) -> String {
    let origin = &side.origin;
    let is_own = origin.author == session.person().name;
    let author = if is_own { "you".to_owned() } else { Escaped(&origin.author).to_string() };
    let today = Clock::from_environment(&session.environment).map(|clock| {
        let now = Timestamp { offset: origin.date.offset, ..clock.now() };
        now.to_string().get(..DAY_CHARS).map(str::to_owned)
    });
    let date = origin.date.to_string();
    let when = match (date.get(..DAY_CHARS), date.get(DAY_CHARS + 1..MINUTE_CHARS)) {
        (Some(day), Some(minute)) if today.ok().flatten().as_deref() == Some(day) => {
            minute.to_owned()
        }
        (Some(day), Some(minute)) => format!("{day} {minute}"),
        _ => date.clone(),
    };
    let deleted = if side.content.is_some() { "" } else { ": deleted it" };
    format!("{author}, {when}{deleted}")
}

/// Characters of `2026-01-31` and of `2026-01-31T21:20`.
const DAY_CHARS: usize = 10;
const MINUTE_CHARS: usize = 16;

fn text(side: &ConflictSide) -> String {
    match &side.content {
        Some(content) => String::from_utf8_lossy(content.as_bytes()).into_owned(),
        None => String::new(),
    }
}

/// Goes through all conflicts with the person.
fn walk(all: &[Open], session: &Session, ui: &mut Ui) -> Outcome {
    for (number, open) in all.iter().enumerate() {
        ui.line(format!("Conflict {} of {}", number + 1, all.len()));
        show(open, session, ui);
        match ask(open, session, ui)? {
            Answer::Decision(decision) => {
                // One that cannot be closed like this must not end the walk.
                if let Err(failure) = decide(&open.id, &decision, false, session, ui) {
                    ui.failure(&failure);
                }
            }
            Answer::Skip => {}
            Answer::Quit => break,
        }
    }
    if all.is_empty() {
        ui.note("no conflict is open");
    }
    Ok(Exit::Done)
}

/// What a person answers to one conflict.
enum Answer {
    Decision(Decision),
    Skip,
    Quit,
}

/// Asks until the answer is one of the keys.
fn ask(open: &Open, session: &Session, ui: &mut Ui) -> Result<Answer, Failure> {
    loop {
        ui.prompt("[k]eep the file, [t]ake what was set aside, [b]oth, [e]dit, [s]kip, [q]uit? ");
        let mut answer = String::new();
        if std::io::stdin().lock().read_line(&mut answer).unwrap_or_default() == 0 {
            return Ok(Answer::Quit);
        }
        let choice = |choice| Ok(Answer::Decision(Decision::Choice(choice)));
        match answer.trim() {
            "k" | "o" => return choice(Choice::Kept),
            "t" => return choice(Choice::Other),
            "b" => return choice(Choice::Both),
            "e" => return edited(open, session).map(Answer::Decision),
            "s" | "" => return Ok(Answer::Skip),
            "q" => return Ok(Answer::Quit),
            _ => ui.note(
                "k: the file stays as it is; t: the text that was set aside takes its place; \
                 b: both stand; e: write it yourself; s: later; q: leave",
            ),
        }
    }
}
