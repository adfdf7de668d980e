//! Puts memsync into a client's settings and the private index, and takes it out again.
//! Border: reads and writes those files, each by compare-and-swap; what stands in them is `entries` and `block`.

use std::path::{Path, PathBuf};

use super::block::Block;
use super::client::{Scope, SettingsFile, hooks, settings_file};
use super::entries::{found, with_hooks, without_hooks};
use crate::agents::error::AgentError;
use crate::folder::entry::edit_private_index;
use crate::local::instructions::Agent;
use crate::store::agent_state::{AGENTS, Installed, open_home};
use crate::store::locate::Located;
use crate::system::env::Environment;
use crate::system::files::{Durability, FileError, Root};

/// A settings file of a client.
pub(crate) const SETTINGS_BYTES_MAX: u64 = 4_000_000;
/// Another program that writes the same file all the time is not waited for.
const TRIES_MAX: usize = 5;
/// The record of what was put where, in the person's state folder.
const RECORD: &str = "installed.json";
const INDEX: &str = "MEMORY.md";
/// What Codex reads, and Claude Code where there is no CLAUDE.md.
const INSTRUCTIONS: &str = "AGENTS.md";

/// What installing works on.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// The variables.
    pub environment: &'a Environment,
    /// The memory directory.
    pub located: &'a Located,
    /// The project whose settings are meant.
    pub project: &'a Path,
    /// This program.
    pub program: &'a Path,
}

/// A file that was or would be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The file.
    pub path: PathBuf,
    /// What it said; `None` where there was none.
    pub before: Option<String>,
    /// What it says now; `None` where it is gone.
    pub after: Option<String>,
}

/// Whether files are written or only told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// Write.
    Real,
    /// Say what would be written.
    Dry,
}

/// Puts the hooks of a client into its settings, and the block into the private index.
///
/// # Errors
/// Settings that cannot be changed without loss; nothing is changed then.
pub fn install(
    machine: &Machine<'_>,
    agent: Agent,
    scope: Scope,
    run: Run,
) -> Result<Vec<Changed>, AgentError> {
    let file = settings_file(agent, scope, machine.environment, machine.project)?;
    let hooks = hooks(agent, scope, machine.program);
    let mut installed = record(machine.environment)?;
    let key = file.path().to_string_lossy().into_owned();
    let mut changed = Vec::new();
    let settings = change(&file, run, |before| {
        let mut hollows = installed.hollows.get(&key).cloned().unwrap_or_default();
        let text = before.unwrap_or("{}\n");
        let after = with_hooks(text, &hooks, &mut hollows).map_err(|why| refused(&file, why))?;
        installed.hollows.insert(key.clone(), hollows);
        Ok(Some(after))
    })?;
    if let Some(settings) = settings {
        if settings.before.is_none() {
            installed.made.push(settings.path.clone());
        }
        changed.push(settings);
    }
    // The record first: without it, what was put in could still be taken out, only less exactly.
    if run == Run::Real {
        write_record(machine.environment, &installed)?;
    }
    if agent == Agent::ClaudeCode {
        changed.extend(put_block(machine.environment, machine.located, run)?);
    }
    Ok(changed)
}

/// Takes the hooks of a client out of its settings, and the block out of every private index.
///
/// # Errors
/// Settings that cannot be changed without loss; nothing is changed then.
pub fn uninstall(
    machine: &Machine<'_>,
    agent: Agent,
    scope: Scope,
    run: Run,
) -> Result<Vec<Changed>, AgentError> {
    let file = settings_file(agent, scope, machine.environment, machine.project)?;
    let mut installed = record(machine.environment)?;
    let key = file.path().to_string_lossy().into_owned();
    let hollows = installed.hollows.get(&key).cloned().unwrap_or_default();
    let was_made = installed.made.contains(&file.path());
    let mut changed = Vec::new();
    changed.extend(change(&file, run, |before| {
        let Some(before) = before else { return Ok(None) };
        let after = without_hooks(before, &hollows).map_err(|why| refused(&file, why))?;
        let is_empty = was_made && matches!(after.trim(), "{}");
        Ok((!is_empty).then_some(after))
    })?);
    installed.hollows.remove(&key);
    installed.made.retain(|made| *made != file.path());
    if agent == Agent::Codex {
        changed.extend(take_instructions(machine, run)?);
    }
    // The block serves the client in every scope.
    let mut others = Scope::ALL.into_iter().filter(|other| *other != scope);
    if agent == Agent::ClaudeCode && !others.any(|other| has_hooks(machine, agent, other)) {
        let mut memdirs = std::mem::take(&mut installed.blocks);
        if !memdirs.contains(&machine.located.memdir) {
            memdirs.push(machine.located.memdir.clone());
        }
        for memdir in &memdirs {
            changed.extend(take_block(memdir, run)?);
        }
    }
    if run == Run::Real {
        write_record(machine.environment, &installed)?;
        if installed == Installed::default() && !is_any_left(machine) {
            forget(machine.environment)?;
        }
    }
    Ok(changed)
}

/// Whether any client still calls memsync.
fn is_any_left(machine: &Machine<'_>) -> bool {
    let agents = [Agent::ClaudeCode, Agent::Codex];
    agents.iter().any(|agent| Scope::ALL.iter().any(|scope| has_hooks(machine, *agent, *scope)))
}

/// Whether the settings of a scope call memsync; what cannot be read does not.
fn has_hooks(machine: &Machine<'_>, agent: Agent, scope: Scope) -> bool {
    let file = settings_file(agent, scope, machine.environment, machine.project);
    let text = file.ok().and_then(|file| read(&file).ok().flatten());
    text.and_then(|text| found(&text).ok()).is_some_and(|found| !found.events.is_empty())
}

/// Takes away every record that only hooks need.
fn forget(environment: &Environment) -> Result<(), AgentError> {
    let Some(home) = open_home(environment)? else { return Ok(()) };
    home.remove(RECORD)?;
    if home.exists(AGENTS)? {
        home.remove_folder(AGENTS)?;
    }
    Ok(())
}

fn refused(file: &SettingsFile, why: super::json_text::JsonError) -> AgentError {
    AgentError::Settings { path: file.path(), why }
}

/// Changes a file by compare-and-swap; `None` where nothing is to change.
fn change(
    file: &SettingsFile,
    run: Run,
    mut edit: impl FnMut(Option<&str>) -> Result<Option<String>, AgentError>,
) -> Result<Option<Changed>, AgentError> {
    for _ in 0..TRIES_MAX {
        let before = read(file)?;
        let after = edit(before.as_deref())?;
        if before == after {
            return Ok(None);
        }
        if run == Run::Real {
            if read(file)? != before {
                continue;
            }
            write(file, after.as_deref())?;
        }
        return Ok(Some(Changed { path: file.path(), before, after }));
    }
    Err(AgentError::Changed { path: file.path() })
}

/// The text of a settings file; `None` where there is none.
pub(crate) fn read(file: &SettingsFile) -> Result<Option<String>, AgentError> {
    let root = match Root::open(&file.folder) {
        Ok(root) => root,
        Err(FileError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let raw = root.read_if_there(&file.name, SETTINGS_BYTES_MAX)?;
    let text = raw.map(String::from_utf8).transpose();
    text.map_err(|_| AgentError::NotUtf8 { path: file.path() })
}

fn write(file: &SettingsFile, text: Option<&str>) -> Result<(), AgentError> {
    Root::create(&file.folder)?;
    let root = Root::open(&file.folder)?;
    let Some(text) = text else { return Ok(root.remove(&file.name)?) };
    // Who may read the file stays as it is: settings may hold a credential.
    let is_private = root.stat(&file.name)?.is_some_and(|stat| stat.is_private);
    if is_private {
        root.write_private(&file.name, text.as_bytes(), Durability::Durable)?;
    } else {
        root.write_atomic(&file.name, text.as_bytes(), Durability::Durable)?;
    }
    Ok(())
}

/// Brings the block of the private index in line: there is one where there is a team memory.
///
/// # Errors
/// An index that is no text, or is written all the time.
pub fn put_block(
    environment: &Environment,
    located: &Located,
    run: Run,
) -> Result<Option<Changed>, AgentError> {
    if !located.team().is_dir() {
        return Ok(None);
    }
    let changed = edit_block(&located.memdir, run, &|text| Block::Index.put_into(text))?;
    if changed.is_some() && run == Run::Real {
        let mut installed = record(environment)?;
        if !installed.blocks.contains(&located.memdir) {
            installed.blocks.push(located.memdir.clone());
            write_record(environment, &installed)?;
        }
    }
    Ok(changed)
}

/// Puts the block into the AGENTS.md of the project, which is made where it is missing.
///
/// # Errors
/// A file that is no text, or is written all the time.
pub fn put_instructions(machine: &Machine<'_>, run: Run) -> Result<Option<Changed>, AgentError> {
    change(&instructions_file(machine), run, |before| {
        let text = before.unwrap_or_default();
        Ok(Some(Block::Instructions.put_into(text).unwrap_or_else(|| text.to_owned())))
    })
}

/// Takes it out again; a file that held nothing else goes.
fn take_instructions(machine: &Machine<'_>, run: Run) -> Result<Option<Changed>, AgentError> {
    change(&instructions_file(machine), run, |before| {
        let Some(text) = before else { return Ok(None) };
        let Some(rest) = Block::Instructions.take_out(text) else {
            return Ok(Some(text.to_owned()));
        };
        Ok((!rest.is_empty()).then_some(rest))
    })
}

fn instructions_file(machine: &Machine<'_>) -> SettingsFile {
    SettingsFile { folder: machine.project.to_owned(), name: INSTRUCTIONS.to_owned() }
}

fn take_block(memdir: &Path, run: Run) -> Result<Option<Changed>, AgentError> {
    if !memdir.join(INDEX).is_file() {
        return Ok(None);
    }
    let mut changed = edit_block(memdir, run, &|text| Block::Index.take_out(text))?;
    // An index that memsync made for the block goes with it.
    if let Some(changed) = changed.as_mut().filter(|one| one.after.as_deref() == Some("")) {
        changed.after = None;
        if run == Run::Real {
            Root::open(memdir)?.remove(INDEX)?;
        }
    }
    Ok(changed)
}

fn edit_block(
    memdir: &Path,
    run: Run,
    edit: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Changed>, AgentError> {
    let file = SettingsFile { folder: memdir.to_owned(), name: INDEX.to_owned() };
    let before = read(&file)?;
    // Most of the time there is nothing to do, and no lock to take.
    let Some(after) = edit(before.as_deref().unwrap_or_default()) else { return Ok(None) };
    if run == Run::Real {
        edit_private_index(&Root::open(memdir)?, edit)?;
    }
    Ok(Some(Changed { path: file.path(), before, after: Some(after) }))
}

/// What was put where on this machine.
fn record(environment: &Environment) -> Result<Installed, AgentError> {
    let home = open_home(environment)?.ok_or(AgentError::NoHome)?;
    let raw = home.read_if_there(RECORD, SETTINGS_BYTES_MAX)?;
    Ok(raw.and_then(|raw| serde_json::from_slice(&raw).ok()).unwrap_or_default())
}

fn write_record(environment: &Environment, installed: &Installed) -> Result<(), AgentError> {
    let home = open_home(environment)?.ok_or(AgentError::NoHome)?;
    let text = serde_json::to_vec_pretty(installed).expect("because records have string keys");
    Ok(home.write_private(RECORD, &text, Durability::Durable)?)
}
