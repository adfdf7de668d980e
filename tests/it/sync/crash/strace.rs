//! Faults injected by strace into copies of one prepared world.
//! Border: records calls and disturbs runs; what must hold afterwards is the parent's.
#![expect(clippy::disallowed_methods, reason = "copies worlds and starts strace")]
#![expect(clippy::print_stderr, reason = "a skipped test must say so")]

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::{Member, Said, World, git, memory, say};

/// Calls that change something others can see, or that open what is changed.
const CALLS: &str = "openat,openat2,write,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,\
                     mkdir,mkdirat,link,linkat,ftruncate,flock";

/// Whether strace can be used here.
pub(super) fn is_there() -> bool {
    let works = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    if works.is_ok_and(|output| output.status.success()) {
        return true;
    }
    let required = std::env::var_os("MEMSYNC_REQUIRE_SERVERS").is_some_and(|v| v == "1");
    assert!(!required, "strace is missing, and MEMSYNC_REQUIRE_SERVERS=1");
    eprintln!("skipped: strace is not installed or may not trace");
    false
}

/// One system call of a recorded run.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    /// The call's name.
    pub(super) name: String,
    /// Which of its name within its process, from 1.
    pub(super) count: usize,
    /// Whether processes that were started count too.
    follow: bool,
}

impl Fault {
    /// Options that kill the process there.
    pub(super) fn kill(&self) -> Vec<String> {
        self.options("signal=KILL")
    }

    /// Options that make the call fail there.
    pub(super) fn fail(&self, error: &str) -> Vec<String> {
        self.options(&format!("error={error}"))
    }

    fn options(&self, what: &str) -> Vec<String> {
        let (name, count) = (&self.name, self.count);
        let mut options =
            vec![format!("-etrace={name}"), format!("-einject={name}:{what}:when={count}")];
        if self.follow {
            options.push("-f".to_owned());
        }
        options
    }
}

/// A world before a command of one of its members, who is Bob in most stories.
pub(super) struct Story {
    world: World,
    who: &'static str,
}

/// What stands for the address of the hub in a command, because each copy has its own.
pub(super) const HUB: &str = "HUB";

/// A copy of the story that may be disturbed.
pub(super) struct Copy {
    folder: TempDir,
    pub(super) bob: Member,
}

impl Story {
    /// A world of one's own.
    pub(super) fn of(world: World, who: &'static str) -> Self {
        Self { world, who }
    }

    /// A team in the middle of everything: Ada shared edits, Bob has his own, some committed, some
    /// not.
    pub(super) fn new() -> Self {
        let world = World::new();
        let ada = world.founder("ada");
        ada.remember("notes", "First.\n\nSecond.\n\nThird.");
        ada.remember("old", "To be deleted.");
        ada.remember("stale", "To be deleted too.");
        ada.done(&["push"]);
        let bob = world.joiner("bob");
        ada.edit("notes.md", |text| text.replace("First.", "First, said Ada."));
        ada.write("topics/deep/from-ada.md", memory("from-ada", "New from Ada."));
        ada.remove("old.md");
        ada.done(&["push"]);
        let options = ["remember", "--kind", "project", "--description", "Mine", "--name"];
        bob.done(&[&options[..], &["from bob"]].concat());
        bob.edit("notes.md", |text| text.replace("Third.", "Third, said Bob."));
        bob.write("topics/second.md", memory("second", "Not committed yet."));
        bob.remove("stale.md");
        Self::of(world, "bob")
    }

    pub(super) fn copy(&self) -> Copy {
        let folder = tempfile::Builder::new().prefix("memsync-crash").tempdir().unwrap();
        let mut command = Command::new("cp");
        command.arg("-a").arg(self.world.path().join(".")).arg(folder.path());
        assert!(command.status().unwrap().success());
        let bob = Member::below(folder.path(), self.who, &[]);
        let config = bob.team().join(".git/config");
        if let Ok(text) = fs::read_to_string(&config) {
            let (from, to) = (self.world.path().to_str().unwrap(), folder.path().to_str().unwrap());
            fs::write(config, text.replace(from, to)).unwrap();
        }
        Copy { folder, bob }
    }
}

impl Copy {
    pub(super) fn hub(&self) -> PathBuf {
        self.folder.path().join("hub.git")
    }

    pub(super) fn hub_files(&self) -> BTreeMap<String, String> {
        crate::support::files_at(&self.hub(), "main")
    }

    /// The words of a command with this copy's hub in it.
    fn words(&self, command: &[&str]) -> Vec<String> {
        let hub = self.hub().to_str().unwrap().to_owned();
        command
            .iter()
            .map(|word| if *word == HUB { hub.clone() } else { (*word).to_owned() })
            .collect()
    }

    /// Runs Bob's command without a fault.
    pub(super) fn run(&self, command: &[&str]) -> Said {
        let words = self.words(command);
        self.bob.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Runs Bob's command under strace.
    pub(super) fn disturbed(&self, command: &[&str], options: &[String]) -> Said {
        let log = self.folder.path().join("trace");
        self.traced(command, options, &log)
    }

    fn traced(&self, words: &[&str], options: &[String], log: &Path) -> Said {
        let mut command = self.bob.command("strace");
        command.arg("-qq").arg("-o").arg(log).args(options);
        command.arg(env!("CARGO_BIN_EXE_memsync")).arg("--memdir").arg(&self.bob.memdir);
        say(command.args(self.words(words)))
    }
}

/// The calls of an undisturbed run: those of the program's main thread, and those of the git
/// processes it starts.
pub(super) fn calls(story: &Story, command: &[&str]) -> (Vec<Fault>, Vec<Fault>) {
    let world = story.copy();
    let log = world.folder.path().join("trace");
    let said = world.traced(command, &["-f".to_owned(), format!("-etrace={CALLS}")], &log);
    assert_eq!(said.exit, 0, "{said:?}");
    assert!(git(&world.hub(), &["rev-parse", "main"]).len() == 40);
    let text = fs::read_to_string(&log).unwrap();
    let first = text.split_whitespace().next().unwrap_or_default().to_owned();
    let mut seen: HashMap<(String, String), usize> = HashMap::new();
    let (mut own, mut gits) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| !line.contains("resumed>")) {
        let Some((process, call)) = line.split_once(' ') else { continue };
        let Some((name, arguments)) = call.trim_start().split_once('(') else { continue };
        let count = seen.entry((process.to_owned(), name.to_owned())).or_default();
        *count += 1;
        // Loading libraries and reading settings comes before anything can be half done.
        if ["/lib", "/etc/", "/usr/", "/proc/", "/sys/"].iter().any(|p| arguments.contains(p)) {
            continue;
        }
        let is_own = process == first;
        let fault = Fault { name: name.to_owned(), count: *count, follow: !is_own };
        if is_own { own.push(fault) } else { gits.push(fault) }
    }
    (own, gits)
}
