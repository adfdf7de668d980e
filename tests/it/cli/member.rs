//! `memsync member` and `join`: asking over the remote itself, and which project a team memory is for.
//! Border: starts the built program; the rules of the roster are `trust`'s.

use memsync::base::id::ObjectId;
use memsync::git::repo::Repo;
use memsync::git::write::Expected;
use memsync::trust::signature::sign_commit;

use crate::host::{MAIN, key, team};
use crate::support::check::assert_agreed;
use crate::support::{Member, World, git, write_program};

fn fingerprint(member: &Member) -> String {
    member.json(&["key", "show"])["fingerprint"].as_str().unwrap().to_owned()
}

#[test]
fn a_request_waits_on_the_remote_until_an_admin_lets_the_person_in() {
    let team = team();
    let (ada, carol) = (&team.ada, team.world.newcomer("carol"));
    let said = carol.done(&["join", &team.world.address(), "--accept-introduction", "--request"]);
    let key = fingerprint(&carol);
    assert!(said.err.contains(&format!("memsync member add {key}")), "{said:?}");
    let refs = git(&team.world.hub(), &["for-each-ref", "--format=%(refname)"]);
    assert!(refs.contains("refs/memsync/requests/") && refs.contains(MAIN), "{refs}");
    let said = ada.done(&["member", "list", "--requests"]);
    assert!(said.out.contains("carol asks to be let in, Carol"), "{said:?}");
    let document = ada.json(&["member", "list", "--requests"]);
    assert_eq!(document["requests"][0]["fingerprint"], key.as_str());
    assert!(ada.json(&["member", "list"]).get("requests").is_none());
    // An id is only what the asker claims; the key is not.
    let said = ada.fails(&["member", "add", "carol"], 1, &["was not confirmed", &key, "next:"]);
    assert!(said.out.is_empty(), "{said:?}");
    ada.done(&["member", "add", &key]);
    ada.done(&["push"]);
    carol.remember("mine", "Carol's own.");
    carol.done(&["sync"]);
    ada.done(&["sync"]);
    assert_agreed(&team.world, &[ada, &carol]);
    assert!(ada.done(&["member", "list", "--requests"]).err.contains("no request waits"));
    ada.fails(&["member", "add", &key], 1, &["no request by"]);
    assert_eq!(ada.git(&["for-each-ref", "refs/memsync/requests"]), "");
}

#[test]
fn a_request_can_be_sent_again_and_confirmed_by_id() {
    let team = team();
    let eve = &team.eve;
    eve.done(&["join", &team.world.address(), "--accept-introduction"]);
    let line = eve.done(&["member", "request"]).out;
    assert_eq!(eve.done(&["member", "request", "--request"]).out, line);
    let again = eve.with("MEMSYNC_NAME", "Eve Adams");
    again.done(&["--as", "eve", "member", "request", "--push"]);
    let said = team.ada.done(&["member", "list", "--requests"]).out;
    assert!(said.contains("Eve Adams") && !said.contains("Eve\n"), "{said}");
    team.ada.done(&["member", "add", "eve", "--role", "reader", "--yes"]);
    assert!(team.ada.done(&["member", "list"]).out.contains("eve reader, Eve Adams"));
}

#[test]
fn a_request_that_no_admin_could_read_is_refused_before_it_is_sent() {
    let team = team();
    let eve = &team.eve;
    eve.done(&["join", &team.world.address(), "--accept-introduction"]);
    let long = "n".repeat(101);
    let too_wide = "\u{1F980}".repeat(101);
    for (name, shown) in [
        ("\u{639}\u{644}\u{6CC}\u{200C}\u{631}\u{636}\u{627}", "u{200c}"),
        ("Eve\tX", "Eve"),
        (&long, "nnn"),
        (&too_wide, "\u{1F980}"),
    ] {
        let named = eve.with("MEMSYNC_NAME", name);
        for push in [&[][..], &["--push"]] {
            let asked = [&["--as", "eve", "member", "request"], push].concat();
            let texts =
                [shown, "too long or has invisible characters", "MEMSYNC_NAME", "user.name"];
            let said = named.fails(&asked, 2, &texts);
            assert!(!said.err.contains("waits"), "{said:?}");
        }
        assert_eq!(git(&team.world.hub(), &["for-each-ref", "refs/memsync/requests"]), "");
    }
    // The longest name that is read goes, whatever it is written in.
    let widest = "\u{1F980}".repeat(100);
    eve.with("MEMSYNC_NAME", &widest).done(&["--as", "eve", "member", "request", "--push"]);
    assert!(team.ada.done(&["member", "list", "--requests"]).out.contains(&widest));
}

#[test]
fn what_is_no_request_on_the_remote_is_left_out() {
    let team = team();
    let mallory = team.world.newcomer("mallory");
    mallory.done(&["join", &team.world.address(), "--accept-introduction"]);
    mallory.done(&["member", "request", "--push"]);
    let hub = team.world.hub();
    let name = git(&hub, &["for-each-ref", "--format=%(refname)", "refs/memsync/requests"]);
    // The same request under another key's name, a commit that is none, and an altered line.
    let request = git(&hub, &["rev-parse", &name]);
    let other = format!("refs/memsync/requests/{}", "ab".repeat(32));
    git(&hub, &["update-ref", &other, &request]);
    git(&hub, &["update-ref", &format!("refs/memsync/requests/{}", "cd".repeat(32)), MAIN]);
    let text = git(&hub, &["cat-file", "commit", &request]);
    let raw = format!("{}\n", text.replace(" mallory ", " bob "));
    let altered = team.store(raw.as_bytes()).to_string();
    git(&hub, &["update-ref", &format!("refs/memsync/requests/{}", "ef".repeat(32)), &altered]);
    let found = team.ada.json(&["member", "list", "--requests"])["requests"].clone();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found[0]["id"], "mallory");
}

#[test]
fn any_number_of_junk_refs_hides_no_request() {
    let team = team();
    let carol = team.world.newcomer("carol");
    carol.done(&["join", &team.world.address(), "--accept-introduction", "--request"]);
    let hub = team.world.hub();
    let mut junk = String::new();
    for number in 0..150 {
        junk.push_str(&format!(
            "create refs/memsync/requests/{number:04x}{} {}\n",
            "0".repeat(60),
            team.tip()
        ));
        junk.push_str(&format!("create refs/memsync/requests/aa-{number} {}\n", team.tip()));
    }
    write_program(&hub.join("junk"), &junk);
    git(&hub, &["-c", "alias.fill=!git update-ref --stdin < junk", "fill"]);
    let said = team.ada.done(&["member", "list", "--requests"]);
    assert!(said.out.contains("carol asks to be let in"), "{said:?}");
    assert!(said.err.contains("refs stand among the requests"), "{said:?}");
    let document = team.ada.json(&["member", "list", "--requests"]);
    assert_eq!((&document["junk"], &document["unread"]), (&300.into(), &0.into()));
    team.ada.done(&["member", "decline", "--junk"]);
    let refs = git(&hub, &["for-each-ref", "--format=%(refname)", "refs/memsync/requests"]);
    assert_eq!(refs.lines().count(), 1, "{refs}");
    let key = fingerprint(&carol);
    assert!(team.ada.done(&["member", "decline", &key]).out.contains(&key));
    assert_eq!(git(&hub, &["for-each-ref", "refs/memsync/requests"]), "");
    team.ada.fails(&["member", "decline", "carol"], 1, &["no request by `carol`"]);
    // Whoever was declined can ask again.
    carol.done(&["member", "request", "--push"]);
    team.ada.done(&["member", "add", &key]);
}

#[test]
fn whoever_may_not_share_is_told_why() {
    let team = team();
    let (ada, bob, eve) = (&team.ada, &team.bob, &team.eve);
    let refused = |member: &Member, texts: &[&str]| {
        member.remember("mine", "Of my own.");
        let said = member.fails(&["push"], 4, texts);
        assert!(said.err.contains("next:"), "{said:?}");
    };
    eve.done(&["join", &team.world.address(), "--accept-introduction"]);
    refused(eve, &["was never in the roster, and no request", "member request --push"]);
    eve.done(&["member", "request", "--push"]);
    refused(eve, &["your request of 2026-", "waits for an admin"]);
    ada.done(&["member", "add", &fingerprint(eve), "--role", "reader"]);
    ada.done(&["push"]);
    refused(eve, &["`eve` is a reader", "member role"]);
    bob.done(&["pull"]);
    let there = bob.with("MEMSYNC_KEY", "/nowhere/id");
    refused(&there, &["there is no key at `/nowhere/id`"]);
    ada.done(&["member", "remove", "bob"]);
    ada.done(&["push"]);
    refused(bob, &["`bob` was taken out of the roster by `ada` on 2026-"]);
    bob.git(&["switch", "-q", "-c", "other"]);
    bob.fails(&["push"], 2, &["team memory is on the branch `main`", "on `other`"]);
}

#[test]
fn changes_that_were_signed_for_another_team_are_named_as_such() {
    let team = team();
    let dan = team.world.newcomer("dan");
    dan.done(&["init"]);
    // Signed by its only admin, for a team that starts elsewhere.
    let own = Repo::open(&dan.team()).unwrap();
    let tip: ObjectId = dan.tip().parse().unwrap();
    let tree = own.commit(tip).unwrap().tree;
    let trailers = team.by(&dan).trailers;
    let who = "dan <dan@example.com> 1772600767 +0000";
    let message = trailers.compose("note: change one");
    let raw = format!("tree {tree}\nparent {tip}\nauthor {who}\ncommitter {who}\n\n{message}");
    let signed = sign_commit(&key(&team.world, &dan), raw.as_bytes()).unwrap();
    let made = own.write_commit(&signed).unwrap();
    own.update_ref(MAIN, made, Expected::Any, "another team").unwrap();
    let hub = team.world.path().join("dans.git");
    git(team.world.path(), &["init", "-q", "--bare", "-b", "main", hub.to_str().unwrap()]);
    dan.done(&["remote", "set", hub.to_str().unwrap()]);
    dan.fails(&["push"], 4, &["were made for another team memory", "next:"]);
}

#[test]
fn a_wrong_introduction_is_no_reason_to_take_what_is_there() {
    let team = team();
    let said = team.world.newcomer("carol").fails(
        &[
            "join",
            &team.world.address(),
            "--introduction",
            &format!("{}:SHA256:x", "12".repeat(20)),
        ],
        4,
        &["not with the introduced", "over another channel"],
    );
    assert!(!said.err.contains("--accept-introduction"), "{said:?}");
}

/// A project folder with a remote, and its memory directory below `home`.
fn project(world: &World, name: &str, url: &str) -> (Member, String) {
    let folder = world.path().join(name);
    std::fs::create_dir(&folder).unwrap();
    git(&folder, &["init", "-q", "."]);
    git(&folder, &["remote", "add", "origin", url]);
    (world.newcomer(&format!("{name}-person")), folder.to_str().unwrap().to_owned())
}

/// Runs the program inside a project, so that it finds the memory directory by itself.
fn inside(member: &Member, folder: &str, arguments: &[&str]) -> crate::support::Said {
    let mut command = member.command(env!("CARGO_BIN_EXE_memsync"));
    crate::support::say(command.args(["-C", folder]).args(arguments))
}

#[test]
fn a_team_memory_of_another_project_is_refused_at_join() {
    let world = World::new();
    let (ada, widgets) = project(&world, "widgets", "git@github.com:acme/widgets.git");
    let said = inside(&ada, &widgets, &["init", "--remote", &world.address()]);
    assert_eq!(said.exit, 0, "{said:?}");
    assert!(world.hub_files()[".memsync/policy.yaml"].contains("project: github.com/acme/widgets"));
    let join = ["join", &world.address(), "--accept-introduction"];
    let (bob, gadgets) = project(&world, "gadgets", "https://github.com/acme/gadgets");
    let said = inside(&bob, &gadgets, &join);
    assert_eq!(said.exit, 2, "{said:?}");
    for text in ["github.com/acme/widgets", "github.com/acme/gadgets", "--project"] {
        assert!(said.err.contains(text), "{text}: {said:?}");
    }
    // A fork knows where it comes from; a clone without a remote, or a name given, claims nothing else.
    let (carol, fork) = project(&world, "fork", "https://github.com/carol/widgets");
    git(fork.as_ref(), &["remote", "add", "upstream", "https://github.com/Acme/widgets.git"]);
    assert_eq!(inside(&carol, &fork, &join).exit, 0);
    let named = [&join[..], &["--project", "github.com/acme/widgets"]].concat();
    assert_eq!(inside(&bob, &gadgets, &named).exit, 0);
}
