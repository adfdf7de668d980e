//! Three members and an outsider, through real push and pull.
//! Border: the whole interplay; details are in the files beside.

use super::{MARKER, Team, assert_nowhere, edit, newcomer, piped, remember};
use crate::support::memory;

#[test]
fn what_is_sealed_for_two_is_closed_to_the_third_and_to_an_outsider() {
    let team = Team::with_incident(&format!("The customer is {MARKER}.\n"));
    let (ada, ben, cy) = (&team.ada, &team.ben, &team.cy);
    for reader in [ada, ben] {
        assert_eq!(reader.done(&["open", "incident"]).out, format!("The customer is {MARKER}.\n"));
    }
    let file = cy.read("incident.md");
    assert!(file.contains("sealed: [ada, ben]\n") && !file.contains(MARKER), "{file}");
    assert!(cy.read("MEMORY.md").contains("- [incident](incident.md) — An incident"));
    let said =
        cy.fails(&["open", "incident"], 1, &["sealed for `ada`, `ben`", "none of your keys"]);
    assert_eq!(said.out, "");
    let outsider = newcomer(&team.world, "eve");
    outsider.done(&["join", &team.world.address(), "--accept-introduction"]);
    assert_eq!(outsider.fails(&["open", "incident"], 1, &["none of your keys"]).out, "");
    for member in [ada, ben, cy, &outsider] {
        member.done(&["check"]);
    }
    assert_nowhere(&team.world, MARKER);
}

#[test]
fn an_edit_by_one_reader_reaches_the_other_and_nobody_else() {
    let team = Team::with_incident(&format!("The customer is {MARKER}.\n"));
    let said = edit(&team.world, &team.ben, "s/customer/client/");
    assert!(said.out.contains("Sealed incident.md again for ada, ben."), "{said:?}");
    team.ben.done(&["push"]);
    team.ada.done(&["pull"]);
    team.cy.done(&["pull"]);
    assert_eq!(team.ada.done(&["open", "incident"]).out, format!("The client is {MARKER}.\n"));
    team.cy.fails(&["open", "incident"], 1, &["none of your keys"]);
    let tip = team.ben.tip();
    let said = edit(&team.world, &team.ben, "s/nothing/nobody/");
    assert!(said.err.contains("is as it was"), "{said:?}");
    assert_eq!(team.ben.tip(), tip, "an unchanged text was sealed again");
    assert_nowhere(&team.world, MARKER);
}

#[test]
fn a_listing_says_who_may_open_what_and_shows_no_ciphertext() {
    let team = Team::with_incident("Text.\n");
    let said = team.cy.done(&["open"]).out;
    assert_eq!(said, "incident.md An incident\n  for ada, ben; not for you\n");
    let listed = team.ben.json(&["open"]);
    assert_eq!(listed["format"], "memsync.sealed/1");
    assert_eq!(listed["sealed"][0]["yours"], true);
    let opened = team.ben.json(&["open", "incident"]);
    assert_eq!(opened["content"], "Text.\n");
    edit(&team.world, &team.ben, "s/Text/Words/");
    let diff = team.ben.done(&["diff"]).out;
    assert!(diff.contains("(sealed, ") && !diff.contains("BEGIN AGE"), "{diff}");
    let blame = team.ben.run(&["blame", "incident"]).out;
    assert!(!blame.contains("BEGIN AGE") && blame.contains("(sealed, "), "{blame}");
    let log = team.ben.done(&["log", "incident"]).out;
    assert!(log.contains("Edit incident") && !log.contains("Words"), "{log}");
}

#[test]
fn a_plain_memory_is_sealed_and_its_history_is_told_of() {
    let team = Team::new();
    let ada = &team.ada;
    ada.remember("plan", "We buy the company.");
    ada.done(&["push"]);
    ada.fails(&["seal", "plan", "--for", "ben"], 2, &["was not confirmed", "--description"]);
    let said = ada.done(&["seal", "plan", "--for", "ben", "--description", "A plan"]);
    assert!(said.err.contains("1 plain version of it in history stay"), "{said:?}");
    let file = ada.read("plan.md");
    assert!(file.contains("description: A plan\n") && !file.contains("company"), "{file}");
    assert!(!ada.read("MEMORY.md").contains("About plan"), "{}", ada.read("MEMORY.md"));
    ada.fails(&["seal", "plan"], 2, &["is sealed already"]);
    ada.done(&["push"]);
    team.ben.done(&["pull"]);
    assert_eq!(team.ben.done(&["open", "plan"]).out, "We buy the company.\n");
    team.ben.fails(&["unseal", "plan"], 2, &["was not confirmed"]);
    team.ben.done(&["unseal", "plan", "--yes"]);
    assert_eq!(
        team.ben.read("plan.md"),
        memory("plan", "We buy the company.").replace("About plan", "A plan")
    );
    team.ben.done(&["push"]);
}

#[test]
fn a_memory_only_on_disk_is_sealed_without_a_trace() {
    let team = Team::new();
    team.ada.remember("plan", MARKER);
    let said = team.ada.done(&["seal", "plan", "--yes"]);
    assert!(!said.err.contains("plain version"), "{said:?}");
    team.ada.done(&["push"]);
    assert_nowhere(&team.world, MARKER);
}

#[test]
fn a_secret_is_sealed_only_with_a_reason() {
    let team = Team::new();
    let token = crate::support::token();
    let text = format!("The token is {token}.\n");
    let said = remember(&team.ada, &[], &text);
    assert_eq!(said.exit, 1, "{said:?}");
    assert!(said.err.contains("--allow-secret") && !said.err.contains(&token), "{said:?}");
    assert!(!team.ada.has("incident.md"));
    let said = remember(&team.ada, &["--allow-secret", " "], &text);
    assert_eq!(said.exit, 2, "{said:?}");
    let said =
        remember(&team.ada, &["--for", "ben", "--allow-secret", "break-glass access"], &text);
    assert_eq!(said.exit, 0, "{said:?}");
    assert!(team.ada.read("incident.md").contains("sealed_secrets: break-glass access\n"));
    team.ada.done(&["push"]);
    team.ben.done(&["pull"]);
    // The reason stands for later edits, and unsealing still refuses.
    edit(&team.world, &team.ben, "s/The token/Our token/");
    team.ben.fails(&["unseal", "incident", "--yes"], 1, &["looks like a secret"]);
    team.ben.done(&["push"]);
    assert_nowhere(&team.world, &token);
}

#[test]
fn a_sealed_memory_needs_a_roster_and_readers_that_are_members() {
    let team = Team::new();
    let said = remember(&team.ada, &["--for", "dee"], "Text.\n");
    assert!(said.exit == 2 && said.err.contains("there is no member `dee`"), "{said:?}");
    let said = remember(&team.ada, &["--for", "Dee!"], "Text.\n");
    assert!(said.exit == 2 && said.err.contains("is not a member id"), "{said:?}");
    let said = piped(
        &team.ada,
        &[
            "remember",
            "--team",
            "--name",
            "n",
            "--kind",
            "project",
            "--description",
            "d",
            "--for",
            "ben",
        ],
        "Text.\n",
    );
    assert!(said.exit == 2 && said.err.contains("--seal"), "{said:?}");
    let open = crate::support::World::new();
    let founder = open.founder("ada");
    let said = remember(&founder, &[], "Text.\n");
    assert!(said.exit == 2 && said.err.contains("no roster"), "{said:?}");
}
