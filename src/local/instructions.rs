//! What an agent is told in a folder: reads the machine, asks the rules.
//! Border: reads only; nothing is written, no client is started.

use std::path::{Component, Path, PathBuf};

use super::disk::Disk;
use super::settings::surroundings;
use crate::instructions::codex::{self, CodexSurroundings};
use crate::instructions::session::session;
use crate::instructions::{Entry, Files};
use crate::store::agent::{claude_code, codex as codex_names};
use crate::system::env::Environment;
use crate::system::reading::read_bounded;

/// The configuration of Codex.
const CONFIG_BYTES_MAX: u64 = 4_000_000;

/// A client whose instructions memsync knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    #[default]
    ClaudeCode,
    /// Codex.
    Codex,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// Which client.
    pub agent: Agent,
    /// The folder it runs in.
    pub folder: &'a Path,
    /// The environment it runs in.
    pub environment: &'a Environment,
    /// The private memory directory; `None` where none can be named.
    pub memdir: Option<&'a Path>,
    /// Files it works on, as they were named, from the folder.
    pub touched: &'a [PathBuf],
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Told {
    /// Every file, in the client's order.
    pub entries: Vec<Entry>,
    /// What a person should know beside: settings that could not be read.
    pub notes: Vec<String>,
    /// The folder, links resolved.
    pub folder: PathBuf,
}

/// Finds out what an agent is told.
pub fn told(question: &Question<'_>) -> Told {
    match question.agent {
        Agent::ClaudeCode => claude_code(question),
        Agent::Codex => codex(question),
    }
}

fn claude_code(question: &Question<'_>) -> Told {
    let mut notes = Vec::new();
    let (folder, environment) = (question.folder, question.environment);
    let around = surroundings(folder, environment, question.memdir, &mut notes);
    let touched: Vec<PathBuf> =
        question.touched.iter().map(|path| absolute(&around.folder, path)).collect();
    let entries = session(&Disk, &claude_code::PROFILE, &around, &touched);
    Told { entries, notes, folder: around.folder }
}

/// Where a file is or would be: links on the way are resolved, `..` is taken by its text.
fn absolute(folder: &Path, path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    let there = plain.ancestors().find_map(|part| Some((part, Disk.real(part)?)));
    match there {
        Some((part, real)) => match plain.strip_prefix(part) {
            Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
            _ => real,
        },
        None => plain,
    }
}

fn codex(question: &Question<'_>) -> Told {
    let mut notes = Vec::new();
    let folder =
        std::fs::canonicalize(question.folder).unwrap_or_else(|_| question.folder.to_owned());
    let environment = question.environment;
    let named = environment.path(codex_names::HOME_VARIABLE);
    let user = named.or_else(|| Some(environment.home()?.join(codex_names::USER_FOLDER)));
    let config = user.as_ref().map(|user| config(user, &mut notes)).unwrap_or_default();
    let texts = |key: &str| -> Option<Vec<String>> {
        let list = config.get(key)?.as_array()?;
        Some(list.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
    };
    let own = codex_names::NAMES.map(str::to_owned);
    let markers = texts(codex_names::MARKERS_KEY)
        .unwrap_or_else(|| codex_names::MARKERS.map(str::to_owned).to_vec());
    let is_top = |folder: &&Path| markers.iter().any(|marker| folder.join(marker).exists());
    let top = folder.ancestors().find(is_top).unwrap_or(&folder).to_owned();
    let bytes_max = config.get(codex_names::BYTES_MAX_KEY).and_then(toml::Value::as_integer);
    let around = CodexSurroundings {
        top,
        user,
        names: own
            .iter()
            .cloned()
            .chain(texts(codex_names::FALLBACK_NAMES).unwrap_or_default())
            .collect(),
        user_names: own.to_vec(),
        bytes_max: bytes_max
            .map_or(codex_names::BYTES_MAX, |bytes| usize::try_from(bytes).unwrap_or_default()),
        folder: folder.clone(),
    };
    Told { entries: codex::chain(&Disk, &around), notes, folder }
}

fn config(user: &Path, notes: &mut Vec<String>) -> toml::Table {
    let file = user.join(codex_names::CONFIG_FILE);
    let text = match read_bounded(&file, CONFIG_BYTES_MAX) {
        Ok(text) => String::from_utf8_lossy(&text.unwrap_or_default()).into_owned(),
        Err(error) => {
            notes.push(format!("`{}` is left out: {error}", file.display()));
            return toml::Table::new();
        }
    };
    text.parse().unwrap_or_else(|error: toml::de::Error| {
        notes.push(format!("`{}` is left out, it is no TOML: {}", file.display(), error.message()));
        toml::Table::new()
    })
}
