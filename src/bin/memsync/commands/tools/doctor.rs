//! `memsync doctor`: look for anything that is wrong.
//! Border: the flow is `sync::doctor`.

use clap::Args;
use memsync::report::advice::{Advised as _, Exit, after_refusal};
use memsync::report::json::Document;
use memsync::report::json::team::place::{DOCTOR_FORMAT, DoctorDocument};
use memsync::sync::inspect::doctor::doctor;
use memsync::sync::inspect::health::{Cause, Health};

use crate::Outcome;
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

/// Looks at everything; exits with 1 when something is bad.
pub(crate) fn run(args: DoctorArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let actor = session.actor(None, false, KeyNeed::IfThere)?;
    let mut findings = doctor(&session.locate()?, &session.git, &actor, args.fix);
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
