//! The tools as a client is told of them.
//! Border: names, words, schemas and hints; what each does is in the calls.

use std::sync::Arc;

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::answer::Said;
use super::arguments;
use super::desk::Call;

/// What a tool may do, as the client's hints say it.
#[derive(Clone, Copy)]
struct Hints {
    reads_only: bool,
    destroys: bool,
    repeats: bool,
    /// Whether it talks to the remote.
    is_open: bool,
}

const READS: Hints = Hints { reads_only: true, destroys: false, repeats: true, is_open: false };

/// One tool.
struct Definition {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    hints: Hints,
    /// Whether a client that shows tools only when asked should show it at once.
    is_at_hand: bool,
    schema: fn() -> Value,
}

const DEFINITIONS: [Definition; 8] = [
    Definition {
        name: "memory_search",
        title: "Search memory",
        description: "Find what is remembered about a question: the few memories, private and the team's, that are certain to \
            help, each with path, age and size, then the lines that hold the words. Ask in your own words, in any language. \
            Call it before you rely on an assumption about the project, its people or its history.",
        hints: READS,
        is_at_hand: true,
        schema: || {
            object(
                &json!({
                    "query": { "type": "string", "description": "The question, or words to look for" },
                    "limit": { "type": "integer", "minimum": 1, "maximum": 20, "description": "At most so many memories (5)" },
                }),
                &["query"],
            )
        },
    },
    Definition {
        name: "memory_read",
        title: "Read a memory",
        description: "The whole text of one memory with the revision it is at. `team/x.md` is the team's, `x.md` private; a name \
            or a part of it will do where it is unique. A sealed memory is opened if you may read it.",
        hints: READS,
        is_at_hand: true,
        schema: || {
            object(
                &json!({
                    "memory": { "type": "string", "description": "Path or name" },
                    "offset": { "type": "integer", "minimum": 0, "description": "From this character on, for a long one" },
                }),
                &["memory"],
            )
        },
    },
    Definition {
        name: "memory_list",
        title: "List memories",
        description: "Every memory in one line: path, description, type, age, and whether it is sealed, in conflict or replaced.",
        hints: READS,
        is_at_hand: false,
        schema: || {
            object(
                &json!({
                    "layer": { "type": "string", "enum": ["private", "team"] },
                    "type": { "type": "string", "enum": ["user", "feedback", "project", "reference"] },
                }),
                &[],
            )
        },
    },
    Definition {
        name: "memory_write",
        title: "Write a memory",
        description: "Remember something that will matter in a later session and cannot be read from the code, its history or \
            the instruction files. A team memory is checked and shared with everybody; one of type `user` stays on this machine. \
            Correct the memory that is there (`replace` with the `revision` you read) rather than adding a second one. Never a \
            password, token or key: say where it is kept.",
        hints: Hints { reads_only: false, destroys: true, repeats: true, is_open: true },
        is_at_hand: true,
        schema: || {
            object(
                &json!({
                    "name": { "type": "string", "description": "What it is called; its file is named after it" },
                    "description": { "type": "string", "description": "What it says, in one line: the entry of the index" },
                    "type": { "type": "string", "enum": ["user", "feedback", "project", "reference"],
                        "description": "user: who you work with; feedback: how they want the work done; project: what is going on and why; reference: where something is found" },
                    "text": { "type": "string", "description": "The memory, in Markdown, without frontmatter" },
                    "layer": { "type": "string", "enum": ["private", "team"], "description": "By default private for user and feedback" },
                    "replace": { "type": "boolean", "description": "Write over the memory of this name" },
                    "revision": { "type": "string", "description": "The revision you read: if it has changed since, nothing is written" },
                }),
                &["name", "description", "type", "text"],
            )
        },
    },
    Definition {
        name: "memory_delete",
        title: "Delete a memory",
        description: "Remove one memory and its entry in the index. The team's keeps its history; a private one is gone for good, \
            so ask the person first.",
        hints: Hints { reads_only: false, destroys: true, repeats: false, is_open: true },
        is_at_hand: false,
        schema: || {
            object(
                &json!({
                    "memory": { "type": "string", "description": "Path or name" },
                    "revision": { "type": "string", "description": "The revision you read: if it has changed since, nothing is removed" },
                }),
                &["memory"],
            )
        },
    },
    Definition {
        name: "memory_status",
        title: "Status of team memory",
        description: "What is shared and what is not, what is kept out and why, open conflicts, when it last synced. Works offline.",
        hints: READS,
        is_at_hand: false,
        schema: || object(&json!({}), &[]),
    },
    Definition {
        name: "memory_sync",
        title: "Sync team memory",
        description: "Take what others shared and share what is here, merged by meaning. It happens in the background after \
            memory_write as well; call it when you need the newest.",
        hints: Hints { reads_only: false, destroys: false, repeats: true, is_open: true },
        is_at_hand: false,
        schema: || object(&json!({}), &[]),
    },
    Definition {
        name: "memory_resolve",
        title: "Resolve a conflict",
        description: "Without `conflict`, show each open conflict with both texts. With it, close that one: `keep` a side, or \
            give the whole file as `text`. Where the two differ in meaning, ask the person which is right.",
        hints: Hints { reads_only: false, destroys: true, repeats: false, is_open: false },
        is_at_hand: false,
        schema: || {
            object(
                &json!({
                    "conflict": { "type": "string", "description": "Start of its id, or the memory it is in" },
                    "keep": { "type": "string", "enum": ["file", "set_aside", "both"] },
                    "text": { "type": "string", "description": "The file as it should be" },
                }),
                &[],
            )
        },
    },
];

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// The list of tools.
pub(super) fn list() -> Vec<Tool> {
    DEFINITIONS.iter().map(tool).collect()
}

fn tool(definition: &Definition) -> Tool {
    let Value::Object(schema) = (definition.schema)() else {
        unreachable!("a schema is an object")
    };
    let schema: JsonObject = schema;
    let hints = ToolAnnotations::from_raw(
        Some(definition.title.to_owned()),
        Some(definition.hints.reads_only),
        Some(definition.hints.destroys),
        Some(definition.hints.repeats),
        Some(definition.hints.is_open),
    );
    let description: String =
        definition.description.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut tool =
        Tool::new(definition.name, description, Arc::new(schema)).with_annotations(hints);
    if definition.is_at_hand {
        let mut meta = MetaObject::default();
        meta.insert("anthropic/alwaysLoad".to_owned(), json!(true));
        tool.meta = Some(meta);
    }
    tool
}

/// Whether there is a tool of this name.
pub(super) fn is_known(name: &str) -> bool {
    DEFINITIONS.iter().any(|definition| definition.name == name)
}

/// Calls a tool.
pub(super) fn call(name: &str, arguments: Value, call: &Call<'_>) -> Said {
    match name {
        "memory_search" => call.search(&arguments::read(arguments)?),
        "memory_read" => call.read(&arguments::read(arguments)?),
        "memory_list" => call.list(&arguments::read(arguments)?),
        "memory_write" => call.write(&arguments::read(arguments)?),
        "memory_delete" => call.delete(&arguments::read(arguments)?),
        "memory_status" => call.status(),
        "memory_sync" => call.sync(),
        "memory_resolve" => call.resolve(&arguments::read(arguments)?),
        _ => Err(format!("there is no tool `{name}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_within_what_clients_take() {
        let tools = list();
        let text = serde_json::to_string(&tools).unwrap();
        assert!(text.len() < 12_000, "{}", text.len());
        for tool in &tools {
            assert!(tool.description.as_ref().unwrap().chars().count() < 4_096);
            let hints = tool.annotations.as_ref().unwrap();
            let all = [
                hints.read_only_hint,
                hints.destructive_hint,
                hints.idempotent_hint,
                hints.open_world_hint,
            ];
            assert!(all.iter().all(Option::is_some), "{}", tool.name);
            assert!(is_known(&tool.name));
        }
    }
}
