//! What a client tells a hook on stdin, and what it is answered on stdout.
//! Border: shapes of Claude Code and Codex; unknown fields and events are passed over.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::local::instructions::Agent;

/// A call of a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The event, as the client names it.
    pub event: String,
    /// The session.
    pub session: String,
    /// Its log.
    pub transcript: Option<PathBuf>,
    /// The folder the client works in.
    pub folder: Option<PathBuf>,
    /// SessionStart: `startup`, `resume`, `clear`, `compact`.
    pub source: String,
    /// UserPromptSubmit: what was typed.
    pub prompt: String,
    /// The tool.
    pub tool: String,
    /// What the tool is asked to do.
    pub tool_input: Value,
    /// FileChanged: the file.
    pub file: Option<PathBuf>,
}

impl Input {
    /// Reads what a client wrote; `event` is the word on the command line, which counts where the text
    /// names none. Junk is a call without any detail.
    pub fn parse(event: &str, raw: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(raw).unwrap_or_default();
        let text =
            |key: &str| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let owned = |key: &str| text(key).unwrap_or_default().to_owned();
        let path = |key: &str| text(key).map(PathBuf::from);
        Self {
            event: text("hook_event_name").unwrap_or(event).to_owned(),
            session: owned("session_id"),
            transcript: path("transcript_path"),
            folder: path("cwd"),
            source: owned("source"),
            prompt: owned("prompt"),
            tool: owned("tool_name"),
            tool_input: value.get("tool_input").cloned().unwrap_or_default(),
            file: path("file_path"),
        }
    }

    /// A text of the tool's input.
    pub fn of_tool(&self, key: &str) -> Option<&str> {
        self.tool_input.get(key).and_then(Value::as_str)
    }
}

/// What a client is answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Told to the model.
    pub context: Option<String>,
    /// Folders the client should watch.
    pub watch: Vec<PathBuf>,
    /// Why a tool may not run.
    pub refusal: Option<String>,
}

impl Answer {
    /// The answer as the client reads it; `None` where there is nothing to say. Codex takes no key that it
    /// does not know, and wants some JSON at the end of a turn.
    pub fn to_json(&self, agent: Agent, event: &str) -> Option<Value> {
        if *self == Self::default() {
            return (agent == Agent::Codex && event == "Stop").then(|| json!({}));
        }
        let mut specific = json!({ "hookEventName": event });
        if let Some(context) = &self.context {
            specific["additionalContext"] = json!(context);
        }
        if !self.watch.is_empty() && agent == Agent::ClaudeCode {
            specific["watchPaths"] = json!(self.watch);
        }
        if let Some(refusal) = &self.refusal {
            specific["permissionDecision"] = json!("deny");
            specific["permissionDecisionReason"] = json!(refusal);
        }
        Some(json!({ "hookSpecificOutput": specific }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn junk_is_a_call_without_detail() {
        for raw in [
            &b""[..],
            b"null",
            b"[1",
            b"\xff\xfe",
            b"{\"session_id\": 7, \"prompt\": null}",
            b"\"x\"",
        ] {
            let input = Input::parse("Stop", raw);
            assert_eq!((input.event.as_str(), input.session.as_str()), ("Stop", ""));
        }
        let named = Input::parse("Stop", br#"{"hook_event_name": "New", "tool_input": 3}"#);
        assert_eq!(named.event, "New");
        assert_eq!(named.of_tool("file_path"), None);
    }

    #[test]
    fn an_answer_has_the_shape_that_was_measured() {
        assert_eq!(Answer::default().to_json(Agent::ClaudeCode, "Stop"), None);
        assert_eq!(Answer::default().to_json(Agent::Codex, "Stop"), Some(json!({})));
        let watch = Answer { watch: vec!["/team".into()], ..Answer::default() };
        let of_codex = watch.to_json(Agent::Codex, "SessionStart").unwrap();
        assert_eq!(of_codex["hookSpecificOutput"].as_object().unwrap().len(), 1);
        let refusal = Some("no".to_owned());
        let json = Answer { refusal, ..Answer::default() }
            .to_json(Agent::ClaudeCode, "PreToolUse")
            .unwrap();
        assert_eq!(json["hookSpecificOutput"]["permissionDecision"], "deny");
        assert_eq!(json["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    }
}
