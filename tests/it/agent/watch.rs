//! `memsync watch`: what it shares, and that it goes on whatever happens around it.
//! Border: one watcher and what happens to its folder and its hub.
#![expect(clippy::disallowed_methods, reason = "sets the scene")]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use super::home;
use super::sharing::{PATIENCE, until};
use crate::support::{Member, World, memory};

/// A watcher that runs.
struct Watcher {
    child: Child,
    events: Receiver<Value>,
}

impl Watcher {
    fn start(member: &Member) -> Self {
        let mut command = member.program();
        command.args(["--format", "jsonl", "watch", "--every", "5"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let (sender, events) = channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                sender.send(serde_json::from_str(&line).unwrap()).ok();
            }
        });
        let watcher = Self { child, events };
        watcher.hears("started");
        watcher
    }

    /// Waits for an event, and gives those before it.
    fn hears(&self, event: &str) -> Vec<Value> {
        let mut heard = Vec::new();
        loop {
            let next = self
                .events
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|_| panic!("never {event}: {heard:?}"));
            let is_it = next["event"] == event;
            heard.push(next);
            if is_it {
                return heard;
            }
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn what_changes_here_goes_out_and_what_others_share_comes_in() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let watcher = Watcher::start(&ada);
    ada.remember("ports", "5433");
    watcher.hears("sent");
    assert!(world.hub_files().contains_key("ports.md"));
    bob.done(&["pull"]);
    bob.remember("cache", "6380");
    bob.done(&["push"]);
    let heard = watcher.hears("received");
    assert!(heard.last().unwrap()["changes"].to_string().contains("team/cache.md"), "{heard:?}");
    assert!(ada.has("cache.md"));
}

#[test]
fn it_goes_on_when_the_hub_or_the_folder_is_gone_and_says_so_once() {
    let world = World::new();
    let ada = world.founder("ada");
    let watcher = Watcher::start(&ada);
    let away = world.path().join("away.git");
    std::fs::rename(world.hub(), &away).unwrap();
    ada.remember("a", "x");
    watcher.hears("failed");
    std::fs::rename(&away, world.hub()).unwrap();
    let heard = watcher.hears("recovered");
    assert!(!heard.iter().any(|event| event["event"] == "failed"), "said again: {heard:?}");
    until("on the hub", || world.hub_files().contains_key("a.md"));

    let moved = world.path().join("moved");
    std::fs::rename(ada.team(), &moved).unwrap();
    watcher.hears("folder_gone");
    std::fs::rename(&moved, ada.team()).unwrap();
    watcher.hears("folder_back");
    ada.remember("b", "x");
    until("on the hub", || world.hub_files().contains_key("b.md"));
}

#[test]
fn a_watcher_agents_and_a_person_at_once_lose_nothing() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let watcher = Watcher::start(&ada);
    std::thread::scope(|scope| {
        for (member, names) in [(&ada, "abc"), (&bob, "xyz")] {
            for name in names.chars() {
                scope.spawn(move || {
                    for n in 0..5 {
                        member.write(&format!("{name}{n}.md"), memory(&format!("{name}{n}"), "x"));
                        let tool_input =
                            json!({ "file_path": member.team().join(format!("{name}{n}.md")) });
                        super::call(
                            member,
                            "PostToolUse",
                            json!({ "tool_name": "Write", "tool_input": tool_input }),
                        );
                    }
                });
            }
        }
        scope.spawn(|| (0..3).for_each(|_| drop(ada.run(&["sync"]))));
    });
    until("all on the hub", || {
        let files = world.hub_files();
        "abcxyz".chars().all(|name| (0..5).all(|n| files.contains_key(&format!("{name}{n}.md"))))
    });
    drop(watcher);
    for member in [&ada, &bob] {
        member.done(&["agent", "stop"]);
        member.done(&["sync"]);
    }
    ada.done(&["pull"]);
    assert_eq!(ada.committed(), bob.committed());
    for n in 0..5 {
        let entry = format!("(a{n}.md)");
        assert_eq!(ada.read("MEMORY.md").matches(&entry).count(), 1, "{entry}");
    }
}

#[test]
fn once_says_by_its_exit_code_how_it_went() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("a", "x");
    assert!(ada.done(&["watch", "--once"]).out.contains("Shared 1 change"));
    assert_eq!(ada.done(&["watch", "--once"]).out, "");
    ada.git(&["remote", "set-url", "origin", "/nowhere/hub.git"]);
    ada.fails(&["watch", "--once"], 3, &["not shared"]);
    world.newcomer("bob").fails(&["watch"], 2, &["next:"]);
}

#[test]
fn the_system_can_start_it() {
    let world = World::new();
    let ada = world.founder("ada");
    let said = ada.done(&["watch", "--install", "--every", "30"]);
    assert!(said.err.contains("systemctl --user") || said.err.contains("launchctl"), "{said:?}");
    let again = ada.done(&["watch", "--install", "--every", "30"]);
    assert!(again.out.contains("installed already"), "{again:?}");
    let folder = home(&ada).join("systemd/user");
    if cfg!(target_os = "linux") {
        let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        let text = super::read(&file);
        assert!(
            text.contains("\"watch\" \"--every\" \"30\"") && text.contains("Restart=on-failure"),
            "{text}"
        );
    }
    assert!(ada.done(&["watch", "--uninstall"]).out.contains("removed"));
    assert!(ada.done(&["watch", "--uninstall"]).out.contains("not installed"));
    assert_eq!(std::fs::read_dir(&folder).map_or(0, Iterator::count), 0);
}
