//! GitHub: `examples/ci/github.yml` and the action it uses.
//! Border: events, contexts, files and checkout are those of GitHub's runner.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use memsync::base::id::ObjectId;
use serde_json::{Value, json};

use super::{Host, Job, host, template};
use crate::host::{Forged, MAIN};
use crate::support::{git, memory, say};

/// Something that happened on GitHub.
struct Event {
    name: &'static str,
    payload: Value,
    sha: ObjectId,
    /// The branch that was pushed to; for a pull request the one it is from.
    branch: String,
    /// Variables of the repository; a pull request from a fork sees none.
    variables: Value,
    /// What the workflow's user wrote below `with`.
    inputs: Value,
}

impl Host {
    fn push(&self, branch: &str, before: Option<ObjectId>) -> Event {
        let zeros = "0".repeat(40);
        let before = before.map_or(zeros, |id| id.to_string());
        Event {
            name: "push",
            payload: json!({ "before": before, "repository": { "default_branch": "main" } }),
            sha: self.branch(branch),
            branch: branch.to_owned(),
            variables: json!({ "MEMSYNC_INTRODUCTION": self.introduction() }),
            inputs: json!({}),
        }
    }

    fn pull_request(&self, head: ObjectId) -> Event {
        let merge = self.merge(head);
        self.put("refs/pull/1/merge", merge);
        let base = json!({ "ref": "main", "sha": self.team.tip().to_string() });
        let payload = json!({
            "before": head.to_string(),
            "repository": { "default_branch": "main" },
            "pull_request": { "base": base, "head": { "sha": head.to_string() } },
        });
        Event { name: "pull_request", payload, sha: merge, ..self.push("feature", None) }
    }

    /// Runs the workflow for an event, step by step.
    fn github(&self, event: &Event) -> Job {
        let workflow = template("github.yml");
        assert!(workflow["on"].get(event.name).is_some(), "it does not start for {}", event.name);
        assert_eq!(workflow["permissions"], json!({ "contents": "read" }));
        let mut run = Run::new(self, event);
        let job = &workflow["jobs"]["memory"];
        for step in job["steps"].as_array().unwrap() {
            let uses = step["uses"].as_str().unwrap();
            let mut inputs = run.filled_map(&step["with"], &json!({}));
            if uses.starts_with("actions/checkout@") {
                run.check_out(&inputs);
            } else {
                assert_eq!(uses, "OWNER/memsync/examples/ci@REVISION");
                for (name, value) in event.inputs.as_object().unwrap() {
                    inputs.insert(name.clone(), value.as_str().unwrap().to_owned());
                }
                run.action(&inputs);
            }
        }
        let summary = fs::read_to_string(run.files.join("summary")).unwrap();
        Job { exit: run.exit, log: run.log, summary, installed: self.installed() }
    }
}

/// A job that runs.
struct Run<'a> {
    host: &'a Host,
    event: &'a Event,
    workspace: PathBuf,
    files: PathBuf,
    path: Vec<String>,
    outputs: Value,
    log: String,
    exit: i32,
}

impl<'a> Run<'a> {
    fn new(host: &'a Host, event: &'a Event) -> Self {
        let (workspace, files) = (host.workspace("workspace"), host.workspace("files"));
        fs::write(files.join("event.json"), event.payload.to_string()).unwrap();
        for name in ["output", "path", "summary"] {
            fs::write(files.join(name), "").unwrap();
        }
        let (path, outputs, log) = (Vec::new(), json!({}), String::new());
        Self { host, event, workspace, files, path, outputs, log, exit: 0 }
    }

    /// `actions/checkout`.
    fn check_out(&self, inputs: &BTreeMap<String, String>) {
        let hub = format!("file://{}", self.host.team.world.address());
        let run = |arguments: &[&str]| git(&self.workspace, arguments);
        run(&["init", "-q", "."]);
        run(&["remote", "add", "origin", &hub]);
        let depth = inputs.get("fetch-depth").map_or("1", String::as_str);
        let sha = self.event.sha.to_string();
        let place = match self.event.name {
            "pull_request" => "refs/remotes/pull/1/merge".to_owned(),
            _ => format!("refs/remotes/origin/{}", self.event.branch),
        };
        let one = format!("+{sha}:{place}");
        if depth == "0" {
            let all = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"];
            // The merge of a pull request is below no branch.
            let merge: &[&str] = if place.contains("/pull/") { &[&one] } else { &[] };
            run(&[&["fetch", "-q", "--prune", "origin"], &all[..], merge].concat());
        } else {
            run(&["fetch", "-q", "--no-tags", &format!("--depth={depth}"), "origin", &one]);
        }
        match self.event.name {
            "pull_request" => run(&["checkout", "-q", "--force", &place]),
            _ => run(&["checkout", "-q", "--force", "-B", &self.event.branch, &place]),
        };
    }

    /// A composite action.
    fn action(&mut self, given: &BTreeMap<String, String>) {
        let action = template("action.yml");
        assert_eq!(action["runs"]["using"], "composite");
        let mut inputs = json!({});
        for (name, about) in action["inputs"].as_object().unwrap() {
            let default = about["default"].as_str().unwrap();
            inputs[name] = given.get(name).map_or(default, String::as_str).into();
        }
        for name in given.keys() {
            assert!(inputs.get(name).is_some(), "the action has no input `{name}`");
        }
        for step in action["runs"]["steps"].as_array().unwrap() {
            if let Some(uses) = step["uses"].as_str() {
                assert!(uses.starts_with("actions/cache@"), "{uses}");
                let with = self.filled_map(&step["with"], &inputs);
                assert!(with["key"].starts_with("memsync-Linux-X64-") && with["key"].len() > 20);
                assert_eq!(with["path"], "~/.memsync-ci");
                continue;
            }
            assert_eq!(step["shell"], "bash", "a composite action names its shell");
            self.step(step, &inputs);
            if self.exit != 0 {
                return;
            }
        }
    }

    fn step(&mut self, step: &Value, inputs: &Value) {
        let script = self.files.join("step.sh");
        fs::write(self.files.join("output"), "").unwrap();
        fs::write(&script, self.filled(step["run"].as_str().unwrap(), inputs)).unwrap();
        let mut command = self.host.runner.command("bash");
        command.current_dir(&self.workspace).env("PATH", self.host.path(&self.path));
        command.envs(self.variables()).envs(self.filled_map(&step["env"], inputs));
        command.args(["--noprofile", "--norc", "-e", "-o", "pipefail"]).arg(&script);
        let said = say(&mut command);
        self.log += &format!("{}{}", said.out, said.err);
        self.exit = said.exit;
        let lines = |name: &str| fs::read_to_string(self.files.join(name)).unwrap();
        self.path = lines("path").lines().rev().map(str::to_owned).collect();
        for (name, value) in lines("output").lines().filter_map(|line| line.split_once('=')) {
            self.outputs[step["id"].as_str().unwrap()]["outputs"][name] = value.into();
        }
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let file = |name: &str| self.files.join(name).display().to_string();
        let is_pull = self.event.name == "pull_request";
        let name = if is_pull { "1/merge".to_owned() } else { self.event.branch.clone() };
        let full = if is_pull { "refs/pull/1/merge".into() } else { format!("refs/heads/{name}") };
        let action = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/ci");
        let home = self.host.team.world.path().join("runner-home");
        vec![
            ("CI", "true".into()),
            ("GITHUB_ACTIONS", "true".into()),
            ("GITHUB_ACTION_PATH", action.display().to_string()),
            ("GITHUB_BASE_REF", if is_pull { "main".into() } else { String::new() }),
            ("GITHUB_EVENT_NAME", self.event.name.into()),
            ("GITHUB_EVENT_PATH", file("event.json")),
            ("GITHUB_HEAD_REF", if is_pull { self.event.branch.clone() } else { String::new() }),
            ("GITHUB_OUTPUT", file("output")),
            ("GITHUB_PATH", file("path")),
            ("GITHUB_REF", full),
            ("GITHUB_REF_NAME", name),
            ("GITHUB_REF_TYPE", "branch".into()),
            ("GITHUB_SHA", self.event.sha.to_string()),
            ("GITHUB_STEP_SUMMARY", file("summary")),
            ("GITHUB_WORKSPACE", self.workspace.display().to_string()),
            ("HOME", home.display().to_string()),
            ("RUNNER_OS", "Linux".into()),
        ]
    }

    /// A mapping with its expressions filled in.
    fn filled_map(&self, map: &Value, inputs: &Value) -> BTreeMap<String, String> {
        let text = |value: &Value| match value {
            Value::String(text) => self.filled(text, inputs),
            other => other.to_string(),
        };
        let pairs = map.as_object().into_iter().flatten();
        pairs.map(|(name, value)| (name.clone(), text(value))).collect()
    }

    /// A text with its `${{ … }}` filled in; these are names of values and nothing else.
    fn filled(&self, text: &str, inputs: &Value) -> String {
        let contexts = json!({
            "inputs": inputs,
            "github": { "event": self.event.payload },
            "vars": self.event.variables,
            "runner": { "os": "Linux", "arch": "X64" },
            "steps": self.outputs,
        });
        let mut parts = text.split("${{");
        let mut filled = parts.next().unwrap().to_owned();
        for part in parts {
            let (name, rest) = part.split_once("}}").unwrap();
            let found = contexts.pointer(&format!("/{}", name.trim().replace('.', "/")));
            filled += found.and_then(Value::as_str).unwrap_or_default();
            filled += rest;
        }
        filled
    }
}

#[test]
fn every_event_of_a_good_history_passes_and_says_what_it_does() {
    let host = host();
    let (feature, before) = (host.branch("feature"), host.team.tip());
    for event in [host.push("feature", None), host.pull_request(feature)] {
        let job = host.github(&event);
        job.ends(
            0,
            &["| added | `mine` | `project` | `mine.md` | `About mine` |  | `bob` (good) |"],
        );
        assert!(!format!("{job:?}").contains("misplaced"), "{job:#?}");
        assert!(!job.log.contains("::error"), "{job:#?}");
    }
    // The proposal sent again, after the shared branch moved on.
    host.move_on();
    host.team.bob.done(&["push", "--branch", "feature"]);
    let again = host.branch("feature");
    assert_ne!(again, feature);
    host.github(&host.push("feature", Some(feature))).ends(0, &["Memories: 1 added, 0 edited"]);
    host.github(&host.pull_request(again)).ends(0, &["Memories: 1 added, 0 edited, 0 removed"]);
    // One that was not, and the host merges it all the same.
    host.github(&host.pull_request(feature)).ends(0, &["Memories: 1 added, 0 edited, 0 removed"]);
    let job = host.github(&host.push("main", Some(before)));
    job.ends(0, &["| edited | `ports` |", "`ada` (good)"]);
    assert!(!job.summary.contains("mine"), "{job:#?}");
    // The first push there is.
    host.github(&host.push("main", None)).ends(0, &["`ada` (good)"]);
}

#[test]
fn a_forced_push_to_the_shared_branch_is_told_and_one_to_a_proposal_is_not() {
    let host = host();
    let (old, newer) = (host.team.tip(), host.move_on());
    for known in ["true", "false"] {
        git(&host.team.world.hub(), &["config", "uploadpack.allowAnySHA1InWant", known]);
        host.team.move_to(old);
        let job = host.github(&host.push("main", Some(newer)));
        job.ends(4, &["the shared branch was rewritten", &newer.to_string(), "accept-rewrite"]);
        assert!(!job.log.contains("fetch-depth"), "{job:#?}");
    }
    git(&host.team.world.hub(), &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    // What nobody takes may be put back.
    let unsigned = Forged { signer: None, ..host.team.by(&host.team.bob) };
    let unsigned = host.team.publish(&unsigned);
    host.github(&host.push("main", Some(old))).ends(4, &["`unsigned`"]);
    host.team.move_to(old);
    host.github(&host.push("main", Some(unsigned))).ends(0, &["was put back from"]);
    host.put("refs/heads/feature", host.team.tip());
    host.github(&host.push("feature", Some(newer))).ends(0, &["Memories: 0 added"]);
}

#[test]
fn a_fork_is_judged_without_the_variables_of_the_repository() {
    let host = host();
    let fork = |head| Event { variables: json!({}), ..host.pull_request(head) };
    let job = host.github(&fork(host.branch("feature")));
    job.ends(0, &["nothing proves that it is the team's", "`bob` (good)"]);
    let written = json!({ "introduction": host.introduction() });
    let job = host.github(&Event { inputs: written, ..fork(host.branch("feature")) });
    job.ends(0, &["`bob` (good)"]);
    assert!(!job.summary.contains("nothing proves"), "{job:#?}");
    let stranger = host.stored(&host.team.by(&host.team.eve));
    host.github(&fork(stranger)).ends(4, &["`unknown-key`"]);
    // Its own start, joined to the team's history: what the shared branch starts with counts.
    let root = host.stored(&host.team.by(&host.team.eve).on(&[]));
    let joined =
        Forged { signer: None, ..host.team.by(&host.team.eve).on(&[root, host.team.tip()]) };
    let joined = host.stored(&joined);
    let event = Event { sha: joined, ..fork(host.branch("feature")) };
    host.put("refs/pull/1/merge", joined);
    host.github(&event).ends(4, &["`other-root`"]);
}

#[test]
fn what_is_wrong_is_shown_where_it_is_and_gives_the_runner_no_commands() {
    let host = host();
    let body = format!("the key is {}\n::error::x ##[group]", crate::support::token());
    let leak = host.team.by(&host.team.bob).edit("leak.md", Some(memory("leak", &body)));
    let job = host.github(&host.pull_request(host.stored(&leak)));
    job.ends(1, &["::error file=leak.md,line=6,col=", "at `leak.md:6:", "| added | `leak` |"]);
    assert!(!format!("{job:?}").contains(&crate::support::token()[..10]), "{job:#?}");
    // Merged by the host into something else than memsync would make of it.
    let main = host.team.tip();
    let side = host.team.by(&host.team.bob).edit("ports.md", Some(memory("ports", "8081 web")));
    let side = host.stored(&side);
    let altered = Forged { signer: None, ..host.team.by(&host.team.bob).on(&[main, side]) };
    let altered = host.stored(&altered.edit("ports.md", None));
    let event = Event { sha: altered, ..host.pull_request(side) };
    host.put("refs/pull/1/merge", altered);
    host.github(&event).ends(4, &["`unsigned`", "memsync push --branch"]);
    assert_eq!(host.team.hub.find_ref(MAIN).unwrap(), Some(main));
}

#[test]
fn the_program_is_built_from_what_the_workflows_user_named() {
    let host = host();
    let run = |inputs: Value| host.github(&Event { inputs, ..host.push("feature", None) });
    let home = host.team.world.path().join("runner-home/.memsync-ci");
    let root = home.display().to_string();
    let job = run(json!({}));
    let own =
        format!("{}/../..", Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/ci").display());
    let wanted = format!(
        "rustup toolchain install 1.95 --profile minimal --no-self-update\n\
         cargo +1.95 install --locked --root {root} --path {own}\n"
    );
    assert_eq!((job.exit, job.installed), (0, wanted.clone()));
    // What the cache brings back is used.
    assert_eq!(run(json!({})).installed, wanted);
    fs::remove_dir_all(&home).unwrap();
    let address = "https://git.example/tools/memsync";
    let job = run(json!({ "source": address, "revision": "ab12", "toolchain": "1.96" }));
    let last = format!("cargo +1.96 install --locked --root {root} --git {address} --rev ab12\n");
    assert!(job.exit == 0 && job.installed.ends_with(&last), "{job:#?}");
    let job = run(json!({ "source": address }));
    assert!(job.exit == 2 && job.log.contains("Set `revision`"), "{job:#?}");
}
