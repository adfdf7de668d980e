//! Each way in which a host or a member merges, and what everybody else then gets: nobody is stuck, all end alike.
//! Border: the team and what must hold are in `scene.rs`; whether a history is good is `trust_model`.

use super::Forged;
use super::scene::{Main, Scene};
use crate::support::{git, memory};

#[test]
fn a_request_joined_by_a_merge_commit_is_taken_by_all() {
    for main in [Main::Still, Main::Moved] {
        let scene = Scene::begin();
        let request = scene.propose(&scene.carol, "guide", "Carol's.");
        scene.main(main);
        scene.merge(&request);
        scene.is_taken_by_all("merge commit");
        assert!(scene.team.ada.read("guide.md").contains("Carol's."));
    }
}

#[test]
fn a_request_joined_by_fast_forward_is_taken_by_all() {
    let scene = Scene::begin();
    let request = scene.propose(&scene.carol, "guide", "Carol's.");
    scene.button(&[&["merge", "-q", "--ff-only", &format!("origin/{request}")]]);
    scene.is_taken_by_all("fast-forward");
}

#[test]
fn two_requests_joined_in_a_row_are_taken_by_all() {
    for order in [[0, 1], [1, 0]] {
        let scene = Scene::begin();
        let requests = [
            scene.propose(&scene.carol, "guide", "Carol's."),
            scene.propose(&scene.team.ada, "notes", "Ada's."),
        ];
        for number in order {
            scene.merge(&requests[number]);
        }
        scene.is_taken_by_all("two in a row");
    }
}

#[test]
fn two_requests_joined_at_once_are_taken_by_all() {
    let scene = Scene::begin();
    let one = format!("origin/{}", scene.propose(&scene.carol, "guide", "Carol's."));
    let other = format!("origin/{}", scene.propose(&scene.team.ada, "notes", "Ada's."));
    scene.button(&[&["merge", "-q", "--no-ff", "-m", "Merge both", &one, &other]]);
    scene.is_taken_by_all("octopus");
}

#[test]
fn a_request_that_the_host_brought_up_to_date_is_taken_by_all() {
    for fast_forward in [false, true] {
        let scene = Scene::begin();
        let request = scene.propose(&scene.carol, "guide", "Carol's.");
        scene.main(Main::Moved);
        scene.update(&request);
        if fast_forward {
            // Main's own line is now the second parent.
            scene.button(&[&["merge", "-q", "--ff-only", &format!("origin/{request}")]]);
        } else {
            scene.merge(&request);
        }
        scene.is_taken_by_all("updated branch");
    }
}

#[test]
fn requests_joined_with_one_another_and_with_main_are_taken_by_all() {
    let scene = Scene::begin();
    let one = scene.propose(&scene.carol, "guide", "Carol's.");
    let other = scene.propose(&scene.team.ada, "notes", "Ada's.");
    // Main takes one, the other takes main, main moves on and takes the first again and then the other.
    scene.merge(&one);
    scene.update(&other);
    scene.update(&one);
    scene.merge(&one);
    scene.merge(&other);
    scene.is_taken_by_all("criss-cross");
}

#[test]
fn a_plain_pull_and_push_by_a_member_is_taken_by_all() {
    let scene = Scene::begin();
    scene.alone(&scene.carol, "guide", "Carol's.");
    scene.main(Main::Moved);
    let who = ["-c", "user.name=Carol", "-c", "user.email=carol@example.com"];
    let hub = scene.team.world.address();
    scene
        .carol
        .git(&[&who[..], &["pull", "-q", "--no-rebase", "--no-edit", &hub, "main"]].concat());
    scene.carol.git(&["push", "-q", &hub, "HEAD:main"]);
    scene.is_taken_by_all("plain pull and push");
}

#[test]
fn a_squashed_request_is_refused_by_all_until_an_admin_vouches() {
    for main in [Main::Still, Main::Moved] {
        let scene = Scene::begin();
        let request = scene.propose(&scene.carol, "guide", "Carol's.");
        scene.main(main);
        scene.button(&[
            &["merge", "-q", "--squash", &format!("origin/{request}")],
            &["commit", "-q", "-m", "Squashed request"],
        ]);
        scene.is_refused_until_an_admin_vouches("squash", "unsigned");
        assert!(scene.team.bob.read("guide.md").contains("Carol's."));
    }
}

#[test]
fn a_rebased_request_is_refused_by_all_until_an_admin_vouches() {
    for main in [Main::Still, Main::Moved] {
        let scene = Scene::begin();
        let request = scene.propose(&scene.carol, "guide", "Carol's.");
        scene.main(main);
        scene.button(&[
            &["checkout", "-q", "-B", "rebased", &format!("origin/{request}")],
            &["rebase", "-q", "--force-rebase", "main"],
            &["checkout", "-q", "-B", "main", "rebased"],
        ]);
        scene.is_refused_until_an_admin_vouches("rebase", "unsigned");
    }
}

#[test]
fn a_request_of_two_changes_squashed_or_rebased_names_every_commit_to_vouch_for() {
    let scene = Scene::begin();
    scene.propose(&scene.carol, "guide", "Carol's.");
    scene.carol.remember("notes", "Carol's too.");
    scene.carol.done(&["push", "--branch", "request/guide"]);
    scene.main(Main::Moved);
    scene.button(&[
        &["checkout", "-q", "-B", "rebased", "origin/request/guide"],
        &["rebase", "-q", "--force-rebase", "main"],
        &["checkout", "-q", "-B", "main", "rebased"],
    ]);
    scene.is_refused_until_an_admin_vouches("rebase of two", "unsigned");
}

/// A merge that removes more than the request did, by the host.
fn merge_and_more(scene: &Scene, request: &str) {
    scene.button(&[
        &["merge", "-q", "--no-commit", "--no-ff", &format!("origin/{request}")],
        &["rm", "-q", "notes.md"],
        &["commit", "-q", "-m", "Merge request, and more"],
    ]);
    let bad = scene.team.tip();
    for member in scene.members() {
        let said = member.fails(&["pull", "--strict"], 4, &[&bad.short(), "(unsigned)"]);
        assert!(!said.err.contains("rewritten") && member.has("notes.md"), "{said:?}");
    }
}

#[test]
fn a_refused_merge_that_the_host_takes_back_leaves_nobody_stuck() {
    let scene = Scene::begin();
    let request = scene.propose(&scene.carol, "guide", "Carol's.");
    scene.main(Main::Moved);
    let before = scene.team.tip();
    merge_and_more(&scene, &request);
    // Nobody took a side of it: which one stays is the host's to say.
    scene.team.move_to(before);
    scene.merge(&request);
    scene.is_taken_by_all("merged again");
}

#[test]
fn what_was_taken_below_a_refused_merge_and_is_taken_back_is_a_rewrite_with_a_way_out() {
    let scene = Scene::begin();
    let request = scene.propose(&scene.carol, "guide", "Carol's.");
    let before = scene.team.tip();
    merge_and_more(&scene, &request);
    // Main had not moved, so the request precedes the merge in any order, and everybody has it.
    assert!(scene.team.ada.read("guide.md").contains("Carol's."));
    scene.team.move_to(before);
    for member in scene.members() {
        member.fails(&["pull", "--strict"], 4, &["went back", "memsync accept-rewrite"]);
        member.done(&["accept-rewrite", "--yes"]);
    }
    scene.is_taken_by_all("taken back");
}

/// The ids of all objects of a repository.
fn objects(repository: &std::path::Path) -> std::collections::BTreeSet<String> {
    let all = ["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"];
    git(repository, &all).lines().map(str::to_owned).collect()
}

#[test]
fn judging_a_merge_leaves_nothing_of_its_own_in_the_repository() {
    let team = crate::host::team();
    team.bob.done(&["pull"]);
    let edit = |member, text: &str| {
        team.store(&team.raw(&team.by(member).edit("ports.md", Some(memory("ports", text)))))
    };
    let (one, two) = (edit(&team.ada, "8081 web"), edit(&team.bob, "8082 web"));
    // Neither side's text, no record: ours of the same merge exists nowhere.
    let merge = Forged { signer: None, ..team.by(&team.eve) };
    let merge = merge.on(&[one, two]).edit("ports.md", Some(memory("ports", "9 evil")));
    let bad = team.publish(&merge);
    let own = objects(&team.bob.team());
    team.bob.fails(&["pull"], 4, &["refused", &bad.short()]);
    team.bob.run(&["log"]);
    team.bob.run(&["audit"]);
    team.bob.run(&["status"]);
    let hub = objects(&team.world.hub());
    let more: Vec<_> = objects(&team.bob.team())
        .into_iter()
        .filter(|id| !own.contains(id) && !hub.contains(id))
        .collect();
    assert!(more.is_empty(), "{more:?}");
}
