//! What an agent is told when its client calls, and that a call never fails the client.
//! Border: the answers; what is shared because of a call is in `sharing`.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::{call, call_raw, context, home, write};
use crate::support::{World, memory, token};

const EVENTS: [&str; 12] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "FileChanged",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "SessionEnd",
    "PostToolBatch",
    "NoSuchEvent",
    "",
];

#[test]
fn junk_never_fails_the_client() {
    let world = World::new();
    let ada = world.founder("ada");
    let deep = "[".repeat(100_000);
    let long = format!(
        "{{\"prompt\": \"{}\", \"hook_event_name\": \"UserPromptSubmit\"}}",
        "ä ".repeat(500_000)
    );
    for event in EVENTS {
        for input in [
            &b""[..],
            b"null",
            b"{",
            b"\xff\xfe\x00",
            b"[]",
            b"{\"cwd\": \"/nowhere\", \"session_id\": \"../../etc\", \"tool_name\": 7}",
            b"{\"tool_name\": \"Write\", \"tool_input\": {\"file_path\": \"\\u0000\", \"content\": []}}",
            b"{\"prompt\": {}, \"file_path\": [], \"tool_input\": \"x\", \"transcript_path\": 3}",
        ] {
            let said = call_raw(&ada, event, input);
            assert_eq!((said.exit, said.err.as_str()), (0, ""), "{event}: {said:?}");
        }
    }
    for input in [deep.as_bytes(), long.as_bytes()] {
        let said = call_raw(&ada, "UserPromptSubmit", input);
        assert_eq!((said.exit, said.err.as_str()), (0, ""), "{said:?}");
    }
    ada.done(&["agent", "stop"]);
}

#[test]
fn a_machine_that_is_not_as_it_should_be_never_fails_the_client() {
    let world = World::new();
    let ada = world.founder("ada");
    let prompt = json!({ "prompt": "where is the database?" });
    // Without a home there is nowhere to keep a record.
    let homeless = ada.with("HOME", "");
    assert_eq!(call(&homeless, "UserPromptSubmit", prompt.clone()), None);
    // A state folder that is a file.
    let odd = ada.with("XDG_STATE_HOME", ada.memdir.join("team/MEMORY.md").to_str().unwrap());
    assert_eq!(call(&odd, "SessionStart", json!({})), None);
    // A key that nobody may use.
    let key = home(&ada).join("memsync/id_ed25519");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    call(&ada, "SessionStart", json!({}));
    call(&ada, "UserPromptSubmit", prompt);
    ada.done(&["agent", "stop"]);
}

#[test]
fn a_session_begins_with_what_the_team_knows() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "The database listens on 5433.");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    let answer = call(&bob, "SessionStart", json!({ "source": "startup" }));
    let told = context(answer.as_ref());
    for words in ["# Memory that the team shares", "[ports](ports.md)", "everybody in the team"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(answer.unwrap()["hookSpecificOutput"]["watchPaths"], json!([bob.team()]));
    bob.done(&["agent", "stop"]);
    // Without a team memory there is nothing to say.
    let carl = world.newcomer("carl");
    assert_eq!(call(&carl, "SessionStart", json!({})), None);
}

#[test]
fn an_index_that_is_too_long_leaves_room_for_what_matters() {
    let world = World::new();
    let ada = world.founder("ada");
    for n in 0..200 {
        ada.write(
            &format!("m{n}.md"),
            memory(&format!("m{n}"), "x").replace("About", &"words ".repeat(12)),
        );
    }
    ada.done(&["sync"]);
    let answer = call(&ada, "SessionStart", json!({}));
    let told = context(answer.as_ref());
    assert!(told.chars().count() <= 9_900 && told.chars().count() > 8_000, "{}", told.len());
    assert!(told.contains("# Memory that the team shares") && told.contains("(m0.md)"), "{told}");
    ada.done(&["agent", "stop"]);
}

#[test]
fn a_prompt_brings_the_few_memories_that_matter_once() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.write("ports.md", memory("ports", "The staging database listens on port 5433."));
    write(&ada.memdir.join("tea.md"), &memory("tea", "Ada drinks green tea in the afternoon."));
    ada.done(&["sync"]);
    let ask = |session: &str, prompt: &str| {
        let answer =
            call(&ada, "UserPromptSubmit", json!({ "session_id": session, "prompt": prompt }));
        context(answer.as_ref()).to_owned()
    };
    let told = ask("one", "which port does the staging database listen on?");
    assert!(told.contains("## team/ports.md (team, project") && told.contains("5433"), "{told}");
    assert!(!told.contains("# Date"), "the client knows the date: {told}");
    // The private layer stays on this machine, where the agent is.
    assert!(ask("one", "does Ada drink green tea?").contains("## tea.md (private"));
    // It was shown already.
    assert!(!ask("one", "which port does the staging database listen on?").contains("5433"));
    assert!(ask("two", "which port does the staging database listen on?").contains("5433"));
    // No person asks this.
    let notice =
        "<task-notification>which port does the staging database listen on?</task-notification>";
    assert_eq!(ask("three", notice), "");
    assert_eq!(ask("three", "   "), "");
    ada.done(&["agent", "stop"]);
}

#[test]
fn what_is_kept_out_is_said_once_and_again_when_it_changes() {
    let world = World::new();
    let ada = world.founder("ada");
    let ask = || {
        let answer = call(&ada, "UserPromptSubmit", json!({ "prompt": "good morning" }));
        context(answer.as_ref()).to_owned()
    };
    assert_eq!(ask(), "");
    ada.write("a.md", memory("a", &format!("token {}", token())));
    let told = ask();
    assert!(
        told.contains("not shared until corrected") && told.contains("`team/a.md`: line 6"),
        "{told}"
    );
    assert!(!told.contains(&token()), "{told}");
    assert_eq!(ask(), "");
    ada.write("b.md", memory("b", "a\u{200b}b"));
    assert!(ask().contains("`team/b.md`"));
    ada.remove("a.md");
    ada.remove("b.md");
    assert_eq!(ask(), "");
    ada.done(&["agent", "stop"]);
}

#[test]
fn an_open_conflict_is_said() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "The database listens on 5432.");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    ada.edit("ports.md", |text| text.replace("5432", "5433"));
    bob.edit("ports.md", |text| text.replace("5432", "6000"));
    ada.done(&["push"]);
    bob.done(&["push"]);
    let answer = call(&bob, "UserPromptSubmit", json!({ "prompt": "good morning" }));
    let told = context(answer.as_ref());
    assert!(
        told.contains("1 conflict is open, in ports.md") && told.contains("memsync resolve"),
        "{told}"
    );
    bob.done(&["agent", "stop"]);
}

#[test]
fn a_plugin_is_silent_where_hooks_are_installed_as_well() {
    let world = World::new();
    let ada = world.founder("ada");
    let start = |member: &crate::support::Member| {
        member.run_with_input(&["agent", "hook", "SessionStart", "--plugin"], b"{}").out
    };
    assert!(start(&ada).contains("additionalContext"));
    // A plugin that is taken out leaves no block behind.
    assert!(!ada.memdir.join("MEMORY.md").exists());
    ada.done(&["agent", "install", "claude-code"]);
    assert_eq!(start(&ada), "");
    ada.done(&["agent", "stop"]);
}

#[test]
fn an_agent_that_rewrites_the_index_gets_the_block_back_at_its_end() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.done(&["agent", "install", "claude-code"]);
    let index = ada.memdir.join("MEMORY.md");
    write(&index, "- [Mine](mine.md) — rewritten\n");
    call(&ada, "SessionStart", json!({}));
    let text = super::read(&index);
    assert!(
        text.starts_with("- [Mine](mine.md) — rewritten\n\n<!-- memsync agent: begin -->"),
        "{text}"
    );
    ada.done(&["agent", "stop"]);
}

#[test]
fn what_is_better_not_remembered_is_said_after_it_was_written() {
    let world = World::new();
    let ada = world.founder("ada");
    let wrote = |path: &str| {
        let tool_input = json!({ "file_path": ada.memdir.join(path) });
        let answer =
            call(&ada, "PostToolUse", json!({ "tool_name": "Write", "tool_input": tool_input }));
        context(answer.as_ref()).to_owned()
    };
    let passing =
        memory("now", "I am currently working on the login page and will finish it today.");
    write(&ada.memdir.join("now.md"), &passing);
    ada.write("now.md", &passing);
    for path in ["now.md", "team/now.md"] {
        let told = wrote(path);
        assert!(told.contains("now.md is saved. Worth a second look:\n- line "), "{path}: {told}");
    }
    ada.write(
        "ports.md",
        memory("ports", "The staging database listens on 5433, because 5432 is the old one's."),
    );
    for path in ["team/ports.md", "team/MEMORY.md", "team/gone.md", "../elsewhere.md"] {
        assert_eq!(wrote(path), "", "{path}");
    }
    ada.done(&["agent", "stop"]);
}
