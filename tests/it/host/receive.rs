//! A server with memsync as its pre-receive hook: what members would refuse does not get in.
//! Border: plain git pushes, as somebody without memsync does; the gate's part is in `hooks_run`.
#![expect(clippy::disallowed_methods, reason = "runs git with the program in its path")]

use std::path::Path;

use super::records::{maker, record, side};
use super::{Forged, MAIN, Team, team};
use crate::support::{Said, git, memory, say};

/// Pushes a commit with plain git from a clone of its own.
fn push(team: &Team, id: &str, to: &str) -> Said {
    let program = Path::new(env!("CARGO_BIN_EXE_memsync")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = team.eve.command("git");
    command.env("PATH", format!("{}:{path}", program.display()));
    command.current_dir(team.world.path().join("outside"));
    say(command.args(["push", "-q", "origin", &format!("+{id}:{to}")]))
}

#[test]
fn a_server_with_the_hook_takes_only_what_members_would_take() {
    let team = team();
    let outside = team.world.path().join("outside");
    git(team.world.path(), &["clone", "-q", &team.world.address(), outside.to_str().unwrap()]);
    team.ada.done(&["hooks", "install", "--repo", &team.world.address(), "pre-receive"]);
    let good = team.tip();
    let made = |forged: &Forged<'_>| {
        // Made in the hub and fetched, then forgotten there: only the push can bring it back.
        let id = team.publish(forged).to_string();
        git(&outside, &["fetch", "-q", "origin", &format!("+{MAIN}:refs/heads/made")]);
        team.move_to(good);
        id
    };
    for (forged, rule) in [
        (Forged { signer: None, ..team.by(&team.bob) }, "unsigned"),
        (team.by(&team.eve), "unknown-key"),
        (team.by(&team.bob).edit(".memsync/roster.yaml", None), "not-allowed"),
        (team.by(&team.ada).edit(".memsync/roster.yaml", None), "roster-removed"),
        (team.by(&team.eve).on(&[]), "other-root"),
    ] {
        let id = made(&forged);
        let said = push(&team, &id, MAIN);
        assert!(said.exit != 0 && said.err.contains(rule), "{rule}: {said:?}");
        assert_eq!(team.tip(), good, "{rule}");
    }
    // A proposal is judged when it is to become part of what is shared.
    let unsigned = made(&Forged { signer: None, ..team.by(&team.bob) });
    assert_eq!(push(&team, &unsigned, "refs/heads/proposal").exit, 0);
    let signed = made(&team.by(&team.bob));
    let said = push(&team, &signed, MAIN);
    assert_eq!((said.exit, team.tip().to_string()), (0, signed), "{said:?}");
}

#[test]
fn a_server_takes_no_conflict_record_that_is_not_true() {
    let team = team();
    team.bob.done(&["pull"]);
    let outside = team.world.path().join("outside");
    git(team.world.path(), &["clone", "-q", &team.world.address(), outside.to_str().unwrap()]);
    team.ada.done(&["hooks", "install", "--repo", &team.world.address(), "pre-receive"]);
    let (author, at, commit) = maker(&team, "ports.md");
    let now = team.file("ports.md");
    let kept = || side(&author, at, Some(commit), &now);
    let other = |author: &str| side(author, 1, None, &memory("ports", "9 evil"));
    let good = team.tip();
    for (author, is_true) in [("ada", false), ("bob", true)] {
        let record = record("ports.md", kept(), other(author));
        let path = record.record_path().to_string();
        let id = team.publish(&team.by(&team.bob).edit(&path, Some(record.render()))).to_string();
        git(&outside, &["fetch", "-q", "origin", &format!("+{MAIN}:refs/heads/made")]);
        team.move_to(good);
        let said = push(&team, &id, MAIN);
        assert_eq!(said.exit == 0, is_true, "{said:?}");
        assert!(is_true || said.err.contains("did not make the commit"), "{said:?}");
    }
}
