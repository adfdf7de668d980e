//! `memsync agent hook` and `memsync agent work`: what clients call, and what that starts.
//! Border: stdin, stdout and records; the answers are `memsync::agents::hook`. A client is never failed:
//! whatever goes wrong is in `agent status`.

use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use clap::Args;
use memsync::agents::background::{Workplace, work};
use memsync::agents::hook::{Answered, Hook, answer};
use memsync::agents::input::Input;
use memsync::agents::settings::client::word;
use memsync::agents::status::installed;
use memsync::report::advice::Exit;
use memsync::secrets::masking::masked;
use memsync::store::agent_state::{AgentState, Called};
use memsync::system::clock::Clock;
use memsync::system::process::{leave_session, start_detached};

use super::here::Here;
use super::instructions::Client;
use crate::Outcome;
use crate::failure::Failure;
use crate::session::{KeyNeed, Session};
use crate::ui::Ui;

/// What a client writes to a hook: a file that is written, at most.
const INPUT_BYTES_MAX: u64 = 16_000_000;

/// Options of `memsync agent hook`.
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// The event, as the client names it
    #[arg(value_name = "EVENT", default_value = "")]
    event: String,
    /// The client that calls
    #[arg(long, value_enum, default_value = "claude-code")]
    client: Client,
    /// The call comes from a plugin: where hooks are installed as well, those answer
    #[arg(long)]
    plugin: bool,
}

/// Answers a hook. It always ends well for the client.
pub(crate) fn run(args: &HookArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let mut raw = Vec::new();
    if let Some(input) = session.input() {
        // What cannot be read is a call without any detail.
        drop(input.take(INPUT_BYTES_MAX).read_to_end(&mut raw));
    }
    let input = Input::parse(&args.event, &raw);
    let answered = catch_unwind(AssertUnwindSafe(|| called(args, &input, session)));
    if let Ok(Ok(Some(answered))) = answered
        && let Some(json) = answered.answer.to_json(args.client.agent(), &input.event)
    {
        ui.raw(json.to_string().as_bytes());
    }
    Ok(Exit::Done)
}

/// The session of the folder the client works in.
fn there(session: &Session, input: &Input) -> Result<(Session, PathBuf), Failure> {
    let folder = input.folder.clone().filter(|folder| folder.is_absolute() && folder.is_dir());
    let folder = folder.unwrap_or_else(|| session.folder.clone());
    Ok((session.in_folder(folder.clone()).silent(), folder))
}

/// Answers, and notes that there was a call and what went wrong. `None` where another hook answers.
fn called(args: &HookArgs, input: &Input, session: &Session) -> Result<Option<Answered>, Failure> {
    let (session, folder) = there(session, input)?;
    let here = Here::find(&session)?;
    let machine = here.machine(&session);
    let agent = args.client.agent();
    if args.plugin && !installed(&machine, agent).is_empty() {
        return Ok(None);
    }
    let Some(state) = AgentState::open(&session.environment, &machine.located.memdir)? else {
        return Ok(None);
    };
    let now = Clock::from_environment(&session.environment)?.now();
    let mut call =
        Called { seconds: now.seconds, failure: None, transcript: input.transcript.clone() };
    let answered = session.actor(None, false, KeyNeed::IfThere).map(|actor| {
        let start = || start_detached(session.again(&["agent", "work"]), &folder).map(drop);
        answer(&Hook {
            agent,
            input,
            located: machine.located,
            folder: &folder,
            environment: &session.environment,
            actor: &actor,
            state: &state,
            is_plugin: args.plugin,
            start: &start,
        })
    });
    let failures = match &answered {
        Ok(answered) => answered.failures.join("; "),
        Err(failure) => failure.message.clone(),
    };
    if !failures.is_empty() {
        state.log(now, &input.event, &failures);
        call.failure = Some(masked(&failures));
    }
    let event = if input.event.is_empty() { word(agent) } else { &input.event };
    state.write(&AgentState::called(event), &call)?;
    answered.map(Some)
}

/// Shares what hooks asked for. Nobody reads what it says: the records do.
pub(crate) fn run_work(session: &Session) -> Outcome {
    leave_session();
    let session = session.in_folder(session.folder.clone()).silent();
    let located = session.locate()?;
    let Some(state) = AgentState::open(&session.environment, &located.memdir)? else {
        return Ok(Exit::Done);
    };
    let mut actor = session.actor(None, false, KeyNeed::IfThere)?;
    let place = located.place();
    let workplace = Workplace { state: &state, place: &place, git: &session.git };
    work(&workplace, &mut actor)?;
    Ok(Exit::Done)
}
