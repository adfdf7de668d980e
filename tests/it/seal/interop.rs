//! The plain `age` program and memsync read each other's files with the same SSH key.
//! Border: starts Debian's `age`; without it the tests say so, unless `MEMSYNC_REQUIRE_SERVERS=1`.
#![expect(clippy::disallowed_methods, reason = "starts the age program")]
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::fs;
use std::process::Command;

use super::{MARKER, Team, assert_nowhere, edit, key_of};

/// Whether `age` is installed.
fn is_there() -> bool {
    let works = Command::new("age").arg("--version").output();
    if works.is_ok_and(|output| output.status.success()) {
        return true;
    }
    let required = std::env::var_os("MEMSYNC_REQUIRE_SERVERS").is_some_and(|v| v == "1");
    assert!(!required, "age is missing, and MEMSYNC_REQUIRE_SERVERS=1");
    eprintln!("skipped: age is not installed, so nothing was compared with it");
    false
}

fn armor(file: &str) -> &str {
    &file[file.find("-----BEGIN AGE").unwrap()..]
}

#[test]
fn plain_age_opens_what_memsync_sealed() {
    if !is_there() {
        return;
    }
    let team = Team::with_incident("Text with ümlaut.\n");
    let path = team.world.path().join("only-the-age-file");
    fs::write(&path, armor(&team.cy.read("incident.md"))).unwrap();
    let by = |name: &str| {
        let key = key_of(&team.world, name);
        Command::new("age").arg("-d").arg("-i").arg(key).arg(&path).output().unwrap()
    };
    for name in ["ada", "ben"] {
        let output = by(name);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "Text with ümlaut.\n", "{said}");
    }
    let output = by("cy");
    assert!(!output.status.success() && output.stdout.is_empty());
}

#[test]
fn memsync_opens_what_plain_age_sealed_and_asks_for_whom_it_is_before_it_seals_again() {
    if !is_there() {
        return;
    }
    let team = Team::new();
    let folder = team.world.path();
    let recipients = folder.join("recipients");
    let public =
        |name: &str| fs::read_to_string(key_of(&team.world, name).with_extension("pub")).unwrap();
    fs::write(&recipients, public("ada") + &public("ben")).unwrap();
    let plain = tempfile::NamedTempFile::new().unwrap();
    fs::write(plain.path(), format!("The customer is {MARKER}.\n")).unwrap();
    let sealed = Command::new("age").args(["-a", "-R"]).arg(&recipients).arg(plain.path()).output();
    let body = String::from_utf8(sealed.unwrap().stdout).unwrap();
    let head = "---\nname: incident\ndescription: By age\ntype: project\nsealed: [ada, ben]\n---\n";
    team.ada.write("incident.md", format!("{head}{body}"));
    team.ada.done(&["push"]);
    team.ben.done(&["pull"]);
    assert_eq!(team.ben.done(&["open", "incident"]).out, format!("The customer is {MARKER}.\n"));
    // Nothing inside the age file names its readers, so the list could be anyone's.
    let change = super::editor(&team.world, &team.ben, "echo more >> \"$1\"");
    change.fails(&["open", "incident", "--edit"], 4, &["sealed by other means", "--for"]);
    team.ben.fails(&["reseal", "incident"], 4, &["sealed by other means"]);
    team.ben.done(&["reseal", "incident", "--for", "ada,ben"]);
    edit(&team.world, &team.ben, "s/customer/client/");
    team.ben.done(&["push"]);
    team.ada.done(&["pull"]);
    assert_eq!(team.ada.done(&["open", "incident"]).out, format!("The client is {MARKER}.\n"));
    // A list that is not what the keys say does not get in.
    let hidden = format!("{head}{body}").replace("[ada, ben]", "[ada]");
    team.ada.write("incident.md", hidden);
    team.ada.fails(&["push"], 1, &["sealed-readers", "belong to no reader"]);
    assert_nowhere(&team.world, MARKER);
}

#[test]
fn plain_age_opens_with_the_age_identity_that_memsync_made() {
    if !is_there() {
        return;
    }
    let team = Team::new();
    let ben = &team.ben;
    ben.done(&["key", "age", "--make"]);
    ben.done(&["member", "age"]);
    assert_eq!(super::remember(ben, &["--for", "ada"], "Text.\n").exit, 0);
    let path = team.world.path().join("only-the-age-file");
    fs::write(&path, armor(&ben.read("incident.md"))).unwrap();
    let identity = team.world.path().join("ben-home/memsync/age_identity.txt");
    let output = Command::new("age").arg("-d").arg("-i").arg(identity).arg(&path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Text.\n", "{said}");
    assert_eq!(ben.done(&["open", "incident"]).out, "Text.\n");
}
