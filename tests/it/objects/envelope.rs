//! Text that travels beside the files passes the gate on its way out and is masked when it is shown.
//! Border: which text is a credential is `secrets`; here every place a text can be in is tried.

use memsync::trust::request::MemberRequest;
use memsync::trust::roster::MemberId;

use crate::host::{key, team};
use crate::support::{Member, World, git, memory, token};

/// No six bytes of the token's random half are in a text.
#[track_caller]
pub(super) fn assert_masked(what: &str, text: &str) {
    let token = token();
    for at in 8..token.len() - 6 {
        assert!(!text.contains(&token[at..at + 6]), "{what} shows a part of the value: {text}");
    }
}

#[test]
fn a_credential_in_a_name_or_trailer_of_our_own_is_refused_before_anything_is_committed() {
    for (variable, value, field) in [
        ("MEMSYNC_NAME", token(), "author name"),
        ("MEMSYNC_NAME", format!("Ada {}", token()), "author name"),
        ("MEMSYNC_EMAIL", format!("{}@example.com", token()), "author e-mail"),
        ("MEMSYNC_AGENT", token(), "trailer Memsync-Agent"),
        ("MEMSYNC_SESSION", format!("s-{}", token()), "trailer Memsync-Session"),
    ] {
        let world = World::new();
        let ada = world.founder("ada");
        ada.remember("ports", "8080 web");
        let before = ada.tip();
        let said =
            ada.with(variable, &value).fails(&["push"], 1, &[field, "nothing was committed"]);
        assert_masked(variable, &format!("{said:?}"));
        assert_eq!(ada.tip(), before, "{variable}");
        assert!(!world.hub_holds(&token()), "{variable}");
        ada.done(&["push"]);
        assert!(world.hub_files().contains_key("ports.md"));
    }
}

/// Commits with plain git, past every hook.
pub(super) fn commit(member: &Member, message: &str) {
    member.git(&["add", "-A"]);
    member.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", message]);
}

/// Commits, and then changes the raw lines of the commit as no tool does.
fn forge(member: &Member, change: impl Fn(&str) -> Option<String>) {
    commit(member, "plain");
    let raw = member.git(&["cat-file", "commit", "HEAD"]) + "\n";
    let line = |line: &str| change(line).unwrap_or_else(|| line.to_owned()) + "\n";
    let file = member.memdir.join("raw");
    #[expect(clippy::disallowed_methods, reason = "a commit that no tool makes")]
    std::fs::write(&file, raw.lines().map(line).collect::<String>()).unwrap();
    let file = file.to_str().unwrap();
    let id = member.git(&["hash-object", "-t", "commit", "-w", "--literally", file]);
    member.git(&["update-ref", "refs/heads/main", &id]);
}

/// Makes a commit.
type Write = Box<dyn Fn(&Member)>;

/// A person's line with a token in one place of it.
fn person(role: &'static str, place: &'static str) -> Write {
    let line = move |line: &str| {
        let open = line.find('<').filter(|_| line.starts_with(role))?;
        Some(match place {
            "name" => format!("{role} A {} {}", token(), &line[open..]),
            _ => line.replace('<', &format!("<{}.", token())),
        })
    };
    Box::new(move |member| forge(member, line))
}

/// A line above the message.
fn header(line: String) -> Write {
    Box::new(move |member| forge(member, |old| old.is_empty().then(|| format!("{line}\n"))))
}

fn message(text: String) -> Write {
    Box::new(move |member| commit(member, &text))
}

/// Every place of a commit that plain git or any tool can write a token to.
fn places() -> Vec<(&'static str, Write)> {
    vec![
        ("author name", person("author", "name")),
        ("author e-mail", person("author", "e-mail")),
        ("committer name", person("committer", "name")),
        ("committer e-mail", person("committer", "e-mail")),
        ("commit message", message(format!("The token {}", token()))),
        ("commit message", message(format!("s\n\nbody\n\n{}", token()))),
        ("trailer Memsync-Session", message(format!("s\n\nMemsync-Session: {}", token()))),
        ("header `note`", header(format!("note {}", token()))),
        ("header `gpgsig`", header(format!("gpgsig a\n {}", token()))),
    ]
}

#[test]
fn a_credential_in_any_text_of_a_commit_is_not_sent() {
    for (field, write) in places() {
        let world = World::new();
        let ada = world.founder("ada");
        ada.remember("ports", "8080 web");
        write(&ada);
        let said = ada.fails(&["push"], 1, &[field, "is not shared"]);
        assert_masked(field, &format!("{said:?}"));
        assert!(!world.hub_holds(&token()), "{field}");
    }
}

#[test]
fn a_credential_in_the_name_of_the_branch_is_not_sent() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("ports", "8080 web");
    ada.git(&["branch", "-m", &format!("topic-{}", token())]);
    let said = ada.fails(&["push"], 2, &["is on `topic-[", "next:"]);
    assert_masked("push", &format!("{said:?}"));
    assert_masked("status", &format!("{:?}", ada.run(&["status"])));
    assert!(!git(&world.hub(), &["for-each-ref"]).contains(&token()));
}

#[test]
fn a_credential_in_any_text_of_a_commit_is_stopped_by_the_push_hook() {
    for (field, write) in places() {
        let world = World::new();
        let ada = world.founder("ada");
        ada.done(&["push"]);
        ada.done(&["hooks", "install", "--repo", ada.team().to_str().unwrap()]);
        write(&ada);
        let team = ada.team();
        let push = ["-C", team.to_str().unwrap(), "push", "origin", "main"];
        let output = ada.command("git").args(push).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(field), "{field}: {said}");
        assert_masked(field, &said);
        assert!(!world.hub_holds(&token()), "{field}");
    }
}

#[test]
fn what_others_sent_in_names_and_messages_is_masked_wherever_it_is_shown() {
    for (field, write) in places() {
        let world = World::new();
        let (ada, bob) = world.pair();
        ada.remember("ports", "8080 web");
        write(&ada);
        ada.git(&["push", "-q", "--no-verify", "origin", "main"]);
        assert_masked("pull", &format!("{:?}", bob.run(&["pull"])));
        let tip = git(&world.hub(), &["rev-parse", "main"]);
        let every_place: [&[&str]; 6] = [
            &["log"],
            &["--format", "json", "show", &tip],
            &["--format", "json", "blame", "ports"],
            &["audit"],
            &["--format", "csv", "audit"],
            &["--format", "html", "audit"],
        ];
        let every_format: [&[&str]; 9] = [
            &["--format", "json", "log"],
            &["--format", "jsonl", "log"],
            &["status", "--verbose"],
            &["show", &tip],
            &["show", "ports"],
            &["blame", "ports"],
            &["--format", "json", "audit"],
            &["--format", "sarif", "audit"],
            &["diff", "--incoming"],
        ];
        // One place goes through every format: names are shown by most.
        let more = if field == "author name" { &every_format[..] } else { &[] };
        for arguments in every_place.iter().chain(more).copied() {
            let said = bob.run(arguments);
            assert_ne!(said.exit, 70, "{field}: {arguments:?}: {said:?}");
            assert_masked(&format!("{field}: {arguments:?}"), &format!("{}{}", said.out, said.err));
        }
        let audit = bob.json(&["audit"]);
        let leaks: Vec<&str> = audit["events"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|event| event["secrets"].as_array().unwrap())
            .map(|leak| leak["path"].as_str().unwrap())
            .collect();
        let place = if field == "commit message" { "(message)" } else { field };
        assert!(leaks.iter().any(|path| path.contains(place)), "{field}: {leaks:?}");
    }
}

#[test]
fn what_others_shared_in_a_memory_is_masked_line_by_line() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.write("hosting.md", memory("hosting", &format!("One.\nThe token is {}.\nThree.", token())));
    commit(&ada, "plain");
    ada.git(&["push", "-q", "--no-verify", "origin", "main"]);
    bob.run(&["pull"]);
    let tip = git(&world.hub(), &["rev-parse", "main"]);
    for arguments in [
        &["blame", "hosting"][..],
        &["--format", "json", "blame", "hosting"],
        &["show", &tip],
        &["--format", "json", "show", &tip],
    ] {
        let said = bob.run(arguments);
        assert!(said.out.contains("Three."), "{arguments:?}: {said:?}");
        assert_masked(&format!("{arguments:?}"), &format!("{}{}", said.out, said.err));
    }
}

#[test]
fn a_request_for_membership_carries_no_credential_out_and_shows_none() {
    let team = team();
    let (eve, world) = (&team.eve, &team.world);
    eve.done(&["join", &world.address(), "--accept-introduction"]);
    let named = eve.with("MEMSYNC_NAME", &format!("Eve {}", token()));
    for arguments in [&["member", "request"][..], &["member", "request", "--push"]] {
        let said = named.fails(arguments, 1, &["display name"]);
        assert_masked("request", &format!("{said:?}"));
    }
    let email = eve.with("MEMSYNC_EMAIL", &format!("{}@example.com", token()));
    email.fails(&["member", "request", "--push"], 1, &["author e-mail"]);
    assert!(!world.hub_holds(&token()));
    // Somebody else's program sends it all the same.
    let (key, id) = (key(world, eve), MemberId::parse("eve").unwrap());
    let name = format!("Eve {}", token());
    let line = MemberRequest::compose(&key, team.root, id, &name, None).unwrap();
    let hex: String = key.public_key().as_bytes().iter().map(|b| format!("{b:02x}")).collect();
    let tree = git(&world.hub(), &["hash-object", "-t", "tree", "-w", "/dev/null"]);
    let commit = git(&world.hub(), &["commit-tree", &tree, "-m", "ask", "-m", &line]);
    git(&world.hub(), &["update-ref", &format!("refs/memsync/requests/{hex}"), &commit]);
    for arguments in [
        &["member", "list", "--requests"][..],
        &["--format", "json", "member", "list", "--requests"],
        &["member", "add", "eve"],
    ] {
        let said = team.ada.run(arguments);
        assert!(format!("{said:?}").contains("eve"), "{said:?}");
        assert_masked(&format!("{arguments:?}"), &format!("{said:?}"));
    }
}
