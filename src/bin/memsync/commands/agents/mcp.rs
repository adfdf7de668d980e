//! `memsync mcp`: the door for clients that speak the Model Context Protocol.
//! Border: lays out what a call works with; the server is `memsync::mcp`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use memsync::git::command::{Git, Progress};
use memsync::mcp::desk::Desk;
use memsync::mcp::server::serve;
use memsync::report::advice::Exit;
use memsync::store::locate::Located;
use memsync::sync::repo::team::Actor;
use memsync::system::env::Environment;
use memsync::system::process::start_detached;

use crate::Outcome;
use crate::failure::Failure;
use crate::global::GlobalArgs;
use crate::session::{Input, KeyNeed, Session};

/// Options of `memsync mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {}

/// Serves until the client leaves.
pub(crate) fn run(_args: McpArgs, global: &GlobalArgs, session: &Session) -> Outcome {
    let desk = ProgramDesk {
        global: global.clone(),
        environment: session.environment.clone(),
        folder: session.folder.clone(),
    };
    serve(Arc::new(desk))?;
    Ok(Exit::Done)
}

struct ProgramDesk {
    global: GlobalArgs,
    environment: Environment,
    folder: PathBuf,
}

impl ProgramDesk {
    fn session(&self, folder: Option<&Path>) -> Result<Session, Failure> {
        let input = Input::Text(Vec::new());
        let here =
            Session::with(&self.global, self.environment.clone(), self.folder.clone(), input)?;
        Ok(here.in_folder(folder.unwrap_or(&self.folder).to_owned()).silent())
    }
}

fn told(failure: Failure) -> String {
    format!("{}\nNext: {}", failure.message, failure.advice.next_step)
}

impl Desk for ProgramDesk {
    fn located(&self, folder: Option<&Path>) -> Result<Located, String> {
        self.session(folder).and_then(|session| session.locate()).map_err(told)
    }

    fn actor(&self, agent: Option<&str>) -> Result<Actor, String> {
        let session = self.session(None).map_err(told)?;
        let mut actor = session.actor(None, false, KeyNeed::IfThere).map_err(told)?;
        actor.agent = actor.agent.or_else(|| agent.map(str::to_owned));
        Ok(actor)
    }

    fn git(&self, watch: Box<dyn Fn(Progress) + Send + Sync>) -> Git {
        Git::new(&self.environment).watched(watch)
    }

    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn start_sharing(&self, folder: Option<&Path>) -> std::io::Result<()> {
        let session =
            self.session(folder).map_err(|failure| std::io::Error::other(failure.message))?;
        start_detached(session.again(&["agent", "work"]), &session.folder).map(drop)
    }
}
