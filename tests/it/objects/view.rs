//! One view of the objects for every reader: whatever a git dir says beside them, a credential in a
//! commit that goes out is seen.
//! Border: each way in which git can be shown other objects than it sends; what is a credential is
//! `secrets`.
#![expect(clippy::disallowed_methods, reason = "changes files of git dirs as an attacker does")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use super::envelope::commit;
use crate::support::{Member, Said, World, git, memory, say, token};

/// A member whose unshared history has a token that a later commit takes out again.
struct Scene {
    world: World,
    ada: Member,
    /// The blob with the token.
    blob: String,
    /// The commit that adds it, and the one that takes it out.
    leak: String,
    tip: String,
}

fn scene() -> Scene {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    ada.write("hosting.md", memory("hosting", &format!("The token is {}.", token())));
    commit(&ada, "add");
    let (leak, blob) = (ada.tip(), ada.git(&["rev-parse", "HEAD:hosting.md"]));
    ada.remove("hosting.md");
    commit(&ada, "take out");
    let tip = ada.tip();
    Scene { world, ada, blob, leak, tip }
}

impl Scene {
    fn loose(&self, id: &str) -> PathBuf {
        self.ada.team().join(".git/objects").join(&id[..2]).join(&id[2..])
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.ada.team().join(".git").join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Puts the bytes of one object in the file of another.
    fn swap(&self, id: &str, by: &str) {
        let bytes = fs::read(self.loose(by)).unwrap();
        fs::set_permissions(self.loose(id), fs::Permissions::from_mode(0o644)).unwrap();
        fs::write(self.loose(id), bytes).unwrap();
    }

    /// A commit like the tip that has only the shared commit before it.
    fn clean_tip(&self) -> String {
        let base = format!("{}^", self.leak);
        self.ada.git(&["commit-tree", &format!("{}^{{tree}}", self.tip), "-p", &base, "-m", "x"])
    }

    fn clean_blob(&self) -> String {
        self.ada.git(&["rev-parse", "HEAD:ports.md"])
    }

    fn inside(&self, arguments: &[&str]) -> Said {
        let mut command = self.ada.command(env!("CARGO_BIN_EXE_memsync"));
        command.env_remove("MEMSYNC_TEST_CLOCK");
        say(command.current_dir(self.ada.team()).args(arguments))
    }
}

/// A way to show other objects than the ones that are sent.
type Disguise = fn(&Scene);

const DISGUISES: [(&str, Disguise); 9] = [
    ("nothing", |_| ()),
    ("a replaced blob", |s| {
        s.ada.git(&["replace", &s.blob, &s.clean_blob()]);
    }),
    ("a replaced commit", |s| {
        s.ada.git(&["replace", &s.tip, &s.clean_tip()]);
    }),
    ("a replaced commit before", |s| {
        s.ada.git(&["replace", &s.leak, &format!("{}^", s.leak)]);
    }),
    ("a graft", |s| s.write("info/grafts", &format!("{} {}\n", s.tip, s.clean_tip()))),
    ("a cut that is none", |s| s.write("shallow", &format!("{}\n", s.tip))),
    ("a cut before", |s| s.write("shallow", &format!("{}\n", s.leak))),
    ("another blob in its file", |s| s.swap(&s.blob, &s.clean_blob())),
    ("another commit in its file", |s| {
        let clean = s.clean_tip();
        s.swap(&s.tip, &clean);
    }),
];

#[test]
fn whatever_the_git_dir_shows_a_token_in_a_commit_is_not_pushed() {
    for (name, disguise) in DISGUISES {
        let scene = scene();
        disguise(&scene);
        let said = scene.ada.run(&["push"]);
        // The commits cancel out: either they are seen as they are and not sent, or nothing is.
        let tells = ["looks like a secret", "other bytes than its name"];
        let is_told = tells.iter().any(|text| said.err.contains(text));
        assert!(said.exit == 0 || [1, 3].contains(&said.exit) && is_told, "{name}: {said:?}");
        assert!(!scene.world.hub_holds(&token()), "{name}");
        let held = git(&scene.world.hub(), &["rev-list", "--all", "--objects"]);
        assert!(!held.contains(&scene.leak) && !held.contains(&scene.blob), "{name}");
    }
}

#[test]
fn whatever_the_git_dir_shows_a_token_in_a_commit_is_found_by_a_scan() {
    for (name, disguise) in DISGUISES {
        let scene = scene();
        disguise(&scene);
        let base = format!("{}^..{}", scene.leak, scene.tip);
        for arguments in [
            &["scan", "--history", "--no-cache"][..],
            &["scan", "--history"],
            &["scan", "--history"],
            &["scan", "--range", &base],
        ] {
            let said = scene.inside(arguments);
            assert!([1, 3].contains(&said.exit), "{name} {arguments:?}: {said:?}");
            let text = format!("{}{}", said.out, said.err);
            let tells = ["hosting.md", "other bytes than its name"];
            assert!(tells.iter().any(|tell| text.contains(tell)), "{name}: {said:?}");
        }
    }
}

#[test]
fn whatever_the_git_dir_shows_the_push_hook_stops_a_token_in_a_commit() {
    for (name, disguise) in DISGUISES {
        let scene = scene();
        scene.ada.done(&["hooks", "install", "--repo", scene.ada.team().to_str().unwrap()]);
        disguise(&scene);
        let mut plain = scene.ada.command("git");
        let team = scene.ada.team();
        plain.args(["-C", team.to_str().unwrap(), "push", "origin", "main"]);
        let said = say(&mut plain);
        assert_ne!(said.exit, 0, "{name}: {said:?}");
        assert!(!scene.world.hub_holds(&token()), "{name}");
    }
}

#[test]
fn a_team_memory_whose_objects_are_elsewhere_is_refused_with_a_next_step_that_helps() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    let info = ada.team().join(".git/objects/info");
    fs::create_dir_all(&info).unwrap();
    let hub = format!("{}/objects\n", world.hub().display());
    fs::write(info.join("alternates"), hub).unwrap();
    for arguments in [&["push"][..], &["pull"], &["status"], &["audit"], &["log"]] {
        let said = ada.fails(arguments, 3, &["objects of another repository", "repack -a -d"]);
        assert!(said.out.is_empty() || arguments == ["audit"], "{said:?}");
    }
    let said = ada.run(&["status"]);
    let step = said.err.lines().find(|line| line.contains("next:")).unwrap();
    for command in step.split('`').skip(1).step_by(2) {
        let done = say(ada.command("sh").arg("-c").arg(command));
        assert_eq!(done.exit, 0, "{command}: {done:?}");
    }
    ada.done(&["push"]);
    fs::write(ada.team().join(".git/commondir"), format!("{}\n", world.hub().display())).unwrap();
    ada.fails(&["push"], 3, &["commondir", "objects of another repository", "rm "]);
    fs::remove_file(ada.team().join(".git/commondir")).unwrap();
    ada.done(&["status"]);
}

#[test]
fn a_shallow_clone_is_scanned_and_what_is_not_there_is_said() {
    let scene = scene();
    git(&scene.ada.team(), &["push", "-q", "--no-verify", "origin", "main"]);
    for (depth, range) in [("1", "HEAD"), ("2", "HEAD~1..HEAD"), ("3", "HEAD~2..HEAD")] {
        let clone = scene.world.path().join(format!("clone-{depth}"));
        let url = format!("file://{}", scene.world.hub().display());
        let mut command = Command::new("git");
        command.args(["clone", "-q", "--depth", depth, &url, clone.to_str().unwrap()]);
        assert!(command.status().unwrap().success());
        let run = |arguments: &[&str]| {
            let mut program = scene.ada.command(env!("CARGO_BIN_EXE_memsync"));
            say(program.current_dir(&clone).args(arguments))
        };
        let said = run(&["scan", "--history", "--no-cache"]);
        assert_eq!(said.exit, i32::from(depth != "1"), "{depth}: {said:?}");
        assert!(said.err.contains("history is cut off"), "{depth}: {said:?}");
        if range.contains("..") {
            let said = run(&["scan", "--range", range]);
            assert_eq!(said.exit, i32::from(depth == "3"), "{depth}: {said:?}");
            assert!(!said.err.contains("history is cut off"), "{depth}: {said:?}");
        }
    }
}

#[test]
fn a_whole_clone_says_nothing_of_a_cut() {
    let scene = scene();
    assert!(!scene.inside(&["scan", "--history"]).err.contains("cut off"));
}
