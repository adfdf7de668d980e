//! The clients that memsync connects, and where each keeps its hooks.
//! Border: paths and words; the files are read and written by `install`.

use std::path::{Path, PathBuf};

use super::entries::{Hooks, Program};
use crate::agents::error::AgentError;
use crate::local::instructions::Agent;
use crate::store::agent::{claude_code, codex};
use crate::system::env::Environment;

/// Whose settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The person's, on this machine.
    User,
    /// The project's, shared with everyone who works on it.
    Project,
    /// The person's for this project.
    Local,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::User, Self::Project, Self::Local];

    /// As it is said.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

/// A settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsFile {
    /// The folder that is a person's or a project's own; below it no link is followed.
    pub folder: PathBuf,
    /// The file below it.
    pub name: String,
}

impl SettingsFile {
    /// The whole path.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }
}

/// What memsync's command line calls a client.
pub fn word(agent: Agent) -> &'static str {
    match agent {
        Agent::ClaudeCode => "claude-code",
        Agent::Codex => "codex",
    }
}

/// What people call it.
pub fn name(agent: Agent) -> &'static str {
    match agent {
        Agent::ClaudeCode => "Claude Code",
        Agent::Codex => "Codex",
    }
}

/// The hooks of a client, calling this program.
pub fn hooks(agent: Agent, scope: Scope, program: &Path) -> Hooks {
    let program = match scope {
        // What is checked in has to work on every machine, or do nothing.
        Scope::Project => Program::ByName,
        Scope::User | Scope::Local => Program::File(program.to_owned()),
    };
    let events: &[_] = match agent {
        Agent::ClaudeCode => &claude_code::HOOK_EVENTS,
        Agent::Codex => &codex::HOOK_EVENTS,
    };
    Hooks { program, client: word(agent), events }
}

/// The folder of the person's own files of a client.
pub fn user_folder(agent: Agent, environment: &Environment) -> Option<PathBuf> {
    let (variable, folder) = match agent {
        Agent::ClaudeCode => (claude_code::CONFIG_DIR_VARIABLE, claude_code::USER_FOLDER),
        Agent::Codex => (codex::HOME_VARIABLE, codex::USER_FOLDER),
    };
    let named = environment.path(variable).filter(|path| path.is_absolute());
    named.or_else(|| Some(environment.home()?.join(folder)))
}

/// The file that has the hooks of a scope.
///
/// # Errors
/// A scope that the client does not have; no home folder.
pub fn settings_file(
    agent: Agent,
    scope: Scope,
    environment: &Environment,
    project: &Path,
) -> Result<SettingsFile, AgentError> {
    let [shared, local] = claude_code::PROJECT_SETTINGS;
    match (agent, scope) {
        (_, Scope::User) => {
            let folder = user_folder(agent, environment).ok_or(AgentError::NoHome)?;
            let name = match agent {
                Agent::ClaudeCode => claude_code::USER_SETTINGS,
                Agent::Codex => codex::HOOKS_FILE,
            };
            Ok(followed(&folder.join(name))
                .unwrap_or(SettingsFile { folder, name: name.to_owned() }))
        }
        (Agent::ClaudeCode, Scope::Project) => {
            Ok(SettingsFile { folder: project.to_owned(), name: shared.to_owned() })
        }
        (Agent::ClaudeCode, Scope::Local) => {
            Ok(SettingsFile { folder: project.to_owned(), name: local.to_owned() })
        }
        (Agent::Codex, _) => Err(AgentError::NoScope { client: name(agent), scope: scope.word() }),
    }
}

/// A person's own settings may be a link into a folder of theirs: the file it means is changed, the link
/// stays.
fn followed(path: &Path) -> Option<SettingsFile> {
    let real = std::fs::canonicalize(path).ok()?;
    let name = real.file_name()?.to_str()?.to_owned();
    Some(SettingsFile { folder: real.parent()?.to_owned(), name })
}
