//! A throw-away world for whole-program tests: one hub, members with a home and a memory directory each.
//! Border: runs the built program and plain git with nothing of this machine's configuration; claims
//! are made by the tests.
#![expect(clippy::disallowed_methods, reason = "a world is made of files and programs")]

pub(crate) mod check;
pub(crate) mod random;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

pub(crate) use crate::servers::git;

/// When everything in a world happens.
pub(crate) const NOW: &str = "2026-03-04T05:06:07Z";

/// The hash of a world's repositories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hash {
    Sha1,
    Sha256,
}

/// A hub and its members.
pub(crate) struct World {
    folder: TempDir,
    hash: Hash,
}

/// One person's machine.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// The memory directory.
    pub(crate) memdir: PathBuf,
    variables: Vec<(String, String)>,
}

/// What a run of the program said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) exit: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl World {
    /// An empty SHA-1 hub.
    pub(crate) fn new() -> Self {
        Self::of(Hash::Sha1)
    }

    /// An empty hub.
    pub(crate) fn of(hash: Hash) -> Self {
        let folder = tempfile::Builder::new().prefix("memsync-world").tempdir().unwrap();
        let world = Self { folder, hash };
        let format = if hash == Hash::Sha1 { "sha1" } else { "sha256" };
        let object_format = format!("--object-format={format}");
        fs::create_dir(world.hub()).unwrap();
        git(&world.hub(), &["init", "-q", "--bare", &object_format, "-b", "main", "."]);
        world
    }

    /// The folder everything is in.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The bare repository.
    pub(crate) fn hub(&self) -> PathBuf {
        self.path().join("hub.git")
    }

    /// The hub's address as members give it.
    pub(crate) fn address(&self) -> String {
        self.hub().to_str().unwrap().to_owned()
    }

    /// A member who has nothing yet.
    pub(crate) fn newcomer(&self, name: &str) -> Member {
        Member::below(self.path(), name, &[])
    }

    /// The member who starts the team memory.
    pub(crate) fn founder(&self, name: &str) -> Member {
        let member = self.newcomer(name);
        let format = if self.hash == Hash::Sha1 { "sha1" } else { "sha256" };
        let options = ["init", "--open", "--object-format", format, "--remote"];
        member.done(&[&options[..], &[&self.address()]].concat());
        member
    }

    /// A member who joins it.
    pub(crate) fn joiner(&self, name: &str) -> Member {
        let member = self.newcomer(name);
        member.done(&["join", &self.address()]);
        member
    }

    /// Two members with one team memory.
    pub(crate) fn pair(&self) -> (Member, Member) {
        let ada = self.founder("ada");
        (ada, self.joiner("bob"))
    }

    /// The hub's files at its tip.
    pub(crate) fn hub_files(&self) -> BTreeMap<String, String> {
        files_at(&self.hub(), "main")
    }

    /// Whether any object of the hub, reachable or not, holds a text.
    pub(crate) fn hub_holds(&self, text: &str) -> bool {
        any_object_holds(&self.hub(), text)
    }

    /// Installs a server hook.
    pub(crate) fn hook(&self, name: &str, script: &str) {
        write_program(&self.hub().join("hooks").join(name), script);
    }
}

impl Member {
    /// A member whose files are below a folder.
    pub(crate) fn below(folder: &Path, name: &str, more: &[(String, String)]) -> Self {
        let home = folder.join(format!("{name}-home"));
        let memdir = folder.join(name);
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&memdir).unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut capital = name.to_owned();
        capital[..1].make_ascii_uppercase();
        let email = format!("{name}@example.com");
        let mut variables: Vec<(String, String)> = [
            ("PATH", path.as_str()),
            ("HOME", home.to_str().unwrap()),
            ("XDG_CONFIG_HOME", home.to_str().unwrap()),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("MEMSYNC_TEST_CLOCK", NOW),
            ("MEMSYNC_NAME", &capital),
            ("MEMSYNC_EMAIL", &email),
            ("NO_COLOR", "1"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
        variables.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
        variables.extend_from_slice(more);
        Self { memdir, variables }
    }

    /// The same member with one more variable.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut member = self.clone();
        member.variables.retain(|(known, _)| known != name);
        member.variables.push((name.to_owned(), value.to_owned()));
        member
    }

    /// The team memory's folder.
    pub(crate) fn team(&self) -> PathBuf {
        self.memdir.join("team")
    }

    /// A command that runs a program as this member.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.variables.iter().cloned());
        command.current_dir(self.memdir.parent().unwrap()).stdin(Stdio::null());
        command
    }

    /// The program, ready for its arguments.
    pub(crate) fn program(&self) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_memsync"));
        command.arg("--memdir").arg(&self.memdir);
        command
    }

    /// Runs the program.
    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        say(self.program().args(arguments))
    }

    /// Runs the program with bytes on stdin.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Said {
        let mut command = self.program();
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that does not read all of it closes the pipe.
        drop(child.stdin.take().unwrap().write_all(input));
        said(&child.wait_with_output().unwrap())
    }

    /// Runs the program, which must succeed.
    pub(crate) fn done(&self, arguments: &[&str]) -> Said {
        let said = self.run(arguments);
        assert_eq!(said.exit, 0, "{arguments:?} by {}: {said:?}", self.memdir.display());
        said
    }

    /// Runs the program, which must exit with a code and say some texts on stderr or stdout.
    pub(crate) fn fails(&self, arguments: &[&str], exit: i32, texts: &[&str]) -> Said {
        let said = self.run(arguments);
        assert_eq!(said.exit, exit, "{arguments:?}: {said:?}");
        for text in texts {
            let all = format!("{}{}", said.out, said.err);
            assert!(all.contains(text), "{arguments:?} does not say {text:?}: {said:?}");
        }
        said
    }

    /// Runs the program for a JSON document.
    pub(crate) fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let said = say(self.program().args(["--format", "json"]).args(arguments));
        serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {said:?}"))
    }

    /// Runs plain git in the team memory; gives its stdout.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.team(), arguments)
    }

    /// Writes a file of the team memory, as an editor would.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.team().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a memory.
    pub(crate) fn remember(&self, name: &str, body: &str) {
        self.write(&format!("{name}.md"), memory(name, body));
    }

    /// Reads a file of the team memory.
    pub(crate) fn read(&self, path: &str) -> String {
        let path = self.team().join(path);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// Changes a file of the team memory.
    pub(crate) fn edit(&self, path: &str, change: impl FnOnce(String) -> String) {
        self.write(path, change(self.read(path)));
    }

    /// Removes a file of the team memory.
    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.team().join(path)).unwrap();
    }

    /// Whether a file of the team memory is there.
    pub(crate) fn has(&self, path: &str) -> bool {
        fs::symlink_metadata(self.team().join(path)).is_ok()
    }

    /// Every file of the team memory on disk.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.team()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    if path != self.team().join(".git") {
                        open.push(path);
                    }
                } else {
                    let name = path.strip_prefix(self.team()).unwrap().to_str().unwrap().to_owned();
                    // Reading a pipe would wait for somebody who writes.
                    let is_text = path.is_file() || path.is_symlink();
                    let content = is_text.then(|| fs::read(&path).unwrap_or_default());
                    found.insert(name, content.unwrap_or_default());
                }
            }
        }
        found
    }

    /// The files of the member's commit.
    pub(crate) fn committed(&self) -> BTreeMap<String, String> {
        files_at(&self.team(), "HEAD")
    }

    /// The commit the member is at.
    pub(crate) fn tip(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }
}

/// Runs a command and collects what it said.
pub(crate) fn say(command: &mut Command) -> Said {
    said(&command.output().unwrap())
}

fn said(output: &Output) -> Said {
    Said {
        exit: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A well-formed memory.
pub(crate) fn memory(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: About {name}\ntype: project\n---\n{body}\n")
}

/// A token that the scanner knows, assembled so that no scanner trips on this file.
pub(crate) fn token() -> String {
    ["ghp", "_", "ba8D1rTkY0WxZ", "q3mVnL5sJ7cHfE2g", "u0XfRi5"].concat()
}

/// Makes an executable file.
pub(crate) fn write_program(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Whether any object of a repository, reachable or not, holds a text.
pub(crate) fn any_object_holds(repository: &Path, text: &str) -> bool {
    git(repository, &["cat-file", "--batch-all-objects", "--batch", "--unordered"]).contains(text)
}

/// The files of a commit.
pub(crate) fn files_at(repository: &Path, commit: &str) -> BTreeMap<String, String> {
    let names = git(repository, &["ls-tree", "-r", "-z", "--format=%(objectname) %(path)", commit]);
    let lines = names.split('\0').filter(|line| !line.is_empty());
    let file = |line: &str| {
        let (id, path) = line.split_once(' ').unwrap();
        (path.to_owned(), git(repository, &["cat-file", "blob", id]))
    };
    lines.map(file).collect()
}
