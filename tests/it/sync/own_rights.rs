//! Files that steer a team, edited by somebody who may not: they stay on disk, and nothing waits for them.
//! Border: whole commands; which role may change what is the table of `trust`.

use crate::host::{Team, admit, team};
use crate::support::{Member, Said, memory, say, token};

const STEERING: [&str; 3] = [".memsync/roster.yaml", ".memsync/policy.yaml", ".memsync/allow.yaml"];

/// Changes a file that steers to another that is well-formed.
fn steer(member: &Member, path: &str) {
    match path {
        ".memsync/roster.yaml" => {
            member.edit(path, |text| text.replace("role: writer", "role: admin"));
        }
        ".memsync/policy.yaml" => {
            member.edit(path, |text| text.replace("trust: roster", "trust: open"));
        }
        _ => {
            let entry = "- fingerprint: 00112233445566770011223344556677\n  reason: mine\n";
            member.write(path, entry);
        }
    }
}

/// Runs the command that a message gives for taking a file back.
fn take_back(member: &Member, said: &Said) {
    let said = format!("{}{}", said.out, said.err);
    let command = said.split("in `team/`, with `").nth(1).and_then(|rest| rest.split('`').next());
    let command = command.unwrap_or_else(|| panic!("no way back in {said}"));
    let mut shell = member.command("sh");
    let done = say(shell.args(["-c", command]).current_dir(member.team()));
    assert_eq!(done.exit, 0, "{command}: {done:?}");
}

#[test]
fn a_file_that_steers_and_is_not_the_writers_stays_on_disk_and_holds_up_nothing() {
    for path in STEERING {
        let Team { world, ada, bob, .. } = team();
        bob.done(&["pull"]);
        let before = world.hub_files();
        let mine = bob.has(path).then(|| bob.read(path));
        steer(&bob, path);
        bob.remember("beside", "Goes on.");
        let said = bob.fails(&["push"], 1, &[path, "`bob` is writer", "admins may: `ada`"]);
        let after = world.hub_files();
        assert!(after.contains_key("beside.md"), "{path}: {said:?}");
        assert_eq!(after.get(path), before.get(path), "{path}");
        let status = bob.json(&["status", "--format", "json"]);
        assert_eq!(status["refused"][0]["path"], path, "{status}");
        assert_eq!(status["ahead"], 0);
        bob.remember("again", "Goes on again.");
        bob.fails(&["sync"], 1, &[path]);
        assert!(world.hub_files().contains_key("again.md"));
        take_back(&bob, &said);
        assert_eq!(bob.has(path).then(|| bob.read(path)), mine, "{path}");
        bob.done(&["push"]);
        assert!(
            bob.json(&["status", "--format", "json"])["refused"].as_array().unwrap().is_empty()
        );
        ada.done(&["pull"]);
        assert!(ada.has("beside.md") && ada.has("again.md"));
    }
}

#[test]
fn removing_a_file_that_steers_is_kept_out_as_well() {
    let Team { world, ada, bob, .. } = team();
    steer(&ada, ".memsync/allow.yaml");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    for path in [".memsync/allow.yaml", ".gitattributes"] {
        bob.remove(path);
        bob.remember("beside", "Goes on.");
        let said = bob.fails(&["push"], 1, &[path, "`bob` is writer"]);
        assert!(
            world.hub_files().contains_key(path) && world.hub_files().contains_key("beside.md")
        );
        take_back(&bob, &said);
        bob.done(&["push"]);
    }
}

#[test]
fn readers_and_people_without_access_change_no_file_that_steers() {
    for path in STEERING {
        let Team { world, ada, eve, .. } = team();
        let rita = world.newcomer("rita");
        admit(&world, &ada, &rita, "reader");
        eve.done(&["join", &world.address(), "--accept-introduction"]);
        let before = world.hub_files();
        for (who, why) in [(&rita, "`rita` is reader"), (&eve, "your key is not in the roster")] {
            steer(who, path);
            let said = who.fails(&["push"], 1, &[path, why, "admins may: `ada`"]);
            assert!(who.done(&["status"]).out.contains(path));
            assert_eq!(world.hub_files(), before, "{path}");
            take_back(who, &said);
            who.done(&["pull"]);
            assert!(!who.done(&["status"]).out.contains(path));
        }
    }
}

#[test]
fn a_list_that_is_not_the_writers_accepts_nothing() {
    let Team { world, bob, .. } = team();
    bob.done(&["pull"]);
    bob.write("ports.md", memory("ports", &format!("STRAY {}", token())));
    let said = bob.fails(&["push"], 1, &["ports.md"]);
    let said = said.out + &said.err;
    let fingerprint = said.split("scan allow ").nth(1).and_then(|rest| rest.get(..32)).unwrap();
    bob.write(".memsync/allow.yaml", format!("- fingerprint: {fingerprint}\n  reason: mine\n"));
    bob.fails(&["push"], 1, &["ports.md", ".memsync/allow.yaml"]);
    assert!(!crate::support::any_object_holds(&world.hub(), "STRAY"));
}

#[test]
fn what_was_kept_out_is_shared_once_the_role_allows_it() {
    let Team { world, ada, bob, .. } = team();
    bob.done(&["pull"]);
    steer(&bob, ".memsync/allow.yaml");
    bob.fails(&["push"], 1, &[".memsync/allow.yaml"]);
    ada.done(&["member", "role", "bob", "admin"]);
    ada.done(&["push"]);
    bob.run(&["pull"]);
    bob.done(&["push"]);
    assert!(world.hub_files().contains_key(".memsync/allow.yaml"));
}

#[test]
fn a_writers_own_keys_are_the_writers_business() {
    let Team { world, ada, bob, eve, .. } = team();
    bob.done(&["pull"]);
    let of = |who: &Member| who.done(&["key", "show"]).out;
    let word =
        |text: &str| text.split_whitespace().find(|w| w.starts_with("AAAA")).map(str::to_owned);
    let (mine, other) = (word(&of(&bob)).unwrap(), word(&of(&eve)).unwrap());
    let entry = format!("key: ssh-ed25519 {mine}\n");
    bob.edit(".memsync/roster.yaml", |text| {
        assert!(text.contains(&entry), "{text}");
        text.replace(&entry, &format!("{entry}  - key: ssh-ed25519 {other}\n"))
    });
    bob.run(&["push"]);
    ada.done(&["pull"]);
    assert!(
        world.hub_files()[".memsync/roster.yaml"].contains(&other),
        "{}",
        bob.read(".memsync/roster.yaml")
    );
}

#[test]
fn a_command_that_changes_the_roster_changes_nothing_where_the_role_does_not_allow_it() {
    let Team { bob, eve, world, .. } = team();
    bob.done(&["pull"]);
    eve.done(&["join", &world.address(), "--accept-introduction"]);
    let line = eve.done(&["member", "request"]).out;
    let before = bob.read(".memsync/roster.yaml");
    for command in [
        &["member", "add", line.trim()][..],
        &["member", "remove", "bob"],
        &["member", "role", "bob", "admin"],
    ] {
        bob.fails(
            command,
            4,
            &["`bob` is writer and may not change the roster", "admins may: `ada`"],
        );
        assert_eq!(bob.read(".memsync/roster.yaml"), before);
    }
    bob.remember("beside", "Goes on.");
    bob.done(&["push"]);
}

#[test]
fn an_accepted_finding_without_a_reason_accepts_nothing() {
    let Team { world, ada, .. } = team();
    ada.write("ports.md", memory("ports", &format!("STRAY {}", token())));
    let said = ada.fails(&["push"], 1, &["ports.md"]);
    let said = said.out + &said.err;
    let fingerprint = said.split("scan allow ").nth(1).and_then(|rest| rest.get(..32)).unwrap();
    for blank in ["", " ", "\u{200b}", "\u{2800}"] {
        ada.write(
            ".memsync/allow.yaml",
            format!("- fingerprint: {fingerprint}\n  reason: \"{blank}\"\n"),
        );
        ada.fails(&["push"], 1, &["ports.md", "has no reason"]);
        assert!(!crate::support::any_object_holds(&world.hub(), "STRAY"), "{blank:?}");
    }
    ada.write(".memsync/allow.yaml", format!("- fingerprint: {fingerprint}\n  reason: a sample\n"));
    ada.done(&["push"]);
}
