//! Agents' clients: memsync in their settings, and what it answers when they call.
//! Border: the built program with a home of its own; the real clients are in `clients`.

mod install;
mod hook;
mod refusal;
mod sharing;
mod watch;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Member, Said};

/// The home of a member.
fn home(member: &Member) -> PathBuf {
    let memdir = member.memdir.to_str().unwrap();
    PathBuf::from(format!("{memdir}-home"))
}

/// Calls a hook as a client does; it must end well and say nothing on stderr.
fn call(member: &Member, event: &str, more: Value) -> Option<Value> {
    let mut input = json!({
        "hook_event_name": event,
        "session_id": "one",
        "cwd": member.memdir.parent().unwrap(),
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        input[key] = value.clone();
    }
    let said = call_raw(member, event, input.to_string().as_bytes());
    assert_eq!((said.exit, said.err.as_str()), (0, ""), "{event}: {said:?}");
    (!said.out.is_empty()).then(|| serde_json::from_str(&said.out).unwrap())
}

/// The same with any bytes on stdin.
fn call_raw(member: &Member, event: &str, input: &[u8]) -> Said {
    member.run_with_input(&["agent", "hook", event], input)
}

/// What an answer tells the model.
fn context(answer: Option<&Value>) -> &str {
    answer
        .and_then(|answer| answer["hookSpecificOutput"]["additionalContext"].as_str())
        .unwrap_or("")
}

/// Why a tool may not run.
fn refusal(answer: Option<&Value>) -> &str {
    let specific = answer.map(|answer| &answer["hookSpecificOutput"]);
    let denied = specific.filter(|one| one["permissionDecision"] == "deny");
    denied.and_then(|one| one["permissionDecisionReason"].as_str()).unwrap_or("")
}

#[expect(clippy::disallowed_methods, reason = "sets the scene")]
fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}
