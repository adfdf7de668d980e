//! Whether the doors are open: what is installed, what called, what is in the way, what was shared.
//! Border: reads only; the words are shown by `agent status` and `doctor`.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::background::{DONE, Running, running};
use super::error::AgentError;
use super::settings::block::Block;
use super::settings::client::{self, Scope, settings_file, user_folder};
use super::settings::entries::found;
use super::settings::install::{Machine, SETTINGS_BYTES_MAX, read};
use super::settings::json_text;
use crate::base::text::count;
use crate::base::time::Timestamp;
use crate::local::instructions::Agent;
use crate::memory::limits::INDEX_FILE_BYTES_MAX;
use crate::store::agent::claude_code::{
    HOOKS_OFF, MANAGED_FOLDER, MANAGED_SETTINGS, MEMORY_ENABLED, MEMORY_STORES_VARIABLE,
};
use crate::store::agent_state::{AgentState, Work};
use crate::sync::inspect::health::{Finding, Health, finding};
use crate::system::files::Root;
use crate::system::reading::{open_regular, read_bounded};

/// Hooks that never called within so many seconds are worth a word.
const LATELY_SECONDS: i64 = 30 * 86_400;
/// A transcript says its client's version in its first lines.
const TRANSCRIPT_BYTES_MAX: u64 = 200_000;

/// What is found of one client's hooks in one scope.
#[derive(Clone, Debug)]
pub struct InScope {
    /// The scope.
    pub scope: Scope,
    /// Its settings file.
    pub path: PathBuf,
    /// How many events call memsync.
    pub events: usize,
}

/// The scopes in which a client has hooks of ours.
pub fn installed(machine: &Machine<'_>, agent: Agent) -> Vec<InScope> {
    let mut scopes = Vec::new();
    for scope in Scope::ALL {
        let Ok(file) = settings_file(agent, scope, machine.environment, machine.project) else {
            continue;
        };
        let text = read(&file).ok().flatten();
        if let Some(found) = text.and_then(|text| found(&text).ok())
            && !found.events.is_empty()
        {
            scopes.push(InScope { scope, path: file.path(), events: found.events.len() });
        }
    }
    scopes
}

/// Looks at the doors of a client.
pub fn look(
    machine: &Machine<'_>,
    agent: Agent,
    state: Option<&AgentState>,
    now: Timestamp,
) -> Vec<Finding> {
    let mut findings = hooks(machine, agent);
    let is_installed = findings.iter().any(|one| one.state == Health::Good);
    if agent == Agent::ClaudeCode {
        findings.extend(in_the_way(machine));
        if is_installed {
            findings.extend(block(machine));
        }
    } else if is_installed {
        findings.push(finding(
            "trust",
            Health::Note,
            "Codex passes over hooks that it was not told to trust, without a word",
            "start `codex` once and say yes when it asks about the hooks of memsync",
        ));
    }
    findings.extend(calls(state, is_installed, now));
    findings.extend(state.map(|state| work(state, now)).unwrap_or_default());
    findings
}

/// What the settings say.
fn hooks(machine: &Machine<'_>, agent: Agent) -> Vec<Finding> {
    let mut findings = Vec::new();
    let name = client::name(agent);
    for scope in Scope::ALL {
        let Ok(file) = settings_file(agent, scope, machine.environment, machine.project) else {
            continue;
        };
        let text = match read(&file) {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(error) => {
                findings.push(finding("hooks", Health::Note, error.to_string(), ""));
                continue;
            }
        };
        let path = file.path();
        let found = match found(&text) {
            Ok(found) => found,
            Err(why) => {
                let error = AgentError::Settings { path, why };
                findings.push(finding("hooks", Health::Note, error.to_string(), ""));
                continue;
            }
        };
        if found.events.is_empty() {
            continue;
        }
        let expected = client::hooks(agent, scope, machine.program).events.len();
        let programs: Vec<String> =
            found.programs.iter().map(|program| format!("`{}`", program.display())).collect();
        let gone = found.programs.iter().any(|one| one.is_absolute() && !one.is_file());
        let again = format!("`memsync agent install {} --{}`", client::word(agent), scope.word());
        let message = format!(
            "{name} calls {} at {} ({}, `{}`)",
            programs.join(" and "),
            count(found.events.len(), "event", "events"),
            scope.word(),
            path.display()
        );
        findings.push(if gone {
            finding("hooks", Health::Bad, format!("{message}, which is not there"), again)
        } else if found.events.len() < expected {
            finding("hooks", Health::Note, format!("{message}, of {expected}"), again)
        } else {
            finding("hooks", Health::Good, message, "")
        });
    }
    if findings.is_empty() {
        findings.push(finding(
            "hooks",
            Health::Note,
            format!("{name} is not connected"),
            format!("`memsync agent install {}`", client::word(agent)),
        ));
    }
    findings
}

/// What keeps Claude Code from calling hooks, or from reading memory.
fn in_the_way(machine: &Machine<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut files: Vec<PathBuf> = Scope::ALL
        .iter()
        .filter_map(|scope| {
            settings_file(Agent::ClaudeCode, *scope, machine.environment, machine.project).ok()
        })
        .map(|file| file.path())
        .collect();
    files.push(Path::new(MANAGED_FOLDER).join(MANAGED_SETTINGS));
    for path in files {
        let raw = read_bounded(&path, SETTINGS_BYTES_MAX).ok().flatten().unwrap_or_default();
        let Ok(settings) = json_text::value(&String::from_utf8_lossy(&raw)) else { continue };
        for key in HOOKS_OFF {
            if settings.get(key).and_then(Value::as_bool) == Some(true) {
                findings.push(finding(
                    "hooks",
                    Health::Bad,
                    format!("`{key}` in `{}` switches hooks off", path.display()),
                    "take it out, or ask whoever put it there",
                ));
            }
        }
        if settings.get(MEMORY_ENABLED).and_then(Value::as_bool) == Some(false) {
            findings.push(finding(
                "memory",
                Health::Note,
                format!(
                    "`{MEMORY_ENABLED}` in `{}` switches the client's own memory off",
                    path.display()
                ),
                "what the team shares still arrives through the hooks",
            ));
        }
    }
    if machine.environment.os(MEMORY_STORES_VARIABLE).is_some() {
        findings.push(finding(
            "memory",
            Health::Bad,
            format!(
                "`{MEMORY_STORES_VARIABLE}` is set: the client then uses its own team mode and leaves the \
                 personal MEMORY.md out of the prompt"
            ),
            "unset it, or share with the client's team mode instead of memsync",
        ));
    }
    let team = machine.located.team();
    if team.is_symlink() {
        findings.push(finding(
            "memory",
            Health::Bad,
            format!("`{}` is a link: the client refuses to write through it", team.display()),
            "put the folder itself there",
        ));
    }
    findings.extend(other_syncer(&machine.located.memdir).map(|name| {
        finding(
            "memory",
            Health::Note,
            format!("{name} keeps `{}` in step as well", machine.located.memdir.display()),
            "two programs that write the same files make copies of each other's: leave the folder to one",
        )
    }));
    findings
}

/// Another program that brings the folder to other machines, as far as its marks tell.
fn other_syncer(memdir: &Path) -> Option<&'static str> {
    let real = std::fs::canonicalize(memdir).ok()?;
    real.ancestors().find_map(|folder| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let by_name = SYNCERS.iter().find(|(start, _)| name.starts_with(start));
        let by_mark = SYNC_MARKS.iter().find(|(mark, _)| folder.join(mark).exists());
        by_name.or(by_mark).map(|(_, program)| *program)
    })
}

/// How folders of such programs are called.
const SYNCERS: [(&str, &str); 5] = [
    ("Dropbox", "Dropbox"),
    ("OneDrive", "OneDrive"),
    ("Google Drive", "Google Drive"),
    ("GoogleDrive", "Google Drive"),
    ("Mobile Documents", "iCloud"),
];
/// What such programs leave in their folders.
const SYNC_MARKS: [(&str, &str); 3] =
    [(".stfolder", "Syncthing"), (".dropbox", "Dropbox"), (".owncloudsync.log", "Nextcloud")];

/// Whether the private index points to the team's.
fn block(machine: &Machine<'_>) -> Vec<Finding> {
    if !machine.located.team().is_dir() {
        return vec![finding(
            "team memory",
            Health::Note,
            "there is none here yet",
            "`memsync init --remote URL` starts one, `memsync join URL` takes part in one",
        )];
    }
    let root = Root::open(&machine.located.memdir);
    let raw = root.and_then(|root| root.read_if_there("MEMORY.md", INDEX_FILE_BYTES_MAX as u64));
    let raw = raw.ok().flatten().unwrap_or_default();
    if Block::Index.take_out(&String::from_utf8_lossy(&raw)).is_some() {
        return vec![finding("index", Health::Good, "MEMORY.md points to the team memory", "")];
    }
    vec![finding(
        "index",
        Health::Note,
        "MEMORY.md does not point to the team memory",
        "the next session of the agent puts it right; `memsync agent install claude-code` does it now",
    )]
}

/// When hooks last called, and what went wrong.
fn calls(state: Option<&AgentState>, is_installed: bool, now: Timestamp) -> Vec<Finding> {
    let mut calls = state.map(AgentState::calls).unwrap_or_default();
    calls.sort_by_key(|(_, called)| std::cmp::Reverse(called.seconds));
    let Some((event, last)) = calls.first() else {
        let text = "no hook has called yet in this project";
        let next = "start the client here; if it then still says so, its hooks are switched off";
        return is_installed
            .then(|| finding("calls", Health::Note, text, next))
            .into_iter()
            .collect();
    };
    let transcripts = calls.iter().filter_map(|(_, called)| called.transcript.as_deref());
    let version = transcripts.into_iter().find_map(version_in);
    let version = version.map(|version| format!(", client version {version}")).unwrap_or_default();
    let is_lately = now.seconds - last.seconds < LATELY_SECONDS;
    let message = format!("{event} called {}{version}", Timestamp::utc(last.seconds));
    let mut findings = vec![if is_lately {
        finding("calls", Health::Good, message, "")
    } else {
        finding(
            "calls",
            Health::Note,
            message,
            "start the client here to see whether it still calls",
        )
    }];
    for (event, called) in &calls {
        if let Some(failure) = &called.failure {
            findings.push(finding(
                "calls",
                Health::Note,
                format!("{event} at {}: {failure}", Timestamp::utc(called.seconds)),
                "the agent went on without it",
            ));
        }
    }
    findings
}

/// The client's version as its log says it.
fn version_in(transcript: &Path) -> Option<String> {
    let file = open_regular(transcript).ok()?;
    let lines = BufReader::new(file.take(TRANSCRIPT_BYTES_MAX)).lines();
    lines.map_while(Result::ok).find_map(|line| {
        let line: Value = serde_json::from_str(&line).ok()?;
        let version = line.get("version")?.as_str()?;
        let is_plain = version.len() < 40 && version.chars().all(|c| c.is_ascii_graphic());
        is_plain.then(|| version.to_owned())
    })
}

/// What was shared in the background.
fn work(state: &AgentState, now: Timestamp) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(Running { process, since }) = running(state) {
        let seconds = (now.seconds - since).max(0);
        findings.push(finding(
            "background",
            Health::Good,
            format!(
                "process {process} is sharing, for {}",
                count(usize::try_from(seconds).unwrap_or(0), "second", "seconds")
            ),
            "",
        ));
    }
    let done: Work = state.read(DONE);
    if done.seconds > 0 {
        let when = Timestamp::utc(done.seconds);
        findings.push(match &done.failure {
            Some(failure) => finding(
                "background",
                Health::Bad,
                format!("{} at {when}: {failure}", done.what),
                "`memsync sync` says more and what to do",
            ),
            None => finding(
                "background",
                Health::Good,
                format!(
                    "{} at {when}: {} received, {} sent",
                    done.what,
                    count(done.received, "commit", "commits"),
                    done.pushed
                ),
                "",
            ),
        });
    }
    findings
}

/// Whether a client is used on this machine: it has a folder of its own.
pub fn is_used(agent: Agent, machine: &Machine<'_>) -> bool {
    user_folder(agent, machine.environment).is_some_and(|folder| folder.is_dir())
}
