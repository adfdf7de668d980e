//! `memsync key rotate`: the new key is in the roster before the file changes, and work goes on.
//! Border: starts the built program in a team of roster trust; ssh-agent is a real one.
#![expect(clippy::disallowed_methods, reason = "looks at key files and starts ssh-agent")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use crate::host::{admit, team};
use crate::support::check::{assert_agreed, assert_clean};
use crate::support::{Member, World, say};

/// The member's key file.
fn key_file(world: &World, member: &Member) -> PathBuf {
    let name = member.memdir.file_name().unwrap().to_str().unwrap();
    world.path().join(format!("{name}-home/memsync/id_ed25519"))
}

fn fingerprint(member: &Member, arguments: &[&str]) -> String {
    let shown = member.json(&[arguments, &["key", "show"]].concat());
    shown["fingerprint"].as_str().unwrap().to_owned()
}

#[test]
fn a_writer_rotates_his_own_key_and_unshared_work_goes_on_with_the_new_one() {
    let team = team();
    let (bob, old) = (&team.bob, fingerprint(&team.bob, &[]));
    bob.remember("mine", "Bob's own.");
    bob.done(&["pull"]);
    let said = bob.done(&["key", "rotate"]);
    assert!(said.out.contains("the old key signs nothing any more"), "{said:?}");
    let new = fingerprint(bob, &[]);
    assert_ne!(old, new);
    let file = key_file(&team.world, bob);
    let aside = file.with_file_name("id_ed25519.old-2026-03-04");
    for file in [&file, &aside] {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o7777, 0o600);
    }
    assert_eq!(fingerprint(bob, &["--key", aside.to_str().unwrap()]), old);
    assert!(!file.with_file_name("id_ed25519.next").exists());
    assert!(!file.with_file_name("id_ed25519.next.pub").exists());
    bob.done(&["push"]);
    team.ada.done(&["pull"]);
    assert!(team.ada.has("mine.md"));
    assert_agreed(&team.world, &[&team.ada, bob]);
    let members = bob.json(&["member", "list"]);
    assert_eq!(members["members"][1]["keys"], serde_json::json!([new]));
    // The old key is in nobody's hands any more.
    let thief = bob.with("MEMSYNC_KEY", aside.to_str().unwrap());
    thief.remember("stolen", "text");
    thief.fails(&["push"], 4, &["revoked"]);
    // History by the old key verifies with plain git, too.
    let said = bob.git(&["log", "--format=%G?", "origin/main"]);
    assert!(said.lines().all(|line| line == "G"), "{said}");
}

#[test]
fn the_last_admin_rotates_and_goes_on_as_admin() {
    let team = team();
    team.ada.done(&["key", "rotate"]);
    team.ada.done(&["member", "role", "bob", "reader"]);
    team.ada.done(&["push"]);
    team.bob.done(&["pull"]);
    assert_agreed(&team.world, &[&team.ada, &team.bob]);
}

#[test]
fn who_may_not_change_the_roster_gets_a_line_for_an_admin() {
    let team = team();
    team.ada.done(&["member", "role", "bob", "reader"]);
    team.ada.done(&["push"]);
    let said = team.bob.done(&["key", "rotate"]);
    let line = said.out.lines().find(|line| line.starts_with("memsync-request/1 ")).unwrap();
    assert!(said.err.contains("memsync member add --new-key"), "{said:?}");
    team.ada.fails(&["member", "add", line], 1, &["--new-key"]);
    team.ada.done(&["member", "add", line, "--new-key"]);
    team.ada.done(&["member", "role", "bob", "writer"]);
    team.ada.done(&["push"]);
    team.bob.done(&["pull"]);
    team.bob.remember("mine", "Bob's own.");
    team.bob.done(&["push"]);
}

#[test]
fn an_unreachable_remote_changes_no_file_and_running_it_again_finishes() {
    let team = team();
    let old = fingerprint(&team.bob, &[]);
    let hub = team.world.hub();
    let away = team.world.path().join("away.git");
    fs::rename(&hub, &away).unwrap();
    team.bob.fails(&["key", "rotate"], 3, &["next:"]);
    assert_eq!(fingerprint(&team.bob, &[]), old);
    let next = key_file(&team.world, &team.bob).with_file_name("id_ed25519.next");
    let prepared = fingerprint(&team.bob, &["--key", next.to_str().unwrap()]);
    fs::rename(&away, &hub).unwrap();
    team.bob.remember("mine", "Bob's own.");
    team.bob.done(&["push"]);
    team.bob.done(&["key", "rotate"]);
    assert_eq!(fingerprint(&team.bob, &[]), prepared);
    team.bob.done(&["push"]);
    assert_clean(&team.bob);
}

#[test]
fn another_team_that_knows_the_old_key_gets_the_new_one_by_name() {
    let (team, other) = (team(), World::new());
    // Bob's second team is founded by Carol; his key is the same.
    let carol = other.newcomer("carol");
    carol.done(&["init", "--remote", &other.address()]);
    let home = team.world.path().join("bob-home");
    let bob = other.newcomer("bob").with("XDG_CONFIG_HOME", home.to_str().unwrap());
    admit(&other, &carol, &bob, "writer");
    let said = team.bob.done(&["key", "rotate"]);
    let aside = said.err.split("--from ").nth(1).unwrap().split('`').next().unwrap();
    bob.remember("mine", "Bob's own.");
    bob.fails(&["push"], 4, &["next:"]);
    bob.done(&["key", "rotate", "--from", aside]);
    bob.done(&["push"]);
    carol.done(&["pull"]);
    assert!(carol.has("mine.md"));
}

#[test]
fn without_a_team_only_the_file_changes() {
    let world = World::new();
    let dan = world.newcomer("dan");
    dan.fails(&["key", "rotate"], 2, &["memsync key generate"]);
    dan.done(&["key", "generate"]);
    let old = fingerprint(&dan, &[]);
    assert!(dan.done(&["key", "rotate"]).err.contains("only the key file changes"));
    dan.done(&["key", "rotate"]);
    assert_ne!(fingerprint(&dan, &[]), old);
    let twice = key_file(&world, &dan).with_file_name("id_ed25519.old-2026-03-04-2");
    assert!(twice.exists());
}

/// A running ssh-agent, ended on drop.
struct Agent(Child);

impl Drop for Agent {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn a_whole_team_life_is_signed_by_a_key_that_only_ssh_agent_holds() {
    let world = World::new();
    let socket = world.path().join("agent");
    let ada = world.newcomer("ada").with("SSH_AUTH_SOCK", socket.to_str().unwrap());
    let mut command = ada.command("ssh-agent");
    command.args(["-D", "-a", socket.to_str().unwrap()]).stdout(Stdio::null());
    let _agent = Agent(command.spawn().unwrap());
    for _ in 0..200 {
        if socket.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    for name in ["own", "second"] {
        let file = world.path().join(name);
        let file = file.to_str().unwrap();
        for (program, arguments) in [
            ("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", file][..]),
            ("ssh-add", &["-q", file][..]),
        ] {
            let said = say(ada.command(program).args(arguments));
            assert_eq!(said.exit, 0, "{said:?}");
        }
        // From here on the private key is in the agent alone.
        fs::remove_file(file).unwrap();
    }
    let path = |name: &str| world.path().join(name).to_str().unwrap().to_owned();
    ada.done(&["key", "import", &path("own.pub")]);
    ada.done(&["init", "--remote", &world.address()]);
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    ada.done(&["key", "rotate", "--to", &path("second.pub")]);
    ada.remember("hosts", "one");
    ada.done(&["push"]);
    let said = ada.git(&["log", "--format=%G? %GK"]);
    assert!(said.lines().all(|line| line.starts_with("G ")), "{said}");
    assert_ne!(said.lines().next(), said.lines().last(), "two keys signed");
    // Without the agent nothing is signed and nothing is lost.
    let alone = ada.with("SSH_AUTH_SOCK", "/nonexistent");
    alone.remember("late", "text");
    alone.fails(&["push"], 2, &["next:"]);
    ada.done(&["push"]);
    assert!(world.hub_files().contains_key("late.md"));
}

#[test]
fn nobody_works_between_the_check_and_the_change() {
    let team = team();
    team.bob.done(&["pull"]);
    let (arrived, release) = (team.world.path().join("arrived"), team.world.path().join("release"));
    let script = format!(
        "#!/bin/sh\ntouch '{}'\nwhile [ ! -e '{}' ]; do sleep 0.05; done\nexit 0\n",
        arrived.display(),
        release.display()
    );
    team.world.hook("pre-receive", &script);
    let mut command = team.bob.program();
    command.args(["key", "rotate"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let rotation = command.spawn().unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !arrived.exists() {
        assert!(std::time::Instant::now() < deadline, "the rotation never arrived");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // The roster was checked and is not changed yet.
    team.bob.fails(&["push", "--wait", "0"], 3, &["another memsync"]);
    fs::write(&release, "").unwrap();
    let output = rotation.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    team.bob.remember("mine", "Bob's own.");
    team.bob.done(&["push"]);
}
