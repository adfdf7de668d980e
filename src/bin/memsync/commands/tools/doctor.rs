//! `memsync doctor`: look for anything that is wrong.
//! Border: the flow is `sync::doctor`.

use clap::Args;
use memsync::agents::status::{is_used, look};
use memsync::local::instructions::Agent;
use memsync::report::advice::{Advised as _, Exit, after_refusal};
use memsync::report::json::Document;
use memsync::report::json::team::place::{DOCTOR_FORMAT, DoctorDocument};
use memsync::store::agent_state::AgentState;
use memsync::sync::inspect::doctor::doctor;
use memsync::sync::inspect::health::{Cause, Finding, Health};
use memsync::system::clock::Clock;

use crate::Outcome;
use crate::commands::agents::here::Here;
use crate::failure::Failure;
use crate::global::Format;
use crate::say;
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// Options of `memsync doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Clear leftovers of dead processes, and link a project that was moved
    #[arg(long)]
    fix: bool,
}

/// How the clients that are used on this machine stand.
fn doors(here: &Here, session: &Session) -> Result<Vec<Finding>, Failure> {
    let machine = here.machine(session);
    let now = Clock::from_environment(&session.environment)?.now();
    let both = [Agent::ClaudeCode, Agent::Codex];
    let used: Vec<Agent> = both.into_iter().filter(|agent| is_used(*agent, &machine)).collect();
    if used.is_empty() {
        return Ok(Vec::new());
    }
    let state = AgentState::find(&session.environment, &here.located.memdir);
    Ok(used.iter().flat_map(|agent| look(&machine, *agent, state.as_ref(), now)).collect())
}

/// Looks at everything; exits with 1 when something is bad.
pub(crate) fn run(args: DoctorArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let actor = session.actor(None, false, KeyNeed::IfThere)?;
    let here = Here::find(session)?;
    let mut findings = doctor(&here.located, &session.git, &actor, args.fix);
    findings.extend(doors(&here, session)?);
    for finding in &mut findings {
        match &finding.cause {
            Some(Cause::Error(error)) => finding.next_step = error.advice().next_step,
            Some(Cause::Refused(refused)) => finding.next_step = after_refusal(refused),
            None => {}
        }
    }
    if ui.format() == Format::Human {
        say::findings(ui, &findings);
    } else {
        ui.json(&Document::new(DOCTOR_FORMAT, DoctorDocument { findings: &findings }));
    }
    let is_bad = findings.iter().any(|finding| finding.state == Health::Bad);
    Ok(if is_bad { Exit::No } else { Exit::Done })
}
