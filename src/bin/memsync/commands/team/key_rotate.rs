//! `memsync key rotate`: a new key, in the team's roster and in the key file.
//! Border: the flow is `sync::rotate`; here is its order and what people read.

use std::path::{Path, PathBuf};

use clap::Args;
use memsync::base::display::Escaped;
use memsync::report::advice::Exit;
use memsync::report::json::team::key::{KeyDocument, RotationDocument};
use memsync::sync::error::SyncError;
use memsync::sync::exchange::pull_push::{Direction, exchange};
use memsync::sync::keys::signing_key::show_key;
use memsync::sync::membership::rotate::{InRoster, NewKey, in_roster, install, prepare};
use memsync::sync::sealed::open::list;
use memsync::trust::roster::Day;
use memsync::trust::signature::Signer;

use crate::Outcome;
use crate::failure::Failure;
use crate::global::Format;
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync key rotate`.
#[derive(Debug, Args)]
pub(crate) struct RotateArgs {
    /// Protect the new key with a passphrase, asked on the terminal
    #[arg(long, conflicts_with = "to")]
    passphrase: bool,
    /// Use an existing key instead of a new one; its .pub file for a key in ssh-agent
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// The old key, where another team has got the new one already
    #[arg(long, value_name = "FILE", conflicts_with_all = ["passphrase", "to"])]
    from: Option<PathBuf>,
}

/// Rotates the key at `path`.
pub(crate) fn run(args: RotateArgs, path: &Path, session: &Session, ui: &mut Ui) -> Outcome {
    let mut actor = session.actor(None, false, KeyNeed::IfThere)?;
    let day = Day::of(actor.clock.now()).expect("because the clock shows a year people live in");
    if let Some(from) = args.from {
        actor.signer = Some(session.signer_at(&session.folder.join(from))?);
        let new = session.signer_at(path)?;
        let done = change_roster(session, &actor, new.as_ref(), ui)?;
        actor.signer = Some(new);
        return finish(session, &actor, path, None, done, ui);
    }
    show_key(path)?;
    let to = args.to.map(|to| session.folder.join(to));
    let source = match &to {
        Some(to) => NewKey::Copied(to),
        None if args.passphrase => NewKey::Made(Some(super::key::ask()?)),
        None => NewKey::Made(None),
    };
    let next = prepare(path, &source)?;
    let new = session.signer_at(&next.path)?;
    let done = change_roster(session, &actor, new.as_ref(), ui)?;
    let aside = install(path, &day)?;
    actor.signer = Some(session.signer_at(path)?);
    finish(session, &actor, path, Some(&aside), done, ui)
}

/// `None` where there is no team memory: then only the key file changes.
fn change_roster(
    session: &Session,
    actor: &memsync::sync::repo::team::Actor,
    new: &dyn Signer,
    ui: &mut Ui,
) -> Result<Option<InRoster>, Failure> {
    let Ok(located) = session.locate() else { return Ok(None) };
    match in_roster(&located.place(), actor, &session.git, new) {
        Ok(done) => Ok(Some(done)),
        Err(
            SyncError::NoTeam(_) | SyncError::NoMemoryDirectory(_) | SyncError::NotARepository(_),
        ) => {
            ui.note("there is no team memory here: only the key file changes");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Takes the roster in with the new key, so that unshared changes are signed with it.
fn finish(
    session: &Session,
    actor: &memsync::sync::repo::team::Actor,
    path: &Path,
    aside: Option<&Path>,
    done: Option<InRoster>,
    ui: &mut Ui,
) -> Outcome {
    let mut exit = Exit::Done;
    if matches!(done, Some(InRoster::Shared)) {
        let located = session.locate()?;
        let pulled = exchange(&located.place(), actor, &session.git, Direction::Pull)?;
        exit = crate::say::exchange_exit(&pulled, false);
    }
    let key = show_key(path)?;
    let (roster, request) = match &done {
        Some(InRoster::Shared) => ("shared", None),
        Some(InRoster::Committed(_)) => ("committed", None),
        Some(InRoster::Asked(line)) => ("asked", Some(line.as_str())),
        Some(InRoster::NotNeeded) | None => ("none", None),
    };
    if ui.format() != Format::Human {
        let old = aside.map(|aside| aside.to_string_lossy().into_owned());
        ui.json(&RotationDocument { key: KeyDocument::of(&key), old, roster, request });
        return Ok(exit);
    }
    super::key::say(&key, ui);
    match roster {
        "shared" => ui.line("The team's roster names it; the old key signs nothing any more."),
        "committed" => ui.line("The roster names it; share that with `memsync push`."),
        _ => {}
    }
    if let Ok(located) = session.locate()
        && let Ok(sealed) = list(&located.place(), actor)
        && sealed.iter().any(|entry| entry.yours)
    {
        ui.next("What is sealed for you is still sealed for the old key: `memsync reseal --all`.");
    }
    if let Some(line) = request {
        ui.line(line);
        ui.next("Send this line to an admin, who runs `memsync member add --new-key LINE` and `memsync push`.");
    }
    if let Some(aside) = aside {
        let shown = Escaped(&aside.to_string_lossy()).to_string();
        ui.note(format!("the old key is kept in {shown}"));
        ui.next(format!("In every other team of yours: `memsync key rotate --from {shown}`."));
    }
    Ok(exit)
}
