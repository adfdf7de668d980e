//! A team around a host that merges: who is how far, what a host does, and what must then hold for everybody.
//! Border: plain git makes the merges, as hosts do; which way does what is claimed in `merging.rs`.
#![expect(
    clippy::disallowed_methods,
    reason = "runs git and the program as a host and a server do"
)]

use std::fs;
use std::path::{Path, PathBuf};

use super::{Team, admit, team};
use crate::support::check::{assert_agreed, assert_untouched};
use crate::support::{Member, Said, git, say};

/// Ada (admin, up to date), Bob (behind), Carol (who proposes), Dan (with a commit of his own that nobody has).
pub(super) struct Scene {
    pub(super) team: Team,
    pub(super) carol: Member,
    dan: Member,
    /// A clone of the host's own.
    host: PathBuf,
    /// Where main was before anybody merged.
    before: String,
}

/// Whether the shared branch gets a change while a request is open.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Main {
    Still,
    Moved,
}

impl Scene {
    /// A team with some memories that the tests change.
    pub(super) fn begin() -> Self {
        let team = team();
        team.bob.done(&["pull"]);
        let (carol, dan) = (team.world.newcomer("carol"), team.world.newcomer("dan"));
        for member in [&carol, &dan] {
            admit(&team.world, &team.ada, member, "writer");
        }
        for name in ["guide", "plans", "notes", "hosts"] {
            team.ada.remember(name, "First.");
        }
        team.ada.done(&["push"]);
        for member in [&carol, &dan] {
            member.done(&["pull"]);
        }
        let host = team.world.path().join("host");
        git(team.world.path(), &["clone", "-q", &team.world.address(), host.to_str().unwrap()]);
        for (name, value) in [("user.name", "Host"), ("user.email", "noreply@host.example")] {
            git(&host, &["config", name, value]);
        }
        let before = team.tip().to_string();
        let scene = Self { team, carol, dan, host, before };
        scene.alone(&scene.dan, "hosts", "Dan's own.");
        scene
    }

    /// A member commits while the hub cannot be reached.
    pub(super) fn alone(&self, member: &Member, name: &str, body: &str) {
        let away = self.team.world.path().join("away");
        fs::rename(self.team.world.hub(), &away).unwrap();
        member.remember(name, body);
        let said = member.run(&["push", "--wait", "0"]);
        fs::rename(&away, self.team.world.hub()).unwrap();
        assert_eq!(said.exit, 3, "{said:?}");
        assert_eq!(member.json(&["status"])["ahead"], 1);
    }

    /// A member proposes a change on a branch.
    pub(super) fn propose(&self, member: &Member, name: &str, body: &str) -> String {
        let branch = format!("request/{name}");
        member.remember(name, body);
        member.done(&["push", "--branch", &branch]);
        branch
    }

    /// The host moves main, or not.
    pub(super) fn main(&self, main: Main) {
        if main == Main::Moved {
            self.team.ada.remember("plans", "Ada went on.");
            self.team.ada.done(&["push"]);
        }
    }

    /// Runs git on the host, on its branch main as it is now, and publishes what came of it.
    pub(super) fn button(&self, commands: &[&[&str]]) {
        git(&self.host, &["fetch", "-q", "origin"]);
        git(&self.host, &["checkout", "-q", "-B", "main", "origin/main"]);
        for command in commands {
            git(&self.host, command);
        }
        git(&self.host, &["push", "-q", "origin", "main"]);
    }

    /// The button that brings main into the branch of a request.
    pub(super) fn update(&self, branch: &str) {
        git(&self.host, &["fetch", "-q", "origin"]);
        git(&self.host, &["checkout", "-q", "-B", branch, &format!("origin/{branch}")]);
        git(&self.host, &["merge", "-q", "--no-ff", "-m", "Update branch", "origin/main"]);
        git(&self.host, &["push", "-q", "origin", branch]);
    }

    pub(super) fn merge(&self, branch: &str) {
        self.button(&[&[
            "merge",
            "-q",
            "--no-ff",
            "-m",
            "Merge request",
            &format!("origin/{branch}"),
        ]]);
    }

    pub(super) fn members(&self) -> [&Member; 4] {
        [&self.team.ada, &self.team.bob, &self.carol, &self.dan]
    }

    /// What CI says about the hub's tip.
    fn ci(&self) -> Said {
        let introduction =
            self.team.ada.json(&["status"])["introduction"].as_str().unwrap().to_owned();
        git(&self.host, &["fetch", "-q", "origin"]);
        git(&self.host, &["checkout", "-q", "--detach", "origin/main"]);
        let mut command = self.team.world.newcomer("runner").command(env!("CARGO_BIN_EXE_memsync"));
        command.arg("-C").arg(&self.host);
        say(command.args(["ci", "--branch", "main", "--introduction", &introduction]))
    }

    /// What a server with the hook says when the hub's tip is pushed to where main was before.
    fn server(&self) -> Said {
        let server = self.team.world.path().join(format!("server-{}", self.team.tip().short()));
        let address = server.to_str().unwrap();
        git(
            self.team.world.path(),
            &["clone", "-q", "--bare", &self.team.world.address(), address],
        );
        git(&server, &["update-ref", "refs/heads/main", &self.before]);
        self.team.ada.done(&["hooks", "install", "--repo", address, "pre-receive"]);
        git(&self.host, &["fetch", "-q", "origin"]);
        let program = Path::new(env!("CARGO_BIN_EXE_memsync")).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut push = self.team.ada.command("git");
        push.env("PATH", format!("{}:{path}", program.display())).current_dir(&self.host);
        say(push.args(["push", "-q", address, "origin/main:refs/heads/main"]))
    }

    /// Everybody takes what is there, in one pull, with the same result; work goes on.
    pub(super) fn is_taken_by_all(&self, way: &str) {
        let tip = self.team.tip().to_string();
        let said = self.ci();
        assert_eq!(said.exit, 0, "{way}, CI: {said:?}");
        let said = self.server();
        assert_eq!(said.exit, 0, "{way}, server: {said:?}");
        let nina = self.team.world.newcomer("nina");
        nina.done(&["join", &self.team.world.address(), "--accept-introduction"]);
        for member in [&self.team.ada, &self.team.bob, &self.carol, &nina] {
            let said = member.run(&["pull", "--strict"]);
            assert_eq!(
                (said.exit, member.tip()),
                (0, tip.clone()),
                "{way}, {}: {said:?}",
                member.memdir.display()
            );
        }
        self.goes_on(way, &nina);
    }

    /// Dan's own commit arrives, and so does what Bob writes now.
    fn goes_on(&self, way: &str, nina: &Member) {
        self.team.bob.remember("later", "Bob went on.");
        for member in [&self.dan, &self.team.bob] {
            let said = member.run(&["push", "--wait", "20"]);
            assert_eq!(said.exit, 0, "{way}, {}: {said:?}", member.memdir.display());
            assert!(!said.err.contains("faster"), "{way}: {said:?}");
        }
        let [ada, bob, carol, dan] = self.members();
        for member in [ada, bob, carol, dan, nina] {
            member.done(&["pull", "--strict"]);
        }
        assert_agreed(&self.team.world, &[ada, bob, carol, dan, nina]);
        assert!(dan.read("hosts.md").contains("Dan's own.") && dan.has("later.md"), "{way}");
    }

    /// Everybody refuses what is there, with the same reason and the same tip; the way out that is printed works.
    pub(super) fn is_refused_until_an_admin_vouches(&self, way: &str, rule: &str) {
        let tip = self.team.tip().to_string();
        assert_ne!(self.ci().exit, 0, "{way}, CI");
        assert_ne!(self.server().exit, 0, "{way}, server");
        let nina = self.team.world.newcomer("nina");
        let said = nina.run(&["join", &self.team.world.address(), "--accept-introduction"]);
        assert_eq!(said.exit, 4, "{way}: {said:?}");
        let mut next = None;
        for member in [&self.team.ada, &self.team.bob, &self.carol, &self.dan, &nina] {
            for command in [&["pull", "--strict"][..], &["push", "--wait", "20"]] {
                let said = member.run(command);
                let whose = format!("{way}, {command:?} by {}: {said:?}", member.memdir.display());
                assert_eq!(said.exit, 4, "{whose}");
                assert!(said.err.contains(&format!("({rule})")), "{whose}");
                assert!(!said.err.contains("faster"), "{whose}");
                next = next.or_else(|| vouch_of(&said.err));
            }
            let status = member.json(&["status"]);
            assert!(status["last"]["refused"]["commit"].is_string(), "{way}: {status}");
            assert_untouched(member);
        }
        assert_eq!(self.team.tip().to_string(), tip, "{way}: somebody pushed onto what is refused");
        let next = next.unwrap_or_else(|| panic!("{way}: nobody was told to vouch"));
        let said = self.team.ada.run(&next.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(said.exit, 0, "{way}, {next:?}: {said:?}");
        for member in [&self.team.ada, &self.team.bob, &self.carol, &nina] {
            member.done(&["pull", "--strict"]);
        }
        assert_eq!(self.ci().exit, 0, "{way}, CI after the vouch");
        self.goes_on(way, &nina);
    }
}

/// The command that an error names for an admin, without the name of the program.
fn vouch_of(text: &str) -> Option<Vec<String>> {
    let rest = text.split("`memsync vouch ").nth(1)?;
    let command = rest.split('`').next()?;
    Some(std::iter::once("vouch").chain(command.split(' ')).map(str::to_owned).collect())
}
