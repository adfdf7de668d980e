//! `memsync ci --format markdown`, as a reviewer reads it and as somebody would abuse it.
//! Border: that hosts show it is claimed in the files beside.

use memsync::base::id::ObjectId;

use super::{Host, host};
use crate::support::{Said, git, memory, say};

impl Host {
    fn markdown(&self, head: ObjectId) -> Said {
        let folder = self.workspace("checkout");
        git(&folder, &["clone", "-q", &self.team.world.address(), "."]);
        self.put("refs/heads/looked-at", head);
        git(&folder, &["fetch", "-q", "origin"]);
        let mut command = self.runner.command(env!("CARGO_BIN_EXE_memsync"));
        command.arg("-C").arg(&folder).env("GITHUB_BASE_REF", "main");
        command.env("MEMSYNC_INTRODUCTION", self.introduction());
        let head = head.to_string();
        say(command.args(["--format", "markdown", "ci", "--head", &head]))
    }
}

#[test]
fn a_reviewer_reads_what_becomes_of_each_memory_and_who_may_do_what() {
    let host = host();
    let team = &host.team;
    team.ada.done(&["pull"]);
    team.ada.remember("ports", "8081 web");
    team.ada.write("new.md", memory("new", "Text.").replace("project", "reference"));
    team.ada.done(&["sync"]);
    team.ada.done(&["member", "role", "bob", "admin"]);
    let carol = team.world.newcomer("carol");
    carol.done(&["join", &team.world.address(), "--accept-introduction"]);
    let line = carol.done(&["member", "request"]).out;
    team.ada.done(&["member", "add", line.trim(), "--role", "reader"]);
    team.ada.edit(".memsync/policy.yaml", |text| text + "# ours\n");
    team.ada.remove("new.md");
    team.ada.done(&["push", "--branch", "ada"]);
    let said = host.markdown(host.branch("ada"));
    assert_eq!((said.exit, said.err.as_str()), (0, ""), "{said:?}");
    for text in [
        "## Team memory: good\n\nMemories: 0 added, 0 edited, 1 removed.",
        "| removed | `new` | `reference` | `new.md` | `About new` |  | `ada` (good) |",
        "- `bob` becomes admin, was writer\n",
        "- `carol` joins as reader\n",
        "- `.memsync/policy.yaml` is changed\n",
        "### Changes\n\n| commit | what | by | through | verdict |\n",
    ] {
        assert!(said.out.contains(text), "{text}: {}", said.out);
    }
    let said = host.markdown(team.tip());
    assert!(said.out.contains("Memories: 0 added, 0 edited, 0 removed"), "{said:?}");
}

#[test]
fn foreign_text_stays_text() {
    let host = host();
    let evil = "x` | <img src=https://evil.example/x> **b** @everyone #1 ![i](http://e) \\";
    let text = format!(
        "---\nname: {}\ndescription: '{}'\ntype: project\n---\n<script>\n",
        "'|a|`b`|'",
        evil.replace('\'', "")
    );
    let mut forged = host.team.by(&host.team.bob).edit("evil.md", Some(text));
    forged.subject = format!("{evil}\u{202e}");
    forged.author = "Bob | `x` <bob@example.com>".to_owned();
    let said = host.markdown(host.stored(&forged));
    for line in said.out.lines() {
        // What is left without code spans is ours.
        let ours: String = line.split('`').step_by(2).collect();
        for foreign in ["<", "@", "http", "![", "#1", "**"] {
            assert!(!ours.contains(foreign), "{foreign} in {line}");
        }
        assert!(line.matches('`').count() % 2 == 0, "{line}");
        if line.starts_with("| added") {
            assert_eq!(line.matches('|').count(), 8, "{line}");
        }
        assert!(!line.contains('\u{202e}'), "{line}");
    }
    assert!(said.out.contains("| added |"), "{said:?}");
}
