//! More states in which a command is refused: keys, branches, remotes, members, conflicts.
//! Border: only makes states; what is printed there is tried in `mod`.

use std::fs;

use super::State;
use crate::support::{Member, World, git};

pub(super) const MORE: [State; 14] = [
    State { name: "nothing refused", make: |w| w.founder("ada"), command: &["vouch"] },
    State { name: "nothing gone", make: with_roster, command: &["push", "--restore", "--yes"] },
    State {
        name: "shared branch as a proposal",
        make: changed,
        command: &["push", "--branch", "main"],
    },
    State { name: "another branch", make: on_a_topic, command: &["push"] },
    State { name: "branch gone", make: without_branch, command: &["pull"] },
    State { name: "hub emptied", make: emptied_hub, command: &["push"] },
    State { name: "restore not confirmed", make: without_branch, command: &["push", "--restore"] },
    State { name: "key gone", make: without_key, command: &["key", "show"] },
    State { name: "not introduced", make: stranger, command: &["join", "URL"] },
    State { name: "plain clone", make: cloned, command: &["push"] },
    State { name: "nothing to purge", make: with_roster, command: &["purge", "0123456789abcdef"] },
    State { name: "restart with an admin", make: with_roster, command: &["restart"] },
    State {
        name: "unshared before a purge",
        make: offline,
        command: &["purge", "0123456789abcdef"],
    },
    State {
        name: "no such device",
        make: with_roster,
        command: &["member", "remove", "ada", "--device", "x"],
    },
];

fn with_roster(world: &World) -> Member {
    let ada = world.newcomer("ada");
    ada.done(&["init", "--remote", &world.address()]);
    ada
}

fn changed(world: &World) -> Member {
    let ada = with_roster(world);
    ada.remember("a", "x");
    ada
}

fn on_a_topic(world: &World) -> Member {
    let ada = with_roster(world);
    ada.git(&["switch", "-q", "-c", "topic"]);
    ada.remember("a", "x");
    ada
}

fn without_branch(world: &World) -> Member {
    let ada = changed(world);
    ada.done(&["push"]);
    git(&world.hub(), &["update-ref", "refs/heads/other", "main"]);
    git(&world.hub(), &["update-ref", "-d", "refs/heads/main"]);
    ada
}

fn emptied_hub(world: &World) -> Member {
    let ada = changed(world);
    ada.done(&["push"]);
    fs::remove_dir_all(world.hub()).unwrap();
    fs::create_dir(world.hub()).unwrap();
    git(&world.hub(), &["init", "-q", "--bare", "-b", "main", "."]);
    ada
}

fn without_key(world: &World) -> Member {
    let ada = with_roster(world);
    fs::remove_dir_all(world.path().join("ada-home/memsync")).unwrap();
    ada
}

fn stranger(world: &World) -> Member {
    drop(with_roster(world));
    world.newcomer("bob")
}

fn cloned(world: &World) -> Member {
    drop(world.founder("ada"));
    let bob = world.newcomer("bob");
    git(&bob.memdir, &["clone", "-q", &world.address(), "team"]);
    bob
}

fn offline(world: &World) -> Member {
    let ada = changed(world);
    let away = world.path().join("away");
    fs::rename(world.hub(), &away).unwrap();
    ada.fails(&["push", "--wait", "0"], 3, &[]);
    fs::rename(&away, world.hub()).unwrap();
    ada
}
