//! GitLab: `examples/ci/memsync.gitlab-ci.yml`.
//! Border: rules, variables, fetch and shell are those of GitLab and its runner.

use std::fs;

use memsync::base::id::ObjectId;
use serde_json::Value;

use super::{Host, Job, host, template};
use crate::host::Forged;
use crate::support::{git, say};

/// A pipeline that GitLab would start.
#[derive(Clone)]
struct Pipeline {
    sha: ObjectId,
    /// The repository whose pipeline it is; a fork's runs in the fork.
    repository: String,
    variables: Vec<(&'static str, String)>,
}

impl Pipeline {
    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.retain(|(known, _)| *known != name);
        self.variables.push((name, value.to_owned()));
        self
    }

    fn variable(&self, name: &str) -> &str {
        let found = self.variables.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// Whether the rules let the job run.
    fn runs(&self, rules: &Value) -> bool {
        let holds = |term: &str| match term.split_once(" == ") {
            Some((name, text)) => self.variable(&name[1..]) == text.trim_matches('"'),
            None => !self.variable(&term[1..]).is_empty(),
        };
        let rules = rules.as_array().unwrap().iter();
        let mut first = rules.filter(|rule| rule["if"].as_str().unwrap().split(" && ").all(holds));
        first.next().is_some_and(|rule| rule["when"] != "never")
    }
}

impl Host {
    fn branch_pipeline(&self, branch: &str, before: Option<ObjectId>) -> Pipeline {
        let sha = self.branch(branch);
        let before = before.map_or("0".repeat(40), |id| id.to_string());
        let variables = vec![
            ("CI", "true".to_owned()),
            ("CI_PIPELINE_SOURCE", "push".to_owned()),
            ("CI_COMMIT_BRANCH", branch.to_owned()),
            ("CI_COMMIT_BEFORE_SHA", before),
            ("CI_COMMIT_SHA", sha.to_string()),
            ("CI_DEFAULT_BRANCH", "main".to_owned()),
            ("MEMSYNC_INTRODUCTION", self.introduction()),
            ("MEMSYNC_SOURCE", "https://git.example/tools/memsync".to_owned()),
            ("MEMSYNC_REVISION", "ab12".to_owned()),
        ];
        Pipeline { sha, repository: self.team.world.address(), variables }
    }

    /// A pipeline of a merge request: of the branch, or of the result of merging it.
    fn merge_request(&self, sha: ObjectId, head: ObjectId) -> Pipeline {
        let (main, head) = (self.team.tip().to_string(), head.to_string());
        let base = git(&self.team.world.hub(), &["merge-base", &main, &head]);
        let mut pipeline = self.branch_pipeline("feature", None);
        pipeline.variables.retain(|(name, _)| *name != "CI_COMMIT_BRANCH");
        let pipeline = Pipeline { sha, ..pipeline };
        pipeline
            .with("CI_PIPELINE_SOURCE", "merge_request_event")
            .with("CI_COMMIT_SHA", &sha.to_string())
            .with("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main")
            .with("CI_MERGE_REQUEST_DIFF_BASE_SHA", &base)
    }

    /// Runs the job as a runner with the shell of a container.
    fn gitlab(&self, pipeline: &Pipeline) -> Job {
        let job = template("memsync.gitlab-ci.yml")["memsync"].clone();
        assert!(pipeline.runs(&job["rules"]), "it does not start");
        let folder = self.workspace("builds");
        let run = |arguments: &[&str]| git(&folder, arguments);
        git(
            pipeline.repository.as_ref(),
            &["update-ref", "refs/pipelines/1", &pipeline.sha.to_string()],
        );
        run(&["init", "-q", "."]);
        run(&["remote", "add", "origin", &format!("file://{}", pipeline.repository)]);
        let depth = job["variables"]["GIT_DEPTH"].as_str().unwrap();
        let own = "+refs/pipelines/1:refs/pipelines/1";
        if depth == "0" {
            let all = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*", own];
            run(&[&["fetch", "-q", "--prune", "origin"], &all[..]].concat());
        } else {
            run(&["fetch", "-q", "--depth", depth, "origin", own]);
        }
        run(&["checkout", "-q", "-f", "--detach", &pipeline.sha.to_string()]);
        if pipeline.variable("TEST_COMMITTED_PROGRAM") == "1" {
            fs::create_dir_all(folder.join(".memsync-ci/bin")).unwrap();
            fs::write(folder.join(".memsync-ci/bin/memsync"), "").unwrap();
            run(&["add", "-f", ".memsync-ci"]);
        }
        let lines = |part: &str| -> Vec<String> {
            let lines = job[part].as_array().unwrap().iter();
            lines.map(|line| line.as_str().unwrap().to_owned()).collect()
        };
        let script = [lines("before_script"), lines("script")].concat().join("\n");
        let mut command = self.runner.command("bash");
        command.current_dir(&folder).env("PATH", self.path(&[]));
        command.env("CI_PROJECT_DIR", &folder).envs(pipeline.variables.iter().cloned());
        let said = say(command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &script]));
        let artifact = |name: &Value| {
            fs::read_to_string(folder.join(name.as_str().unwrap())).unwrap_or_default()
        };
        let quality = artifact(&job["artifacts"]["reports"]["codequality"]);
        let summary = artifact(&job["artifacts"]["paths"][0]);
        let log = format!("{}{}\n{quality}", said.out, said.err);
        Job { exit: said.exit, log, summary, installed: self.installed() }
    }
}

#[test]
fn every_pipeline_of_a_good_history_passes_and_says_what_it_does() {
    let host = host();
    let (feature, before) = (host.branch("feature"), host.team.tip());
    let merged = host.merge(feature);
    for pipeline in [
        host.branch_pipeline("feature", None),
        host.merge_request(feature, feature),
        host.merge_request(merged, feature),
    ] {
        let job = host.gitlab(&pipeline);
        job.ends(0, &["| added | `mine` | `project` | `mine.md` |", "`bob` (good)"]);
        assert!(!format!("{job:?}").contains("misplaced"), "{job:#?}");
    }
    let rules = template("memsync.gitlab-ci.yml")["memsync"]["rules"].clone();
    let open = host.branch_pipeline("feature", None).with("CI_OPEN_MERGE_REQUESTS", "team!1");
    assert!(!open.runs(&rules), "one pipeline is enough");
    host.move_on();
    host.gitlab(&host.merge_request(feature, feature)).ends(0, &["Memories: 1 added, 0 edited"]);
    let job = host.gitlab(&host.branch_pipeline("main", Some(before)));
    job.ends(0, &["| edited | `ports` |"]);
    assert!(!job.summary.contains("mine"), "{job:#?}");
    // A fork runs it in its own project: without variables, and its shared branch may be old.
    let fork = host.team.world.path().join("fork.git");
    let (hub, place) = (host.team.world.address(), fork.to_str().unwrap().to_owned());
    git(host.team.world.path(), &["clone", "-q", "--bare", &hub, &place]);
    git(&fork, &["update-ref", "refs/heads/main", &before.to_string()]);
    let pipeline = Pipeline { repository: place, ..host.merge_request(feature, feature) };
    let pipeline = pipeline.with("MEMSYNC_INTRODUCTION", "");
    host.gitlab(&pipeline).ends(0, &["nothing proves that it is the team's", "`bob` (good)"]);
}

#[test]
fn what_members_would_refuse_fails_the_pipeline_and_is_in_its_reports() {
    let host = host();
    let unsigned = Forged { signer: None, ..host.team.by(&host.team.bob) };
    let unsigned = host.stored(&unsigned);
    let job = host.gitlab(&host.merge_request(unsigned, unsigned));
    job.ends(4, &["`unsigned`", "\"check_name\": \"unsigned\"", "\"fingerprint\""]);
    let (old, newer) = (host.team.tip(), host.move_on());
    host.team.move_to(old);
    host.gitlab(&host.branch_pipeline("main", Some(newer))).ends(4, &["was rewritten"]);
    host.put("refs/heads/feature", old);
    host.gitlab(&host.branch_pipeline("feature", Some(newer))).ends(0, &["Memories: 0 added"]);
}

#[test]
fn the_program_is_built_from_what_the_project_names_and_from_nothing_the_repository_holds() {
    let host = host();
    let pipeline = host.branch_pipeline("feature", None);
    let root = host.team.world.path().join("builds/.memsync-ci");
    let root = root.display();
    let job = host.gitlab(&pipeline);
    let from = "--git https://git.example/tools/memsync --rev ab12";
    assert_eq!(job.installed, format!("cargo install --locked --root {root} {from}\n"));
    let checkout = env!("CARGO_MANIFEST_DIR");
    let job = host.gitlab(&pipeline.clone().with("MEMSYNC_SOURCE", checkout));
    let last = format!("cargo install --locked --root {root} --path {checkout}\n");
    assert!(job.exit == 0 && job.installed.ends_with(&last), "{job:#?}");
    let job = host.gitlab(&pipeline.clone().with("MEMSYNC_REVISION", ""));
    assert!(job.exit == 2 && job.log.contains("MEMSYNC_REVISION"), "{job:#?}");
    let job = host.gitlab(&pipeline.with("TEST_COMMITTED_PROGRAM", "1"));
    assert!(job.exit == 1 && job.log.contains("Remove it"), "{job:#?}");
}
