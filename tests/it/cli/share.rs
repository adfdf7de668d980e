//! `status`, `push`, `pull` and `log`: what people read and what programs parse, word for word.
//! Border: what happens is claimed in `sync`; here it is how it is told.

use serde_json::{Value, json};

use crate::support::{Member, World, git, memory, token};

/// Lengths of ids: whole and short ones of commits, those of conflicts and findings.
const ID_LENGTHS: [usize; 4] = [40, 10, 20, 32];

/// What was said, with the world's folder and every id replaced.
fn shown(world: &World, member: &Member, arguments: &[&str]) -> String {
    let said = member.run(arguments);
    let err = if said.err.is_empty() { String::new() } else { format!("! {}", said.err) };
    let text = format!("{}{err}exit {}\n", said.out, said.exit);
    let text = text.replace(world.path().to_str().unwrap(), "$W");
    let is_id = |word: &str| {
        // A document holds whole ids, and times that could be taken for short ones.
        let is_time = arguments.contains(&"json") && word.len() == 10;
        let is_long = ID_LENGTHS.contains(&word.len()) && !is_time;
        is_long && word.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\0']) {
        if c.is_ascii_alphanumeric() {
            word.push(c);
            continue;
        }
        out.push_str(if is_id(&word) { "<id>" } else { &word });
        word.clear();
        if c != '\0' {
            out.push(c);
        }
    }
    out
}

/// A document with ids replaced and fields that only count time left out.
fn document(world: &World, member: &Member, arguments: &[&str]) -> Value {
    let text = shown(world, member, &[&["--format", "json"], arguments].concat());
    // Seconds have as many digits as a short id.
    let text = text.replace(": <id>", ": 0");
    serde_json::from_str(text.rsplit_once("exit ").unwrap().0).unwrap()
}

#[test]
fn people_read_what_was_committed_kept_out_shared_and_received() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.write("leak.md", memory("leak", &format!("key {}", token())));
    let kept_out = "  kept out leak.md
    leak.md:6:5 looks like a secret: key […] (github-personal-token)
      next: take it out and rotate it, or accept it in `team/` with `memsync scan allow <id> --reason …`
";
    assert_eq!(
        shown(&world, &ada, &["status"]),
        format!(
            "$W/ada/team: 0 memories at <id>
Remote $W/hub.git, branch main: the same here and there.
Last taken 2026-03-04T05:06:07Z, last shared 2026-03-04T05:06:07Z, last new change 2026-03-04T05:06:07Z.
Trust is open: everyone who may push to the remote may change it, unsigned.
The next push commits:
  edited  MEMORY.md
  added   ports.md
The gate keeps out:
{kept_out}exit 0
"
        )
    );
    assert_eq!(
        shown(&world, &ada, &["push"]),
        format!(
            "Committed 2 files:
  edited  MEMORY.md
  added   ports.md
Kept out of team memory, left on disk as it is:
{kept_out}Shared 1 change.
exit 1
"
        )
    );
    ada.remove("leak.md");
    assert_eq!(
        shown(&world, &ada, &["push"]),
        "In MEMORY.md 1 entry changed:\n  - leak.md [leak] — About leak\n! next: `memsync index --restore` puts the lines that went (-) back.\nexit 0\n"
    );
    assert_eq!(
        shown(&world, &bob, &["pull"]),
        "Received 1 change:\n  edited  MEMORY.md\n  added   ports.md\n! trust is open: no signature proves who made 1 change\nexit 0\n"
    );
    assert_eq!(shown(&world, &bob, &["pull"]), "Nothing to do.\nexit 0\n");
    assert_eq!(
        shown(&world, &bob, &["log"]),
        "<id> Add ports
  Ada <ada@example.com>, 2026-03-04T05:06:07Z, signed with an unknown key
  edited  MEMORY.md
  added   ports.md
<id> Add MEMORY.md
  Ada <ada@example.com>, 2026-03-04T05:06:07Z, signed with an unknown key
  added   MEMORY.md
<id> Start team memory
  Ada <ada@example.com>, 2026-03-04T05:06:07Z, signed with an unknown key
  added   .gitattributes
  added   .memsync/policy.yaml
exit 0
"
    );
}

#[test]
fn people_read_of_a_conflict_and_sync_goes_on() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    ada.remember("ports", "8081 web");
    bob.remember("ports", "8082 web");
    ada.done(&["push"]);
    let open = "trust is open: no signature proves who made 1 change\n";
    let warning =
        "warning: 1 conflict is open, in ports.md: `memsync resolve` shows what each side wrote\n";
    assert_eq!(
        shown(&world, &bob, &["push"]),
        format!(
            "Committed 1 file:
  edited  ports.md
Received 1 change, merged 1 change of yours onto it:
  added   .memsync/conflicts/<id>.yaml
  edited  ports.md
Shared 1 change.
! {open}{warning}exit 0
"
        )
        .replace("  edited  ports.md\nShared", &edited_or_not(&bob))
    );
    assert_eq!(
        shown(&world, &bob, &["pull", "--strict"]),
        format!("Nothing to do.\n! {warning}exit 1\n")
    );
    let status = document(&world, &bob, &["status"]);
    assert_eq!(status["conflicts"], json!([{"id": "<id>", "path": "ports.md"}]));
    assert_eq!(status["settled"], false);
    assert!(shown(&world, &bob, &["status"]).contains("Open conflict <id> in ports.md\n"));
}

/// The side that is kept depends on commit ids, so Bob's file changes or not.
fn edited_or_not(bob: &Member) -> String {
    if bob.read("ports.md").contains("8081") {
        "  edited  ports.md\nShared".to_owned()
    } else {
        "Shared".to_owned()
    }
}

#[test]
fn programs_parse_status_push_pull_and_log() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.write("big.md", "x".repeat(250_001));
    let pushed = document(&world, &ada, &["push"]);
    assert_eq!(pushed["format"], "memsync.push/1");
    assert_eq!(pushed["complete"], false);
    assert_eq!(pushed["staged"]["commit"], "<id>");
    assert_eq!(
        pushed["staged"]["changes"],
        json!([{"path": "MEMORY.md", "kind": "edited"}, {"path": "ports.md", "kind": "added"}])
    );
    let held = &pushed["staged"]["held_back"][0];
    assert_eq!((&held["path"], &held["reasons"][0]["rule"]), (&json!("big.md"), &json!("size")));
    assert_eq!(held["reasons"][0]["weight"], "forbidden");
    assert!(held["reasons"][0]["next_step"].as_str().is_some_and(|step| !step.is_empty()));
    assert_eq!((&pushed["pushed"], &pushed["ahead"]), (&json!(1), &json!(0)));
    let pulled = document(&world, &bob, &["pull"]);
    assert_eq!(pulled["format"], "memsync.pull/1");
    assert_eq!((&pulled["complete"], &pulled["received"]), (&json!(true), &json!(1)));
    assert_eq!(
        pulled["files"],
        json!([{"path": "MEMORY.md", "kind": "edited"}, {"path": "ports.md", "kind": "added"}])
    );
    let status = document(&world, &ada, &["status"]);
    for (field, value) in [
        ("format", json!("memsync.status/1")),
        ("settled", json!(false)),
        ("team", json!("$W/ada/team")),
        ("branch", json!("main")),
        ("remote", json!("$W/hub.git")),
        ("trust", json!("open")),
        ("tip", json!("<id>")),
        ("ahead", json!(0)),
        ("behind", json!(0)),
        ("memories", json!(1)),
        ("conflicts", json!([])),
        ("unfinished", Value::Null),
        ("interrupted", json!(false)),
    ] {
        assert_eq!(status[field], value, "{field} in {status}");
    }
    assert_eq!(status["refused"][0]["path"], "big.md");
    let log = document(&world, &bob, &["log", "--limit", "1"]);
    assert_eq!(log["format"], "memsync.log/1");
    let entry = &log["entries"][0];
    assert_eq!((&entry["author"], &entry["subject"]), (&json!("Ada"), &json!("Add ports")));
    assert_eq!(entry["time"], "2026-03-04T05:06:07Z");
}

#[test]
fn nothing_foreign_reaches_a_terminal_raw() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.write("a\u{1b}[31m.md", memory("x", "y"));
    ada.write("b\u{202e}.md", memory("x", "y"));
    ada.write("c\u{1b}[31m\u{202e}.md", memory("token", &token()));
    let mut asked: Vec<Vec<&str>> =
        vec![vec!["push"], vec!["status"], vec!["diff"], vec!["--format", "json", "push"]];
    let team = ada.team().to_str().unwrap().to_owned();
    for format in ["human", "json", "sarif", "csv", "junit", "github", "gitlab"] {
        asked.push(vec!["--format", format, "scan", &team]);
    }
    asked.extend([vec!["--\u{1b}[31mx"], vec!["show", "x\u{202e}", "y\u{1b}[2J"]]);
    for arguments in asked {
        let said = ada.run(&arguments);
        let all = format!("{}{}", said.out, said.err);
        assert!(!all.contains('\u{1b}') && !all.contains('\u{202e}'), "{arguments:?}: {all:?}");
    }
}

#[test]
fn a_comment_in_a_memory_accepts_no_credential_for_the_team() {
    let world = World::new();
    let ada = world.founder("ada");
    for (name, mark) in [("ours", "memsync:allow"), ("theirs", "gitleaks:allow")] {
        ada.write(&format!("{name}.md"), memory(name, &format!("{} <!-- {mark} -->", token())));
    }
    ada.remember("ports", "8080 web");
    let said = ada.fails(&["push"], 1, &["ours.md", "theirs.md", "memsync scan allow"]);
    assert!(!said.out.contains(&token()) && !said.err.contains(&token()), "{said:?}");
    let sent = git(&world.hub(), &["ls-tree", "-r", "--name-only", "main"]);
    assert!(sent.contains("ports.md") && !sent.contains("ours.md"), "{sent}");
}
