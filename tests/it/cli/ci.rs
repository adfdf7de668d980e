//! `memsync ci` in checkouts as GitHub and GitLab make them.
//! Border: starts the built program; the rules are tested where they are, the templates in `ci`.
#![expect(clippy::disallowed_methods, reason = "makes and removes checkouts")]

use std::fs;
use std::path::PathBuf;

use memsync::base::id::ObjectId;
use memsync::git::write::Expected;
use serde_json::Value;

use crate::host::{Forged, Team, team};
use crate::support::{Member, Said, git, memory, say, token};

/// A team with a checkout of a proposal, on no branch, as CI makes it.
struct Ci {
    team: Team,
    runner: Member,
    checkout: PathBuf,
}

/// A proposal of one commit.
fn proposal(change: impl for<'a> FnOnce(&'a Team) -> Forged<'a>) -> Ci {
    let team = team();
    let id = team.store(&team.raw(&change(&team)));
    at(team, id)
}

/// A checkout of one commit.
fn at(team: Team, id: ObjectId) -> Ci {
    team.hub.update_ref("refs/heads/proposal", id, Expected::Any, "a proposal").unwrap();
    let runner = team.world.newcomer("runner");
    let checkout = team.world.path().join("checkout");
    git(team.world.path(), &["clone", "-q", &team.world.address(), checkout.to_str().unwrap()]);
    git(&checkout, &["checkout", "-q", "--detach", "origin/proposal"]);
    Ci { team, runner, checkout }
}

impl Ci {
    fn introduction(&self) -> String {
        let shown = self.team.ada.json(&["status"]);
        shown["introduction"].as_str().unwrap().to_owned()
    }

    /// Runs the program in the checkout, with variables as a CI system sets them.
    fn run(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Said {
        let mut command = self.runner.command(env!("CARGO_BIN_EXE_memsync"));
        command.envs(variables.iter().copied());
        say(command.arg("-C").arg(&self.checkout).args(arguments))
    }

    fn checked(&self, exit: i32, texts: &[&str]) -> Said {
        let introduction = self.introduction();
        let arguments = ["ci", "--base", "origin/main", "--introduction", &introduction];
        let variables = [("GITHUB_BASE_REF", "main"), ("GITHUB_ACTIONS", "true")];
        let said = self.run(&variables, &arguments);
        assert_eq!(said.exit, exit, "{said:?}");
        for text in texts {
            assert!(said.out.contains(text), "{text}: {said:?}");
        }
        said
    }
}

#[test]
fn a_good_proposal_passes_in_every_way_it_can_be_asked_for() {
    let ci = proposal(|team| team.by(&team.bob));
    let said = ci.checked(0, &["1 change since", "added evil.md", "bob", ": good"]);
    assert!(!said.out.contains("::error") && said.err.is_empty(), "{said:?}");
    // Without a base, as on a new branch, the whole history is checked.
    let zeros = "0".repeat(40);
    let said = ci.run(&[], &["--format", "json", "ci", "--branch", "main", "--base", &zeros]);
    let document: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&document["format"], &document["passes"]), (&"memsync.ci/1".into(), &true.into()));
    assert_eq!(document["changes"].as_array().unwrap().len(), 5, "{document}");
    assert_eq!((&document["is_pinned"], &document["base"]), (&false.into(), &Value::Null));
    let said = ci.run(&[], &["ci", "--branch", "main", "--base", "origin/main", "--strict"]);
    assert_eq!(said.exit, 1, "{said:?}");
    assert!(said.err.contains("nothing proves that it is the team's"), "{said:?}");
}

#[test]
fn what_breaks_trust_exits_with_4_and_is_annotated() {
    let ci = proposal(|team| Forged { signer: None, ..team.by(&team.bob) });
    let said = ci.checked(4, &["unsigned", "::error title=unsigned::commit "]);
    assert!(said.out.contains("squash"), "{said:?}");
    let ci = proposal(|team| team.by(&team.bob).edit(".memsync/roster.yaml", None));
    ci.checked(4, &["::error title=not-allowed::"]);
    let ci = proposal(|team| team.by(&team.eve));
    ci.checked(4, &["::error title=unknown-key::"]);
}

#[test]
fn what_breaks_the_gate_exits_with_1_and_shows_where() {
    let body = format!("the key is {}", token());
    let text = memory("leak", &body);
    let ci = proposal(|team| team.by(&team.bob).edit("leak.md", Some(text)));
    let said = ci.checked(1, &["::error file=leak.md,line=6,col="]);
    assert!(!said.out.contains(&token()[..10]), "{said:?}");
    // A policy that a proposal brings itself does not decide about the proposal.
    let ci = proposal(|team| {
        let mut forged = team.by(&team.ada);
        let policy = team.file(".memsync/policy.yaml");
        let policy = policy.replace("kinds:", "kinds:\n  - nothing") + "\n";
        forged.edits = vec![
            (".memsync/policy.yaml".to_owned(), Some(policy)),
            ("own.md".to_owned(), Some(memory("own", "x").replace("project", "user"))),
        ];
        forged
    });
    assert_ne!(ci.run(&[], &["ci", "--base", "origin/main"]).exit, 0);
}

#[test]
fn a_merge_that_the_host_made_is_made_again() {
    let team = team();
    let base = team.tip();
    let edited = Some(memory("ports", "8081 web"));
    let one = team.store(&team.raw(&team.by(&team.bob).edit("ports.md", edited.clone())));
    let index = team.file("MEMORY.md") + "\nA line of prose.\n";
    let main = team.publish(&team.by(&team.ada).edit("MEMORY.md", Some(index)));
    // Neutral: what both sides merge to, signed by nobody.
    let merge = Forged { signer: None, ..team.by(&team.bob).on(&[main, one]) };
    let merge = merge.edit("ports.md", edited);
    let neutral = team.store(&team.raw(&merge));
    let merge = merge.edit("ports.md", None);
    let altered = team.store(&team.raw(&merge));
    assert_ne!(base, main);
    let ci = at(team, neutral);
    ci.checked(0, &["neutral-merge"]);
    fs::remove_dir_all(&ci.checkout).unwrap();
    let ci = at(ci.team, altered);
    ci.checked(4, &["unsigned", "merge-dropped"]);
}

#[test]
fn missing_history_is_said_with_the_way_to_get_it() {
    let ci = proposal(|team| team.by(&team.bob));
    fs::remove_dir_all(&ci.checkout).unwrap();
    let from = format!("file://{}", ci.team.world.address());
    let to = ci.checkout.to_str().unwrap();
    git(ci.team.world.path(), &["clone", "-q", "--depth", "1", "--branch", "proposal", &from, to]);
    let said = ci.run(&[("GITHUB_BASE_REF", "main")], &["ci"]);
    assert_eq!(said.exit, 2, "{said:?}");
    assert!(said.err.contains("shallow") && said.err.contains("fetch-depth: 0"), "{said:?}");
    git(&ci.checkout, &["fetch", "-q", "--unshallow"]);
    let said = ci.run(&[("GITHUB_BASE_REF", "main")], &["ci"]);
    assert_eq!(said.exit, 2, "the target branch is not there: {said:?}");
    assert!(said.err.contains("origin/main"), "{said:?}");
    let said = ci.run(&[], &["ci", "--repo", "/nonexistent"]);
    assert!(said.exit == 2 && said.err.contains("`--repo DIR`"), "{said:?}");
}

#[test]
fn another_team_or_no_team_at_all_is_refused() {
    let ci = proposal(|team| team.by(&team.bob));
    let wrong = format!("{}:{}", ci.team.root, "SHA256:".to_owned() + &"A".repeat(43));
    let arguments = ["ci", "--branch", "main", "--introduction", &wrong];
    let said = ci.run(&[], &arguments);
    assert!(said.exit == 4 && said.err.contains("not with the introduced"), "{said:?}");
    // Signed for main, proposed to another branch.
    let introduction = ci.introduction();
    let arguments = ["ci", "--branch", "other", "--introduction", &introduction];
    assert_eq!(ci.run(&[], &arguments).exit, 4);
    let plain = ci.team.world.path().join("plain");
    fs::create_dir(&plain).unwrap();
    git(&plain, &["init", "-q", "."]);
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    git(&plain, &[&identity[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat());
    let said = ci.run(&[], &["ci", "--repo", plain.to_str().unwrap()]);
    assert!(said.exit == 2 && said.err.contains("not a memsync team repository"), "{said:?}");
}

#[test]
fn text_of_a_proposal_gives_the_runner_no_commands() {
    let ci = proposal(|team| {
        let mut forged = Forged { signer: None, ..team.by(&team.bob) };
        forged.subject = "::add-mask::x ##[add-mask]y".to_owned();
        forged.author = "::error::Bob ##[group] <bob@example.com>".to_owned();
        forged.edit("leak.md", Some(memory("::error::x", "##[error] \u{1b}[2J text")))
    });
    let said = ci.checked(4, &["::error title=unsigned::"]);
    for line in said.out.lines() {
        let line = line.trim_start();
        let is_ours = line.starts_with("::error title=") || line.starts_with("::error file=");
        assert!(is_ours || !line.starts_with("::"), "{line}");
        assert!(!line.contains("##[") && !line.contains('\u{1b}'), "{line}");
    }
}
