//! memsync's hooks as they stand in a client's settings, and the settings without them.
//! Border: text in, text out; every other value of the file stays byte for byte.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::json_text::{Hollows, JsonError, push, take_out, value};
use crate::store::agent::claude_code::HOOKS;

/// How each of our commands ends: a comment of the shell, by which it is known again.
const MARK: &str = "# memsync";
/// What each of them calls.
const CALL: &str = " agent hook ";
/// A client that waits longer for a hook goes on without it.
const TIMEOUT_SECONDS: u64 = 10;
/// At the end of a session clients give no more.
const LAST_TIMEOUT_SECONDS: u64 = 3;

/// How the hooks call memsync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// This file: settings of one person on one machine.
    File(PathBuf),
    /// Whatever is called `memsync`, or nothing: settings that are shared with others.
    ByName,
}

/// The hooks of one client.
#[derive(Clone, Debug)]
pub struct Hooks {
    /// How memsync is called.
    pub program: Program,
    /// The word for the client on memsync's command line.
    pub client: &'static str,
    /// Each event, and for which tools.
    pub events: &'static [(&'static str, Option<&'static str>)],
}

impl Hooks {
    fn command(&self, event: &str) -> String {
        let client = self.client;
        match &self.program {
            Program::File(program) => {
                let program = program.to_string_lossy().replace('\'', r"'\''");
                format!("'{program}'{CALL}{event} --client {client} {MARK}")
            }
            Program::ByName => format!(
                "command -v memsync >/dev/null 2>&1 || exit 0; memsync{CALL}{event} --client {client} {MARK}"
            ),
        }
    }

    fn group(&self, event: &str, matcher: Option<&str>) -> Value {
        let hook = json!({
            "type": "command",
            "command": self.command(event),
            "timeout": if event == "SessionEnd" { LAST_TIMEOUT_SECONDS } else { TIMEOUT_SECONDS },
        });
        match matcher {
            Some(matcher) => json!({ "matcher": matcher, "hooks": [hook] }),
            None => json!({ "hooks": [hook] }),
        }
    }
}

/// The settings with these hooks and none other of ours. `hollows` says what stood in empty values.
///
/// # Errors
/// What cannot be changed without loss.
pub fn with_hooks(text: &str, hooks: &Hooks, hollows: &mut Hollows) -> Result<String, JsonError> {
    let mut text = without_hooks(text, hollows)?;
    hollows.clear();
    for (event, matcher) in hooks.events {
        text = push(&text, &[HOOKS, event], &hooks.group(event, *matcher), hollows)?;
    }
    Ok(text)
}

/// The settings without any hook of ours, whichever version of memsync put it there.
///
/// # Errors
/// What cannot be changed without loss.
pub fn without_hooks(text: &str, hollows: &Hollows) -> Result<String, JsonError> {
    let settings = value(text)?;
    let Some(events) = settings.get(HOOKS).and_then(Value::as_object) else {
        return Ok(text.to_owned());
    };
    let mut text = text.to_owned();
    for (event, groups) in events {
        let groups = groups.as_array().map(Vec::as_slice).unwrap_or_default();
        if !groups.iter().any(|group| inside(group).iter().any(is_ours)) {
            continue;
        }
        let is_group_of_ours =
            |group: &Value| !inside(group).is_empty() && inside(group).iter().all(is_ours);
        text = take_out(&text, &[HOOKS, event], &is_group_of_ours, hollows)?;
        // What is left of ours stands in groups of the person's own.
        for place in 0..groups.len() {
            let path = [HOOKS, event, &place.to_string(), "hooks"];
            text = take_out(&text, &path, &is_ours, hollows)?;
        }
    }
    Ok(text)
}

/// The hooks of a group.
fn inside(group: &Value) -> &[Value] {
    group.get("hooks").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn is_ours(hook: &Value) -> bool {
    let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
    command.ends_with(MARK) && command.contains(CALL)
}

/// What is found of ours in settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundHooks {
    /// The events that call memsync.
    pub events: BTreeSet<String>,
    /// The programs they call.
    pub programs: BTreeSet<PathBuf>,
}

/// Looks for hooks of ours.
///
/// # Errors
/// What is no JSON.
pub fn found(text: &str) -> Result<FoundHooks, JsonError> {
    let settings = value(text)?;
    let mut found = FoundHooks::default();
    for (event, groups) in settings.get(HOOKS).and_then(Value::as_object).into_iter().flatten() {
        let groups = groups.as_array().map(Vec::as_slice).unwrap_or_default();
        for hook in groups.iter().flat_map(inside).filter(|hook| is_ours(hook)) {
            found.events.insert(event.clone());
            let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
            found.programs.insert(program_of(command));
        }
    }
    Ok(found)
}

fn program_of(command: &str) -> PathBuf {
    let before = command.split(CALL).next().unwrap_or_default();
    match before.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(quoted) => PathBuf::from(quoted.replace(r"'\''", "'")),
        None => Path::new("memsync").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::agent::claude_code::HOOK_EVENTS;

    fn hooks(program: &str) -> Hooks {
        let program = Program::File(program.into());
        Hooks { program, client: "claude-code", events: &HOOK_EVENTS }
    }

    const OTHERS: &str = r#"{
    "permissions": { "allow": ["Bash(ls:*)"] },
    "hooks": {
        "Stop": [
            { "hooks": [ { "type": "command", "command": "say 'agent hook' # mine" } ] }
        ]
    }
}
"#;

    #[test]
    fn hooks_go_in_once_are_renewed_and_leave_no_trace() {
        for text in ["{}\n", OTHERS, "{\"hooks\":{}}"] {
            let mut hollows = Hollows::new();
            let one = with_hooks(text, &hooks("/opt/memsync 1"), &mut hollows).unwrap();
            let again = with_hooks(&one, &hooks("/opt/memsync 1"), &mut hollows).unwrap();
            assert_eq!(one, again);
            assert_eq!(found(&one).unwrap().events.len(), HOOK_EVENTS.len());
            let two = with_hooks(&one, &hooks("/opt/it's/memsync"), &mut hollows).unwrap();
            let found = found(&two).unwrap();
            assert_eq!(found.programs, BTreeSet::from(["/opt/it's/memsync".into()]));
            assert_eq!(without_hooks(&two, &hollows).unwrap(), text);
        }
    }

    #[test]
    fn a_hook_that_a_person_put_beside_ours_stays_with_its_group() {
        let mut hollows = Hollows::new();
        let text = with_hooks("{}", &hooks("/m"), &mut hollows).unwrap();
        let mut settings: Value = serde_json::from_str(&text).unwrap();
        let own = json!({ "type": "command", "command": "lint" });
        let group = settings["hooks"]["PreToolUse"][0]["hooks"].as_array_mut().unwrap();
        group.push(own.clone());
        let text = serde_json::to_string_pretty(&settings).unwrap();
        let left: Value = serde_json::from_str(&without_hooks(&text, &hollows).unwrap()).unwrap();
        let matcher = &settings["hooks"]["PreToolUse"][0]["matcher"];
        assert_eq!(left, json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [own]}]}}));
    }
}
