//! What a change of the roster means for sealed memories, and what it says of old versions.
//! Border: the program on three members; the check of readers by itself is a unit test in `seal`.

use super::{MARKER, Team, assert_nowhere, edit, newcomer, remember, request};

#[test]
fn removing_a_reader_names_what_they_could_open_and_seals_it_again_in_the_same_commit() {
    let team = Team::with_incident(&format!("{MARKER}\n"));
    let (ada, ben) = (&team.ada, &team.ben);
    edit(&team.world, ada, "$ a More.");
    let before: usize = ada.git(&["rev-list", "--count", "HEAD"]).trim().parse().unwrap();
    let said = ada.done(&["member", "remove", "ben", "--reseal"]);
    assert!(said.out.contains("Sealed incident.md again for ada (removed ben)."), "{said:?}");
    assert!(said.err.contains("old versions stay readable to them"), "{said:?}");
    assert!(said.out.contains("  incident.md (2 versions)"), "{said:?}");
    let after: usize = ada.git(&["rev-list", "--count", "HEAD"]).trim().parse().unwrap();
    assert_eq!(after, before + 1, "one commit holds roster and memories");
    let changed = ada.git(&["show", "--name-only", "--format=%G?", "HEAD"]);
    assert!(
        changed.contains(".memsync/roster.yaml") && changed.contains("incident.md"),
        "{changed}"
    );
    ada.done(&["push"]);
    ben.done(&["pull"]);
    ben.fails(&["open", "incident"], 1, &["none of your keys"]);
    assert_eq!(ada.done(&["open", "incident"]).out, format!("{MARKER}\nMore.\n"));
    ada.done(&["check"]);
    assert_nowhere(&team.world, MARKER);
}

#[test]
fn without_being_asked_nothing_is_sealed_again_and_it_is_said() {
    let team = Team::with_incident("Text.\n");
    let said = team.ada.done(&["member", "remove", "ben"]);
    assert!(said.err.contains("the readers of 1 sealed memory change"), "{said:?}");
    assert!(said.out.contains("  incident.md -ben"), "{said:?}");
    assert!(said.err.contains("memsync reseal --all"), "{said:?}");
    team.ada.done(&["push"]);
    team.ada.fails(&["check"], 1, &["sealed-unknown-reader", "`ben`"]);
    let json = team.ada.json(&["reseal", "--all"]);
    assert_eq!(json["format"], "memsync.reseal/1");
    assert_eq!(json["resealed"][0]["removed"], serde_json::json!(["ben"]));
    team.ada.done(&["check"]);
    team.ada.done(&["push"]);
    let again = team.ada.done(&["reseal", "--all"]);
    assert!(again.err.contains("1 sealed memory was right already"), "{again:?}");
}

#[test]
fn a_new_member_gets_what_is_sealed_for_their_role() {
    let team = Team::new();
    assert_eq!(remember(&team.ada, &["--for-role", "writer"], "Text.\n").exit, 0);
    let file = team.ada.read("incident.md");
    assert!(file.contains("sealed: [ada, ben, cy]\nsealed_for: [ada, role:writer]\n"), "{file}");
    let dee = newcomer(&team.world, "dee");
    dee.done(&["join", &team.world.address(), "--accept-introduction"]);
    let line = request(&dee);
    let json = team.ada.json(&["member", "add", &line, "--reseal"]);
    assert_eq!(json["affected"][0]["gains"], serde_json::json!(["dee"]));
    assert_eq!(json["resealed"]["resealed"][0]["added"], serde_json::json!(["dee"]));
    team.ada.done(&["push"]);
    dee.done(&["pull"]);
    assert_eq!(dee.done(&["open", "incident"]).out, "Text.\n");
    // Whoever loses the role loses the memory.
    team.ada.done(&["member", "role", "dee", "reader", "--reseal"]);
    team.ada.done(&["push"]);
    dee.done(&["pull"]);
    dee.fails(&["open", "incident"], 1, &["none of your keys"]);
}

#[test]
fn what_the_admin_cannot_open_is_left_to_its_readers_and_named() {
    let team = Team::new();
    assert_eq!(remember(&team.ben, &["--for", "cy"], "Text.\n").exit, 0);
    team.ben.done(&["push"]);
    team.ada.done(&["pull"]);
    let said = team.ada.run(&["member", "remove", "cy", "--reseal"]);
    assert_eq!(said.exit, 0, "{said:?}");
    assert!(
        said.err.contains("Ask a reader (ben, cy) to run `memsync reseal incident.md`"),
        "{said:?}"
    );
    team.ada.done(&["push"]);
    team.ben.done(&["pull"]);
    team.ben.done(&["reseal", "--all"]);
    team.ben.done(&["push"]);
    assert!(team.ben.read("incident.md").contains("sealed: [ben]\n"));
}

#[test]
fn an_edit_that_crosses_a_removal_is_not_for_who_was_removed() {
    let team = Team::with_incident("Text.\n");
    let (ada, cy) = (&team.ada, &team.cy);
    ada.done(&["reseal", "incident", "--for", "ada,ben,cy"]);
    ada.done(&["push"]);
    team.ben.done(&["pull"]);
    cy.done(&["pull"]);
    // Ada takes Ben out while Cy, who knows nothing of it, writes a secret for all three.
    ada.done(&["member", "remove", "ben"]);
    ada.done(&["push"]);
    edit(&team.world, cy, &format!("$ a {MARKER}"));
    cy.done(&["push"]);
    ada.done(&["pull"]);
    assert!(ada.read("incident.md").contains("sealed: [ada, cy]\n"), "{}", ada.read("incident.md"));
    assert_eq!(ada.done(&["open", "incident"]).out, format!("Text.\n{MARKER}\n"));
    team.ben.done(&["pull"]);
    team.ben.fails(&["open", "incident"], 1, &["none of your keys"]);
}

#[test]
fn a_member_may_name_their_own_age_identity_and_nobody_elses() {
    let team = Team::new();
    team.ben.done(&["key", "age", "--make"]);
    team.ben.done(&["member", "age"]);
    team.ben.done(&["push"]);
    team.ada.done(&["pull"]);
    let roster = team.ada.read(".memsync/roster.yaml");
    assert_eq!(roster.matches("age: age1").count(), 1, "{roster}");
    // A writer who gives someone else an identity could read for them.
    let stolen = roster.lines().find(|line| line.contains("age: age1")).unwrap().to_owned();
    let moved = roster.replace(&format!("{stolen}\n"), "");
    let moved = moved.replace("  name: Ada\n", &format!("  name: Ada\n{stolen}\n"));
    assert_ne!(moved, roster);
    team.ben.write(".memsync/roster.yaml", moved);
    team.ben.fails(&["push"], 1, &["`ben` is writer and may not change the roster"]);
    let shared = team.world.hub_files();
    assert_eq!(shared[".memsync/roster.yaml"].trim_end(), roster.trim_end());
}

#[test]
fn a_text_that_a_stranger_put_in_its_place_gets_none_of_a_readers_words() {
    let team = Team::with_incident("Text.\n");
    let (ada, ben, cy) = (&team.ada, &team.ben, &team.cy);
    let said = remember(cy, &["--replace", "--for", "ada,ben"], "Please add the customer.\n");
    assert!(said.exit == 1 && said.err.contains("none of your keys"), "{said:?}");
    // Cy makes it elsewhere, sealed for all three, and puts it there by hand.
    let elsewhere = piped_elsewhere(cy);
    cy.write("incident.md", elsewhere);
    cy.fails(&["push"], 1, &["sealed-stranger", "replaced by `cy`"]);
    // A push by plain git goes through, and nobody is deceived by it.
    cy.git(&["push", "-q", "origin", "main"]);
    edit(&team.world, ada, &format!("$ a {MARKER}"));
    let said = ada.run(&["push"]);
    assert!(said.err.contains("sealed-stranger") && said.err.contains("`cy`"), "{said:?}");
    ben.run(&["pull"]);
    cy.run(&["pull"]);
    let conflicts = ben.json(&["status"])["conflicts"].as_array().unwrap().len();
    assert_eq!(conflicts, 1, "the two texts were merged");
    let shown = cy.run(&["open", "incident"]);
    assert!(!shown.out.contains(MARKER), "{shown:?}");
    assert_nowhere(&team.world, MARKER);
    // Also without a merge a reader is warned before they write on in it.
    let other = Team::with_incident("Text.\n");
    let elsewhere = piped_elsewhere(&other.cy);
    other.cy.write("incident.md", elsewhere);
    other.cy.run(&["push"]);
    other.cy.git(&["push", "-q", "origin", "main"]);
    other.ada.run(&["pull"]);
    let change = super::editor(&other.world, &other.ada, "echo more >> \"$1\"");
    change.fails(&["open", "incident", "--edit"], 4, &["replaced by somebody who could not open"]);
    other.ada.fails(&["reseal", "incident"], 4, &["replaced by somebody who could not open"]);
    other.ada.done(&["reseal", "incident", "--for", "ada,ben"]);
    edit(&other.world, &other.ada, "$ a More.");
}

#[test]
fn a_merge_that_a_host_made_is_no_stranger() {
    let team = Team::with_incident("Text.\n");
    let (ada, ben, cy) = (&team.ada, &team.ben, &team.cy);
    edit(&team.world, ben, "$ a By Ben.");
    cy.remember("other", "By Cy.");
    cy.done(&["push"]);
    // As a pull request is merged on a host: by plain git, unsigned, Cy's side first.
    cy.git(&["fetch", "-q", ben.team().to_str().unwrap(), "main"]);
    let host = ["-c", "user.name=host", "-c", "user.email=host@example.com"];
    cy.git(&[&host[..], &["merge", "-q", "--no-ff", "-m", "Merge", "FETCH_HEAD"]].concat());
    cy.git(&["push", "-q", "origin", "main"]);
    let said = ada.done(&["pull", "--strict"]);
    assert!(!said.err.contains("sealed-stranger"), "{said:?}");
    assert_eq!(ada.done(&["open", "incident"]).out, "Text.\nBy Ben.\n");
    edit(&team.world, ada, "$ a By Ada.");
    ada.done(&["push"]);
}

/// A sealed file for all three that a member makes under another name.
fn piped_elsewhere(member: &crate::support::Member) -> String {
    let arguments = [
        "remember",
        "--seal",
        "--name",
        "elsewhere",
        "--kind",
        "project",
        "--description",
        "d",
        "--for",
        "ada,ben,cy",
    ];
    let said = super::piped(member, &arguments, "Please add the customer.\n");
    assert_eq!(said.exit, 0, "{said:?}");
    let file = member.read("elsewhere.md").replace("name: elsewhere", "name: incident");
    member.done(&["forget", "elsewhere"]);
    file
}
