//! The protocol: every revision, junk, cancellation, subscriptions, roots.
//! Border: what goes over the pipe; what a tool says is in `tools`.
#![expect(clippy::disallowed_methods, reason = "sets the scene")]

use std::net::TcpListener;

use serde_json::{Value, json};

use super::{PATIENCE, Server};
use crate::support::{World, memory};

const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const NEWEST: &str = "2026-07-28";

/// What a request of the newest revision says of itself.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": NEWEST,
        "io.modelcontextprotocol/clientInfo": { "name": "test-client", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn every_revision_is_spoken() {
    let world = World::new();
    let ada = world.founder("ada");
    for revision in REVISIONS {
        let mut server = Server::hello(&ada, revision);
        let tools = server.ask("tools/list", json!({}));
        assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 8, "{revision}: {tools}");
        assert!(server.done("memory_status", json!({})).contains("team memory at revision"));
        assert_eq!(server.ask("ping", json!({}))["result"], json!({}));
        server.leave();
    }
    // One that is not known is answered with one that is.
    let mut server = Server::start(&ada);
    let answer = server.initialize("1999-01-01", json!({}));
    assert!(REVISIONS.contains(&answer["result"]["protocolVersion"].as_str().unwrap()), "{answer}");
}

#[test]
fn the_newest_revision_needs_no_hello() {
    let world = World::new();
    let ada = world.founder("ada");
    let mut server = Server::start(&ada);
    let found = server.ask("server/discover", json!({ "_meta": meta() }));
    let known =
        found["result"]["supportedVersions"].as_array().unwrap_or_else(|| panic!("{found}"));
    assert!(known.iter().any(|one| one == NEWEST), "{found}");
    let call = json!({ "name": "memory_list", "arguments": {}, "_meta": meta() });
    let answer = server.ask("tools/call", call);
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    server.leave();
}

#[test]
fn junk_and_unknown_words_are_answered_and_the_rest_goes_on() {
    let world = World::new();
    let ada = world.founder("ada");
    let mut server = Server::hello(&ada, "2025-06-18");
    let unknown = server.ask("tools/call", json!({ "name": "no_such_tool", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let unknown = server.ask("no/such/method", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    for (method, params) in [
        ("resources/read", json!({ "uri": "memory://team/../../etc/passwd" })),
        ("resources/read", json!({ "uri": "memory://private/.memsync.lock" })),
        ("resources/read", json!({ "uri": "memory://team/.memsync/policy.yaml" })),
        ("resources/read", json!({ "uri": "file:///etc/passwd" })),
        ("resources/list", json!({ "cursor": "x" })),
        ("prompts/get", json!({ "name": "no-such-prompt" })),
    ] {
        let answer = server.ask(method, params.clone());
        assert!(answer["error"]["message"].is_string(), "{method} {params}: {answer}");
    }
    for arguments in [
        json!({}),
        json!({ "query": 7 }),
        json!({ "query": "" }),
        json!({ "query": "x", "limit": "y" }),
    ] {
        assert!(server.fails("memory_search", arguments).contains("Next:"));
    }
    server.tell("notifications/no_such_thing", json!({ "x": 1 }));
    assert!(server.done("memory_list", json!({})).contains("revision"));
    server.leave();
}

#[test]
fn a_message_without_an_end_is_cut_off() {
    let world = World::new();
    let ada = world.founder("ada");
    let mut server = Server::hello(&ada, "2025-06-18");
    let block = vec![b'x'; 1_000_000];
    for _ in 0..20 {
        server.write(&block);
    }
    let ended = server.child.wait().unwrap();
    assert!(ended.code().is_some_and(|code| code < 100), "{ended}");
}

#[test]
fn a_client_that_says_nothing_or_leaves_early_is_no_fault() {
    let world = World::new();
    let ada = world.founder("ada");
    Server::start(&ada).leave();
    let mut server = Server::hello(&ada, "2025-06-18");
    server.begin("tools/call", json!({ "name": "memory_list", "arguments": {} }));
    server.leave();
}

#[test]
fn a_sync_tells_how_far_it_is_and_can_be_cancelled() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("a", "x");
    let mut server = Server::hello(&ada, "2025-06-18");
    let call = json!({ "name": "memory_sync", "arguments": {}, "_meta": { "progressToken": "p" } });
    let answer = server.ask("tools/call", call.clone());
    assert!(
        answer["result"]["content"][0]["text"].as_str().unwrap().contains("1 sent"),
        "{answer}"
    );
    let progress = server.notice("notifications/progress");
    assert_eq!(progress["params"]["progressToken"], "p");
    assert!(progress["params"]["message"].is_string());

    // A hub that takes every connection and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hub.git", silent.local_addr().unwrap());
    ada.git(&["remote", "set-url", "origin", &url]);
    let id = server.begin("tools/call", call);
    server.notice("notifications/progress");
    server.tell("notifications/cancelled", json!({ "requestId": id, "reason": "changed my mind" }));
    // The server is there for others at once, and nobody's text is lost.
    assert!(server.done("memory_read", json!({ "memory": "a" })).contains('x'));
    drop(server);
}

#[test]
fn whoever_subscribes_hears_of_a_change() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("a", "x");
    let mut server = Server::hello(&ada, "2025-06-18");
    let uri = "memory://team/a.md";
    assert_eq!(server.ask("resources/subscribe", json!({ "uri": uri }))["result"], json!({}));
    ada.remember("a", "another text");
    assert_eq!(server.notice("notifications/resources/updated")["params"]["uri"], uri);
    let read = server.ask("resources/read", json!({ "uri": uri }));
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().contains("another text"));
    assert_eq!(server.ask("resources/unsubscribe", json!({ "uri": uri }))["result"], json!({}));
    server.leave();

    let mut server = Server::start(&ada);
    let listen = json!({ "notifications": { "resourceSubscriptions": [uri] }, "_meta": meta() });
    server.begin("subscriptions/listen", listen);
    server.notice("notifications/subscriptions/acknowledged");
    // The first look is taken before the change, else there is none to tell of.
    std::thread::sleep(std::time::Duration::from_millis(500));
    ada.remember("a", "a third text");
    assert_eq!(server.notice("notifications/resources/updated")["params"]["uri"], uri);
    server.leave();
}

#[test]
fn resources_are_listed_in_pages() {
    let world = World::new();
    let ada = world.founder("ada");
    for n in 0..250 {
        ada.write(&format!("m{n}.md"), memory(&format!("m{n}"), "x"));
    }
    let mut server = Server::hello(&ada, "2025-06-18");
    let first = server.ask("resources/list", json!({}));
    let cursor = first["result"]["nextCursor"].clone();
    let second = server.ask("resources/list", json!({ "cursor": cursor }));
    let count = |page: &Value| page["result"]["resources"].as_array().unwrap().len();
    assert_eq!((count(&first), count(&second)), (200, 51));
    assert!(second["result"]["nextCursor"].is_null());
    server.leave();
}

#[test]
fn the_clients_first_root_says_which_project_it_is() {
    let world = World::new();
    let ada = world.founder("ada");
    let home = std::path::PathBuf::from(format!("{}-home", ada.memdir.display()));
    // Two projects, each with a memory directory found by its folder.
    for (name, text) in [("one project", "the first"), ("two", "the second")] {
        let project = world.path().join(name);
        std::fs::create_dir_all(project.join(".git")).unwrap();
        let mut command = ada.command(env!("CARGO_BIN_EXE_memsync"));
        command.args(["--format", "json", "where"]).current_dir(&project);
        let said = crate::support::say(&mut command);
        let found: Value = serde_json::from_str(&said.out).unwrap();
        let memdir = std::path::PathBuf::from(found["memdir"].as_str().unwrap());
        assert!(memdir.starts_with(&home), "{}", memdir.display());
        std::fs::create_dir_all(&memdir).unwrap();
        std::fs::write(memdir.join("a.md"), memory("a", text)).unwrap();
    }
    let mut command = ada.command(env!("CARGO_BIN_EXE_memsync"));
    command.arg("mcp").current_dir(world.path().join("two"));
    let mut server = Server::start_command(command);
    let roots = json!({ "roots": { "listChanged": true } });
    server.initialize("2025-06-18", roots);
    let asked = server.notice("roots/list");
    let uri = format!("file://{}/one%20project", world.path().display());
    server.send(
        &json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": [{ "uri": uri }] } }),
    );
    let end = std::time::Instant::now() + PATIENCE;
    while !server.done("memory_read", json!({ "memory": "a" })).contains("the first") {
        assert!(std::time::Instant::now() < end, "the root is not honoured");
    }
    server.leave();
}
