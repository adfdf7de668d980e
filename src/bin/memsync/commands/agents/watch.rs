//! `memsync watch`: shares what changes, for people and for clients without hooks.
//! Border: arguments and words; the loop is `memsync::agents::watch`.

use std::time::Duration;

use clap::Args;
use memsync::agents::background::Workplace;
use memsync::agents::error::AgentError;
use memsync::agents::service::service;
use memsync::agents::watch::{Event, Watch, once, watch};
use memsync::base::display::escape_block;
use memsync::base::text::count;
use memsync::report::advice::Exit;
use memsync::store::agent_state::AgentState;

use super::here::Here;
use crate::Outcome;
use crate::failure::Failure;
use crate::global::Format;
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync watch`.
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// Take what others shared every so many seconds, a little more or less
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(5..=86_400))]
    every: u64,
    /// Pull and push once, then end: 0 when all went well, 3 when not
    #[arg(long, group = "how")]
    once: bool,
    /// Let the system start it with your session: systemd or launchd
    #[arg(long, group = "how")]
    install: bool,
    /// Take that back
    #[arg(long, group = "how")]
    uninstall: bool,
}

/// Watches, or sees to it that the system does.
pub(crate) fn run(args: &WatchArgs, session: &Session, ui: &mut Ui) -> Outcome {
    if args.install || args.uninstall {
        return run_service(args, session, ui);
    }
    let located = session.locate()?;
    // Before it waits for hours: is there a team memory, and may this person use it?
    let mut actor = session.actor(None, false, KeyNeed::IfThere)?;
    memsync::sync::inspect::status::status(&located.place(), &actor)?;
    let state =
        AgentState::open(&session.environment, &located.memdir)?.ok_or(AgentError::NoHome)?;
    let place = located.place();
    let workplace = Workplace { state: &state, place: &place, git: &session.git };
    let mut say = |event: &Event| say_event(event, ui);
    let mut how = Watch { workplace, every: Duration::from_secs(args.every), say: &mut say };
    if !args.once {
        watch(&mut how, &mut actor)?;
        return Ok(Exit::Done);
    }
    Ok(if once(&mut how, &mut actor)? { Exit::Done } else { Exit::World })
}

fn say_event(event: &Event, ui: &mut Ui) {
    if ui.format() != Format::Human {
        return ui.json_line(event);
    }
    match event {
        Event::Started { folder, every_seconds } => {
            let every =
                count(usize::try_from(*every_seconds).unwrap_or(usize::MAX), "second", "seconds");
            ui.done(format!("Watching {folder}; pulls every {every}."));
        }
        Event::Received { commits, changes } => {
            let shown = if changes.is_empty() {
                String::new()
            } else {
                format!(": {}", changes.join(", "))
            };
            ui.done(escape_block(&format!(
                "Received {}{shown}.",
                count(*commits, "change", "changes")
            )));
        }
        Event::Sent { commits } => {
            ui.done(format!("Shared {}.", count(*commits, "change", "changes")));
        }
        Event::Failed { reason } => {
            ui.warn(format!("not shared: {reason}"));
            ui.next("It goes on trying; `memsync sync` says more and what to do.");
        }
        Event::Recovered => ui.done("Sharing again."),
        Event::FolderGone => ui.warn("the team memory is not there; waiting for it"),
        Event::FolderBack => ui.done("The team memory is there again."),
        Event::Woke => ui.note("the machine was asleep"),
    }
}

fn run_service(args: &WatchArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let here = Here::find(session)?;
    let machine = here.machine(session);
    let service = service(machine.environment, &machine.located.memdir)?;
    let path = service.path();
    if args.uninstall {
        let was_there = service.uninstall()?;
        ui.done(match was_there {
            true => format!("{}: removed", path.display()),
            false => "It is not installed.".to_owned(),
        });
        if was_there {
            ui.next(format!("`{}` ends the one that runs.", service.stop));
        }
        return Ok(Exit::Done);
    }
    let words = session.again(&["watch", "--every", &args.every.to_string()]);
    let words: Result<Vec<String>, _> =
        words.into_iter().map(std::ffi::OsString::into_string).collect();
    let words = words.map_err(|word| {
        Failure::usage(
            format!("`{}` is no text that a service file can hold", word.to_string_lossy()),
            "Run it from a folder whose name is UTF-8.",
        )
    })?;
    let is_new = service.install(machine.program, &words)?;
    ui.done(match is_new {
        true => format!("{}: written", path.display()),
        false => "It is installed already.".to_owned(),
    });
    ui.next(format!("`{}` starts it now and with each session.", service.start));
    Ok(Exit::Done)
}
