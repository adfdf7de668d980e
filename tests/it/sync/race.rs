//! Many writers at once to one hub, on one machine and on many: every edit arrives exactly once.
//! Border: correctness; how fast it is, `benches` measures.

use std::process::Stdio;

use crate::support::check::{assert_agreed, entries_for};
use crate::support::{Member, World, memory};

/// Members with a clone each.
const MEMBERS: usize = 16;

/// Pushes of each member.
const PUSHES: usize = 3;

fn push_all(members: &[Member], round: usize) {
    let start = |(number, member): (usize, &Member)| {
        let path = format!("m{number:02}-{round}.md");
        member.write(&path, memory(&path[..5], &format!("Said {number} {round}.")));
        member.edit("shared.md", |text| format!("{text}- Line {number} {round}.\n"));
        let mut command = member.program();
        command.args(["push", "--wait", "300"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let running: Vec<_> = members.iter().enumerate().map(start).collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn sixteen_writers_at_once_lose_nothing_and_double_nothing() {
    let world = World::new();
    let mut members = vec![world.founder("m0")];
    members[0].remember("shared", "Start.\n");
    members[0].done(&["push"]);
    members.extend((1..MEMBERS).map(|number| world.joiner(&format!("m{number}"))));
    for round in 0..PUSHES {
        push_all(&members, round);
    }
    let everyone: Vec<&Member> = members.iter().collect();
    for member in &everyone {
        member.done(&["pull"]);
    }
    let files = world.hub_files();
    for number in 0..MEMBERS {
        for round in 0..PUSHES {
            let path = format!("m{number:02}-{round}.md");
            assert!(files.contains_key(&path), "{path} is lost");
            assert_eq!(entries_for(&files["MEMORY.md"], &path), 1, "{path}");
            let line = format!("- Line {number} {round}.\n");
            let found = format!("{}\n", files["shared.md"]).matches(&line).count();
            assert_eq!(found, 1, "{line} in\n{}", files["shared.md"]);
        }
    }
    assert_agreed(&world, &everyone);
    let merges = crate::support::git(&world.hub(), &["rev-list", "--merges", "main"]);
    assert_eq!(merges, "", "history is linear");
}

#[test]
fn agents_on_one_machine_queue_and_none_is_lost() {
    let world = World::new();
    let ada = world.founder("ada");
    let agents: Vec<_> = (0..8)
        .map(|number| {
            let name = format!("note {number}");
            let mut command = ada.with("MEMSYNC_AGENT", &format!("agent-{number}")).program();
            command.args(["remember", "--kind", "project", "--description", "A note", "--name"]);
            command.arg(name).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for agent in agents {
        let output = agent.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    ada.done(&["push"]);
    let files = world.hub_files();
    for number in 0..8 {
        let path = format!("note-{number}.md");
        assert!(files.contains_key(&path), "{path} in {:?}", files.keys());
        assert_eq!(entries_for(&files["MEMORY.md"], &path), 1);
    }
    assert_agreed(&world, &[&ada]);
    let agents =
        crate::support::git(&world.hub(), &["log", "--format=%(trailers:key=Memsync-Agent)"]);
    for number in 0..8 {
        assert!(agents.contains(&format!("agent-{number}")), "{agents}");
    }
}
