//! The CI templates as hosts run them: the YAML is read, the checkout is made with plain git as the host
//! makes it, and the steps run in a shell with the host's variables.
//! Border: what hosts do is written here from their manuals; what the program finds is claimed in the files
//! below.
#![expect(clippy::disallowed_methods, reason = "runs shells and git as CI runners do")]

mod github;
mod gitlab;
mod reports;

use std::fs;
use std::path::{Path, PathBuf};

use memsync::base::id::ObjectId;
use memsync::git::write::Expected;
use serde_json::Value;

use crate::host::{Forged, MAIN, Team, team};
use crate::support::{Member, git, memory, write_program};

/// A team whose repository is on a host, and a machine that runs jobs.
pub(crate) struct Host {
    pub(crate) team: Team,
    pub(crate) runner: Member,
    /// Programs a runner has: `cargo` and `rustup` that only note what they are asked for.
    tools: PathBuf,
}

/// What a job did.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) exit: i32,
    /// What its steps wrote.
    pub(crate) log: String,
    /// What it shows a reviewer.
    pub(crate) summary: String,
    /// How the program was installed, one line for each call.
    pub(crate) installed: String,
}

/// A host with Bob's proposal on `feature`; the shared branch has not moved since.
pub(crate) fn host() -> Host {
    let team = team();
    team.bob.done(&["pull"]);
    team.bob.remember("mine", "Bob's own.");
    team.bob.done(&["push", "--branch", "feature"]);
    // Hosts give commits that no branch leads to any more.
    git(&team.world.hub(), &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let runner = team.world.newcomer("runner");
    let tools = team.world.path().join("tools");
    let program = env!("CARGO_BIN_EXE_memsync");
    let log = team.world.path().join("installed");
    fs::write(&log, "").unwrap();
    let log = log.display();
    write_program(
        &tools.join("cargo"),
        &format!(
            "#!/bin/sh\necho \"cargo $*\" >> '{log}'\nroot=\nwhile [ $# -gt 0 ]; do\n  \
             if [ \"$1\" = --root ]; then root=$2; fi\n  shift\ndone\n\
             mkdir -p \"$root/bin\" && ln -sf '{program}' \"$root/bin/memsync\"\n"
        ),
    );
    write_program(&tools.join("rustup"), &format!("#!/bin/sh\necho \"rustup $*\" >> '{log}'\n"));
    Host { team, runner, tools }
}

impl Host {
    /// Where a branch is.
    pub(crate) fn branch(&self, name: &str) -> ObjectId {
        self.team.hub.find_ref(&format!("refs/heads/{name}")).unwrap().unwrap()
    }

    /// Moves a ref as the host's owner.
    pub(crate) fn put(&self, name: &str, id: ObjectId) {
        self.team.hub.update_ref(name, id, Expected::Any, "host").unwrap();
    }

    /// The merge commit that a host makes for a proposal, on no branch and signed by nobody.
    pub(crate) fn merge(&self, head: ObjectId) -> ObjectId {
        let (main, head) = (self.team.tip().to_string(), head.to_string());
        let hub = self.team.world.hub();
        let tree = git(&hub, &["merge-tree", "--write-tree", &main, &head]);
        let who = ["-c", "user.name=Host", "-c", "user.email=noreply@host.example"];
        let commit = ["commit-tree", &tree, "-p", &main, "-p", &head, "-m", "Merge"];
        git(&hub, &[&who[..], &commit].concat()).parse().unwrap()
    }

    pub(crate) fn introduction(&self) -> String {
        let shown = self.team.ada.json(&["status"]);
        shown["introduction"].as_str().unwrap().to_owned()
    }

    /// The search path of a step.
    fn path(&self, first: &[String]) -> String {
        let system = std::env::var("PATH").unwrap();
        let own = [self.tools.display().to_string(), system];
        first.iter().cloned().chain(own).collect::<Vec<_>>().join(":")
    }

    fn installed(&self) -> String {
        fs::read_to_string(self.team.world.path().join("installed")).unwrap()
    }

    /// An empty folder for a job.
    fn workspace(&self, name: &str) -> PathBuf {
        let folder = self.team.world.path().join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        fs::create_dir(&folder).unwrap();
        folder
    }

    /// A change by a member on the hub's tip, stored and on no branch.
    pub(crate) fn stored(&self, forged: &Forged<'_>) -> ObjectId {
        self.team.store(&self.team.raw(forged))
    }

    /// Lets the shared branch move on.
    pub(crate) fn move_on(&self) -> ObjectId {
        let moved = Some(memory("ports", "8081 web"));
        self.team.publish(&self.team.by(&self.team.ada).edit("ports.md", moved));
        self.team.hub.find_ref(MAIN).unwrap().unwrap()
    }
}

impl Job {
    #[track_caller]
    pub(crate) fn ends(&self, exit: i32, texts: &[&str]) {
        assert_eq!(self.exit, exit, "{self:#?}");
        for text in texts {
            let all = format!("{}{}", self.log, self.summary);
            assert!(all.contains(text), "{text}: {self:#?}");
        }
        assert!(self.log.contains("checked: good") == (exit == 0), "{self:#?}");
        let head = if exit == 0 { "## Team memory: good" } else { "## Team memory: not good" };
        assert!(self.summary.starts_with(head), "{self:#?}");
    }
}

fn template(name: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/ci").join(name);
    serde_yaml::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}
