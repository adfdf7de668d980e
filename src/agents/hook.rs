//! What a client is answered at each of its events.
//! Border: local work only; whatever needs the network is asked of `background`. Nothing here fails the
//! client: what goes wrong comes back beside the answer.

use std::io;
use std::path::Path;

use super::background::{self, NEWS, Want, with_causes};
use super::error::AgentError;
use super::guard;
use super::input::{Answer, Input};
use super::settings::client;
use super::settings::install::{Run, put_block};
use super::shell;
use super::target::{Seen, Target};
use crate::base::display::Escaped;
use crate::base::time::Timestamp;
use crate::context::block::{Block, joined};
use crate::context::budget::{Budget, fit};
use crate::context::turn::{self, Turn};
use crate::gate::verdict::Reason;
use crate::local::context::{TurnQuestion, of_team, turn_of};
use crate::local::instructions::Agent;
use crate::memory::advice::advice;
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::recall::query::Query;
use crate::store::agent::claude_code::{HOOK_ANSWER_CHARACTERS_MAX, TASK_NOTIFICATION};
use crate::store::agent_state::{AgentSession, AgentState, News, Wish};
use crate::store::locate::Located;
use crate::sync::inspect::status::status;
use crate::sync::outcome::HeldBack;
use crate::sync::repo::team::Actor;
use crate::system::env::Environment;
use crate::system::files::Root;

/// Blocks from the one that stays longest when there is little room.
const FIRST_KEPT: [&str; 5] = ["state", "recalled", "team", "team-index", "unread"];
/// At a prompt nothing is pulled that was pulled less than so many seconds ago.
const FRESH_SECONDS: i64 = 60;
/// So many pieces of advice are given at once.
const ADVICE_MAX: usize = 3;
const INDEX: &str = "MEMORY.md";
/// So many files that are kept out are named.
const KEPT_OUT_MAX: usize = 5;

/// A call, and what it is answered from.
pub struct Hook<'a> {
    /// The client.
    pub agent: Agent,
    /// What it said.
    pub input: &'a Input,
    /// The memory directory.
    pub located: &'a Located,
    /// The folder the client works in.
    pub folder: &'a Path,
    /// The variables.
    pub environment: &'a Environment,
    /// For whom things are shared.
    pub actor: &'a Actor,
    /// The records.
    pub state: &'a AgentState,
    /// Whether the call comes from a plugin, whose files are not ours to change.
    pub is_plugin: bool,
    /// Starts the process that shares.
    pub start: &'a dyn Fn() -> io::Result<()>,
}

/// An answer, and what went wrong on the way.
#[derive(Debug, Default)]
pub struct Answered {
    /// The answer.
    pub answer: Answer,
    /// What went wrong, for people.
    pub failures: Vec<String>,
}

/// Answers a call. Events that are not known are answered with nothing.
pub fn answer(hook: &Hook<'_>) -> Answered {
    let mut answered = Answered::default();
    let has_team = hook.located.team().join(".git").is_dir();
    match hook.input.event.as_str() {
        "SessionStart" => hook.session_start(has_team, &mut answered),
        "UserPromptSubmit" => hook.prompt(has_team, &mut answered),
        "PreToolUse" if has_team => hook.before_tool(&mut answered),
        "PostToolUse" => {
            hook.advise(&mut answered);
            if has_team && hook.may_have_written() {
                hook.share(&mut answered);
            }
        }
        "FileChanged" if has_team && hook.is_team_file() => hook.share(&mut answered),
        "Stop" | "SubagentStop" | "PreCompact" | "SessionEnd" if has_team => {
            hook.share(&mut answered);
        }
        _ => {}
    }
    answered
}

impl Answered {
    /// The value, or a note of what went wrong.
    fn take<T, E: std::error::Error>(&mut self, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.failures.push(with_causes(&error));
                None
            }
        }
    }
}

impl Hook<'_> {
    fn now(&self) -> Timestamp {
        self.actor.clock.now()
    }

    fn seen<'s>(&'s self, team: &'s Path, home: Option<&'s Path>) -> Seen<'s> {
        Seen { memdir: &self.located.memdir, team, folder: self.folder, home }
    }

    /// Local work only: what there is, how it stands, what came in since.
    fn session_start(&self, has_team: bool, answered: &mut Answered) {
        self.state.forget_sessions(self.now().seconds);
        if !has_team {
            return;
        }
        if self.agent == Agent::ClaudeCode && !self.is_plugin {
            answered.take(put_block(self.environment, self.located, Run::Real));
        }
        let mut blocks = Vec::new();
        if let Some(told) = answered.take(of_team(&self.located.memdir)) {
            blocks = told.blocks;
            answered.failures.extend(told.notes);
        }
        // A new session has heard nothing but what was said to the one before it.
        let mut session = self.session();
        if self.input.source != "resume" {
            session = AgentSession { news: session.news, ..AgentSession::default() };
        }
        let now = self.look(None, true, &session, answered);
        let mut told = self.blocks(&now.turn, &mut session, true);
        blocks.append(&mut told);
        answered.answer.context = within_limit(blocks);
        answered.answer.watch = vec![self.located.team()];
        self.save(session, answered);
        self.ask(now.want(), answered);
    }

    /// The few memories that matter, and what changed since the last prompt.
    fn prompt(&self, has_team: bool, answered: &mut Answered) {
        let prompt = self.input.prompt.trim();
        if prompt.is_empty() || prompt.starts_with(TASK_NOTIFICATION) {
            return;
        }
        let mut session = self.session();
        let surfaced = session.surfaced.clone();
        let query = Query { text: prompt.to_owned(), tools: Vec::new(), surfaced };
        let now = self.look(Some(&query), has_team, &session, answered);
        session.surfaced.extend(now.turn.recalled.iter().map(|told| told.path.clone()));
        let blocks = self.blocks(&now.turn, &mut session, false);
        answered.answer.context = within_limit(blocks);
        self.save(session, answered);
        let contact = now.turn.team.as_ref().and_then(|team| team.contact);
        let is_old = contact.is_none_or(|seconds| self.now().seconds - seconds > FRESH_SECONDS);
        if has_team && is_old {
            self.ask(now.want(), answered);
        }
    }

    fn before_tool(&self, answered: &mut Answered) {
        let (team, home) = (self.located.team(), self.environment.home());
        let seen = self.seen(&team, home.as_deref());
        let place = self.located.place();
        let refusal = guard::refusal(self.input, &seen, &place, self.actor);
        answered.answer.refusal = answered.take(refusal).flatten();
    }

    /// What is better not remembered is said to who wrote it, and refuses nothing.
    fn advise(&self, answered: &mut Answered) {
        let Some(written) = self.input.of_tool("file_path") else { return };
        let (team, home) = (self.located.team(), self.environment.home());
        let (folder, below) = match self.seen(&team, home.as_deref()).target(written) {
            Target::Team(below) => (&team, below),
            Target::Private(below) => (&self.located.memdir, below),
            Target::Elsewhere => return,
        };
        if !below.ends_with(".md") || below == INDEX || below.starts_with('.') {
            return;
        }
        let raw =
            Root::open(folder).and_then(|root| root.read_if_there(&below, MEMORY_BYTES_MAX as u64));
        let Some(raw) = answered.take(raw).flatten() else { return };
        let advice = advice(&String::from_utf8_lossy(&raw));
        if advice.is_empty() {
            return;
        }
        let lines = advice.iter().take(ADVICE_MAX).map(|problem| {
            let place =
                problem.position.map(|at| format!("line {}: ", at.line)).unwrap_or_default();
            format!("- {place}{}. {}", problem.message, problem.next_step)
        });
        let lines: Vec<String> = lines.collect();
        let head = format!("memsync: {} is saved. Worth a second look:", Escaped(&below));
        answered.answer.context = Some(format!("{head}\n{}", lines.join("\n")));
    }

    /// Whether the tool that ran may have changed the team memory.
    fn may_have_written(&self) -> bool {
        let (team, home) = (self.located.team(), self.environment.home());
        let seen = self.seen(&team, home.as_deref());
        let is_team = |written: &str| matches!(seen.target(written), Target::Team(_));
        match self.input.of_tool("command") {
            Some(command) => {
                is_team(".")
                    || shell::words(command)
                        .iter()
                        .any(|(folder, word)| is_team(&shell::join(folder, &word.text)))
            }
            None => self.input.of_tool("file_path").is_some_and(is_team),
        }
    }

    /// Whether the file that changed is one of the team's.
    fn is_team_file(&self) -> bool {
        let (team, home) = (self.located.team(), self.environment.home());
        let seen = self.seen(&team, home.as_deref());
        let Some(file) = self.input.file.as_ref().and_then(|file| file.to_str()) else {
            return false;
        };
        // Our own records and git's change with every sync.
        matches!(seen.target(file), Target::Team(below) if !below.starts_with(".git"))
    }

    /// Asks for a push where something waits to be shared.
    fn share(&self, answered: &mut Answered) {
        let place = self.located.place();
        if answered.take(background::is_unshared(&place, self.actor)) == Some(true) {
            self.ask(Want::Push, answered);
        }
    }

    fn ask(&self, want: Want, answered: &mut Answered) {
        let session = Some(self.input.session.clone()).filter(|id| !id.is_empty());
        let wish = Wish { agent: Some(client::word(self.agent).to_owned()), session };
        let asked: Result<(), AgentError> = background::ask(self.state, want, &wish, self.start);
        answered.take(asked);
    }

    fn session(&self) -> AgentSession {
        let known: AgentSession = self.state.read(&AgentState::session(&self.input.session));
        if known.seconds > 0 {
            return known;
        }
        // What the session before was told needs no second time.
        AgentSession { news: self.state.read::<News>(HEARD).count, ..known }
    }

    fn save(&self, mut session: AgentSession, answered: &mut Answered) {
        session.seconds = self.now().seconds;
        let heard = News { count: session.news, latest: Vec::new() };
        answered.take(self.state.write(HEARD, &heard));
        answered.take(self.state.write(&AgentState::session(&self.input.session), &session));
    }

    /// What holds now.
    fn look(
        &self,
        query: Option<&Query>,
        has_team: bool,
        session: &AgentSession,
        answered: &mut Answered,
    ) -> Now {
        let question = TurnQuestion {
            memdir: &self.located.memdir,
            agent: self.agent,
            folder: self.folder,
            environment: self.environment,
            query,
            touched: &[],
            now: self.now(),
        };
        let mut now = Now::default();
        if let Some((turn, notes)) = answered.take(turn_of(&question)) {
            now.turn = turn;
            answered.failures.extend(notes);
        }
        if let Some(team) = now.turn.team.as_mut().filter(|_| has_team) {
            team.news = self.state.read::<News>(NEWS).after(session.news).to_vec();
            if let Some(found) = answered.take(status(&self.located.place(), self.actor)) {
                team.kept_out = found.refused.iter().take(KEPT_OUT_MAX).map(kept_out).collect();
                now.waits = background::waits(&found);
            }
        }
        now
    }

    /// The blocks of a turn. How the team memory stands is said when it changed, the date never: the
    /// client knows it.
    fn blocks(&self, turn: &Turn, session: &mut AgentSession, is_start: bool) -> Vec<Block> {
        session.news = self.state.read::<News>(NEWS).count;
        let mut blocks = turn::blocks(turn, self.now());
        blocks.retain(|block| block.name != "date");
        let state = blocks.iter().find(|block| block.name == "state");
        let state = state.map(|block| block.text.clone()).unwrap_or_default();
        if state == session.state && !is_start {
            blocks.retain(|block| block.name != "state");
        }
        session.state = state;
        blocks
    }
}

/// What holds at a moment.
#[derive(Default)]
struct Now {
    turn: Turn,
    /// Whether something waits to be shared.
    waits: bool,
}

impl Now {
    /// A push takes what others shared as well.
    fn want(&self) -> Want {
        if self.waits { Want::Push } else { Want::Pull }
    }
}

/// How much of the news any session has heard.
const HEARD: &str = "heard.json";

/// A file that is not shared, and why, in one line.
fn kept_out(held: &HeldBack) -> String {
    let why = |reason: &Reason| match reason.position {
        Some(at) => format!("line {}: {}", at.line, reason.message),
        None => reason.message.clone(),
    };
    let reasons: Vec<String> = held.reasons.iter().take(2).map(why).collect();
    format!("`team/{}`: {}", held.path, reasons.join("; "))
}

/// The blocks as one text that a client takes whole; `None` where there is nothing to say.
fn within_limit(blocks: Vec<Block>) -> Option<String> {
    let budget = Budget { tokens: None, characters: Some(HOOK_ANSWER_CHARACTERS_MAX) };
    let fitted = fit(blocks, &FIRST_KEPT, budget);
    (!fitted.blocks.is_empty()).then(|| joined(&fitted.blocks))
}
