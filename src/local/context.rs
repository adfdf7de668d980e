//! What an agent is told about memory here: reads the machine, asks the rules.
//! Border: reads only, without git and without the network; a file that cannot be read is named.

use std::path::{Path, PathBuf};

use crate::base::time::Timestamp;
use crate::context::block::Block;
use crate::context::session::{self, Layers};
use crate::context::turn::{self, Rule, TeamState, Told, Turn};
use crate::instructions::entry::{Kind, State};
use crate::instructions::text;
use crate::local::instructions::{Agent, Question, told};
use crate::local::layers::TEAM;
use crate::local::open_conflicts::open_conflicts;
use crate::local::recall::{Memory, recall};
use crate::memory::document::Document;
use crate::memory::limits::INDEX_FILE_BYTES_MAX;
use crate::recall::query::Query;
use crate::store::state::{self, LastContact};
use crate::system::env::Environment;
use crate::system::files::{FileError, Root};

const INDEX: &str = "MEMORY.md";
/// So many open conflicts are named.
const CONFLICTS_MAX: usize = 20;
/// So many memories are recalled for a turn.
const RECALLED_MAX: usize = 5;

/// Blocks, and what a person should know beside: files that could not be read.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The blocks in their order.
    pub blocks: Vec<Block>,
    /// What could not be read, and why.
    pub notes: Vec<String>,
}

/// What holds for a whole session: the same files give the same bytes.
///
/// # Errors
/// A memory directory that is there and cannot be opened.
pub fn for_session(memdir: &Path) -> Result<Context, FileError> {
    let mut notes = Vec::new();
    let private = folder(memdir)?;
    let team = folder(&memdir.join(TEAM))?;
    let mut read = |root: Option<&Root>| index(root?, &mut notes);
    let (private_index, team_index) = (read(private.as_ref()), read(team.as_ref()));
    let layers = Layers {
        private_index: private_index.as_deref(),
        team_index: team_index.as_deref(),
        has_team: team.is_some(),
    };
    Ok(Context { blocks: session::blocks(&layers), notes })
}

/// What is asked of a turn.
#[derive(Clone, Debug)]
pub struct TurnQuestion<'a> {
    /// The memory directory.
    pub memdir: &'a Path,
    /// The client.
    pub agent: Agent,
    /// The folder it runs in.
    pub folder: &'a Path,
    /// The environment it runs in.
    pub environment: &'a Environment,
    /// The prompt, tools and memories that were shown already; `None` where there is no prompt.
    pub query: Option<&'a Query>,
    /// Files it works on.
    pub touched: &'a [PathBuf],
    /// The moment.
    pub now: Timestamp,
}

/// What holds for one turn.
///
/// # Errors
/// A memory directory that is there and cannot be opened.
pub fn for_turn(question: &TurnQuestion<'_>) -> Result<Context, FileError> {
    let (turn, notes) = turn_of(question)?;
    Ok(Context { blocks: turn::blocks(&turn, question.now), notes })
}

/// What holds for one turn as values, and what could not be read.
///
/// # Errors
/// A memory directory that is there and cannot be opened.
pub fn turn_of(question: &TurnQuestion<'_>) -> Result<(Turn, Vec<String>), FileError> {
    let mut notes = Vec::new();
    let mut turn = Turn { team: team_state(question.memdir, &mut notes)?, ..Turn::default() };
    if let Some(query) = question.query {
        let recalled = recall(question.memdir, query, RECALLED_MAX, question.now.seconds)?;
        turn.recalled = recalled.memories.iter().map(of_memory).collect();
        turn.unread = recalled.unread.iter().map(|(path, _)| path.clone()).collect();
        notes.extend(recalled.unread.iter().map(|(path, error)| format!("`{path}`: {error}")));
    }
    if !question.touched.is_empty() {
        turn.rules = rules(question, &mut notes);
    }
    Ok((turn, notes))
}

/// What somebody who has the client's own index is told at the start of a session: that there is a team
/// memory, and its index. Nothing where there is none.
///
/// # Errors
/// A memory directory that is there and cannot be opened.
pub fn of_team(memdir: &Path) -> Result<Context, FileError> {
    let mut notes = Vec::new();
    let Some(team) = folder(&memdir.join(TEAM))? else { return Ok(Context::default()) };
    let index = index(&team, &mut notes);
    Ok(Context { blocks: session::of_team(index.as_deref()), notes })
}

/// A folder that is there; one that is not holds nothing, a link in its place is not followed.
fn folder(path: &Path) -> Result<Option<Root>, FileError> {
    match Root::open(path) {
        Ok(root) => Ok(Some(root)),
        Err(FileError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The index of a folder as a model sees it: without frontmatter and comments.
fn index(root: &Root, notes: &mut Vec<String>) -> Option<String> {
    match root.read_if_there(INDEX, INDEX_FILE_BYTES_MAX as u64) {
        Ok(raw) => {
            let raw = raw?;
            let raw = String::from_utf8_lossy(&raw);
            Some(text::told(&raw[text::cut(&raw).body..]).into_owned())
        }
        Err(error) => {
            notes.push(error.to_string());
            None
        }
    }
}

fn of_memory(memory: &Memory) -> Told {
    Told {
        path: memory.path.clone(),
        facts: memory.facts().join(", "),
        text: body(memory),
        cut_bytes: memory.cut_bytes,
    }
}

/// The text below the frontmatter: kind, author and age stand in the heading. Of a sealed memory the
/// frontmatter is all there is, and where there is no text the description says what it is about.
pub fn body(memory: &Memory) -> String {
    let document = Document::parse(&memory.text);
    let text = document.parts().map(|(_, body)| body.trim()).filter(|body| !body.is_empty());
    match text {
        Some(body) if !memory.is_sealed => body.to_owned(),
        _ => memory.text.clone(),
    }
}

/// How the team memory stands; `None` where there is none.
fn team_state(memdir: &Path, notes: &mut Vec<String>) -> Result<Option<TeamState>, FileError> {
    let Some(team) = folder(&memdir.join(TEAM))? else { return Ok(None) };
    let mut found =
        TeamState { conflicts: named(open_conflicts(&team, notes)), ..TeamState::default() };
    // A folder without a repository is shared by nobody, and has no contact to be late with.
    let Ok(git_root) = team.descend(".git") else { return Ok(None) };
    match state::read::<LastContact>(&git_root) {
        Ok(contact) => {
            let contact = contact.unwrap_or_default();
            found.contact = contact.fetched.max(contact.pushed);
            found.failure = contact.failure;
            found.refused = contact.refused.map(|refused| refused.message);
        }
        Err(error) => notes.push(error.to_string()),
    }
    Ok(Some(found))
}

/// As many conflicts as are named, and how many more there are.
fn named(mut conflicts: Vec<String>) -> Vec<String> {
    if conflicts.len() > CONFLICTS_MAX {
        let more = conflicts.len() - CONFLICTS_MAX;
        conflicts.truncate(CONFLICTS_MAX);
        conflicts.push(format!("{more} more"));
    }
    conflicts
}

/// Rules and instructions that apply because of the files at hand, not at the start of the session.
fn rules(question: &TurnQuestion<'_>, notes: &mut Vec<String>) -> Vec<Rule> {
    let told = told(&Question {
        agent: question.agent,
        folder: question.folder,
        environment: question.environment,
        memdir: None,
        touched: question.touched,
    });
    notes.extend(told.notes);
    let shown = |path: &Path| {
        path.strip_prefix(&told.folder).unwrap_or(path).display().to_string().replace('\\', "/")
    };
    let applies = told.entries.iter().filter(|entry| {
        matches!(entry.state, State::Fired { .. } | State::Touched(_)) && entry.kind != Kind::Memory
    });
    let rule = |entry: &crate::instructions::Entry| Rule {
        path: shown(&entry.path),
        why: entry.state.reason(&shown),
        text: entry.told.clone(),
    };
    applies.map(rule).collect()
}
