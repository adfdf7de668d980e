//! Conflict records that somebody made up: whose they are, what they say, and what closing them does.
//! Border: forged by members with real keys; what a merge records is `merge`'s.

use memsync::base::id::ObjectId;
use memsync::base::path::MemoryPath;
use memsync::base::time::Timestamp;
use memsync::merge::Origin;
use memsync::merge::conflict::{Conflict, ConflictSide, Content, Part, Reason};

use super::{Team, team};
use crate::support::{git, memory};

pub(super) fn side(
    author: &str,
    seconds: i64,
    commit: Option<ObjectId>,
    text: &str,
) -> ConflictSide {
    let origin = Origin { author: author.to_owned(), date: Timestamp::utc(seconds), commit };
    ConflictSide { origin, content: Some(Content::Text(text.to_owned())) }
}

pub(super) fn record(path: &str, kept: ConflictSide, other: ConflictSide) -> Conflict {
    Conflict {
        path: MemoryPath::parse(path).unwrap(),
        part: Part::File,
        reason: Reason::BothEdited,
        other_path: None,
        base: None,
        kept,
        other,
    }
}

/// The author, date and id of the commit that brought a file to the hub.
pub(super) fn maker(team: &Team, path: &str) -> (String, i64, ObjectId) {
    let line = git(&team.world.hub(), &["log", "-1", "--format=%an|%at|%H", "main", "--", path]);
    let parts: Vec<&str> = line.trim().split('|').collect();
    (parts[0].to_owned(), parts[1].parse().unwrap(), parts[2].parse().unwrap())
}

#[test]
fn a_writer_cannot_make_a_record_about_the_roster() {
    let team = team();
    team.bob.done(&["pull"]);
    let roster = team.file(".memsync/roster.yaml");
    let (author, at, commit) = maker(&team, ".memsync/roster.yaml");
    let kept = side(&author, at, Some(commit), &roster);
    let other = side("Bob", 1, None, &roster.replace("role: writer", "role: admin"));
    let forged = record(".memsync/roster.yaml", kept, other);
    let path = forged.record_path().to_string();
    let change = team.by(&team.bob).edit(&path, Some(forged.render()));
    let bad = team.publish(&change);
    team.ada.fails(&["pull"], 4, &["refused", &bad.short(), "not-allowed", "next:"]);
    assert!(!team.ada.has(&path));
}

#[test]
fn a_record_that_speaks_for_others_is_named_and_no_side_of_it_is_taken() {
    let team = team();
    team.bob.done(&["pull"]);
    let (author, at, commit) = maker(&team, "ports.md");
    let now = team.file("ports.md");
    let mine = |text: &str| side("bob", at, None, text);
    let (lie, nowhere) = (memory("ports", "9 evil"), ObjectId::from_bytes(&[7; 20]).unwrap());
    for (kept, other, problem) in [
        (side(&author, at, Some(nowhere), &now), mine(&lie), "not in the history"),
        (side("Eve", at, Some(commit), &now), mine(&lie), "by somebody else"),
        (side(&author, at - 1, Some(commit), &now), mine(&lie), "of another time"),
        (mine(&now), side(&author, at, Some(commit), &lie), "says something else"),
        (side(&author, at, Some(commit), &now), side("Ada", at, None, &lie), "did not make"),
    ] {
        let forged = record("ports.md", kept, other);
        let path = forged.record_path().to_string();
        let before = team.tip();
        team.publish(&team.by(&team.bob).edit(&path, Some(forged.render())));
        let ada = &team.ada;
        let said = ada.fails(&["pull", "--strict"], 1, &["conflict-record", problem]);
        let id = forged.id();
        ada.fails(&["resolve", &id, "--theirs"], 1, &["is not true", problem, "--ours"]);
        assert_eq!(ada.read("ports.md"), now, "{said:?}");
        ada.done(&["resolve", &id, "--ours"]);
        ada.done(&["push"]);
        assert!(!team.ada.has(&path) && before != team.tip());
    }
}

#[test]
fn a_record_that_somebody_puts_on_disk_is_kept_out() {
    let team = team();
    team.bob.done(&["pull"]);
    let (author, at, commit) = maker(&team, "ports.md");
    let forged = record(
        "ports.md",
        side(&author, at, Some(commit), &team.file("ports.md")),
        side("Ada", at, None, &memory("ports", "9 evil")),
    );
    let path = forged.record_path().to_string();
    team.bob.write(&path, forged.render());
    team.bob.fails(&["push"], 1, &[&path, "did not make the commit"]);
    assert!(!team.world.hub_files().contains_key(&path));
}

#[test]
fn closing_a_conflict_about_the_roster_says_what_changes_and_asks() {
    let team = team();
    let Team { ada, world, .. } = &team;
    let roster = team.file(".memsync/roster.yaml");
    let (author, at, commit) = maker(&team, ".memsync/roster.yaml");
    let other = roster.replace("role: writer", "role: admin");
    let genuine = record(
        ".memsync/roster.yaml",
        side(&author, at, Some(commit), &roster),
        side("ada", at, None, &other),
    );
    let path = genuine.record_path().to_string();
    let signed = team.by(ada).edit(&path, Some(genuine.render()));
    team.publish(&signed);
    ada.done(&["pull"]);
    let id = genuine.id();
    let shown = ada.done(&["resolve", &id]).out;
    assert!(shown.contains("`--theirs` changes: `bob` becomes admin, from writer"), "{shown}");
    ada.fails(&["resolve", &id, "--theirs"], 1, &["`bob` becomes admin", "--yes"]);
    assert_eq!(ada.read(".memsync/roster.yaml"), roster);
    ada.done(&["resolve", &id, "--theirs", "--yes"]);
    ada.done(&["push"]);
    assert!(world.hub_files()[".memsync/roster.yaml"].contains("role: admin"));
    assert!(!ada.done(&["member", "list"]).out.contains("bob writer"));
}
