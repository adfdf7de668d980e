//! The settings of a client that decide which instruction files it reads.
//! Border: reads JSON files; one that is broken is left out and named, as the client does it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::instructions::around::{Foreign, Surroundings};
use crate::instructions::exclude::Excludes;
use crate::store::agent::claude_code::{
    CONFIG_DIR_VARIABLE, EXCLUDES, FOREIGN_POINTER, MANAGED_FOLDER, MANAGED_SETTINGS, MANAGED_TEXT,
    MEMORY_ENABLED, MEMORY_INDEX, NO_INSTRUCTIONS_VARIABLE, NO_MEMORY_VARIABLE, OUTSIDE_APPROVED,
    PROJECT_SETTINGS, STATE_FILE, USER_FOLDER, USER_SETTINGS,
};
use crate::store::project::project_root;
use crate::system::env::Environment;
use crate::system::reading::read_bounded;

/// A settings file; the client's own notes about projects grow to some MB.
const SETTINGS_BYTES_MAX: u64 = 32_000_000;

/// Reads what decides what Claude Code loads in a folder; `memdir` is its private memory.
/// What could not be read is added to `notes`.
pub fn surroundings(
    folder: &Path,
    environment: &Environment,
    memdir: Option<&Path>,
    notes: &mut Vec<String>,
) -> Surroundings {
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let home = environment.home();
    let named = environment.path(CONFIG_DIR_VARIABLE).filter(|path| path.is_absolute());
    let user = named.clone().or_else(|| Some(home.as_ref()?.join(USER_FOLDER)));
    if user.is_none() {
        notes.push("there is no home folder: a person's own instructions are left out".to_owned());
    }
    let managed = PathBuf::from(MANAGED_FOLDER);
    let managed_settings = json(&managed.join(MANAGED_SETTINGS), notes);
    let user_settings = user.as_ref().and_then(|user| json(&user.join(USER_SETTINGS), notes));
    let project = PROJECT_SETTINGS.map(|name| json(&folder.join(name), notes));
    // The most binding first.
    let [shared, local] = &project;
    let layers: Vec<&Value> =
        [&managed_settings, local, shared, &user_settings].into_iter().flatten().collect();
    let patterns = layers.iter().filter_map(|settings| settings.get(EXCLUDES)?.as_array());
    let excludes = Excludes::of(patterns.flatten().filter_map(Value::as_str));
    for pattern in &excludes.invalid {
        notes.push(format!("`{pattern}` in `{EXCLUDES}` is no glob and leaves nothing out"));
    }
    let state = named.as_deref().or(home.as_deref()).map(|folder| folder.join(STATE_FILE));
    let state = state.and_then(|file| json(&file, notes));
    let trusted = [&managed_settings, &user_settings].into_iter().flatten();
    Surroundings {
        nested: nested_work_tree(&folder),
        may_reach_outside: state.is_some_and(|state| is_approved(&state, &folder)),
        foreign: trusted.filter_map(foreign).next().unwrap_or_default(),
        managed_text: managed_settings
            .as_ref()
            .and_then(|settings| Some(settings.get(MANAGED_TEXT)?.as_str()?.to_owned())),
        memory: memdir.map(|memdir| memdir.join(MEMORY_INDEX)),
        memory_off: memory_off(environment, &layers),
        off: is_set(environment, NO_INSTRUCTIONS_VARIABLE)
            .then(|| NO_INSTRUCTIONS_VARIABLE.to_owned()),
        managed: Some(managed),
        folder,
        user,
        home,
        excludes,
    }
}

fn json(file: &Path, notes: &mut Vec<String>) -> Option<Value> {
    let shown = file.display();
    match read_bounded(file, SETTINGS_BYTES_MAX) {
        Ok(None) => None,
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => None,
        Err(error) => {
            notes.push(format!("`{shown}` is left out: {error}"));
            None
        }
        Ok(Some(text)) => match serde_json::from_slice(&text) {
            Ok(value) => Some(value),
            Err(error) => {
                notes.push(format!("`{shown}` is left out, it is no JSON: {error}"));
                None
            }
        },
    }
}

fn is_set(environment: &Environment, name: &str) -> bool {
    environment.text(name).is_some_and(|value| !matches!(value, "0" | "false" | "no" | "off"))
}

fn memory_off(environment: &Environment, layers: &[&Value]) -> Option<String> {
    if environment.os(NO_MEMORY_VARIABLE).is_some() {
        return is_set(environment, NO_MEMORY_VARIABLE).then(|| NO_MEMORY_VARIABLE.to_owned());
    }
    let enabled = layers.iter().find_map(|settings| settings.get(MEMORY_ENABLED)?.as_bool());
    (enabled == Some(false)).then(|| format!("`{MEMORY_ENABLED}` in the settings"))
}

fn foreign(settings: &Value) -> Option<Foreign> {
    match settings.pointer(FOREIGN_POINTER)?.as_str()? {
        "claude-md-and-agents-md" => Some(Foreign::Beside),
        "claude-md" => Some(Foreign::Never),
        "managed-only" => Some(Foreign::ManagedOnly),
        _ => Some(Foreign::WhereNone),
    }
}

/// The main work tree and the one inside it that a folder is in.
fn nested_work_tree(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let own = folder.ancestors().find(|folder| folder.join(".git").exists())?;
    let main = project_root(folder);
    (own != main && own.starts_with(&main)).then(|| (main, own.to_owned()))
}

/// Whether a person approved imports from outside, for the project around a folder.
fn is_approved(state: &Value, folder: &Path) -> bool {
    let root = project_root(folder);
    let project = state.get("projects").and_then(|projects| projects.get(root.to_str()?));
    project.and_then(|project| project.get(OUTSIDE_APPROVED)?.as_bool()) == Some(true)
}
