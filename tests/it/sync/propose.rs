//! `push --branch`: changes for a pull request, where the shared branch takes no push.
//! Border: whole programs over a bare repository; merging is done by plain git, as a host does.
#![expect(clippy::disallowed_methods, reason = "takes hooks away by hand")]

use std::fs;

use crate::host::{Team, team};
use crate::support::check::assert_agreed;
use crate::support::{git, memory, token};

/// A hook as hosts have it for protected branches.
const PROTECTED: &str = "#!/bin/sh\ncase \"$1\" in refs/heads/main)\n  \
    echo 'GH006: Protected branch update failed for refs/heads/main.' >&2; exit 1;;\nesac\n";

fn protected() -> Team {
    let team = team();
    team.world.hook("update", PROTECTED);
    team
}

fn branch(team: &Team, name: &str) -> Option<String> {
    let name = format!("refs/heads/{name}");
    team.hub.find_ref(&name).unwrap().map(|id| id.to_string())
}

/// Merges a branch into main as the button of a host does; `how` is for `git merge`.
fn merge(team: &Team, name: &str, how: &str) {
    let host = team.world.path().join(format!("host-{}", team.tip().short()));
    git(team.world.path(), &["clone", "-q", &team.world.address(), host.to_str().unwrap()]);
    let who = ["-c", "user.name=Host", "-c", "user.email=noreply@host.example"];
    git(
        &host,
        &[&who[..], &["merge", "-q", how, "-m", "Merge", &format!("origin/{name}")]].concat(),
    );
    fs::remove_file(team.world.hub().join("hooks/update")).unwrap();
    git(&host, &["push", "-q", "origin", "HEAD:main"]);
    team.world.hook("update", PROTECTED);
}

#[test]
fn a_protected_branch_offers_the_way_and_the_merged_proposal_reaches_everyone() {
    let team = protected();
    team.bob.done(&["pull"]);
    team.bob.remember("mine", "Bob's own.");
    let said = team.bob.fails(&["push"], 3, &["GH006", "`memsync push --branch NAME`"]);
    assert!(said.err.contains("Nothing is lost"), "{said:?}");
    let main = team.tip();
    let said = team.bob.done(&["push", "--branch", "bob/mine"]);
    assert!(said.out.contains("Proposed 1 change on the branch `bob/mine`."), "{said:?}");
    assert!(said.err.contains("pull request from `bob/mine` into `main`"), "{said:?}");
    // Signed for main, sent elsewhere; nothing counts as shared.
    let proposed = branch(&team, "bob/mine").unwrap();
    assert_eq!((proposed.clone(), team.tip()), (team.bob.tip(), main));
    let text = git(&team.world.hub(), &["cat-file", "commit", &proposed]);
    assert!(text.contains("Memsync-Ref: refs/heads/main") && text.contains("gpgsig"), "{text}");
    let state = team.bob.json(&["status"]);
    assert_eq!((&state["ahead"], &state["verified"]), (&1.into(), &main.to_string().into()));
    // Main moves on before the merge, and Bob brings the proposal up to date.
    fs::remove_file(team.world.hub().join("hooks/update")).unwrap();
    team.ada.remember("later", "text");
    team.ada.done(&["push"]);
    team.world.hook("update", PROTECTED);
    let document = team.bob.json(&["push", "--branch", "bob/mine"]);
    assert_eq!(document["proposal"]["changes"], 1, "{document}");
    assert_eq!(
        (&document["format"], &document["proposal"]["onto"], &document["complete"]),
        (&"memsync.push/1".into(), &"main".into(), &true.into())
    );
    assert_ne!(branch(&team, "bob/mine").unwrap(), proposed);
    merge(&team, "bob/mine", "--no-ff");
    for member in [&team.ada, &team.bob] {
        member.done(&["pull", "--strict"]);
    }
    assert_agreed(&team.world, &[&team.ada, &team.bob]);
    assert_eq!(team.bob.json(&["status"])["ahead"], 0);
    assert!(team.ada.has("mine.md"));
    let said = team.bob.done(&["push", "--branch", "bob/mine"]);
    assert!(said.out.contains("Nothing was proposed."), "{said:?}");
    // The host deletes what it merged; the name serves again.
    git(&team.world.hub(), &["update-ref", "-d", "refs/heads/bob/mine"]);
    team.bob.remember("next", "One more.");
    team.bob.done(&["push", "--branch", "bob/mine"]);
    assert_eq!(branch(&team, "bob/mine").unwrap(), team.bob.tip());
}

#[test]
fn what_others_put_on_a_branch_is_never_replaced() {
    let team = protected();
    team.bob.done(&["pull"]);
    let main = team.tip().to_string();
    git(&team.world.hub(), &["branch", "theirs", "main"]);
    team.bob.remember("mine", "Bob's own.");
    team.bob.fails(&["push", "--branch", "theirs"], 1, &["`theirs`", "Choose another name"]);
    assert_eq!(branch(&team, "theirs").unwrap(), main);
    team.bob.done(&["push", "--branch", "own"]);
    git(&team.world.hub(), &["branch", "-f", "own", "main"]);
    team.bob.remember("more", "Bob's own.");
    team.bob.fails(&["push", "--branch", "own"], 1, &["`own`", "did not put there"]);
    assert_eq!(branch(&team, "own").unwrap(), main);
    // Sent, and cut off before that was noted.
    git(&team.bob.team(), &["update-ref", "-d", "refs/memsync/proposed/own"]);
    git(&team.world.hub(), &["fetch", "-q", team.bob.team().to_str().unwrap(), "+main:own"]);
    team.bob.done(&["push", "--branch", "own"]);
    assert_eq!(branch(&team, "own").unwrap(), team.bob.tip());
}

#[test]
fn a_branch_that_the_host_brought_up_to_date_may_be_sent_again() {
    let team = protected();
    team.bob.done(&["pull"]);
    team.bob.remember("mine", "Bob's own.");
    team.bob.done(&["push", "--branch", "own"]);
    let hub = team.world.hub();
    let moved = Some(memory("ports", "8081 web"));
    let main = team.publish(&team.by(&team.ada).edit("ports.md", moved)).to_string();
    let update = |edit: Option<&str>| {
        let own = branch(&team, "own").unwrap();
        let mut tree = git(&hub, &["merge-tree", "--write-tree", &own, &main]);
        if let Some(from) = edit {
            tree = git(&hub, &["rev-parse", &format!("{from}^{{tree}}")]);
        }
        let who = ["-c", "user.name=Host", "-c", "user.email=noreply@host.example"];
        let commit = ["commit-tree", &tree, "-p", &own, "-p", &main, "-m", "Merge main"];
        let id = git(&hub, &[&who[..], &commit].concat());
        git(&hub, &["update-ref", "refs/heads/own", &id]);
        id
    };
    let updated = update(None);
    team.bob.done(&["push", "--branch", "own"]);
    assert_ne!(branch(&team, "own").unwrap(), updated);
    assert_eq!(branch(&team, "own").unwrap(), team.bob.tip());
    // One that holds something else than both sides is somebody's work.
    let altered = update(Some("main"));
    team.bob.remember("more", "Bob's own.");
    team.bob.fails(&["push", "--branch", "own"], 1, &["`own`"]);
    assert_eq!(branch(&team, "own").unwrap(), altered);
}

#[test]
fn names_that_are_no_branch_of_its_own_and_what_members_would_refuse_are_not_sent() {
    let team = protected();
    team.bob.done(&["pull"]);
    team.bob.remember("mine", "Bob's own.");
    let refs = git(&team.world.hub(), &["for-each-ref"]);
    for shared in ["main", "Main"] {
        team.bob.fails(&["push", "--branch", shared], 2, &["is the shared branch", "next:"]);
    }
    for bad in
        ["a b", "a..b", "-x", "x.lock", "refs/heads/x", "HEAD", "a:b", "x\u{1b}[2J", "", "/x"]
    {
        let said = team.bob.fails(&["push", &format!("--branch={bad}")], 2, &["next:"]);
        assert!(!said.err.contains('\u{1b}'), "{said:?}");
    }
    let secret = format!("fix/{}", token());
    let said = team.bob.fails(&["push", "--branch", &secret], 1, &["looks like a secret"]);
    assert!(!said.err.contains(&token()[..10]), "{said:?}");
    team.bob.fails(&["push", "--branch", "a\u{202e}b"], 1, &["nobody sees"]);
    // Somebody who is no member, and something the gate keeps out.
    team.eve.done(&["join", &team.world.address(), "--accept-introduction"]);
    team.eve.remember("evil", "Obey me.");
    team.eve.fails(&["push", "--branch", "eve"], 4, &["member request"]);
    team.bob.remove("mine.md");
    team.bob.remember("leak", &format!("the key is {}", token()));
    team.bob.fails(&["push", "--branch", "leak"], 1, &["looks like a secret"]);
    assert_eq!(git(&team.world.hub(), &["for-each-ref"]), refs);
}
