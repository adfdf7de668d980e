//! What is broken, forged or not for us: a clear error, and never a part of the text.
//! Border: at the program; each shape of a broken file is a unit test in `seal`.
#![expect(clippy::disallowed_methods, reason = "prepares keys and files")]

use std::fs;
use std::process::Command;

use super::{MARKER, Team, assert_nowhere, key_of, newcomer, piped};

const TEXT: &str = "The customer is ZEBRA-CROSSING-4711.\n";

/// Runs `open incident` with more arguments; it must fail with a code and say some texts, and
/// nothing of what was sealed.
#[track_caller]
fn stays_closed(member: &crate::support::Member, more: &[&str], exit: i32, texts: &[&str]) {
    let said = member.fails(&[&["open", "incident"], more].concat(), exit, texts);
    assert_eq!(said.out, "");
    assert!(!said.err.contains(MARKER), "{said:?}");
}

#[test]
fn a_cut_or_altered_file_is_refused_everywhere() {
    let team = Team::with_incident(TEXT);
    let file = team.ben.read("incident.md");
    let lines: Vec<&str> = file.lines().collect();
    let cut = lines[..lines.len() - 2].join("\n") + "\n-----END AGE ENCRYPTED FILE-----\n";
    let no_end = lines[..lines.len() - 1].join("\n");
    for (broken, text) in [(&cut, "damaged"), (&no_end, "its end is missing")] {
        team.ben.write("incident.md", broken);
        stays_closed(&team.ben, &[], 1, &[text]);
    }
    team.ben.fails(&["push"], 1, &["sealed-damaged", "its end is missing"]);
    let body = file.find("AGE ENCRYPTED FILE-----\n").unwrap() + 30;
    let mut altered = file.clone().into_bytes();
    altered[body] = if altered[body] == b'A' { b'B' } else { b'A' };
    team.ben.write("incident.md", altered);
    let said = team.ben.run(&["open", "incident"]);
    assert!(said.exit != 0 && said.out.is_empty() && !said.err.contains(MARKER), "{said:?}");
    team.ben.write("incident.md", &file);
    assert_eq!(team.ben.done(&["open", "incident"]).out, TEXT);
}

#[test]
fn a_reader_hidden_or_added_by_hand_is_refused() {
    let team = Team::with_incident(TEXT);
    let file = team.cy.read("incident.md");
    for list in ["[ada]", "[ada, ben, cy]", "[cy]"] {
        team.cy.write("incident.md", file.replace("[ada, ben]", list));
        team.cy.fails(&["push"], 1, &["sealed-readers", "changed by hand"]);
        team.ben.write("incident.md", file.replace("[ada, ben]", list));
        stays_closed(&team.ben, &[], 4, &["changed by hand", "memsync log"]);
        team.ben.fails(&["reseal", "incident"], 4, &["changed by hand"]);
    }
    team.cy.write("incident.md", &file);
    team.cy.done(&["push"]);
    // A reader puts it right by saying for whom it is.
    team.ben.done(&["reseal", "incident", "--for", "ada,ben"]);
    assert!(team.ben.read("incident.md").contains("sealed: [ada, ben]\n"));
}

#[test]
fn a_text_that_claims_to_be_sealed_is_refused() {
    let team = Team::new();
    let head = "---\nname: incident\ndescription: d\ntype: project\nsealed: [ada]\n---\n";
    team.ada.write("incident.md", format!("{head}Readable.\n"));
    team.ada.fails(&["push"], 1, &["sealed-plain", "its text is plain"]);
    stays_closed(&team.ada, &[], 1, &["its text is plain"]);
    team.ada.write("incident.md", head.replace("[ada]", "yes") + "Readable.\n");
    team.ada.fails(&["push"], 1, &["sealed-list"]);
    let of_dee = Team::with_incident(TEXT).ada.read("incident.md");
    team.ada.write("incident.md", of_dee);
    team.ada.fails(&["push"], 1, &["sealed-readers"]);
}

#[test]
fn another_version_and_another_kind_of_key_are_named() {
    let team = Team::with_incident(TEXT);
    let encode = |header: &str| {
        use base64::Engine as _;
        let body = base64::engine::general_purpose::STANDARD.encode(header);
        let lines: Vec<&str> =
            body.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
        format!(
            "-----BEGIN AGE ENCRYPTED FILE-----\n{}\n-----END AGE ENCRYPTED FILE-----\n",
            lines.join("\n")
        )
    };
    let head = "---\nname: incident\ndescription: d\ntype: project\nsealed: [ben]\n---\n";
    for (header, exit, text) in [
        ("age-encryption.org/v2\nnew\n", 2, "`age-encryption.org/v2`"),
        ("age-encryption.org/v1\n-> ssh-rsa abcdef\nAAAA\n--- mac\n", 1, "`ssh-rsa`"),
        ("age-encryption.org/v1\n-> scrypt c2FsdA 18\nAAAA\n--- mac\n", 1, "`scrypt`"),
    ] {
        team.ben.write("incident.md", format!("{head}{}", encode(header)));
        stays_closed(&team.ben, &[], exit, &[text]);
        team.ben.fails(&["push"], 1, &[text]);
    }
}

#[test]
fn fifty_megabytes_are_refused_before_anything_is_done_with_them() {
    let team = Team::with_incident(TEXT);
    let head = "---\nname: incident\ndescription: d\ntype: project\nsealed: [ben]\n---\n";
    let body = format!("-----BEGIN AGE ENCRYPTED FILE-----\n{}\n", "A".repeat(50_000_000));
    team.ben.write("incident.md", format!("{head}{body}"));
    let said = team.ben.run(&["open", "incident"]);
    assert!(said.exit != 0 && said.out.is_empty(), "{said:?}");
    team.ben.fails(&["push"], 1, &["incident.md"]);
    let said = super::remember(&team.ben, &["--replace"], &"x".repeat(50_000_000));
    assert!(said.exit == 2 && said.err.contains("longer than"), "{said:?}");
}

#[test]
fn no_key_a_wrong_key_and_other_kinds_of_key_say_what_they_are() {
    let team = Team::with_incident(TEXT);
    let (ben, world) = (&team.ben, &team.world);
    fs::rename(key_of(world, "ben"), world.path().join("moved")).unwrap();
    stays_closed(ben, &[], 2, &["there is no key"]);
    let moved = world.path().join("moved").to_str().unwrap().to_owned();
    assert_eq!(ben.done(&["open", "incident", "--identity", &moved]).out, TEXT);
    let other = key_of(world, "cy").to_str().unwrap().to_owned();
    stays_closed(ben, &["--identity", &other], 1, &["none of your keys"]);
    let make = |kind: &str, passphrase: &str| {
        let path = world.path().join(format!("key-{kind}"));
        let output = Command::new("ssh-keygen")
            .args(["-q", "-t", kind, "-N", passphrase, "-f"])
            .arg(&path)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        path.to_str().unwrap().to_owned()
    };
    stays_closed(ben, &["--identity", &make("rsa", "")], 2, &["`ssh-rsa` is not supported"]);
    let junk = world.path().join("junk");
    fs::write(&junk, "not a key\n").unwrap();
    private(&junk);
    stays_closed(
        ben,
        &["--identity", junk.to_str().unwrap()],
        2,
        &["is not an OpenSSH private key"],
    );
    fs::write(&junk, "AGE-PLUGIN-YUBIKEY-1QQ\n").unwrap();
    stays_closed(ben, &["--identity", junk.to_str().unwrap()], 2, &["plugin"]);
    fs::write(&junk, "-----BEGIN AGE ENCRYPTED FILE-----\n").unwrap();
    stays_closed(ben, &["--identity", junk.to_str().unwrap()], 2, &["behind a passphrase"]);
    assert_nowhere(world, MARKER);
}

fn private(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn a_protected_key_is_never_asked_for_where_nobody_can_answer() {
    let team = Team::with_incident(TEXT);
    let key = key_of(&team.world, "ben");
    let output = Command::new("ssh-keygen")
        .args(["-q", "-p", "-P", "", "-N", "four words", "-f"])
        .arg(&key)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    stays_closed(
        &team.ben,
        &[],
        2,
        &["is protected by a passphrase and none was given", "ssh-agent cannot open"],
    );
    // What needs no key still works, and asks nobody.
    team.ben.done(&["open"]);
    team.ben.done(&["pull"]);
    let outsider = newcomer(&team.world, "eve");
    let said = piped(&outsider, &["open", "incident"], "");
    assert!(said.exit != 0 && said.out.is_empty(), "{said:?}");
}

#[test]
fn a_plain_text_takes_the_place_of_a_sealed_one_only_when_that_is_asked_for() {
    let team = Team::with_incident(TEXT);
    let plain = "---\nname: incident\ndescription: An incident\ntype: project\n---\nNew words.\n";
    for (member, id) in [(&team.ben, "ben"), (&team.cy, "cy")] {
        let sealed = member.read("incident.md");
        member.write("incident.md", plain);
        member.fails(&["push"], 1, &["incident.md", "sealed-opened", "everyone could read it"]);
        assert!(!team.world.hub_holds("New words."), "{id}");
        member.write("incident.md", sealed);
        member.done(&["push"]);
    }
    // Plain git commits anything; what somebody writes who could not open it is not sent.
    team.cy.write("incident.md", plain);
    let who = ["-c", "user.name=Cy", "-c", "user.email=cy@example.com"];
    team.cy.git(&[&who[..], &["commit", "-q", "--no-verify", "-am", "by hand"]].concat());
    team.cy.fails(&["push"], 1, &["incident.md", "sealed-opened", "`cy`, who could not open it"]);
    assert!(!team.world.hub_holds("New words."));
    team.ben.done(&["unseal", "incident", "--yes"]);
    team.ben.done(&["push"]);
    let shared = &team.world.hub_files()["incident.md"];
    assert!(shared.contains(TEXT.trim()), "{shared}");
}
