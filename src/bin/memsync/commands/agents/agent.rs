//! `memsync agent`: connects a client, takes it out again, says how it stands, ends what runs.
//! Border: arguments and words; the work is `memsync::agents`.

use std::sync::Arc;

use clap::{Args, Subcommand};
use memsync::agents::background::stop;
use memsync::agents::settings::client::{Scope, name, word};
use memsync::agents::settings::install::{Changed, Run, install, put_instructions, uninstall};
use memsync::agents::status::{installed, is_used, look};
use memsync::base::display::{Escaped, escape_block};
use memsync::local::instructions::Agent;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::agents::agent::{
    AGENT_INSTALL_FORMAT, AGENT_STATUS_FORMAT, AgentStatusDocument, ChangedDocument, ChangedFile,
    ClientFindings,
};
use memsync::secrets::masking::masked;
use memsync::store::agent_state::AgentState;
use memsync::store::locate::Located;
use memsync::sync::inspect::diff::FileDiff;
use memsync::sync::inspect::health::Health;
use memsync::system::clock::Clock;

use super::agent_hook::{self, HookArgs};
use super::here::Here;
use super::instructions::Client;
use crate::Outcome;
use crate::failure::Failure;
use crate::global::Format;
use crate::say;
use crate::session::Session;
use crate::ui::Ui;

/// So many lines of the log are shown.
const LOG_LINES: usize = 10;

/// Options of `memsync agent`.
#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    #[command(subcommand)]
    action: Action,
}

/// What to do with agents' clients.
#[derive(Debug, Subcommand)]
enum Action {
    /// Connect a client: it reads, recalls, checks and shares team memory from then on
    Install(InstallArgs),
    /// Take memsync out of a client again; everything else stays as it was, byte for byte
    Uninstall(InstallArgs),
    /// Show whether clients are connected, when they last called, and what went wrong
    Status(StatusArgs),
    /// End the background process that shares; what waits is shared at the next call
    Stop,
    /// Answer a client's hook; the installed hooks call this
    Hook(HookArgs),
    /// Share what hooks asked for, then end; hooks start this
    #[command(hide = true)]
    Work,
}

/// Options of `memsync agent install` and `uninstall`.
#[derive(Debug, Args)]
struct InstallArgs {
    /// The client
    #[arg(value_enum)]
    client: Client,
    /// In your own settings, for every project [default]
    #[arg(long, group = "scope")]
    user: bool,
    /// In the project's settings, which are shared with everyone who works on it
    #[arg(long, group = "scope")]
    project: bool,
    /// In your own settings for this project
    #[arg(long, group = "scope")]
    local: bool,
    /// Codex: also tell of team memory in the project's AGENTS.md, for everyone who works on it
    #[arg(long)]
    agents_md: bool,
    /// Show each change and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Options of `memsync agent status`.
#[derive(Debug, Args)]
struct StatusArgs {
    /// The client [default: each that is used here]
    #[arg(value_enum)]
    client: Option<Client>,
}

/// Runs the chosen action.
pub(crate) fn run(args: AgentArgs, session: &Session, ui: &mut Ui) -> Outcome {
    match args.action {
        Action::Install(args) => run_install(&args, true, session, ui),
        Action::Uninstall(args) => run_install(&args, false, session, ui),
        Action::Status(args) => run_status(&args, session, ui),
        Action::Stop => run_stop(session, ui),
        Action::Hook(args) => agent_hook::run(&args, session, ui),
        Action::Work => agent_hook::run_work(session),
    }
}

fn run_install(args: &InstallArgs, is_install: bool, session: &Session, ui: &mut Ui) -> Outcome {
    let scope = match (args.project, args.local) {
        (true, _) => Scope::Project,
        (_, true) => Scope::Local,
        _ => Scope::User,
    };
    let here = Here::find(session)?;
    let machine = here.machine(session);
    let agent = args.client.agent();
    let run = if args.dry_run { Run::Dry } else { Run::Real };
    if args.agents_md && agent != Agent::Codex {
        return Err(Failure::usage(
            "`--agents-md` is for Codex",
            "Claude Code has a place of its own for it: leave the option out.",
        ));
    }
    let mut changed = match is_install {
        true => install(&machine, agent, scope, run)?,
        false => uninstall(&machine, agent, scope, run)?,
    };
    if args.agents_md && is_install {
        changed.extend(put_instructions(&machine, run)?);
    }
    if ui.format() != Format::Human {
        let files = changed.iter().map(ChangedFile::of).collect();
        let document = ChangedDocument { client: word(agent), dry_run: args.dry_run, files };
        ui.json(&Document::new(AGENT_INSTALL_FORMAT, document));
        return Ok(Exit::Done);
    }
    for one in &changed {
        say_changed(one, args.dry_run, ui);
    }
    if changed.is_empty() {
        ui.done(if is_install { "It is installed already." } else { "It is not installed." });
    } else if is_install && !args.dry_run {
        say_what_now(agent, scope, &here.located, ui);
    } else if !is_install && !installed(&machine, agent).is_empty() {
        ui.note(format!("{} is still connected in another scope", name(agent)));
        ui.next(format!("`memsync agent status {}` shows where.", word(agent)));
    }
    Ok(Exit::Done)
}

fn say_changed(changed: &Changed, is_dry: bool, ui: &mut Ui) {
    let file = ChangedFile::of(changed);
    let path = file.path.display().to_string();
    let tense = if is_dry { "would be " } else { "" };
    ui.line(format!("{}: {tense}{}", Escaped(&path), file.change));
    if is_dry {
        // Settings may hold credentials of others.
        let text = |text: &Option<String>| {
            text.as_deref().map(|text| Arc::from(masked(text).into_bytes()))
        };
        say::diff(
            ui,
            &FileDiff {
                path,
                old: text(&changed.before),
                new: text(&changed.after),
                left_out: Vec::new(),
            },
        );
    }
}

fn say_what_now(agent: Agent, scope: Scope, located: &Located, ui: &mut Ui) {
    ui.done(format!("{} is connected. It takes effect in its next session.", name(agent)));
    if agent == Agent::Codex {
        ui.next("Start `codex` once and trust the hooks of memsync when it asks; it passes over others in silence.");
    }
    if scope == Scope::Project {
        ui.note("colleagues without memsync are not bothered: for them the hooks do nothing");
    }
    if !located.team().is_dir() {
        ui.note("there is no team memory here yet");
        ui.next("`memsync init --remote URL` starts one, `memsync join URL` takes part in one.");
    }
}

fn run_status(args: &StatusArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let here = Here::find(session)?;
    let machine = here.machine(session);
    let now = Clock::from_environment(&session.environment)?.now();
    let state = AgentState::find(&session.environment, &here.located.memdir);
    let both = [Agent::ClaudeCode, Agent::Codex];
    let mut agents: Vec<Agent> = match args.client {
        Some(client) => vec![client.agent()],
        None => both.into_iter().filter(|agent| is_used(*agent, &machine)).collect(),
    };
    if agents.is_empty() {
        agents.push(Agent::ClaudeCode);
    }
    let found: Vec<_> =
        agents.iter().map(|agent| (*agent, look(&machine, *agent, state.as_ref(), now))).collect();
    let log = state.as_ref().map(|state| state.log_lines(LOG_LINES)).unwrap_or_default();
    if ui.format() == Format::Human {
        for (agent, findings) in &found {
            if found.len() > 1 {
                ui.line(format!("{}:", name(*agent)));
            }
            say::findings(ui, findings);
        }
        for line in &log {
            ui.note(format!(
                "{} {}: {}",
                line.time,
                Escaped(&line.about),
                escape_block(&line.text)
            ));
        }
    } else {
        let clients = found
            .iter()
            .map(|(agent, findings)| ClientFindings { client: word(*agent), findings })
            .collect();
        ui.json(&Document::new(AGENT_STATUS_FORMAT, AgentStatusDocument { clients, log: &log }));
    }
    let is_bad = |findings: &[_]| {
        findings
            .iter()
            .any(|one: &memsync::sync::inspect::health::Finding| one.state == Health::Bad)
    };
    Ok(if found.iter().any(|(_, findings)| is_bad(findings)) { Exit::No } else { Exit::Done })
}

fn run_stop(session: &Session, ui: &mut Ui) -> Outcome {
    let located = session.locate()?;
    let stopped = match AgentState::find(&session.environment, &located.memdir) {
        Some(state) => stop(&state)?,
        None => None,
    };
    match stopped {
        Some(running) => ui.done(format!("Ended process {}.", running.process)),
        None => ui.done("Nothing is running."),
    }
    Ok(Exit::Done)
}
