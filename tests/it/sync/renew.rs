//! A history that is started anew: a leak is purged as the runbook of `scan` says, and a team whose
//! last admin lost the key goes on.
//! Border: the whole program on real repositories; what trust accepts is `trust`'s.
#![expect(clippy::disallowed_methods, reason = "breaks keys and hubs by hand")]

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use crate::servers::git;
use crate::support::check::assert_agreed;
use crate::support::{Member, Said, World, any_object_holds, memory, say, token};

fn introduction(member: &Member) -> String {
    member.json(&["status"])["introduction"].as_str().unwrap().to_owned()
}

fn joined(world: &World, admin: &Member, name: &str) -> Member {
    let member = world.newcomer(name);
    member.done(&["join", &world.address(), "--introduction", &introduction(admin)]);
    let line = member.done(&["member", "request"]).out;
    admin.done(&["member", "add", line.trim()]);
    admin.done(&["push"]);
    member.done(&["pull"]);
    member
}

/// A team with a roster, its admin and a writer.
fn team(world: &World) -> (Member, Member) {
    let ada = world.newcomer("ada");
    ada.done(&["init", "--remote", &world.address()]);
    let bob = joined(world, &ada, "bob");
    (ada, bob)
}

/// Bob shares a token with plain git past the gate, signed for the team, and takes it out again.
fn leak(bob: &Member, text: &str) {
    // What the gate lets through: a list that accepts it, as an admin may have written.
    bob.remember("deploy", &format!("Use {text} for the deploy.\nThen restart."));
    bob.done(&["push"]);
    bob.edit("deploy.md", |memory| memory.replace(text, "the vault"));
    bob.done(&["push"]);
}

/// The commands that were printed as next steps, each between backticks.
fn commands(said: &Said) -> Vec<String> {
    let text = format!("{}{}", said.out, said.err);
    let lines: Vec<String> =
        text.lines().filter(|l| l.starts_with("next:")).map(str::to_owned).collect();
    let parts = lines.iter().flat_map(|line| line.split('`').skip(1).step_by(2));
    parts.map(str::to_owned).collect()
}

/// Runs the git commands that were printed.
fn run_git(member: &Member, said: &Said) {
    let printed: Vec<String> =
        commands(said).into_iter().filter(|command| command.starts_with("git ")).collect();
    assert!(printed.iter().any(|command| command.contains("gc --prune=now")), "{said:?}");
    for command in printed {
        let ran = say(member.command("git").args(command.split(' ').skip(1)));
        assert_eq!(ran.exit, 0, "{command}: {ran:?}");
    }
}

#[test]
fn the_runbook_of_a_leak_is_carried_out_by_a_team_with_a_roster() {
    let world = World::new();
    let (ada, bob) = team(&world);
    let token = token();
    allow_for_a_while(&ada, &token);
    bob.done(&["pull"]);
    leak(&bob, &token);
    ada.remove(".memsync/allow.yaml");
    ada.done(&["sync"]);
    bob.done(&["sync"]);
    assert!(world.hub_holds(&token));
    let before = introduction(&ada);

    // The scan prints what to do; its commands are carried out as they are.
    let clone = world.path().join("clone");
    git(world.path(), &["clone", "-q", &world.address(), clone.to_str().unwrap()]);
    let scan = ["-C", clone.to_str().unwrap(), "scan", "--history", "--no-cache"];
    let said = ada.fails(&scan, 1, &["Revoke", "memsync purge FINGERPRINT", "accept-rewrite"]);
    assert!(!said.err.contains("filter-repo"), "that would take every signature away: {said:?}");
    let fingerprint = said.out.split("fingerprint ").nth(1).unwrap().split_whitespace().next();
    let fingerprint = fingerprint.unwrap().to_owned();

    // Bob has work that is not shared yet, and an edit that is kept out.
    bob.remember("mine", "Written before the purge.");
    bob.remember("held", &format!("key = {token}x"));
    bob.fails(&["pull"], 1, &["held.md"]);

    bob.fails(&["purge", &fingerprint, "--yes"], 1, &["not shared", "memsync push"]);
    ada.fails(&["purge", &fingerprint], 1, &["not confirmed", "--yes"]);
    assert!(world.hub_holds(&token), "nothing was done without a yes");
    let said = ada.done(&["purge", &fingerprint, "--yes"]);
    for text in ["1 version of a file", "accept-rewrite", "clones, forks", "revoked", "caches"] {
        assert!(format!("{}{}", said.out, said.err).contains(text), "{text}: {said:?}");
    }
    assert!(!said.out.contains(&token) && !said.err.contains(&token));
    assert_ne!(introduction(&ada), before);
    assert_eq!(
        ada.read("deploy.md"),
        memory("deploy", "Use the vault for the deploy.\nThen restart.")
    );
    run_git(&ada, &said);
    assert!(!any_object_holds(&ada.team(), &token));
    ada.done(&["push"]);

    // Others are told who did it and follow with one command, after they said yes.
    let words = ["started anew by `ada`, an admin", "memsync accept-rewrite", &introduction(&ada)];
    for command in ["pull", "push", "sync"] {
        bob.fails(&[command], 4, &words);
    }
    bob.fails(&["accept-rewrite"], 1, &["not confirmed", "--yes"]);
    let said = bob.fails(&["accept-rewrite", "--yes"], 1, &["held.md", &introduction(&ada)]);
    run_git(&bob, &said);
    assert!(!any_object_holds(&bob.team(), &token), "but for the edit that is kept out");
    assert!(bob.read("held.md").contains(&token), "which stays on disk");
    bob.remember("held", "Nothing secret.");
    bob.done(&["push"]);
    ada.done(&["pull"]);
    assert!(ada.has("mine.md") && ada.has("held.md"));
    assert_agreed(&world, &[&ada, &bob]);

    // What each change did stays, with its author; the value is nowhere in what a newcomer gets.
    git(&world.hub(), &["reflog", "expire", "--expire=now", "--all"]);
    git(&world.hub(), &["gc", "-q", "--prune=now"]);
    assert!(!world.hub_holds(&token));
    let log = git(&world.hub(), &["log", "--format=%an %s", "main"]);
    assert!(log.contains("Bob Add deploy") && log.contains("Bob Edit deploy"), "{log}");
    let cem = joined(&world, &ada, "cem");
    cem.done(&["audit"]);
    let cem_clone = cem.team();
    cem.done(&["-C", cem_clone.to_str().unwrap(), "scan", "--history", "--no-cache"]);
    // Twice: whoever was away for both follows at once.
    let dan = world.newcomer("dan");
    dan.fails(&["join", &world.address(), "--introduction", &before], 4, &["introduced"]);
}

/// An admin accepts a finding, as somebody does who takes it for a sample.
fn allow_for_a_while(ada: &Member, token: &str) {
    ada.remember("deploy", &format!("Use {token} for the deploy.\nThen restart."));
    let said = ada.json(&["check"]);
    let text = said.to_string();
    let fingerprint = text.split("fingerprint").nth(1).map(|rest| {
        rest.chars().skip_while(|c| !c.is_ascii_hexdigit()).take_while(char::is_ascii_hexdigit)
    });
    let fingerprint: String = match fingerprint {
        Some(found) => found.collect(),
        None => {
            let team = ada.team();
            let out = ada.run(&["-C", team.to_str().unwrap(), "scan", "deploy.md"]).out;
            out.split("fingerprint ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned()
        }
    };
    ada.remove("deploy.md");
    let team = ada.team();
    ada.done(&["-C", team.to_str().unwrap(), "scan", "allow", &fingerprint, "--reason", "sample"]);
    ada.done(&["push"]);
}

#[test]
fn only_an_admin_purges_and_only_what_is_there() {
    let world = World::new();
    let (ada, bob) = team(&world);
    ada.remember("customer", "Ask Erika Mustermann about it.");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    let tip = git(&world.hub(), &["rev-parse", "main"]);
    ada.fails(&["purge", "--yes"], 2, &["no text is named"]);
    ada.fails(
        &["purge", "0123456789abcdef0123456789abcdef", "--yes"],
        2,
        &["no text in the history"],
    );
    let purge = |who: &Member, text: &str| {
        let mut command = who.command(env!("CARGO_BIN_EXE_memsync"));
        command.arg("--memdir").arg(&who.memdir).args(["purge", "--stdin", "--yes"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), err)
    };
    for (text, exit, words) in [
        ("Nobody of that name\n", 2, "in no text"),
        ("Ask\n", 2, "too short"),
        ("customer.md\n", 1, "name of a file"),
        ("\n\n", 2, "no text is named"),
    ] {
        let (code, err) = purge(&ada, text);
        assert!(code == exit && err.contains(words), "{text:?}: {code} {err}");
    }
    let (code, err) = purge(&bob, "Erika Mustermann\n");
    assert!(code == 4 && err.contains("only an admin") && err.contains("ada"), "{err}");
    assert_eq!(git(&world.hub(), &["rev-parse", "main"]), tip, "nothing was replaced");
    let (code, err) = purge(&ada, "Erika Mustermann\n");
    assert_eq!(code, 0, "{err}");
    assert!(!err.contains("Erika"), "{err}");
    assert!(ada.read("customer.md").contains("Ask removed about it."));
    bob.done(&["accept-rewrite", "--yes"]);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_new_beginning_that_no_admin_signed_is_followed_only_when_it_was_told() {
    let world = World::new();
    let (ada, bob) = team(&world);
    let cem = joined(&world, &ada, "cem");
    // Ada, the only admin, loses her key.
    fs::remove_dir_all(ada.memdir.with_file_name("ada-home").join("memsync")).unwrap();
    ada.remember("lost", "No key any more.");
    ada.fails(&["push"], 4, &["next:"]);
    bob.remember("goes-on", "Bob can still write.");
    bob.done(&["push"]);
    cem.done(&["pull"]);
    let dan = world.newcomer("dan");
    dan.done(&["join", &world.address(), "--introduction", &introduction(&bob)]);
    let line = dan.done(&["member", "request"]).out;
    dan.fails(&["restart", "--yes"], 4, &["not in the roster"]);

    bob.fails(&["restart"], 1, &["not confirmed"]);
    let said = bob.done(&["restart", "--yes"]);
    assert!(said.out.contains("You are the admin now"), "{said:?}");
    assert!(said.err.contains(&format!("accept-rewrite --introduction {}", introduction(&bob))));
    bob.fails(&["restart", "--yes"], 1, &["can act"]);

    // A yes is not enough: anybody who may push could have written this.
    let words = ["started anew by a key that is no admin's here", "over another channel"];
    cem.fails(&["pull"], 4, &words);
    cem.fails(&["accept-rewrite", "--yes"], 4, &words);
    let wrong = introduction(&cem);
    cem.fails(&["accept-rewrite", "--introduction", &wrong, "--yes"], 4, &["introduced"]);
    cem.done(&["accept-rewrite", "--introduction", &introduction(&bob)]);
    cem.remember("after", "It goes on.");
    cem.done(&["push"]);
    bob.done(&["pull"]);
    assert!(bob.has("after.md") && bob.has("goes-on.md"));
    assert_agreed(&world, &[&bob, &cem]);
    // The lost key signs nothing any more; its member comes back with a new one.
    let roster = bob.json(&["member", "list"]);
    let ada_now = roster["members"].as_array().unwrap().iter().find(|m| m["id"] == "ada").unwrap();
    assert_eq!(
        (&ada_now["role"], ada_now["keys"].as_array().unwrap().len()),
        (&"writer".into(), 0)
    );
    ada.done(&["key", "generate"]);
    ada.done(&["accept-rewrite", "--introduction", &introduction(&bob)]);
    let again = ada.done(&["member", "request"]).out;
    bob.done(&["member", "add", again.trim(), "--new-key"]);
    bob.done(&["push"]);
    ada.done(&["push"]);
    bob.done(&["pull"]);
    assert!(bob.has("lost.md"));
    assert!(!line.is_empty());
}

#[test]
fn members_who_missed_two_new_beginnings_follow_at_once() {
    let world = World::new();
    let (ada, bob) = team(&world);
    ada.remember("one", "first-secret-text");
    ada.remember("two", "second-secret-text");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    for text in ["first-secret-text", "second-secret-text"] {
        let mut command = ada.command(env!("CARGO_BIN_EXE_memsync"));
        command.arg("--memdir").arg(&ada.memdir).args(["purge", "--stdin", "--yes"]);
        let file = world.path().join("values");
        fs::write(&file, text).unwrap();
        command.stdin(fs::File::open(&file).unwrap());
        let said = say(&mut command);
        assert_eq!(said.exit, 0, "{said:?}");
    }
    bob.remember("mine", "Unshared.");
    bob.done(&["accept-rewrite", "--yes"]);
    bob.done(&["push"]);
    ada.done(&["pull"]);
    assert!(bob.read("one.md").contains("removed") && bob.read("two.md").contains("removed"));
    assert_agreed(&world, &[&ada, &bob]);
}
