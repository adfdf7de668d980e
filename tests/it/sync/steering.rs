//! Files that steer a team and cannot be used as they are on disk: they stay there, the rest goes on.
//! Border: whole commands; which texts are refused is the gate's table.

use crate::host::{Team, team};
use crate::support::{any_object_holds, token};

/// A file that steers, broken so that `STRAY` would travel, and a good text for it.
fn cases(roster: &str, policy: &str) -> [(&'static str, String, String); 4] {
    let entry = "- fingerprint: 00112233445566770011223344556677\n  reason: an example\n";
    [
        (
            ".memsync/roster.yaml",
            roster.replace("role:", "STRAY:"),
            roster.replace("name: Bob", "name: Bobby"),
        ),
        (
            ".memsync/roster.yaml",
            format!("{}# STRAY\n", roster.replace("role: admin", "role: writer")),
            roster.replace("name: Bob", "name: Bobby"),
        ),
        (
            ".memsync/policy.yaml",
            format!("{policy}STRAY: [\n"),
            policy.replace("kinds:", "kinds:\n- reference"),
        ),
        (".memsync/allow.yaml", "- STRAY: [\n".to_owned(), entry.to_owned()),
    ]
}

#[test]
fn a_typing_error_in_a_file_that_steers_stays_on_disk_and_the_rest_is_shared() {
    for case in 0..4 {
        let Team { world, ada, bob, .. } = team();
        let (roster, policy) = (ada.read(".memsync/roster.yaml"), ada.read(".memsync/policy.yaml"));
        let (path, broken, good) = &cases(&roster, &policy)[case];
        ada.write(path, broken);
        ada.remember("beside", "Goes on.");
        let said = ada.fails(&["push"], 1, &[path, "next:"]);
        assert!(!any_object_holds(&world.hub(), "STRAY"), "{path}: {said:?}");
        bob.done(&["pull"]);
        assert!(bob.has("beside.md"), "{path}: the rest is shared");
        ada.write(path, good);
        ada.done(&["push"]);
        bob.done(&["pull"]);
        assert_eq!(&bob.read(path), good);
    }
}

#[test]
fn a_file_that_a_team_needs_is_not_removed_and_comes_back_by_git() {
    let Team { world, ada, .. } = team();
    for path in [".memsync/roster.yaml", ".memsync/policy.yaml"] {
        ada.remove(path);
        ada.fails(&["push"], 1, &[path, "cannot be used without it", "git checkout"]);
        assert!(world.hub_files().contains_key(path));
        ada.git(&["checkout", "--", path]);
        ada.done(&["push"]);
    }
}

#[test]
fn a_list_that_is_kept_out_accepts_nothing_and_the_committed_one_counts() {
    let Team { world, ada, .. } = team();
    let with_token = crate::support::memory("ports", &format!("STRAY {}", token()));
    ada.write("ports.md", with_token);
    let said = ada.fails(&["push"], 1, &["ports.md"]);
    let said = said.out + &said.err;
    let fingerprint = said.split("scan allow ").nth(1).and_then(|rest| rest.get(..32));
    let fingerprint = fingerprint.expect("the refusal names the command that accepts").to_owned();
    let list = format!("- fingerprint: {fingerprint}\n  reason: an example\n");
    ada.write(".memsync/allow.yaml", format!("{list}- nonsense: [\n"));
    ada.fails(&["push"], 1, &["ports.md", ".memsync/allow.yaml"]);
    assert!(!any_object_holds(&world.hub(), "STRAY"));
    ada.write(".memsync/allow.yaml", list);
    ada.done(&["push"]);
    assert!(any_object_holds(&world.hub(), "STRAY"));
    // What is committed goes on counting while a later version cannot be read.
    ada.edit(".memsync/allow.yaml", |text| format!("{text}- nonsense: [\n"));
    ada.edit("ports.md", |text| format!("{text}One more line.\n"));
    ada.fails(&["push"], 1, &[".memsync/allow.yaml"]);
    assert!(world.hub_files()["ports.md"].contains("One more line."));
}
