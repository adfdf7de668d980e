//! What the tools say and do: readable, bounded, through the gate.
//! Border: one server and its memory directory; how it is spoken to is in `protocol`.

use serde_json::json;

use super::Server;
use crate::support::{World, memory, token};

const REVISION: &str = "2025-06-18";

#[test]
fn a_memory_is_found_read_written_and_removed() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("ports", "The staging database listens on port 5433.");
    ada.done(&["sync"]);
    let mut server = Server::hello(&ada, REVISION);
    let found = server.done(
        "memory_search",
        json!({ "query": "which port does the staging database listen on?" }),
    );
    assert!(found.contains("team/ports.md (team, project") && found.contains("bytes)"), "{found}");
    assert!(found.contains("    The staging database listens on port 5433."), "{found}");
    let found = server.done("memory_search", json!({ "query": "listens on port" }));
    assert!(found.contains("team/ports.md:6: The staging database"), "{found}");
    assert!(
        server
            .done("memory_search", json!({ "query": "zebra" }))
            .contains("Nothing is known about `zebra`")
    );

    let read = server.done("memory_read", json!({ "memory": "ports" }));
    let revision = read.split("at revision ").nth(1).unwrap().split(']').next().unwrap().to_owned();
    let write = |text: &str, revision: &str| json!({ "name": "ports", "description": "Ports", "type": "project", "text": text, "replace": true, "revision": revision });
    let written = server.done("memory_write", write("It listens on 5434.", &revision));
    assert!(
        written.contains("[team/ports.md at revision ") && written.contains("Written."),
        "{written}"
    );
    // What somebody else wrote meanwhile is not written over.
    let refused = server.fails("memory_write", write("It listens on 1.", &revision));
    assert!(
        refused.contains("changed since you read it") && refused.contains("memory_read it again"),
        "{refused}"
    );
    assert!(ada.read("ports.md").contains("5434"));

    let gone = server.fails("memory_delete", json!({ "memory": "ports", "revision": revision }));
    assert!(gone.contains("changed since"), "{gone}");
    assert!(
        server
            .done("memory_delete", json!({ "memory": "ports" }))
            .contains("Removed team/ports.md")
    );
    let gone = server.fails("memory_delete", json!({ "memory": "ports" }));
    assert!(
        gone.contains("There is no memory `ports`") && gone.contains("memory_search"),
        "{gone}"
    );
    server.leave();
    ada.done(&["agent", "stop"]);
}

#[test]
fn what_is_written_is_shared_beside_the_client_and_says_which_agent() {
    let world = World::new();
    let ada = world.founder("ada");
    let mut server = Server::hello(&ada, REVISION);
    let write =
        json!({ "name": "cache", "description": "Where", "type": "reference", "text": "6380" });
    server.done("memory_write", write);
    let end = std::time::Instant::now() + super::PATIENCE;
    while !world.hub_files().contains_key("cache.md") {
        assert!(std::time::Instant::now() < end, "never on the hub");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let commit = crate::servers::git(&world.hub(), &["log", "--format=%B", "main"]);
    assert!(commit.contains("test-client"), "{commit}");
    server.leave();
    ada.done(&["agent", "stop"]);
}

#[test]
fn the_gate_has_its_say_and_the_private_layer_stays() {
    let world = World::new();
    let ada = world.founder("ada");
    let mut server = Server::hello(&ada, REVISION);
    let write = |kind: &str, layer: &str, text: &str| json!({ "name": "x", "description": "d", "type": kind, "layer": layer, "text": text });
    let secret = token();
    for (layer, kind, text, words) in [
        ("team", "project", format!("token {secret}"), "looks like a secret"),
        ("private", "user", format!("token {secret}"), "looks like a secret"),
        ("team", "user", "likes tea".to_owned(), "private layer"),
        ("team", "project", "a\u{200b}b".to_owned(), "nobody sees"),
        ("nowhere", "project", "x".to_owned(), "is no layer"),
        ("team", "novel", "x".to_owned(), "is no type"),
        ("team", "project", "  ".to_owned(), "`text` is empty"),
    ] {
        let refused = server.fails("memory_write", write(kind, layer, &text));
        assert!(refused.contains(words) && !refused.contains(&secret), "{layer} {kind}: {refused}");
    }
    assert!(!ada.has("x.md") && !ada.memdir.join("x.md").exists());
    assert!(
        server
            .done("memory_write", write("user", "", "likes tea"))
            .contains("stays on this machine")
    );
    assert!(server.done("memory_list", json!({ "layer": "private" })).contains("x.md — d (user"));
    assert!(!server.done("memory_list", json!({ "layer": "team" })).contains("x.md"));
    server.done("memory_sync", json!({}));
    assert!(!world.hub_holds("likes tea"));
    server.leave();
    ada.done(&["agent", "stop"]);
}

#[test]
fn a_long_memory_comes_in_parts() {
    let world = World::new();
    let ada = world.founder("ada");
    let long: String = (0..9_000).map(|n| format!("line {n}\n")).collect();
    ada.remember("long", &long);
    let mut server = Server::hello(&ada, REVISION);
    let (mut whole, mut offset) = (String::new(), 0);
    loop {
        let part = server.done("memory_read", json!({ "memory": "long", "offset": offset }));
        assert!(part.chars().count() < 40_200);
        let (head, text) = part.split_once("]\n").unwrap();
        whole += text;
        match head.split("next offset ").nth(1) {
            Some(next) => offset = next.parse().unwrap(),
            None => break,
        }
    }
    assert_eq!(whole, ada.read("long.md"));
    assert!(
        server
            .fails("memory_read", json!({ "memory": "long", "offset": 999_999 }))
            .contains("smaller `offset`")
    );
    server.leave();
}

#[test]
fn an_open_conflict_is_shown_and_closed() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "It listens on 5432.");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    ada.edit("ports.md", |text| text.replace("5432", "5433"));
    bob.edit("ports.md", |text| text.replace("5432", "6000"));
    ada.done(&["push"]);
    bob.done(&["push"]);
    let mut server = Server::hello(&bob, REVISION);
    assert!(server.done("memory_status", json!({})).contains("Conflicts are open in ports.md"));
    let shown = server.done("memory_resolve", json!({}));
    assert!(
        shown.contains("5433") && shown.contains("6000") && shown.contains("keep: set_aside"),
        "{shown}"
    );
    assert!(
        server
            .fails("memory_resolve", json!({ "conflict": "ports" }))
            .contains("either `keep` or `text`")
    );
    assert!(
        server
            .fails("memory_resolve", json!({ "conflict": "nope", "keep": "file" }))
            .contains("Next:")
    );
    assert!(
        server
            .done("memory_resolve", json!({ "conflict": "ports", "keep": "set_aside" }))
            .contains("Closed")
    );
    assert!(server.done("memory_resolve", json!({})).contains("No conflict is open"));
    server.leave();
}

#[test]
fn a_sealed_memory_is_read_by_who_may_open_it() {
    let world = World::new();
    let ada = world.newcomer("ada");
    ada.done(&["init", "--remote", &world.address()]);
    ada.remember("plan", "The launch is on Monday.");
    ada.done(&["sync"]);
    ada.done(&["seal", "plan", "--yes"]);
    let mut server = Server::hello(&ada, REVISION);
    assert!(server.done("memory_read", json!({ "memory": "plan" })).contains("Monday"));
    assert!(server.done("memory_list", json!({})).contains("sealed"));
    assert!(!server.done("memory_search", json!({ "query": "Monday" })).contains("launch is on"));
    server.leave();
    // Somebody with another key is told why not, and asked nothing.
    let other = ada.with("MEMSYNC_KEY", world.path().join("no-key").to_str().unwrap());
    let mut server = Server::hello(&other, REVISION);
    let refused = server.fails("memory_read", json!({ "memory": "plan" }));
    assert!(refused.contains("Next:") && !refused.contains("Monday"), "{refused}");
    server.leave();
}

#[test]
fn where_nothing_is_there_yet_each_tool_says_what_to_do() {
    let world = World::new();
    let ada = world.newcomer("ada");
    let mut server = Server::hello(&ada, REVISION);
    assert!(server.done("memory_list", json!({})).contains("no team memory here"));
    assert!(server.fails("memory_status", json!({})).contains("memsync init"));
    assert!(server.fails("memory_sync", json!({})).contains("Next:"));
    assert!(server.fails("memory_read", json!({ "memory": "x" })).contains("memory_list"));
    let write = json!({ "name": "tea", "description": "d", "type": "user", "text": "green" });
    assert!(server.done("memory_write", write).contains("stays on this machine"));
    server.leave();
}

/// Nothing on the wire is anything but what the text of a memory is; the client shows it.
#[test]
fn prompts_bring_what_memory_knows() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.write("ports.md", memory("ports", "The staging database listens on port 5433."));
    let mut server = Server::hello(&ada, REVISION);
    let listed = server.ask("prompts/list", json!({}));
    assert_eq!(listed["result"]["prompts"].as_array().unwrap().len(), 3);
    let recall = json!({ "name": "recall", "arguments": { "question": "staging database port" } });
    let answer = server.ask("prompts/get", recall);
    let text = answer["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("5433") && text.contains("Verify"), "{text}");
    let answer = server.ask("prompts/get", json!({ "name": "memory" }));
    assert!(
        answer["result"]["messages"][0]["content"]["text"]
            .as_str()
            .unwrap()
            .contains("How memory works here")
    );
    server.leave();
}
