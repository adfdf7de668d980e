//! What is shared because a client called: detached, debounced, one process at a time.
//! Border: the hub and the other member; times are only waited for, never measured.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{call, context, home, read};
use crate::support::{Member, World, memory, token};

/// Long enough for any machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until something holds.
pub(super) fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn wrote(member: &Member, file: &str) -> Option<Value> {
    let tool_input = json!({ "file_path": member.team().join(file) });
    call(member, "PostToolUse", json!({ "tool_name": "Write", "tool_input": tool_input }))
}

/// Whether a process shares at the moment.
fn is_sharing(member: &Member) -> bool {
    member.run(&["agent", "status", "claude-code"]).out.contains("is sharing")
}

#[test]
fn what_an_agent_writes_is_on_the_hub_and_the_other_session_hears_of_it() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.write("ports.md", memory("ports", "The staging database listens on 5433."));
    assert_eq!(wrote(&ada, "ports.md"), None);
    until("on the hub", || world.hub_files().contains_key("ports.md"));
    let commit = crate::servers::git(&world.hub(), &["log", "-1", "--format=%B", "main"]);
    assert!(commit.contains("claude-code") && commit.contains("one"), "{commit}");
    // The other session starts, pulls beside, and is told at its next prompt; a later one is not.
    call(&bob, "SessionStart", json!({ "session_id": "b1" }));
    until("pulled", || bob.has("ports.md") && !is_sharing(&bob));
    let hear = |session: &str| {
        let prompt = json!({ "session_id": session, "prompt": "good morning" });
        context(call(&bob, "UserPromptSubmit", prompt).as_ref()).to_owned()
    };
    assert!(hear("b1").contains("`team/ports.md` is new"));
    assert!(!hear("b1").contains("ports.md"));
    assert!(!hear("b2").contains("is new"));
}

#[test]
fn many_calls_are_one_push_and_leave_nothing_behind() {
    let world = World::new();
    let ada = world.founder("ada");
    for n in 0..30 {
        ada.write(&format!("m{n}.md"), memory(&format!("m{n}"), "x"));
        wrote(&ada, &format!("m{n}.md"));
    }
    until("on the hub", || world.hub_files().contains_key("m29.md"));
    until("ended", || !is_sharing(&ada));
    let count = crate::servers::git(&world.hub(), &["rev-list", "--count", "main"]);
    let commits: usize = count.trim().parse().unwrap();
    assert!(commits < 20, "{commits} commits for thirty calls");
    let mut left: Vec<String> = Vec::new();
    for folder in std::fs::read_dir(home(&ada).join(".local/state/memsync/agents")).unwrap() {
        for file in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            left.push(file.unwrap().file_name().into_string().unwrap());
        }
    }
    left.retain(|name| name.starts_with("wish") || name.starts_with("running"));
    assert!(left.is_empty(), "{left:?}");
    // Nothing to share starts nothing.
    wrote(&ada, "m1.md");
    call(&ada, "Stop", json!({ "stop_hook_active": true }));
    assert!(!is_sharing(&ada));
}

#[test]
fn a_change_by_anybody_else_is_shared_as_well_but_not_gits_own() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("a", "x");
    let changed = |file: &str| {
        call(&ada, "FileChanged", json!({ "file_path": ada.team().join(file), "event": "add" }))
    };
    changed(".git/index");
    assert!(!is_sharing(&ada) && !world.hub_files().contains_key("a.md"));
    changed("a.md");
    until("on the hub", || world.hub_files().contains_key("a.md"));
    ada.done(&["agent", "stop"]);
}

#[test]
fn what_the_gate_keeps_out_stays_here_and_the_rest_goes() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.write("bad.md", memory("bad", &format!("token {}", token())));
    ada.remember("good", "x");
    wrote(&ada, "bad.md");
    until("on the hub", || world.hub_files().contains_key("good.md"));
    until("ended", || !is_sharing(&ada));
    assert!(!world.hub_holds(&token()) && ada.has("bad.md"));
    let said = ada.done(&["agent", "status", "claude-code"]);
    assert!(said.err.contains("kept out: bad.md") && !said.err.contains(&token()), "{said:?}");
}

#[test]
fn a_hub_that_does_not_answer_holds_up_nobody_and_can_be_stopped() {
    let world = World::new();
    let ada = world.founder("ada");
    // It takes every connection and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hub.git", silent.local_addr().unwrap());
    ada.git(&["remote", "set-url", "origin", &url]);
    ada.remember("a", "x");
    wrote(&ada, "a.md");
    until("at work", || is_sharing(&ada));
    // Calls are answered all the same.
    let prompt = json!({ "prompt": "which port?" });
    call(&ada, "UserPromptSubmit", prompt);
    assert!(ada.run(&["status"]).out.contains("is sharing in the background"));
    let said = ada.done(&["agent", "stop"]);
    assert!(said.out.contains("Ended process"), "{said:?}");
    until("ended", || !is_sharing(&ada));
    assert!(ada.done(&["agent", "stop"]).out.contains("Nothing is running"));
    // What waits is shared when the hub is back.
    ada.git(&["remote", "set-url", "origin", &world.address()]);
    call(&ada, "SessionStart", json!({}));
    until("on the hub", || world.hub_files().contains_key("a.md"));
    ada.done(&["agent", "stop"]);
}

#[test]
fn what_goes_wrong_is_in_the_status_and_nowhere_else() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.git(&["remote", "set-url", "origin", "/nowhere/hub.git"]);
    ada.remember("a", "x");
    assert_eq!(wrote(&ada, "a.md"), None);
    until("tried", || !is_sharing(&ada) && ada.run(&["agent", "status"]).exit == 1);
    let said = ada.run(&["agent", "status", "claude-code"]);
    assert!(
        said.out.contains("bad  background: push at") && said.out.contains("memsync sync"),
        "{said:?}"
    );
    let log = read(
        &std::fs::read_dir(home(&ada).join(".local/state/memsync/agents"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path()
            .join("log.jsonl"),
    );
    assert!(log.lines().count() >= 1, "{log}");
}

#[test]
fn many_calls_in_a_row_leave_no_process_and_no_lock() {
    let world = World::new();
    let ada = world.founder("ada");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let ada = &ada;
            scope.spawn(move || {
                for n in 0..50 {
                    ada.write(
                        &format!("t{thread}.md"),
                        memory(&format!("t{thread}"), &n.to_string()),
                    );
                    wrote(ada, &format!("t{thread}.md"));
                    call(ada, "Stop", json!({ "session_id": format!("s{n}") }));
                }
            });
        }
    });
    until("on the hub", || {
        (0..4).all(|thread| {
            world.hub_files().get(&format!("t{thread}.md")).is_some_and(|text| text.contains("49"))
        })
    });
    until("ended", || !is_sharing(&ada));
    let memdir = ada.memdir.to_str().unwrap().as_bytes();
    let of_ours = |process: &std::fs::DirEntry| {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        line.windows(memdir.len()).any(|part| part == memdir)
    };
    if let Ok(processes) = std::fs::read_dir("/proc") {
        assert_eq!(processes.flatten().filter(of_ours).count(), 0);
    }
    ada.done(&["sync", "--wait", "0"]);
}
